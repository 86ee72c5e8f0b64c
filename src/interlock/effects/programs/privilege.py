"""Programs that run another command as somebody else, with other rights, or in other namespaces (sudo(8), run0(1), capsh(1), nsenter(1))."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import EscalatesPrivilege, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

_RIGHTS = ("--reuid", "--regid", "--ruid", "--euid", "--rgid", "--egid", "--init-groups", "--groups", "--inh-caps", "--ambient-caps")
"""Options of setpriv(1) that may give rights; the others take some away."""


def _sudo(run: Run) -> Flow:
    """Run the rest as another user; the inner effects count as well."""
    operands = list(run.operands)
    if not operands and run.has("-V", "--version", "--help"):
        return NOTHING
    run.effect(EscalatesPrivilege, run.name)
    while operands and "=" in operands[0].text and operands[0].text.partition("=")[0].isidentifier():
        operands.pop(0)
    folder = run.parsed.value("-D", "--chdir") if run.name != "doas" else None
    if folder is not None:
        run.cwd = None if folder.hollow else run.context.normal(folder.text, run.cwd)
    if run.has("-e", "--edit"):
        for value in operands:
            run.path(Writes, value)
        return NOTHING
    if not operands:
        return run.input_as_code() if run.has("-s", "-i", "--shell", "--login") and run.stdin is not None else UNREAD
    return run.command(operands)


def _su(run: Run) -> Flow:
    """``su [-] [USER] [-c COMMAND]``; ``sg GROUP [-c] COMMAND`` and ``newgrp GROUP`` change the group."""
    run.effect(EscalatesPrivilege, run.name)
    words = [value.text for value in run.operands]
    code = run.parsed.value("-c", "--command", "--session-command")
    if code is None and "-c" in words[:-1]:
        code = run.operands[words.index("-c") + 1]
    if code is None and run.name == "sg" and len(words) > 1:
        code = run.operands[1]
    if code is not None:
        return run.code(code)
    return run.input_as_code() if run.stdin is not None else UNREAD


def _runuser(run: Run) -> Flow:
    """``runuser -u USER COMMAND``, or ``runuser [-l] USER -c TEXT`` as ``su``."""
    return _su(run) if run.has("-c", "--command", "--session-command") or "-c" in [value.text for value in run.operands] else _sudo(run)


def _as_user(run: Run) -> Flow:
    """``gosu USER COMMAND``: the first word says who."""
    run.effect(EscalatesPrivilege, run.name)
    return run.command(run.operands[1:]) if len(run.operands) > 1 else UNREAD


def _inside(run: Run) -> Flow:
    """Run the rest in other namespaces; the options tell which."""
    if not run.operands and run.has("--help", "--version", "-h", "-V"):
        return NOTHING
    run.effect(EscalatesPrivilege, run.name)
    return run.command(run.operands) if run.operands else UNREAD


def _setpriv(run: Run) -> Flow:
    """``setpriv``: some options take rights away, others give them."""
    if run.has(*_RIGHTS):
        run.effect(EscalatesPrivilege, run.name)
    return run.command(run.operands) if run.operands else UNREAD


def _capsh(run: Run) -> Flow:
    """``capsh ..OPTIONS.. [-- ARGUMENTS of a shell]``: changes who it is, then starts bash."""
    words = [value.text for value in run.arguments]
    if not words or all(
        word.startswith(("--print", "--decode", "--supports", "--has", "--is-uid", "--help", "--explain", "--current")) for word in words
    ):
        return UNREAD
    run.effect(EscalatesPrivilege, run.name)
    if "-c" in words[:-1]:
        return run.code(run.arguments[words.index("-c") + 1])
    return UNREAD


_SU = Row(options="-c:data -s:data -g:data -G:data --command:data --session-command:data --shell:data", read=_su)
_LIKE_SUDO = Row(operands="command", options="-u:data -g:data -U:data --user:data --group:data -m:data --message:data -D:data", read=_sudo)

ROWS: dict[str, Row] = {
    "sudo": Row(operands="command", options="-u:data -g:data -h:data -p:data -C:data -r:data -t:data -U:data "
        "-D:data -R:data -T:data --user:data --group:data --host:data --prompt:data --chdir:data", read=_sudo),
    "doas": Row(operands="command", options="-u:data -C:data", read=_sudo),
    "pkexec": Row(operands="command", options="--user:data", read=_sudo),
    "run0": Row(operands="command", options="-u:data -g:data -D:data --user:data --group:data --chdir:data --unit:data --property:data "
    "--description:data "
        "--slice:data --nice:data --setenv:data --machine:data --background:data", read=_sudo),
    **dict.fromkeys("dzdo pfexec gksu gksudo kdesu kdesudo beesu pbrun sux calife flatpak-spawn polkit-agent-helper-1".split(), _LIKE_SUDO),
    "su": _SU, "sg": Row(operands="data command", options="-c:data", read=_su), "newgrp": Row(read=_su),
    "runuser": Row(operands="command", options="-u:data -g:data -c:data --user:data --command:data --session-command:data -s:data", read=_runuser),
    **dict.fromkeys("gosu su-exec setuidgid s6-setuidgid".split(), Row(operands="data command", read=_as_user)),
    "chroot": Row(operands="data command", read=_as_user),
    "unshare": Row(operands="command", options="--map-user:data --map-users:data --map-group:data --map-groups:data -S:data --setuid:data -G:data "
        "--setgid:data -R:data --root:data -w:data --wd:data --monotonic:data --boottime:data --propagation:data --setgroups:data -l:data "
        "--load-interp:data", read=_inside),
    "nsenter": Row(operands="command", options="-t:data --target:data -S:data --setuid:data -G:data --setgid:data -r:?data -w:?data", read=_inside),
    "setpriv": Row(operands="command", options="--reuid:data --regid:data --ruid:data --euid:data --rgid:data --egid:data --groups:data "
        "--inh-caps:data --ambient-caps:data --bounding-set:data --securebits:data --pdeathsig:data --selinux-label:data --apparmor-profile:data",
        read=_setpriv),
    "capsh": Row(clustered=False, read=_capsh),
}  # fmt: skip
