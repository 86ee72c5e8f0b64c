"""Virtual machines and clusters of this machine: vagrant, virsh, VBoxManage, lxc, kind, k3d."""

from __future__ import annotations

from interlock.effects.programs.containers import behind, within
from interlock.effects.programs.lending import mount
from interlock.effects.programs.owning import makes, owns
from interlock.effects.run import Run
from interlock.model.effect import ControlsContainer, EscalatesPrivilege, Installs
from interlock.shell.value import HOLE, UNREAD, Flow, Value

_MACHINES: dict[str, str] = {
    **dict.fromkeys("list ls status info show version ssh-config global-status box list-images get dominfo dumpxml domstate help find console get load export ip url dashboard service docker-env podman-env kubectl cache build pull "
                    "update-context completion outdated diff snapshot-list current".split(), ""),
    **dict.fromkeys("destroy delete undefine purge rm remove unregistervm undefine prune".split(),
        "remove"),
    **dict.fromkeys("stop halt suspend pause restart".split(), "stop-named"),
    **dict.fromkeys("shutdown reboot reset kill poweroff terminate".split(), "stop"),
}  # fmt: skip
_GROUPS = frozenset(
    "box plugin snapshot cluster node registry profile addons image cache config kubeconfig stack"
    " storage network project".split()
)
"""First words behind which the verb stands."""
_PAIRS = (["storage", "volume"], ["storage", "bucket"], ["network", "zone"], ["network", "acl"])
_ADDS = (["plugin", "install"], ["box", "add"])


def machine(run: Run) -> Flow:
    """``vagrant destroy``, ``virsh snapshot-delete VM NAME``, ``kind delete cluster``: machines and
    clusters of this machine.
    """
    words = run.operands
    if [value.text for value in words[:2]] in _ADDS and len(words) > 2:
        origin = "url" if "://" in words[2].text else "user"
        run.effect(Installs, words[2].text, origin, value=words[2])
        return UNREAD
    words = words[_groups(run, words) :]
    if not words or run.has("--help", "-h"):
        return UNREAD
    verb = words[0].text
    if verb in ("exec", "ssh", "shell") and len(words) > 1 and words[1].text[:1] != "-":
        run.effect(ControlsContainer, words[1].text, "exec")
        return within(run, f"container {words[1].text}", words[2:])
    if run.name == "machinectl" and verb in ("shell", "login") and not words[2:]:
        run.effect(EscalatesPrivilege, "root" if len(words) == 1 else words[1].text)
    if verb in ("config", "device"):
        _lend_folder(run, words)
    if verb in ("ssh", "shell", "console"):
        return _inside(run)
    _change_machines(run, words)
    return UNREAD


def _groups(run: Run, words: list[Value]) -> int:
    """Return how many words stand before the verb: ``snapshot``, ``storage volume``."""
    if [value.text for value in words[:2]] in _PAIRS:
        return 2
    if run.name.lower() == "vboxmanage" and words[:1] and words[0].text == "snapshot":
        return min(len(words) - 1, 2)  # VBoxManage snapshot VM delete NAME
    return int(bool(words) and words[0].text in _GROUPS)


def _lend_folder(run: Run, words: list[Value]) -> None:
    """``lxc config device add NAME DISK disk source=/``: a folder of this machine is lent."""
    if "disk" not in [value.text for value in words]:
        return
    for value in words:
        source = value.text.removeprefix("source=")
        if source != value.text and mount(run, Value(f"{source}:/x", value.start, value.end)):
            run.effect(ControlsContainer, value.text, "host-mount", value=value)


def _inside(run: Run) -> Flow:
    """``vagrant ssh -c CMD``: the command as it runs there; without one a person works there."""
    code = behind(run.arguments, "-c", "--command")
    run.effect(ControlsContainer, run.name, "exec", "cluster-exec" if code else "interactive")
    if not code:
        return UNREAD
    return within(run, f"container {run.name}", [Value("sh"), Value("-c"), code[0]])


def _change_machines(run: Run, words: list[Value]) -> None:
    """Add what a verb does to the machines that it names; to make and remove one is no loss."""
    verb = words[0].text
    action = _MACHINES.get(verb) or _MACHINES.get(verb.rpartition("-")[2])
    action = "run" if action is None else action
    given = {value.text for value in run.arguments}
    if action == "stop-named" and given & {"--all", "--force", "-f"}:
        action = "stop"
    elif action == "run" and given & {"--delete", "--purge"}:
        action = "remove"
    names = _cluster(run, words)
    if verb == "create":
        makes(run, "cluster", names[0])
    if action:
        own = action == "remove" and owns(run, "cluster", names)
        target = " ".join([value.text for value in words[:2]])
        run.effect(ControlsContainer, target, "made-here" if own else action)


def _cluster(run: Run, words: list[Value]) -> list[Value]:
    """Return the clusters that a command of kind or k3d names; neither makes a taken name."""
    if run.name == "kind":
        return behind(run.arguments, "--name", "-n") or [Value("kind")]
    named = [value for value in words[1:] if value.text[:1] != "-"]
    return named if run.name == "k3d" and named else [Value(HOLE)]


def nspawn(run: Run) -> Flow:
    """``systemd-nspawn -D DIR CMD``: a command with the files of a folder as its system; without
    one a shell, or its init.
    """
    mounts = [value for value in run.parsed.values("--bind") if mount(run, value)]
    folder = run.parsed.value("-D", "--directory")
    run.effect(
        ControlsContainer,
        folder.text if folder is not None else run.name,
        "run",
        "privileged",
        *(["host-mount"] if mounts else []),
    )
    return within(run, f"container {run.name}", run.operands)
