"""``rsync``: what is copied, what is deleted there, and the shells on the way."""

from __future__ import annotations

from interlock.effects.programs.netshell import copy_files, elsewhere, option_command, remote_part
from interlock.effects.run import Run
from interlock.model.effect import (
    Deletes,
    Listens,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value


def _rsync(run: Run) -> Flow:
    """``--delete`` removes from the target what the sources do not have; ``-e`` and
    ``--rsync-path`` run commands.
    """
    if run.has("--version", "--help"):
        return NOTHING
    for value in run.parsed.values("-e", "--rsh"):
        first = value.text.split()[:1]
        if (
            not first
            or first[0].rpartition("/")[2] not in ("ssh", "rsh")
            or "command" in value.text.lower()
        ) and value.text:
            option_command(run, value, "--rsh")
    for value in run.parsed.values("--rsync-path"):
        if value.text.removeprefix("sudo ").rpartition("/")[2] != "rsync":
            option_command(run, value, "--rsync-path")
    if run.has("--daemon"):
        run.effect(Listens, "rsync", "serves-files")
        return UNREAD
    for name, role in (
        ("--log-file", Writes),
        ("--write-batch", Writes),
        ("--only-write-batch", Writes),
        ("--files-from", Reads),
        ("--password-file", Reads),
    ):
        for value in run.parsed.values(name):
            run.path(role, value)
            if "batch" in name:
                run.path(role, Value(value.text + ".sh", value.start, value.end, value.why))
    if run.has("-n", "--dry-run"):
        return UNREAD
    flow = copy_files(run)
    _rsync_deletes(run)
    return flow


def _rsync_deletes(run: Run) -> None:
    if not run.operands[1:]:
        return
    target = run.operands[-1]
    deletes = any(flag.startswith(("--delete", "--del")) for flag in run.parsed.flags)
    if deletes:
        there = remote_part(target.text)
        if there is None:
            run.path(
                Deletes,
                Value(
                    target.text.rstrip("/") + "/*",
                    target.start,
                    target.end,
                    target.why,
                    pattern=True,
                ),
                "recursive",
            )
        else:
            elsewhere(
                run,
                there[0],
                Value(there[1] or HOLE, target.start, target.end, target.why or "argument"),
            )
    if run.has("--remove-source-files"):
        for value in run.operands[:-1]:
            if remote_part(value.text) is None:
                run.path(Deletes, value, "moved", "recursive")
