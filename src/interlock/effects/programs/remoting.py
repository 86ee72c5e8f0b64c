"""Programs that open this machine to somebody elsewhere, run commands on many machines, or hand
files to whoever has the word (their manuals).
"""

from __future__ import annotations

from interlock.effects.connecting import to_host
from interlock.effects.programs.acting import doing
from interlock.effects.programs.sending import NETWORK_FLOW, file_carries, send
from interlock.effects.rows import Reader
from interlock.effects.run import Run
from interlock.model.effect import ChangesInfrastructure, Connects, Executes, Listens
from interlock.shell.value import UNREAD, Flow, Value

_LOOKS = ("--help", "--version", "-V", "-h")


def _tunnel(run: Run) -> Flow:
    """A way in from outside is opened, through a machine of somebody else."""
    if run.has(*_LOOKS):
        return UNREAD
    run.effect(
        Connects, run.operands[0].text if run.operands else run.name, "tunnel", host="unknown"
    )
    return NETWORK_FLOW


def _shell(run: Run) -> Flow:
    """A program made to hand a shell to another machine: with an option that names one, it does."""
    words = [value.text for value in run.arguments]
    if any(word.rpartition("/")[2] in ("sh", "bash", "zsh", "cmd", "powershell") for word in words):
        run.effect(Connects, run.name, "shell", "socket", host="unknown")
    elif run.has("-l", "-L", "--listen", "-lp") or "listen" in words[:1]:
        run.effect(Listens, run.name, "public")
        run.effect(Connects, run.name, "tunnel", host="unknown")
    else:
        return _tunnel(run)
    return NETWORK_FLOW


def _notifies(run: Run) -> Flow:
    """``ntfy publish --file=FILE TOPIC``: a note to one's own telephone; a file beside it lies on a
    server that everybody can ask.
    """
    for value in run.parsed.values("--file", "-f"):
        send(run, "ntfy.sh", {"upload", *file_carries(run, value)}, value)
    return UNREAD


def _on_many(where: str, *, option: str = "", before: str = "") -> Reader:
    """Return a reader for programs that run a command on many machines: the command stands behind
    ``where`` operands, or is an option's value.
    """

    def read(run: Run) -> Flow:
        if run.has("--help", "--version", "-V"):
            return UNREAD
        code = run.parsed.value(*option.split()) if option else None
        words = run.operands[int(where) :]
        run.effect(
            ChangesInfrastructure,
            run.operands[0].text if run.operands else run.name,
            "modify",
            "many-machines",
        )
        if code is None and words:
            words = [value for value in words if value.text not in before.split()]
            code = (
                Value(
                    " ".join([value.text for value in words]),
                    words[0].start,
                    words[-1].end,
                    words[0].why,
                )
                if words
                else None
            )
        if code is not None:
            _there(run, code)
        return NETWORK_FLOW

    return read


def _fabric(run: Run) -> Flow:
    """``fab -H HOSTS -- COMMAND``: what stands behind the dashes runs on the hosts; a task by name
    is the project's own (Fabric's manual, CLI).
    """
    words = [value.text for value in run.arguments]
    behind = run.arguments[words.index("--") + 1 :] if "--" in words else []
    if not behind:
        for value in run.operands:
            run.effect(Executes, value.text, "package-script", value=value)
        return UNREAD
    run.effect(ChangesInfrastructure, "fab", "modify", "many-machines")
    _there(
        run,
        Value(
            " ".join([value.text for value in behind]),
            behind[0].start,
            behind[-1].end,
            behind[0].why,
        ),
    )
    return NETWORK_FLOW


def _there(run: Run, code: Value) -> None:
    """Read a command as it runs on the other machines."""
    held = run.context.where
    run.context.where = "many machines"
    try:
        run.code(code)
    finally:
        run.context.where = held


def _gives(verbs: str = "", looks: str = "") -> Reader:
    """Return a reader for programs that put files where others find them; ``verbs``: the words that
    do (none: always).
    """
    wanted, only = verbs.split(), looks.split()

    def read(run: Run) -> Flow:
        words = run.operands
        if run.has(*_LOOKS, *only) or (wanted and (not words or words[0].text not in wanted)):
            return NETWORK_FLOW
        for value in words[1 if wanted else 0 :] or [Value("-")]:
            send(run, "shared", {"upload", *file_carries(run, value)}, value)
        return NETWORK_FLOW

    return read


def _smb(run: Run) -> Flow:
    """``smbclient -L HOST`` lists shares; ``//HOST/SHARE -c 'put FILE'`` sends there."""
    target = run.parsed.value("-L") or (run.operands[0] if run.operands else None)
    if target is None:
        return UNREAD
    host = target.text.strip("/\\").partition("/")[0]
    to_host(
        run.context,
        Connects,
        host,
        run.span(target),
        frozenset({"remote-shell"} if run.parsed.value("-L") is None else {"scan"}),
        run.name,
    )
    code = run.parsed.value("-c")
    if code is not None and "put " in code.text:
        for word in code.text.replace(";", " ").split("put ")[1:]:
            send(run, host, {"upload", *file_carries(run, Value(word.split()[0]))}, code)
    return NETWORK_FLOW


def _adb(run: Run) -> Flow:
    """``adb shell COMMAND`` runs on the phone; some verbs change what is installed there."""
    words = [value.text for value in run.operands]
    for value in run.operands[1:-1] if words[:1] == ["push"] else ():
        if "carries-secret" in file_carries(run, value):
            send(run, "", {"upload", "carries-secret"}, value)
    if words[:1] == ["shell"] and len(words) > 1:
        text = " ".join(words[1:])
        if (
            words[1] in ("pm", "cmd", "am", "settings", "svc", "reboot", "wm", "dpm")
            and len(words) > 2
            and words[2] not in ("list", "get", "path", "dump")
        ):
            loses = words[2] in ("uninstall", "clear", "disable-user", "trim-caches", "remove-user")
            if loses:
                run.effect(ChangesInfrastructure, text, "delete")
        _there(run, Value(text, run.operands[1].start, run.operands[-1].end, run.operands[1].why))
        return UNREAD
    return (
        doing(
            "changes-infrastructure:delete = uninstall",
            "changes-infrastructure:modify = sideload restore install-multi-package",
            "power = reboot reboot-bootloader",
            "mount = remount disable-verity root unroot",
            "nothing = *",
        )(run)
        or UNREAD
    )
