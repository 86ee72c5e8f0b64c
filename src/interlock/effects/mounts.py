"""What makes a folder hold another place: other machines, archives, other folders."""

from __future__ import annotations

MOUNTING = frozenset(
    {"sshfs", "rclone", "s3fs", "gcsfuse", "bindfs", "encfs", "gocryptfs", "ntfs-3g"}
)
"""Programs after which a folder may hold what is elsewhere."""
