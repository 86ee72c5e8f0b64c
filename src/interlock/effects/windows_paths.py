"""Windows' spelling of paths, and where its folders are (Microsoft Learn: "Naming Files, Paths, and
Namespaces", "Recognized environment variables").

Loaded only for calls on Windows and for texts that only Windows' own shells read. Paths come out
with forward slashes and a drive in lower case.
"""

from __future__ import annotations

from interlock.data.words import values
from interlock.effects import places
from interlock.model.effect import (
    DEVICE,
    ELSEWHERE,
    GENERATED,
    HOME,
    LOG,
    PERSISTENCE,
    ROOT_OF,
    SECRET,
    SINK,
    SYSTEM,
    TEMP,
    WORKSPACE,
    WORKSPACE_ROOT,
    Place,
)
from interlock.shell import builtins

_DEVICES = frozenset(
    {
        "con",
        "prn",
        "aux",
        "conin$",
        "conout$",
        *[f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10)],
    }
)
_SHORT = values("windows", "short")
"""Short names that every installation gives (8.3 names at the top of the system's drive)."""
_SYSTEM_TOPS = frozenset(
    "windows|program files|program files (x86)|programdata|users|boot|recovery|system volume"
    " information|efi|perflogs|$recycle.bin|documents and settings".split("|")
)
_SYSTEM_FILES = frozenset(
    {"bootmgr", "bootmgr.efi", "ntldr", "boot.ini", "pagefile.sys", "hiberfil.sys", "bootnxt"}
)

_BELOW_WINDOWS: dict[str, str] = values("windows", "below windows")
_BELOW_HOME: dict[str, str] = values("windows", "below home")
_BELOW_DRIVE: dict[str, str] = values("windows", "below drive")


MAX_PATH = 4096
"""Characters of a path that is followed; Windows opens none longer than 32,767, and most programs
none longer than 260.
"""
_UNIX_TOPS = frozenset(
    "dev proc etc usr bin sbin home root var boot lib lib64 opt srv sys run tmp".split()
)
_GENERATED = frozenset({"testresults", ".vs", "appverifierlogs", "ipch"})


# -- spelling --------------------------------------------------------------------------------------


def normal(path: str, cwd: str | None) -> str | None:
    """Return the absolute, normal form of a path; None where the folder it hangs on is unknown."""
    if len(path) > MAX_PATH:
        return None
    path = plain(path)
    if path.startswith("//"):
        return "/" + (builtins.folder("/", path) or "/")
    if path.partition("/")[0] == "" and path[1:].partition("/")[0] in _UNIX_TOPS:
        return builtins.folder("/", path)  # Git Bash and WSL: their own folders
    folder = plain(cwd) if cwd is not None else None
    drive = (
        path[:2]
        if path[1:2] == ":"
        else (folder[:2] if folder is not None and folder[1:2] == ":" else "")
    )
    rest = path[2:] if path[1:2] == ":" else path
    if folder is not None and folder.startswith("//") and path[:1] != "/" and path[1:2] != ":":
        return "/" + (builtins.folder(folder[1:], path) or "/")
    below = builtins.folder(
        folder[2:] if folder is not None and drive and drive == folder[:2] else folder,
        rest or ("/" if path[1:2] == ":" else "."),
    )
    return None if below is None else drive + below


def plain(path: str) -> str:
    """Return a path with forward slashes, a lower-case drive, and none of the spellings that name
    the same file another way.
    """
    path = path.replace("\\", "/")
    provider, colons, rest = path.partition("::")
    if colons and provider.lower().rpartition("/")[2] in (
        "filesystem",
        "microsoft.powershell.core",
    ):
        path = rest
    low = path[:8].lower()
    if low.startswith(("//?/unc/", "//./unc/")):
        path = "//" + path[8:]
    elif low.startswith(("//?/", "//./", "/??/")):
        path = path[4:] if path[5:6] == ":" else "/dev/" + path[4:]
    if path[1:2] == ":":
        return path[0].lower() + path[1:2] + _names(path[2:])
    if path[:1] == "/" and path[1:2].isalpha() and path[2:3] in ("/", ""):
        return f"{path[1].lower()}:{_names(path[2:]) or '/'}"  # Git Bash, MSYS2
    if path[:5] == "/mnt/" and path[5:6].isalpha() and path[6:7] in ("/", ""):
        return f"{path[5].lower()}:{_names(path[6:]) or '/'}"  # the drives in WSL
    share, host = path[2:].partition("/")[2], path[2:].partition("/")[0].lower()
    if path.startswith("//") and host in ("localhost", "127.0.0.1", "::1") and share[1:2] == "$":
        return f"{share[0].lower()}:{_names(share[2:]) or '/'}"
    return _names(path)


def _names(path: str) -> str:
    """Leave out what Windows does not see in names: dots and blanks at the end, the name of a
    stream; and put long names for short ones.
    """
    return "/".join([_name(part) for part in path.split("/")])


