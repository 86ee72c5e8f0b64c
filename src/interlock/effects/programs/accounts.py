"""Users, groups and passwords, here and in the directories of an organisation."""

from __future__ import annotations

from interlock.effects.rows import Reader
from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem, Reads, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

_FILES = Flow(None, frozenset({"secret"}))


def _edits(*paths: str) -> Reader:
    """Return a reader for programs that open an account file in an editor; ``-c`` only checks."""

    def read(run: Run) -> Flow:
        if run.has("-c", "--check", "-V", "--version", "--help"):
            return UNREAD
        run.effect(ControlsSystem, run.name, "users")
        for path in paths:
            run.path(Writes, Value(path))
        return NOTHING

    return read


def _getent(run: Run) -> Flow:
    """``getent shadow`` prints password hashes; other databases are public."""
    names = [value.text for value in run.operands[:1]]
    for name in names:
        if name in ("shadow", "gshadow"):
            run.path(Reads, Value(f"/etc/{name}"))
            return _FILES
    return UNREAD


def _htpasswd(run: Run) -> Flow:
    """``htpasswd [-n] FILE USER``: changes a file of passwords of a web server; ``-n`` prints,
    ``-v`` verifies.
    """
    if not run.has("-n", "-v") and run.operands:
        run.path(Writes, run.operands[0], "in-place")
    return UNREAD


def _account(trait: str, *looks: str) -> Reader:
    """Return a reader for programs that change an account; the one of root, or another with its
    number, is said.
    """

    def read(run: Run) -> Flow:
        if run.has("--help", "--version", *looks):
            return UNREAD
        root = any(value.text == "root" for value in run.operands) or any(
            value.text == "0" for value in run.parsed.values("-u", "--uid")
        )
        target = run.operands[-1] if run.operands else None
        run.effect(
            ControlsSystem,
            target.text if target is not None else run.name,
            trait,
            *(["root-account"] if root else []),
            value=target,
        )
        return NOTHING

    return read
