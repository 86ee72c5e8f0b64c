"""Containers, clusters and virtual machines: what they may do to this machine, and what runs inside them."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import SECRET, WORKSPACE, ChangesInfrastructure, ControlsContainer, Publishes, Reads, Writes
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run
    from interlock.shell.execution import Execution

# -- docker and its like ---------------------------------------------------------------------------------------

_DOCKER: dict[str, str] = {
    "run": "run", "create": "run", "start": "run", "restart": "run", "unpause": "run", "exec": "exec", "attach": "exec", "login": "login", "logout": "login", "push": "push",
    "rm": "remove", "rmi": "remove", "kill": "stop", "stop": "stop", "pause": "stop", "down": "stop", "prune": "prune", "up": "run", "swarm": "swarm", "update": "run", "rename": "run",
    "commit": "", "build": "", "pull": "", "ps": "", "images": "", "logs": "", "inspect": "", "ls": "", "version": "", "info": "", "stats": "", "top": "", "port": "", "diff": "",
    "history": "", "search": "", "events": "", "tag": "", "save": "", "load": "", "import": "", "export": "", "wait": "", "config": "", "buildx": "", "context": "", "cp": "cp",
    "init": "", "scout": "", "manifest": "", "trust": "", "deploy": "run", "leave": "remove", "df": "", "cache": "", "use": "", "bake": "", "imagetools": "",
}  # fmt: skip
_GROUPS = frozenset(
    {
        "container",
        "image",
        "volume",
        "network",
        "system",
        "builder",
        "compose",
        "stack",
        "service",
        "secret",
        "config",
        "node",
        "plugin",
        "buildx",
        "swarm",
        "machine",
        "pod",
        "manifest",
    }
)
_GROUP_VERBS = {
    "create": "",
    "connect": "",
    "disconnect": "",
    "scale": "run",
    "update": "run",
    "rollback": "run",
    "init": "swarm",
    "join": "swarm",
    "install": "run",
    "enable": "run",
    "disable": "stop",
    "set": "run",
    "demote": "swarm",
    "promote": "swarm",
}

_VALUED = (
    "-v:data --volume:data --mount:data -p:data --publish:data -e:data --env:data --env-file:reads --name:data -w:data --workdir:data -u:data --user:data --network:data --net:data "
    "--entrypoint:data -h:data --hostname:data -l:data --label:data --restart:data --memory:data -m:data --cpus:data --pid:data --ipc:data --userns:data --uts:data --cap-add:data "
    "--cap-drop:data --device:data --security-opt:data --add-host:data --platform:data --gpus:data --shm-size:data --tmpfs:data --volumes-from:data --pull:data --log-driver:data "
    "--log-opt:data --ulimit:data --dns:data --expose:data --link:data --cidfile:writes --health-cmd:data --stop-signal:data --stop-timeout:data --ip:data --mac-address:data --cgroupns:data "
    "--cgroup-parent:data --runtime:data --sysctl:data --annotation:data"
)
_TOP_OPTIONS = "-H:data --host:data -c:data --context:data --config:data -l:data --log-level:data -f:reads --file:reads --project-name:data --project-directory:data --profile:data --env-file:reads --tlscacert:data"
_RUN_ROW = Row(operands="data command", options=_VALUED, clustered=True)
_EXEC_ROW = Row(
    operands="data command", options="-e:data --env:data --env-file:reads -w:data --workdir:data -u:data --user:data --index:data --detach-keys:data"
)


def _docker(run: Run) -> Flow:
    """``docker [options] [GROUP] VERB ..``."""
    words = run.operands
    group = ""
    if words and words[0].text in _GROUPS:
        group, words = words[0].text, words[1:]
    if not words:
        return UNREAD
    verb = words[0].text
    if HOLE in verb:
        run.effect(ControlsContainer, run.name, "run", "unknown-command")
        return UNREAD
    action = _action(group, verb)
    if action in ("run", "exec") and verb in ("run", "exec", "create"):
        return _inside(run, words, verb)
    if action == "push":
        run.effect(Publishes, words[1].text if len(words) > 1 else run.name, "package")
    elif action == "cp":
        _copy(run, words[1:])
    elif action == "swarm":
        run.effect(ChangesInfrastructure, f"{run.name} {group} {verb}", "modify")
    elif action:
        traits = [action, *(["volumes"] if any(value.text in ("-v", "--volumes") for value in words) else [])]
        run.effect(ControlsContainer, " ".join([value.text for value in words[:3]]), *traits)
        if "volumes" in traits and action == "stop":
            run.effect(ControlsContainer, "volumes", "remove")
    return UNREAD


def _action(group: str, verb: str) -> str:
    """Return what a verb does: of most groups ``rm`` and ``prune`` matter, and making things does not."""
    if group and group not in ("container", "compose", "image") and verb in _GROUP_VERBS:
        return _GROUP_VERBS[verb]
    return _DOCKER.get(verb, "run" if not group else "")


def _inside(run: Run, words: list[Value], verb: str) -> Flow:
    """``run IMAGE CMD`` and ``exec NAME CMD``: how much power it gets, and the command as it runs there."""
    row = _EXEC_ROW if verb == "exec" else _RUN_ROW
    inner = type(run)(run.reader, run.walker, _moved(run, words), row, run.name)
    subject = inner.operands[0].text if inner.operands else ""
    traits = _powers(inner)
    inner.effect(ControlsContainer, subject, verb if verb == "exec" else "run", *traits)
    for value in inner.parsed.values("--env-file"):
        inner.path(Reads, value)
    command = inner.operands[1:]
    entry = inner.parsed.value("--entrypoint")
    if entry is not None:
        command = [entry, *command]
    return within(inner, f"container {subject}", command)


def _moved(run: Run, words: list[Value]) -> Execution:
    """Return the execution whose arguments are those of the verb."""
    at = next((index for index, value in enumerate(run.arguments) if value is words[0]), 0)
    execution = run.execution.inner(run.arguments[at:])
    execution.cwd = run.cwd
    return execution


def within(run: Run, where: str, command: list[Value]) -> Flow:
    """Read a command as it runs somewhere else: there system paths are the other machine's."""
    if not command:
        return UNREAD
    context = run.context
    before, context.where = context.where, where
    cwd, run.cwd = run.cwd, None
    try:
        return run.command(command)
    finally:
        context.where, run.cwd = before, cwd


