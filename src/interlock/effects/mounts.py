"""What makes a folder hold what is elsewhere: file systems of other machines, of archives, of other
folders.
"""

from __future__ import annotations

MOUNTING = frozenset(
    {"sshfs", "rclone", "s3fs", "gcsfuse", "bindfs", "encfs", "gocryptfs", "ntfs-3g"}
)
"""Programs after which a folder may hold what is elsewhere."""
