"""Programs by the names that people type: where each is found, what it leads to, what it is made
of. A name may be an alternative (``awk`` is mawk), a link of a toolchain, or a script that another
program reads.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator

from interlock.model.record import Record

USUAL = "/usr/local/bin:/usr/bin:/bin"
SYSTEM = ("/", "/usr", "/usr/local", "/bin", "/sbin", "/usr/bin", "/usr/sbin")
"""No single program's own folder."""
OF_HOME: dict[str, tuple[str, ...]] = {
    ".pyenv": (".pyenv",), ".nvm": (".nvm/versions", ".nvm/alias"), ".asdf": (".asdf",),
    ".cargo": (".cargo/bin", ".cargo/registry", ".cargo/config.toml", ".rustup"),
    ".rustup": (".rustup",), ".rbenv": (".rbenv",), ".goenv": (".goenv",), ".volta": (".volta",),
    ".sdkman": (".sdkman",), ".bun": (".bun/bin", ".bun/install"), ".deno": (".deno/bin",),
    ".local/share/mise": (".local/share/mise", ".config/mise"),
    ".local/share/uv": (".local/share/uv",), ".local/share/pipx": (".local/share/pipx",),
    ".local/share/pnpm": (".local/share/pnpm",), "go": ("go/bin",),
}  # fmt: skip
"""Below the home folder: what keeps programs, and the folders that those need."""
MAX_SCRIPTS = 4
"""Scripts that are read by scripts."""


class ProgramFiles(Record):
    """A program that was found. ``paths``: what has to be runnable to start it; ``parts``: the
    folders that it is made of, where those lie outside the system's own.
    """

    paths: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


def search(first: Iterable[str] = (), barred: Iterable[str] = ()) -> str:
    """Return the search path of a run: folders first, then ``PATH``, then the system's. ``barred``:
    folders in which an agent may have put anything.
    """
    folders = [*first, *direct(os.environ.get("PATH", "")).split(":"), *USUAL.split(":")]
    whole = [one for one in dict.fromkeys(folders) if one.startswith("/")]
    return ":".join([one for one in whole if not within(os.path.realpath(one), barred)])


def direct(path: str) -> str:
    """Return a search path with the programs themselves for the scripts that stand before them
    (pyenv, rbenv, goenv, nodenv): those start a dozen others to find out which is meant.
    """
    return ":".join([one for folder in path.split(":") for one in _direct(folder)])


def _direct(folder: str) -> list[str]:
    keeper, found, rest = folder.rpartition("/shims")
    if not found or rest.strip("/"):
        return [folder]
    try:
        with open(f"{keeper}/version", encoding="utf-8") as file:
            versions = file.read().split()
    except (OSError, ValueError):
        return [folder]
    there = [f"{keeper}/versions/{one}/bin" for one in versions if "/" not in one]
    return [one for one in there if os.path.isdir(one)] or [folder]


def names(allowed: Iterable[str], path: str) -> tuple[str, ...]:
    """Return names with those that they lead to: ``awk`` is mawk, ``python3`` python3.11."""
    found = []
    for name in allowed:
        found += [name, os.path.basename(name)]
        for place in _places(name, path) if "*" not in name else ():
            found += [os.path.basename(_real(place)), _real(place)]
    return tuple(dict.fromkeys(found))


ALTERNATIVES = {"python": ("python3", "python3.*"), "python3": ("python3.*",), "node": ("nodejs",)}
"""Names that people type for whichever of several programs there is."""


def expand_names(typed: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of programs with those that they lead to here."""
    more = [other for name in typed for other in ALTERNATIVES.get(name, ())]
    own = [os.path.dirname(path) for path in (sys.executable, os.path.realpath(sys.executable))]
    return tuple(dict.fromkeys([*names(typed, search(own)), *more]))


def program(name: str, path: str, home: str) -> ProgramFiles:
    """Return all that is found by a name; an empty record where nothing is."""
    paths = [step for place in _places(name, path) for step in _follow_shebangs(place, path)]
    parts = [
        part
        for one in paths
        for part in (*program_folders(one, home), *program_folders(_real(one), home))
    ]
    return ProgramFiles(tuple(dict.fromkeys(map(_real, paths))), tuple(dict.fromkeys(parts)))


def _places(name: str, path: str) -> Iterator[str]:
    """Yield all programs of a name on a search path: which one is first hangs on what is seen."""
    for folder in path.split(":") if "/" not in name else (path,):
        found = shutil.which(name, path=folder)
        if found:
            yield found


def everything(path: str, home: str) -> tuple[str, ...]:
    """Return the folders that the programs of a search path are made of."""
    folders = [folder for folder in path.split(":") if os.path.isdir(folder)]
    return tuple(
        dict.fromkeys([part for one in folders for part in program_folders(f"{one}/x", home)])
    )


def _follow_shebangs(place: str, path: str) -> Iterator[str]:
    """Yield a program, and for a script who reads it (execve(2))."""
    for _ in range(MAX_SCRIPTS):
        yield place
        try:
            with open(place, "rb") as file:
                first = file.readline(256)
        except OSError:
            return
        words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
        if words and os.path.basename(words[0]) == "env":
            yield words[0]
            words = [one for one in words[1:] if not one.startswith("-") and "=" not in one]
        found = shutil.which(words[0], path=path) if words else None
        if not found:
            return
        place = found


def program_folders(path: str, home: str) -> tuple[str, ...]:
    """Return the folders that belong to a program at a path: its toolchain's, or what lies beside
    the folder ``bin`` in which it is; none for the system's own.
    """
    for keeper, parts in OF_HOME.items():
        above, found, _ = path.partition(f"/{keeper}/")
        if found and (keeper.startswith(".") or above == home):
            return tuple([f"{above}/{one}" for one in parts if os.path.exists(f"{above}/{one}")])
    folder = os.path.dirname(path)
    root = os.path.dirname(folder)
    own = os.path.basename(folder) in ("bin", "sbin") and root not in SYSTEM
    if not own or (home and (home + "/").startswith(root + "/")) or root == f"{home}/.local":
        return (folder,) if not within(folder, SYSTEM[1:]) and folder != f"{home}/.local" else ()
    return (root,)


def _real(path: str) -> str:
    return os.path.realpath(path)


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of some folders, or lies in one."""
    return any(path == one or path.startswith(f"{one}/") for one in folders)
