"""What may be a workspace: never the root, a home, what lies above a home, or a folder of the system."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.call import ToolCall
    from interlock.model.facts import Facts

SYSTEM_FOLDERS = frozenset(
    """/bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /run /sbin /srv /sys /usr /var /private /private/etc
    /private/var /System /Library /Applications
    /home /Users /root /mnt /media /nix /snap /tmp /var/tmp /private/tmp""".split()
)
"""As they are written; what lies below the first group is refused too."""
_WHOLE = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr", "/System", "/Library", "/private/etc")
_ALLOWED_BELOW = ("/usr/src", "/usr/local/src")


def roots(call: ToolCall, facts: Facts) -> tuple[str, ...]:
    """Return the workspace of a session whose first call this is: the client's folders, else the folder it began in; none where none may be one."""
    home = facts.home()
    candidates = [_normal(one) for one in call.roots or (call.cwd,)]
    return tuple([root for root in candidates if may_be_root(root, home) and may_be_root(_real(root, facts), home)])


def _real(path: str, facts: Facts) -> str:
    found = facts.real(path)
    return found if isinstance(found, str) else path


def may_be_root(path: str, home: str) -> bool:
    """Tell whether a folder may be a workspace."""
    if not (path.startswith("/") or path[1:2] == ":") or ".." in path.split("/"):
        return False
    if path in ("", "/") or path in SYSTEM_FOLDERS or (path[1:2] == ":" and len(path) <= 3):
        return False
    if home and (path == _normal(home) or _normal(home).startswith(path + "/")):
        return False
    folded = path.lower().replace("\\", "/")
    if folded[1:].startswith((":/windows", ":/program files", ":/programdata")) or folded[1:] == ":/users":
        return False
    return path.startswith(tuple(f"{folder}/" for folder in _ALLOWED_BELOW)) or not path.startswith(tuple(f"{folder}/" for folder in _WHOLE))


def _normal(path: str) -> str:
    while "//" in path:
        path = path.replace("//", "/")
    return path.rstrip("/") or "/" if path else ""