def _name(part: str) -> str:
    if part in (".", "..", ""):
        return part
    name, colon, stream = part.partition(":")
    if (
        colon
        and name
        and (
            stream.lower() in ("$data", ":$data", "$i30:$index_allocation", ":$index_allocation")
            or stream
        )
    ):
        part = name
    if part.lower().partition(".")[0] in _DEVICES:
        return part
    stripped = part.rstrip(". ") or part
    return _SHORT.get(stripped.lower(), stripped)


# -- places ----------------------------------------------------------------------------------------


def classify(path: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...]) -> Place:
    """Return the place of an absolute, normal path. File names know no case."""
    if _is_sink(path):
        return Place(DEVICE, frozenset({SINK}))
    low = path.lower()
    small_roots = tuple([plain(root).lower().rstrip("/") for root in roots])
    small_home = plain(home).lower().rstrip("/") if home else ""
    small_temps = tuple([plain(temp).lower().rstrip("/") for temp in temps])
    location = _location(low, small_roots, small_home, small_temps)
    spelled = places.classify(
        path, tuple([plain(root) for root in roots]), plain(home) if home else "", ()
    )
    natures = spelled.natures | places.natures(low, small_roots, small_home)
    found = set(natures - {ROOT_OF, WORKSPACE_ROOT})
    if location != WORKSPACE:
        found.discard(GENERATED)
    elif not _GENERATED.isdisjoint(low.split("/")):
        found.add(GENERATED)
    if low in small_roots:
        found.add(WORKSPACE_ROOT)
    elif _is_root(low, small_home):
        found.add(ROOT_OF)
    found |= _particular(low)
    return Place(location, frozenset(found))


def _is_sink(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return (
        name in ("nul", "nul:", "$null")
        or path in places.SINKS
        or path.startswith(("/dev/fd/", "/dev/pts/"))
    )


def _location(low: str, roots: tuple[str, ...], home: str, temps: tuple[str, ...]) -> str:
    if low.startswith("/dev/") or low.rpartition("/")[2].partition(".")[0] in _DEVICES:
        return DEVICE
    folders = (
        [(root, WORKSPACE) for root in roots]
        + [(temp, TEMP) for temp in temps]
        + ([(home, HOME)] if home else [])
    )
    around = [(len(folder), which) for folder, which in folders if places.below(low, folder)]
    if around and max(around)[1] != HOME:
        return max(around)[1]
    below = low[2:] if low[1:2] == ":" else low
    if "/appdata/local/temp/" in low + "/" or below.startswith(
        ("/windows/temp/", "/tmp/", "/temp/", "/var/tmp/")
    ):
        return TEMP
    if around:
        return HOME
    return _of_drive(low)


def _of_drive(low: str) -> str:
    if low.startswith("//"):
        return ELSEWHERE
    if low[1:2] != ":":
        return places.location(low, (), "", ())
    top, slash, rest = low[3:].partition("/")
    if not top:
        return SYSTEM
    if top in ("users", "documents and settings"):
        return (
            HOME
            if slash and rest.partition("/")[0] not in ("public", "default", "all users")
            else SYSTEM
        )
    if top in _SYSTEM_FILES:
        return SYSTEM
    return SYSTEM if top in _SYSTEM_TOPS else ELSEWHERE


def _is_root(low: str, home: str) -> bool:
    """Whether it is the top of a location: a drive, a folder of the system, a user's own."""
    if low == home or low[1:] in (":/", ":"):
        return True
    if low[1:2] != ":":
        return low.count("/") == 1 and low[:5] != "/dev/"
    steps = low[3:].split("/")
    if len(steps) == 1:
        return steps[0] in _SYSTEM_TOPS
    return len(steps) == 2 and (
        steps[0] == "users" or steps[1] in ("system32", "syswow64", "winsxs")
    )


def _particular(low: str) -> set[str]:
    """What the path is by Windows' own folders."""
    found: set[str] = set()
    if low[1:2] != ":":
        return found
    below = low[3:]
    top, _, rest = below.partition("/")
    _look_up(below, _BELOW_DRIVE, found)
    if top == "windows":
        _look_up(rest, _BELOW_WINDOWS, found)
    if top in ("users", "documents and settings"):
        _look_up(rest.partition("/")[2], _BELOW_HOME, found)
        if LOG in found or rest.endswith("/login data"):
            found.add(SECRET if LOG not in found else LOG)
    if low.endswith(("profile.ps1", "_profile.ps1")) and "powershell" in low:
        found.add(PERSISTENCE)
    if low.endswith((".evtx", ".evt")):
        found.add(LOG)
    return found


def _look_up(path: str, table: dict[str, str], found: set[str]) -> None:
    while path:
        nature = table.get(path)
        if nature is not None:
            found.add(nature)
        path = path.rpartition("/")[0]


# -- variables -------------------------------------------------------------------------------------

_FIXED = values("windows", "fixed")
_OF_HOME = values("windows", "of home")


def variable(home: str, name: str) -> str | None:
    """Return an environment variable that every Windows has, or None."""
    low = name.lower()
    if low == "homepath":
        return home[2:] if home[1:2] == ":" else home
    if low in _OF_HOME and home:
        return home + (_OF_HOME[low] if ":" in home[:2] else _OF_HOME[low].replace("\\", "/"))
    return _FIXED.get(low)