def _powers(run: Run) -> list[str]:
    """Return the options that give a container power over this machine."""
    found = set()
    if run.has("--privileged") or any(
        value.text.upper() in ("ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "NET_ADMIN") for value in run.parsed.values("--cap-add")
    ):
        found.add("privileged")
    for name in ("--pid", "--ipc", "--userns", "--uts", "--network", "--net"):
        value = run.parsed.value(name)
        if value is not None and value.text == "host":
            found.add("host-network" if name in ("--network", "--net") else "host-namespace")
    if run.parsed.values("--device") or any("unconfined" in value.text for value in run.parsed.values("--security-opt")):
        found.add("privileged")
    for value in [*run.parsed.values("-v", "--volume"), *run.parsed.values("--mount")]:
        found |= _mount(run, value)
    return sorted(found)


def _mount(run: Run, value: Value) -> set[str]:
    """``SRC:DST[:ro]`` or ``type=bind,source=SRC,..``: the workspace is fine, the rest of the machine is not."""
    source = value.text.partition(":")[0]
    if "source=" in value.text or "src=" in value.text:
        source = value.text.replace("src=", "source=").partition("source=")[2].partition(",")[0]
        if "type=volume" in value.text:
            return set()
    if HOLE in source:
        return {"host-mount"} if source.strip(HOLE)[:1] != "" or source == HOLE else set()
    if "docker.sock" in source or "containerd.sock" in source or "podman.sock" in source:
        return {"socket"}
    if source[:1] not in ("/", "~", "."):
        return set()
    path = run.context.normal(run.context.home + source[1:] if source[:1] == "~" else source, run.cwd)
    if path is None:
        return {"host-mount"}
    place = run.context.place(path)
    if SECRET in place.natures or place.location not in (WORKSPACE, "temp"):
        return {"host-mount"}
    return set()


def _copy(run: Run, words: list[Value]) -> None:
    """``docker cp SRC DST``: the side without a colon is on this machine."""
    plain = [value for value in words if value.text[:1] != "-"]
    for kind, value in zip((Reads, Writes), plain, strict=False):
        if ":" not in value.text:
            run.path(kind, value)


def _compose(run: Run) -> Flow:
    """``docker-compose`` without its group."""
    run.parsed.operands.insert(0, Value("compose"))
    return _docker(run)


# -- clusters --------------------------------------------------------------------------------------------------

_KUBE: dict[str, str] = {
    **dict.fromkeys("get describe logs log top version config cluster-info api-resources api-versions explain diff wait auth events options completion plugin kustomize view list status history show template lint search "
                    "env repo dependency verify pull dashboard whoami projects project login test package docs ls".split(), ""),
    **dict.fromkeys("delete uninstall drain destroy remove stop evict".split(), "delete"),
    **dict.fromkeys("create run expose install new-app start".split(), "create"),
    **dict.fromkeys("apply replace patch edit set label annotate scale autoscale rollout cordon uncordon taint cp port-forward proxy attach debug certificate upgrade rollback import adm policy".split(), "modify"),
}  # fmt: skip
_KUBE_OPTIONS = "-n:data --namespace:data -f:data --filename:data -k:data --context:data --kubeconfig:data --cluster:data --user:data -l:data --selector:data -o:data --output:data -c:data --container:data --server:data -s:data --as:data --token:data -p:data --profile:data"


def _kube(run: Run) -> Flow:
    """``kubectl [options] VERB ..``."""
    words = [value.text for value in run.operands]
    if not words or run.has("--help", "-h"):
        return NOTHING
    if run.has("--dry-run", "--dry-run=client", "--dry-run=server") or any(
        name.startswith("--dry-run") for name, value in run.parsed.options if value.text != "none"
    ):
        return UNREAD
    verb = words[0]
    if verb == "exec":
        return _kube_exec(run)
    if (
        verb in ("get", "describe")
        and len(words) > 1
        and words[1].partition("/")[0].rstrip("s") in ("secret", "secret,")
        and (run.has("-o", "--output") or (verb == "get" and "-o" in words))
    ):
        run.effect(ChangesInfrastructure, "secrets of the cluster", "secret-access")
        return Flow(None, frozenset({"secret"}))
    if verb == "rollout" and words[1:2] in (["status"], ["history"]):
        return UNREAD
    if verb in ("config", "repo", "auth") and words[1:2] and words[1].startswith(("set", "use", "delete", "unset", "rename", "remove", "reconcile")):
        return UNREAD if words[1].startswith(("use", "set-context", "set")) else _changed(run, words, "modify")
    action = _KUBE.get(verb)
    if action == "":
        return UNREAD
    return _changed(run, words, action)


def _changed(run: Run, words: list[str], action: str | None) -> Flow:
    run.effect(ChangesInfrastructure, " ".join([run.name, *words[:3]]), action or "modify", certain=action is not None)
    return UNREAD


def _kube_exec(run: Run) -> Flow:
    """``kubectl exec POD -- CMD``."""
    words = run.arguments
    cut = next((index for index, value in enumerate(words) if value.text == "--"), -1)
    command = words[cut + 1 :] if cut >= 0 else run.operands[2:]
    run.effect(ControlsContainer, run.operands[1].text if len(run.operands) > 1 else "", "cluster-exec")
    return within(run, "cluster", command)


# -- virtual machines ------------------------------------------------------------------------------------------

_MACHINES: dict[str, str] = {
    **dict.fromkeys("list ls status info show version ssh-config global-status box list-images get dominfo dumpxml domstate help find console".split(), ""),
    **dict.fromkeys("destroy delete undefine purge rm remove".split(), "remove"),
    **dict.fromkeys("stop halt suspend shutdown pause reboot restart reset kill poweroff".split(), "stop"),
}  # fmt: skip


def _machine(run: Run) -> Flow:
    words = run.operands
    if not words:
        return UNREAD
    if words[0].text in ("exec", "ssh", "shell") and len(words) > 1:
        run.effect(ControlsContainer, words[1].text, "exec")
        return within(run, f"container {words[1].text}", words[2:])
    action = _MACHINES.get(words[0].text, "run")
    if action:
        run.effect(ControlsContainer, " ".join([value.text for value in words[:2]]), action)
    return UNREAD


_DOCKER_ROW = Row(operands="subcommand", options=_TOP_OPTIONS, read=_docker)
_KUBE_ROW = Row(options=_KUBE_OPTIONS, clustered=False, read=_kube)
_MACHINE_ROW = Row(operands="subcommand", read=_machine)

ROWS: dict[str, Row] = {
    **dict.fromkeys("docker podman nerdctl buildah finch".split(), _DOCKER_ROW),
    **dict.fromkeys("docker-compose podman-compose".split(), Row(operands="subcommand", options=_TOP_OPTIONS, read=_compose)),
    **dict.fromkeys(
        "kubectl k oc helm k9s kustomize kind minikube k3d k3s kubeadm kubens kubectx stern skaffold tilt helmfile istioctl velero".split(), _KUBE_ROW
    ),
    **dict.fromkeys("vagrant virsh multipass lxc lxd incus machinectl systemd-nspawn qm pct VBoxManage limactl colima".split(), _MACHINE_ROW),
    "skopeo": Row(operands="data*"),
}
