"""The files that policy is read from: where they lie, what is in them, and whether they can be
believed. On the way of every call.

A file counts only as it is: no symbolic link, owned by whom it should be, written by nobody else,
and neither is its folder. Whoever could write it could write the policy. What cannot be believed is
said, with the reason, and never loosens.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from interlock.model.record import Record
from interlock.policy.sandbox_writable import Lent, read_lent

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


MAX_BYTES = 1 << 20
FILE = "policy.yaml"
FLEET_FILE = "fleet.yaml"
"""What a service published, as the sidecar of an enrolled machine put it."""
GUARDS = "guards"
"""The name of folders of plugin rules; such a folder's content is the names in it."""
SKILLS = "guard-skills"
"""The name of folders of a guard agent's skills; a skill may be a folder there, too."""
PAGE = "SKILL.md"
"""The file of a skill that is a folder."""
MOST_GUARDS = 100
ENDS = (".yaml", ".yml", ".md"), (".md",)
"""How the names of guards end, and those of skills."""
NO_LINK = getattr(system, "O_NOFOLLOW", 0)
_READ = (
    system.O_RDONLY
    | NO_LINK
    | getattr(system, "O_CLOEXEC", 0)
    | getattr(system, "O_NONBLOCK", 0)
    | getattr(system, "O_BINARY", 0)
)
_KIND, _REGULAR, _LINK, _OTHERS_WRITE, _STICKY, _DIRECTORY = (
    0o170000,
    0o100000,
    0o120000,
    0o022,
    0o1000,
    0o040000,
)


class PolicyLocations(Record):
    """Where policy may lie. ``system``: the organisation's folder, ``home``: the user's home,
    ``project``: the workspace's folder (``""``: none).

    ``owner``: the user's number; ``above``: whose the organisation's files have to be. ``state``:
    where interlock keeps what it worked out.
    ``own_home``: the home is the user's by the system's own list of users, and not only by an
    environment variable.
    ``session``: the session that a call is of (``""``: none). ``lent``: what running sandboxes may
    write.
    """

    system: str
    home: str
    project: str = ""
    state: str = ""
    owner: int = 0
    above: int = 0
    own_home: bool = True
    session: str = ""
    lent: tuple[Lent, ...] = ()

    @property
    def organisation_file(self) -> str:
        """The organisation's file."""
        return f"{self.system}/{FILE}"

    @property
    def fleet_files(self) -> tuple[str, ...]:
        """The files in which a service's policy may lie: root's, which holds for every user of this
        machine, and the user's own, which nobody but their account protects.
        """
        own = (f"{self.state}/{FLEET_FILE}",) if self.state else ()
        return (f"{self.system}/{FLEET_FILE}", *own)

    @property
    def user_file(self) -> str:
        """The user's file, or ``""`` without a home."""
        return f"{self.home}/.config/interlock/{FILE}" if self.home else ""

    @property
    def project_file(self) -> str:
        """The project's file, or ``""`` without a workspace."""
        return f"{self.project}/.interlock/{FILE}" if self.project else ""

    @property
    def session_file(self) -> str:
        """The file of the session, which only `interlock policy session` writes, or ``""`` without
        a session or a place for it.
        """
        return (
            f"{self.state}/sessions/{digest(self.session)}.yaml"
            if self.state and self.session
            else ""
        )

    def guard_folders(self, top: str, name: str = GUARDS) -> tuple[str, ...]:
        """Return the folders of plugin rules or skills in a home or project, the strongest last."""
        return (
            tuple(
                [
                    f"{top}/{folder}/{name}"
                    for folder in (".agents", ".claude", ".bitcode", ".interlock")
                ]
            )
            if top
            else ()
        )

    def tenant_file(self, tenant: str) -> str:
        """Return the file of a tenant, which the organisation keeps."""
        return f"{self.system}/tenants/{tenant}.yaml"


class PolicyFile(Record):
    """A file as it was found. ``data``: its bytes, None where it is not there or was not read.
    ``problem``: why it cannot be believed, or ``""``.

    ``lent``: only because a program in a sandbox may write it just now.
    """

    path: str
    data: bytes | None = None
    problem: str = ""
    owner: int = 0
    mode: int = 0
    lent: bool = False

    @property
    def there(self) -> bool:
        """Whether there is such a file at all."""
        return self.data is not None or bool(self.problem)


def places(environment: Mapping[str, str], project: str = "", session: str = "") -> PolicyLocations:
    """Return where policy lies on this machine. No variable of the environment says it, but the
    home, and that one is checked.
    """
    home = (environment.get("HOME") or environment.get("USERPROFILE") or "").rstrip("/\\")
    state = f"{home}/.local/state/interlock" if home else ""
    if sys.platform == "win32":
        home, state = home.replace("\\", "/"), state.replace("\\", "/")
        return PolicyLocations(
            "C:/ProgramData/interlock", home, project, state, session=session, lent=read_lent(state)
        )
    return PolicyLocations(
        "/etc/interlock",
        home,
        project,
        state,
        system.getuid(),
        session=session,
        lent=read_lent(state),
    )


def look(path: str, owners: tuple[int, ...], lent: tuple[Lent, ...] = ()) -> PolicyFile:
    """Return a file as it is. Total: what cannot be read, or may be written by a sandbox that runs,
    is a problem in words.
    """
    if not path or is_missing(path):
        return PolicyFile(path)
    file = (
        _folder(path, owners)
        if path.endswith((f"/{GUARDS}", f"/{SKILLS}"))
        else _file(path, owners)
    )
    if lent and file.there and not file.problem:
        from interlock.policy.sandbox_writable import explain_refusal

        why = explain_refusal(path, lent)
        return file.replace(problem=why, lent=bool(why))
    return file


