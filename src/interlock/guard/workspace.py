"""What may be a workspace: never the root, a home, what lies above a home, or a folder of the system."""

from __future__ import annotations

from interlock.guard.attempt import Failure, attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.ledger.sessions import Remembered
    from interlock.model.call import ToolCall
    from interlock.model.facts import Facts

SYSTEM_FOLDERS = frozenset(
    """/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /opt /proc /run /run/user /sbin /srv /sys /usr /usr/local /System /Library /Applications
    /var /var/cache /var/folders /var/lib /var/log /var/run /var/spool /var/tmp /var/www
    /private /private/etc /private/tmp /private/var /private/var/tmp
    /home /Users /Volumes /root /mnt /media /nix /snap /tmp""".split()
)
"""The system's, and those that everybody shares: never a workspace themselves."""
_WHOLE = "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /sbin /sys /usr /System /Library /Applications /private/etc".split()
"""Neither is anything below these..."""
_ALLOWED_BELOW = ("/usr/src", "/usr/local/src")
"""... but here."""


def placed(call: ToolCall, remembered: Remembered | Failure, facts: Facts) -> ToolCall:
    """Return the call with the workspace and intent of its session. Where even that fails there is no workspace, which is the strictest."""
    if not isinstance(remembered, Failure) and remembered.known:
        call = call.replace(roots=remembered.roots)
        if call.intent or call.scope or not (remembered.intent or remembered.scope):
            return call
        scope = "; ".join([*filter(None, [remembered.scope]), *(["unsure"] if remembered.forgotten else [])])
        return call.replace(intent=remembered.intent, scope=scope)
    found = attempt("facts", lambda: roots(call, facts), tuple)
    return call.replace(roots=() if isinstance(found, Failure) else found)


def roots(call: ToolCall, facts: Facts) -> tuple[str, ...]:
    """Return the workspace of a session whose first call this is: the client's folders, else the folder it began in; none where none may be one."""
    home = facts.home()
    candidates = [_normal(one) for one in call.roots or (call.cwd,)]
    return tuple([root for root in candidates if may_be_root(root, home) and may_be_root(_real(root, facts), home)])


def widened(found: tuple[str, ...], more: tuple[str, ...], home: str) -> tuple[str, ...]:
    """Return the folders of a workspace with those that a policy adds, as far as they may be one; where there is no workspace there is none."""
    return tuple(dict.fromkeys([*found, *[root for root in map(_normal, more) if may_be_root(root, home)]])) if found and more else found


def _real(path: str, facts: Facts) -> str:
    found = facts.real(path)
    return found if isinstance(found, str) else path


def may_be_root(path: str, home: str) -> bool:
    """Tell whether a folder may be a workspace: written plainly and absolute, not too wide, and not holding the user's home."""
    path, mine = _normal(path), _normal(home)
    if path[1:2] == ":":
        return _may_be_root_on_windows(path.lower().replace("\\", "/"), mine.lower().replace("\\", "/"))
    if not path.startswith("/") or "\0" in path or not {".", ".."}.isdisjoint(path.split("/")):
        return False
    if path == "/" or path in SYSTEM_FOLDERS or f"{mine}/".startswith(f"{path}/"):
        return False
    return _below(path, _ALLOWED_BELOW) or not _below(path, _WHOLE)


def _may_be_root_on_windows(path: str, home: str) -> bool:
    parts = path.split("/")
    if len(parts) < 2 or not {"", ".", ".."}.isdisjoint(parts) or path.endswith(":/users") or f"{home}/".startswith(f"{path}/"):
        return False
    return parts[1] not in ("windows", "program files", "program files (x86)", "programdata")


def _below(path: str, folders: Iterable[str]) -> bool:
    return path.startswith(tuple([f"{folder}/" for folder in folders]))


def _normal(path: str) -> str:
    while "//" in path:
        path = path.replace("//", "/")
    return path.rstrip("/") or "/" if path else ""
