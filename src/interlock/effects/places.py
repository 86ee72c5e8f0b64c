"""Where a path is and what it is: tables first, then the few lines that look things up in them.

Paths here are absolute and normal (no ``.``, ``..`` or doubled slashes). Case is folded on Windows
and macOS.
"""

from __future__ import annotations

from interlock.data.words import values, words
from interlock.effects.agent_notes import is_note
from interlock.model.effect import (
    ACCESS,
    DEVICE,
    ELSEWHERE,
    GENERATED,
    GUARD,
    HOME,
    INSTRUCTION_FILE,
    NOTES,
    PERSISTENCE,
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    SENSITIVE_NAME,
    SINK,
    SYSTEM,
    TEMP,
    VCS_INTERNAL,
    WORKSPACE,
    WORKSPACE_ROOT,
    Place,
)
from interlock.shell.pattern import matches

# -- tables ----------------------------------------------------------------------------------------

HOME_FILES: dict[str, str] = values("places", "home files")

PUBLIC_IN_SSH = frozenset({"known_hosts", "known_hosts.old", "environment"})

ANY_FOLDER: dict[str, str] = values("places", "any folder")

CLIENT_FOLDERS = frozenset(words("places", "client folders"))

STARTS_WITH_PYTHON = frozenset({"sitecustomize.py", "usercustomize.py"})
"""Files that Python runs at every start, as it does with ``*.pth`` beside installed packages (site,
Python library reference).
"""

STARTS_WITH_A_CLIENT = frozenset({"opencode.json", "opencode.jsonc"})
"""Settings of a client in a project's own folder: servers, plugins, what it asks about."""

RAW = words("places", "raw")

OWN_CODE = ("-packages/interlock/", "-packages/interlock-", "/bin/interlock")
"""In paths of the guard's own installed code (``site-packages``, ``dist-packages``), in whatever
environment it was put.
"""

_BOTH = f"{SECRET} {ACCESS}"
SYSTEM_FILES: dict[str, str] = values("places", "system files")

KEY_NAMES = frozenset(words("places", "key names"))
PROCESS_SECRETS = frozenset({"environ", "mem"})
"""Of a process below ``/proc``: its variables and its memory (proc(5))."""
KEY_ENDINGS = (".kdbx", ".keystore", ".jks", ".ppk", ".keytab")
SENSITIVE_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".asc", ".gpg")
_ARMOURED = ".asc"
"""Most of these are signatures and public keys (gpg(1), ``--armor``); a key says so in its name."""
_OF_KEYS = ("key", "sec", "priv", "pgp", "gpg")
SENSITIVE_WORDS = words("places", "sensitive words")
DATA_ENDINGS = frozenset(
    {
        "",
        ".json",
        ".yaml",
        ".yml",
        ".toml",
        ".ini",
        ".txt",
        ".cfg",
        ".conf",
        ".csv",
        ".xml",
        ".properties",
        ".db",
        ".env",
        ".bak",
        ".dat",
    }
)
STATE_ENDINGS = (".tfstate", ".tfstate.backup", "master.key", ".auto.tfvars")
"""Files of a project that hold secrets whatever they are for: what Terraform knows of the world,
what Rails encrypts with.
"""
SAMPLE_ENDINGS = (".example", ".sample", ".template", ".dist", ".defaults", ".tpl")
INSTRUCTIONS = frozenset(words("places", "instructions"))

GENERATED_NAMES = frozenset(words("places", "generated names"))
GENERATED_ENDINGS = words("places", "generated endings")
GENERATED_PAIRS = frozenset(words("places", "generated pairs"))
GENERATED_STARTS = ("cmake-build-", "bazel-", "build-", "build_", ".coverage.", "dist-",
    "callgrind.out.", "massif.out.",
    "cachegrind.out.", "vgcore.")  # fmt: skip

SINKS = frozenset(words("places", "sinks"))
ENDLESS = frozenset({"/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"})
LARGEST = 10_000_000_000
"""Bytes, or lines, that a call may make; what builds leave behind is smaller."""
"""Devices that are read for ever."""
NEEDLESS_TEMPS = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm")
OWN_SOFTWARE = words("places", "own software")
SYSTEM_TOPS = frozenset(words("places", "system tops"))
DEEP_ROOTS = frozenset(words("places", "deep roots"))


_SOFTWARE = tuple([folder + "/" for folder in OWN_SOFTWARE])
MAX_KNOWN = 16
_known_folders: dict[
    tuple[tuple[str, ...], str, tuple[str, ...]], tuple[tuple[str, str, str], ...]
] = {}

# -- looking up ------------------------------------------------------------------------------------