def is_missing(path: str) -> bool:
    """Whether nothing is there, not even a link, as in most places for most calls."""
    try:
        system.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _file(path: str, owners: tuple[int, ...]) -> PolicyFile:
    try:
        handle = system.open(path, _READ)
    except OSError as error:
        return PolicyFile(path, problem=_explain_error(path, error))
    try:
        found = system.fstat(handle)
        if found.st_mode & _KIND != _REGULAR:
            return PolicyFile(path, problem="it is no ordinary file")
        if found.st_size > MAX_BYTES:
            return PolicyFile(
                path, problem=f"it has {found.st_size} bytes; a policy file has at most {MAX_BYTES}"
            )
        return PolicyFile(
            path,
            _read(handle),
            _unbelievable(path, found, owners),
            found.st_uid,
            found.st_mode & 0o7777,
        )
    except OSError as error:
        return PolicyFile(path, problem=f"it cannot be read: {error.strerror}")
    finally:
        system.close(handle)


def _folder(path: str, owners: tuple[int, ...]) -> PolicyFile:
    """Return a folder of guards or skills as a file of their names, one a line."""
    try:
        found = system.lstat(path)
    except OSError:
        return PolicyFile(path)
    if found.st_mode & _KIND == _LINK:
        return PolicyFile(path, problem="it is a symbolic link, which may lead elsewhere tomorrow")
    try:
        there = [name for name in system.listdir(path) if "\n" not in name]
        skilled = path.endswith(f"/{SKILLS}")
        names = sorted(
            [
                name
                for name in ([_page(path, name) for name in there] if skilled else there)
                if name.endswith(ENDS[skilled])
            ]
        )
    except OSError as error:
        return PolicyFile(path, problem=f"it cannot be read: {error.strerror}")
    problem = _unbelievable(path, found, owners)
    if len(names) > MOST_GUARDS:
        return PolicyFile(
            path,
            problem=(
                f"it holds {len(names)} {path.rpartition('/')[2]}; at most {MOST_GUARDS} are read"
            ),
        )
    return PolicyFile(
        path,
        "\n".join(names).encode("utf-8", "surrogateescape"),
        problem,
        found.st_uid,
        found.st_mode & 0o7777,
    )


def _page(path: str, name: str) -> str:
    """Return where a skill of this name has its text: in the file itself, or in a folder's page,
    whether or not there is one.
    """
    try:
        inside = (
            not name.startswith(".") and system.stat(f"{path}/{name}").st_mode & _KIND == _DIRECTORY
        )
    except OSError:
        return name
    return f"{name}/{PAGE}" if inside else name


def _explain_error(path: str, error: OSError) -> str:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)) and not _is_link(path):
        return ""
    return (
        "it is a symbolic link, which may lead elsewhere tomorrow; put the file itself there"
        if _is_link(path)
        else f"it cannot be read: {error.strerror}"
    )


def _is_link(path: str) -> bool:
    try:
        return system.lstat(path).st_mode & _KIND == _LINK
    except OSError:
        return False


def _read(handle: int) -> bytes:
    pieces = []
    while piece := system.read(handle, MAX_BYTES + 1):
        pieces.append(piece)
    return b"".join(pieces)


def _unbelievable(path: str, found: Any, owners: tuple[int, ...]) -> str:
    """Return why a file cannot be believed; ``owners`` empty asks only that not everybody can write
    it (a project's file, which only tightens).
    """
    if sys.platform == "win32":
        return ""  # who may write is not in the mode there
    folder = path.rpartition("/")[0] or "/"
    above = system.lstat(folder)
    if above.st_mode & _KIND == _LINK:
        return f"its folder {folder} is a symbolic link, which may lead elsewhere tomorrow"
    for what, name, stat in (("it", path, found), (f"its folder {folder}", folder, above)):
        if owners and stat.st_uid not in owners:
            return (
                f"{what} belongs to user {stat.st_uid}, and not to"
                f" {' or '.join([_user(owner) for owner in owners])}"
            )
        wide = stat.st_mode & (_OTHERS_WRITE if owners else 0o002)
        if wide and not (stat is above and stat.st_mode & _STICKY):
            return f"{what} can be written by others: chmod {'go-w' if owners else 'o-w'} {name}"
    return ""


def _user(number: int) -> str:
    return "root" if number == 0 else f"user {number}"


def fingerprint(file: PolicyFile) -> tuple[object, ...]:
    """Return what a file is, as plain data: anything about it that counts changes this."""
    return (
        file.path,
        file.problem,
        file.owner,
        file.mode,
        sha256(file.data) if file.data is not None else b"",
    )


def sha256(data: bytes) -> bytes:
    """Return the SHA-256 of bytes, without what ``hashlib`` imports; a module that is not there
    would be looked for every time.
    """
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256 as made  # type: ignore[import-not-found]
        else:
            from _sha256 import sha256 as made  # type: ignore[import-not-found]
    except ModuleNotFoundError:
        from hashlib import sha256 as made
    digest: bytes = made(data).digest()
    return digest


def digest(text: str) -> str:
    """Return a name for a text that may stand in the name of a file."""
    return sha256(text.encode("utf-8", "surrogatepass")).hex()[:24]


def is_own_home(home: str, owner: int) -> bool:
    """Whether a home is that of a user by the system's own list: an environment variable alone must
    not choose whose policy loosens.
    """
    if sys.platform == "win32":
        return True
    try:
        import pwd

        listed = pwd.getpwuid(owner).pw_dir.rstrip("/")
    except (ImportError, KeyError):
        return False
    return listed == home or _same_folder(listed, home)


def _same_folder(one: str, other: str) -> bool:
    try:
        first, second = system.stat(one or "/"), system.stat(other or "/")
    except OSError:
        return False
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
