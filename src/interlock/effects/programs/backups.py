"""Backups: what is thrown away or goes elsewhere (borg(1), restic(1), duplicity(1) and kin)."""

from __future__ import annotations

from interlock.effects.hosts import host_of
from interlock.effects.programs.acting import doing
from interlock.effects.programs.bringing import bring_unknown
from interlock.effects.programs.sending import send
from interlock.effects.run import Run
from interlock.model.effect import Reads
from interlock.shell.value import UNREAD, Flow, Value


def _restores(run: Run, folder: Value | None) -> None:
    """Add what a backup brings back: nobody knows which of the guard's files is in it."""
    if folder is not None and run.here and not run.has("-n", "--dry-run"):
        bring_unknown(run, folder)


def _restic(run: Run) -> Flow:
    """``restic -r REPOSITORY backup FOLDER..``: a repository of another machine gets it all."""
    repository = run.parsed.value("-r", "--repo")
    if (
        [value.text for value in run.operands[:1]] == ["backup"]
        and repository is not None
        and not run.has("-n", "--dry-run")
    ):
        kind, _, where = repository.text.partition(":")
        if kind in ("s3", "rest", "sftp", "b2", "azure", "gs", "swift", "rclone"):
            for value in run.operands[1:]:
                run.path(Reads, value, "sent")
                send(run, host_of(where) or kind, {"upload", "unknown-data"}, value)
    if [value.text for value in run.operands[:1]] == ["restore"]:
        _restores(run, run.parsed.value("-t", "--target"))
    return _RESTIC(run) or UNREAD


_RESTIC = doing("nothing = snapshots ls stats check find diff list cat version init backup -n --dry-run", "changes-infrastructure:delete = forget "
    "prune",
    "changes-infrastructure:modify = unlock key rewrite")  # fmt: skip


def _borg(run: Run) -> Flow:
    if [value.text for value in run.operands[:1]] == ["extract"] and not run.has("--stdout"):
        _restores(run, Value("."))
    return _BORG(run) or UNREAD


_BORG = doing(
    "nothing = list info check create mount umount extract --version -n --dry-run",
    "changes-infrastructure:delete = delete prune compact break-lock",
    "changes-infrastructure:modify = recreate rename key",
)


def _last(run: Run) -> Flow:
    """Programs that restore into the last of their operands: ``kopia restore SOURCE TARGET``."""
    words = [value.text for value in run.operands]
    asked = words[:1] == ["restore"] or run.has("-r", "--restore-as-of")
    if len(words) > 1 and asked:
        _restores(run, run.operands[-1])
    return _KINDS[run.name](run) or UNREAD


_KINDS = {
    "kopia": doing(
        "changes-infrastructure:delete = snapshot+delete snapshot+expire repository+disconnect",
        "nothing = *",
    ),
    "duplicity": doing(
        "nothing = collection-status list-current-files verify --dry-run",
        "changes-infrastructure:delete = remove-* cleanup",
    ),
    "rdiff-backup": doing(
        "changes-infrastructure:delete = --remove-older-than remove", "nothing = *"
    ),
}


def _dar(run: Run) -> Flow:
    """dar(1): ``-x ARCHIVE`` restores it into ``-R FOLDER``."""
    if run.has("-x"):
        _restores(run, run.parsed.value("-R") or Value("."))
    return UNREAD
