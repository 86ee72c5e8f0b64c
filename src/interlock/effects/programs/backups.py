"""Backups: what is thrown away, and what goes to another machine (borg(1), restic(1), duplicity(1) and kin)."""

from __future__ import annotations

from interlock.effects.hosts import host_of
from interlock.effects.programs.acting import doing
from interlock.effects.programs.sending import send
from interlock.effects.rows import Row
from interlock.model.effect import Reads
from interlock.shell.value import UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

_DATA = "changes-infrastructure:delete"
_MORE = "changes-infrastructure:modify"


def _restic(run: Run) -> Flow:
    """``restic -r REPOSITORY backup FOLDER..``: a repository of another machine gets what is backed up."""
    repository = run.parsed.value("-r", "--repo")
    if [value.text for value in run.operands[:1]] == ["backup"] and repository is not None and not run.has("-n", "--dry-run"):
        kind, _, where = repository.text.partition(":")
        if kind in ("s3", "rest", "sftp", "b2", "azure", "gs", "swift", "rclone"):
            for value in run.operands[1:]:
                run.path(Reads, value, "sent")
                send(run, host_of(where) or kind, {"upload", "unknown-data"}, value)
    return _RESTIC(run) or UNREAD


_RESTIC = doing("nothing = snapshots ls stats check find diff list cat version init backup -n --dry-run", "changes-infrastructure:delete = forget "
    "prune",
    "changes-infrastructure:modify = unlock key rewrite")  # fmt: skip

ROWS: dict[str, Row] = {
    "borg": Row(options="-e:data --exclude:data --keep-daily:data --keep-weekly:data --keep-monthly:data --keep-last:data", read=doing(
        "nothing = list info check create mount umount extract --version -n --dry-run", f"{_DATA} = delete prune compact break-lock",
            f"{_MORE} = recreate rename key")),
    "restic": Row(options="-r:data --repo:data -p:data --password-file:data --keep-last:data --keep-daily:data --tag:data --host:data --target:data",
        read=_restic),
    "kopia": Row(read=doing(f"{_DATA} = snapshot+delete snapshot+expire repository+disconnect", "nothing = *")),
    "duplicity": Row(clustered=False, read=doing(
        "nothing = collection-status list-current-files verify --dry-run", f"{_DATA} = remove-* cleanup")),
    "rdiff-backup": Row(clustered=False, read=doing(f"{_DATA} = --remove-older-than remove", "nothing = *")),
    "rsnapshot": Row(read=doing("nothing = configtest du -t", "plain = ?")), "bconsole": Row(effects="controls-system"),
}  # fmt: skip
