"""Programs that run another command as somebody else, with other rights, or in other namespaces
(sudo(8), run0(1), capsh(1), nsenter(1)).
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import EscalatesPrivilege, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow

_RIGHTS = tuple(
    (
        "--reuid --regid --ruid --euid --rgid --egid --init-groups --groups --inh-caps"
        " --ambient-caps"
    ).split()
)
"""Options of setpriv(1) that may give rights; the others take some away."""


def _sudo(run: Run) -> Flow:
    """Run the rest as another user; the inner effects count as well."""
    operands = list(run.operands)
    if not operands and run.has("-V", "--version", "--help"):
        return NOTHING
    run.effect(EscalatesPrivilege, run.name)
    while (
        operands and "=" in operands[0].text and operands[0].text.partition("=")[0].isidentifier()
    ):
        operands.pop(0)
    folder = run.parsed.value("-D", "--chdir") if run.name != "doas" else None
    if folder is not None:
        run.cwd = None if folder.hollow else run.context.normal(folder.text, run.cwd)
    if run.has("-e", "--edit"):
        for value in operands:
            run.path(Writes, value)
        return NOTHING
    if not operands:
        return (
            run.input_as_code()
            if run.has("-s", "-i", "--shell", "--login") and run.stdin is not None
            else UNREAD
        )
    return run.command(operands)


def _su(run: Run) -> Flow:
    """``su [-] [USER] [-c COMMAND]``; ``sg GROUP [-c] COMMAND``, ``newgrp GROUP``: the group."""
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
    return (
        _su(run)
        if run.has("-c", "--command", "--session-command")
        or "-c" in [value.text for value in run.operands]
        else _sudo(run)
    )


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
        word.startswith(
            (
                "--print",
                "--decode",
                "--supports",
                "--has",
                "--is-uid",
                "--help",
                "--explain",
                "--current",
            )
        )
        for word in words
    ):
        return UNREAD
    run.effect(EscalatesPrivilege, run.name)
    if "-c" in words[:-1]:
        return run.code(run.arguments[words.index("-c") + 1])
    return UNREAD