def below(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or anything in it."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def location(path: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...]) -> str:
    """Return the location that a path is in. The innermost of workspace, temp and home wins."""
    if below(path, "/dev") and not below(path, "/dev/shm"):
        return DEVICE
    for folder, inside, which in _around(roots, home, temps):
        if path == folder or path.startswith(inside):
            return which
    if (
        path.startswith(("/var/folders/", "/private/var/folders/")) and "/T/" in path
    ):  # TMPDIR of a user of a Mac (confstr(3))
        return TEMP
    if (
        path.startswith(_SOFTWARE)
        or path in OWN_SOFTWARE
        or (path.startswith("/etc/") and ".d/" in path)
    ):
        return ELSEWHERE
    top = path.split("/", 2)[1] if path.count("/") else path
    if top in ("home", "Users", "root"):
        return HOME if path.count("/") > 1 or top == "root" else SYSTEM
    return SYSTEM if not top or top in SYSTEM_TOPS else ELSEWHERE


def _around(
    roots: tuple[str, ...], home: str, temps: tuple[str, ...]
) -> tuple[tuple[str, str, str], ...]:
    """Return workspace, temporary and home folders, how paths in them begin, and their location;
    the longest first, kept from call to call.
    """
    key = (roots, home, temps)
    found = _known_folders.get(key)
    if found is None:
        folders = (
            [(root, WORKSPACE) for root in roots]
            + [(temp, TEMP) for temp in (*temps, *NEEDLESS_TEMPS)]
            + ([(home, HOME)] if home else [])
        )
        folders.sort(key=lambda pair: (len(pair[0]), pair[1]), reverse=True)
        found = tuple(
            [
                (folder, folder if folder.endswith("/") else folder + "/", which)
                for folder, which in folders
            ]
        )
        if len(_known_folders) >= MAX_KNOWN:
            _known_folders.clear()
        _known_folders[key] = found
    return found


def natures(path: str, roots: tuple[str, ...], home: str) -> frozenset[str]:
    """Return what the path is, whatever its location."""
    path = path[:MAX_PATH]
    found: set[str] = set()
    if path in SINKS or path.startswith(("/dev/fd/", "/dev/pts/")):
        found.add(SINK)
    if (
        path == home
        or path.count("/") == 1
        or path in DEEP_ROOTS
        or (path.startswith(("/home/", "/Users/")) and path.count("/") == 2)
    ):
        found.add(ROOT_OF)
    if path in roots:
        found.add(WORKSPACE_ROOT)
        found.discard(ROOT_OF)
    relative = _below_home(path, home)
    if relative:
        _look_up(relative, HOME_FILES, found)
        if is_note(relative, roots):
            found.add(NOTES)
    _look_up(path, SYSTEM_FILES, found)
    _anywhere(path, found)
    _by_name(path, roots, found)
    if relative.startswith(".ssh/") and (
        relative.endswith(".pub") or relative[5:] in PUBLIC_IN_SSH
    ):
        found.discard(SECRET)
    return frozenset(found)


def _below_home(path: str, home: str) -> str:
    """Return the path below the home folder, any user's, or ``""``."""
    if home and path.startswith(home + "/"):
        return path[len(home) + 1 :]
    parts = path.split("/", 3)
    if len(parts) == 4 and parts[1] in ("home", "Users"):
        return parts[3]
    return path[6:] if path.startswith("/root/") else ""


def _look_up(path: str, table: dict[str, str], found: set[str]) -> None:
    """Add the nature of the path or of a folder above it; no name in the tables has more than
    ``MAX_DEPTH`` steps.
    """
    end = 0
    for _ in range(MAX_DEPTH):
        end = path.find("/", end + 1)
        nature = table.get(path if end < 0 else path[:end])
        if nature is not None:
            found.update(nature.split())
        if end < 0:
            break


def _anywhere(path: str, found: set[str]) -> None:
    if "interlock" in path and any(mark in path for mark in OWN_CODE):
        found.add(GUARD)
    if "/." not in path:
        return
    if "/.git/" in path or path.endswith("/.git") or "/.hg/" in path or "/.svn/" in path:
        found.add(VCS_INTERNAL)
    for end, nature in ANY_FOLDER.items():
        if path.endswith("/" + end) or f"/{end}/" in path:
            found.add(nature)


MAX_DEPTH = 10
MAX_PATH = 4096
_LATER = frozenset({ACCESS, SECRET, PERSISTENCE})


GIT_HOOKS = frozenset(words("places", "git hooks"))


def by_tail(tail: str) -> frozenset[str]:
    """Return what a path is by its end, in any folder: a hook of git, a service of a user."""
    steps = tail.split("/")
    hook = steps[-2:-1] == ["hooks"] and steps[-1] in GIT_HOOKS
    return frozenset({PERSISTENCE}) if hook or "/systemd/user/" in tail else frozenset()


def guard_files_in(path: str, roots: tuple[str, ...], home: str, *, pattern: bool) -> list[str]:
    """Return the guard's files that lie in a folder; of a pattern also the secrets and what runs
    later that it may match or lead to.
    """
    parts = path.split("/")
    found = (
        [f"/proc/1/{parts[-1]}"]
        if pattern and parts[1:2] == ["proc"] and parts[-1] in PROCESS_SECRETS
        else []
    )
    for folder, table in [
        (home, HOME_FILES),
        *[(root, ANY_FOLDER) for root in roots],
        *([("", _system())] if pattern else []),
    ]:
        top = folder.split("/")
        rest = parts[len(top) :]
        if not rest or not all(map(_fits, parts, top)):
            continue
        plain = "" if any(mark in rest[0] for mark in "*?[") else rest[0]
        for name, nature in table.items():
            if not name.startswith(plain) or (
                nature != GUARD and not (pattern and not _LATER.isdisjoint(nature.split()))
            ):
                continue
            steps = name.split("/")
            if (
                (pattern or len(rest) < len(steps))
                and all(map(_fits, rest, steps))
                and not (rest[len(steps) :] and name.endswith("netrc"))
            ):
                found.append("/".join([folder, name, *rest[len(steps) :]]))
    return found


_of_system: dict[str, str] = {}


def _system() -> dict[str, str]:
    """Return the files of the system by their path without the first slash, secrets before others;
    of ``/proc`` none, which are no folders.
    """
    if not _of_system:
        for wanted in (True, False):
            _of_system.update(
                {
                    name[1:]: nature
                    for name, nature in SYSTEM_FILES.items()
                    if (SECRET in nature) is wanted and name[:6] != "/proc/"
                }
            )
    return _of_system


def _fits(mark: str, name: str) -> bool:
    """Whether one step of a path is the name, or a pattern that matches it; a leading dot is
    matched by a dot only (POSIX 2.13.3).
    """
    return mark == name or ((name[:1] != "." or mark[:1] == ".") and matches(mark, name))


def _by_name(path: str, roots: tuple[str, ...], found: set[str]) -> None:
    """Natures by the name of the file itself, or of a folder inside the workspace."""
    name = path.rpartition("/")[2]
    if (
        name in KEY_NAMES
        or name.endswith(KEY_ENDINGS)
        or (path.startswith("/proc/") and name in PROCESS_SECRETS)
        or path.startswith(RAW)
        or (name.startswith("krb5cc_") and path.startswith("/tmp/"))
        or (name.startswith("ssh_host_") and name.endswith("_key"))
    ):
        found.add(SECRET)
    if (
        (name == ".env" or name.startswith(".env.")) and not name.endswith(SAMPLE_ENDINGS)
    ) or name.endswith(STATE_ENDINGS):
        found.add(PROJECT_SECRET)
    if _ends_like_a_key(name) or is_sensitive(name.lower()):
        found.add(SENSITIVE_NAME)
    if (
        name in STARTS_WITH_PYTHON
        or name in STARTS_WITH_A_CLIENT
        or (name.endswith(".pth") and "-packages/" in path)
    ):
        found.add(PERSISTENCE)
    if name in INSTRUCTIONS or "/.cursor/rules/" in path:
        found.add(INSTRUCTION_FILE)
    for root in roots:
        if path.startswith(root + "/"):
            parts = path[len(root) + 1 :].split("/")
            if ".ssh" in parts[:-1] and SECRET not in found:
                found.add(SENSITIVE_NAME)  # who may log in where, and how, once it is put in place
            if (
                any(_is_generated(part) for part in parts) or _has_generated_pair(parts)
            ) and VCS_INTERNAL not in found:
                found.add(GENERATED)
            break


def _ends_like_a_key(name: str) -> bool:
    return name.endswith(SENSITIVE_ENDINGS) and (
        not name.endswith(_ARMOURED) or any(part in name.lower() for part in _OF_KEYS)
    )


def is_sensitive(name: str) -> bool:
    """Whether a file of data is named like a secret (``credentials.json``); in lower case."""
    stem, dot, ending = name.rpartition(".")
    return (dot + ending if stem else "") in DATA_ENDINGS and any(
        word in name for word in SENSITIVE_WORDS
    )


def _has_generated_pair(parts: list[str]) -> bool:
    return any(f"{parts[at]}/{parts[at + 1]}" in GENERATED_PAIRS for at in range(len(parts) - 1))


def _is_generated(name: str) -> bool:
    return (
        name in GENERATED_NAMES
        or (name.endswith(GENERATED_ENDINGS) and name != "~")
        or name.startswith(GENERATED_STARTS)
    )


def classify(
    path: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...], where: str = "here"
) -> Place:
    """Return the place of an absolute, normal path; what lies behind ``MAX_PATH`` characters no
    file can have (PATH_MAX).
    """
    path = path[:MAX_PATH]
    if where != "here":
        return Place(location(path, (), "", ()), natures(path, (), ""), where)
    return Place(location(path, roots, home, temps), natures(path, roots, home))
