"""``Live``: the facts of the machine the guard runs on."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from interlock.model.facts import (
    FILE,
    FOLDER,
    LINK,
    MISSING,
    SPECIAL,
    UNKNOWN,
    Loss,
    Process,
    Repository,
    Stat,
    Unknown,
)
from interlock.model.radius import Radius, Stake

try:
    import posix as _os
except ImportError:  # Windows
    import os as _os  # type: ignore[no-redef]


MAX_TEXT = 256 * 1024
MAX_LINKS = 40
MAX_NAMES = 1000
HARMLESS_VARIABLES = frozenset({
    "HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    "GOPATH", "GOROOT", "CARGO_HOME",
    "RUSTUP_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "NVM_DIR", "PYENV_ROOT", "JAVA_HOME", "EDITOR",
    "SHELL", "LANG", "PATH", "HOSTNAME", "OSTYPE",
    "PWD", "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME",
    "COPILOT_HOME", "PI_CODING_AGENT_DIR",
    "BASH_ENV", "ENV", "ZDOTDIR", "PYTHONUSERBASE", "GOBIN", "PNPM_HOME", "BUN_INSTALL",
})  # fmt: skip
"""Only these environment variables are ever looked at: paths and names, no secrets."""


_ELSEWHERE = tuple(
    (
        "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE"
    ).split()
)
"""Variables by which git looks at other data than the folder's own (git(1))."""


class Live:
    """Asks the disk the guard runs on; of sessions it knows nothing."""

    def __init__(self, home: str = "", temps: tuple[str, ...] = ("/tmp",)) -> None:
        self._home = home or _environment("HOME") or ""
        self._temps = temps

    def home(self) -> str:
        """Return the user's home folder, or ``""``."""
        return self._home

    def variable(self, name: str) -> str | Unknown:
        """Return a harmless environment variable; Unknown for every other name."""
        if name not in HARMLESS_VARIABLES:
            return UNKNOWN
        value = _environment(name)
        return UNKNOWN if value is None else value

    def temps(self) -> tuple[str, ...]:
        """Return the folders for temporary files."""
        return self._temps

    def real(self, path: str) -> str | Unknown:
        """Follow every symbolic link of a path, at most 40. Unknown for a path of Windows."""
        if path[:1] != "/":
            return UNKNOWN
        rest = [part for part in path.split("/") if part]
        done: list[str] = []
        links = 0
        while rest:
            part = rest.pop(0)
            if part == "..":
                del done[-1:]
                continue
            if part == ".":
                continue
            here = "/" + "/".join([*done, part])
            target = _link(here)
            if isinstance(target, Unknown):
                return UNKNOWN
            if target is None:
                done.append(part)
                continue
            links += 1
            if links > MAX_LINKS:
                return UNKNOWN
            if target.startswith("/"):
                done = []
            rest = [step for step in target.split("/") if step] + rest
        return "/" + "/".join(done)

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is at a path, by ``lstat``; a path of Windows is none of this machine, where
        it is another.
        """
        if path[1:2] == ":" and sys.platform != "win32":
            return UNKNOWN
        try:
            found = _os.lstat(path)
        except FileNotFoundError:
            return Stat(MISSING)
        except (OSError, ValueError):
            return UNKNOWN
        form = found.st_mode & 0o170000
        kind = {0o100000: FILE, 0o040000: FOLDER, 0o120000: LINK}.get(form, SPECIAL)
        return Stat(kind, found.st_size)

    def members(self, path: str) -> tuple[tuple[str, str], ...] | Unknown:
        """Return what an archive holds, by name."""
        from interlock.facts.archives import members  # few calls ask

        return members(path)

    def names(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the names in a folder."""
        if path[1:2] == ":" and sys.platform != "win32":
            return UNKNOWN
        found: list[str] = []
        try:
            with _os.scandir(path) as entries:
                for entry in entries:
                    if len(found) >= MAX_NAMES:
                        return UNKNOWN
                    found.append(
                        f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
                    )
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except (OSError, ValueError):
            return UNKNOWN
        return tuple(sorted(found))

    def text(self, path: str) -> str | Unknown:
        """Return a regular file's text of at most 256 KiB."""
        from interlock.facts.files import read_file  # few calls ask

        try:
            data = read_file(path, MAX_TEXT)
            return UNKNOWN if b"\0" in data else data.decode("utf-8")
        except (OSError, ValueError):
            return UNKNOWN

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository whose folder or ``.git`` is at or above a path, without git."""
        found = self._work_tree(path)
        if found is None:
            return None
        top, git = found
        return Repository(top, _branch(self.text(f"{git}/HEAD")))

    def loss(self, path: str, of: str) -> Loss | Unknown:
        """Return what git could not bring back; the path is to be a real one, in a work tree."""
        found = self._work_tree(path)
        if found is None or any(_environment(name) is not None for name in _ELSEWHERE):
            return UNKNOWN
        from interlock.facts.worktree import loss  # few calls ask

        return loss(*found, path, of)

    def find_altered(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the tracked files that are not as the last commit has them; the path is to be a
        real one, in a work tree.
        """
        found = self._work_tree(path)
        if found is None or any(_environment(name) is not None for name in _ELSEWHERE):
            return UNKNOWN
        from interlock.facts.worktree import find_altered  # few calls ask

        return find_altered(*found, path)

    def untracked(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the files that ``git add`` would take in as new ones; the path is to be a real
        one, in a work tree.
        """
        found = self._work_tree(path)
        if found is None or any(_environment(name) is not None for name in _ELSEWHERE):
            return UNKNOWN
        from interlock.facts.worktree import find_untracked  # few calls ask

        return find_untracked(*found, path)

    def radius(self, stakes: tuple[Stake, ...]) -> Radius:
        """Return what would be lost. Where git is told to look elsewhere by its variables, nothing
        is known of repositories.
        """
        from interlock.facts.radius import RadiusWorld, radius  # only what is asked about asks

        told = any(_environment(name) is not None for name in _ELSEWHERE)
        return radius(stakes, RadiusWorld(self._work_tree, self.real, elsewhere=told))

    def _work_tree(self, path: str) -> tuple[str, str] | None:
        """Return the top folder of the work tree around a path, and where its data lies."""
        folder = path
        while folder:
            stat = self.stat(folder + "/.git")
            if isinstance(stat, Stat) and stat.kind != MISSING:
                return folder, self._git_folder(folder, stat)
            folder = folder.rpartition("/")[0]
        return None

    def _git_folder(self, folder: str, stat: Stat) -> str:
        """Return where a work tree's data lies; a linked work tree has a file that says where
        (gitrepository-layout(5)).
        """
        text = self.text(f"{folder}/.git") if stat.kind == FILE else ""
        linked = text.partition("gitdir:")[2].strip() if isinstance(text, str) else ""
        return (
            f"{folder}/.git"
            if not linked
            else linked
            if linked.startswith("/")
            else f"{folder}/{linked}"
        )

    def process(self, pid: str) -> Process | Unknown:
        """Return when a process began, from ``/proc`` (proc(5)); Unknown where there is none, of
        the process or of the folder.
        """
        from interlock.facts.files import read_file

        try:
            fields = read_file(f"/proc/{int(pid)}/stat", 4096).rpartition(b")")[2].split()
            booted = next(
                line
                for line in read_file("/proc/stat", 1 << 20).split(b"\n")
                if line.startswith(b"btime ")
            )
            return Process(
                int(fields[19]), int(booted[6:]) + int(fields[19]) / _os.sysconf("SC_CLK_TCK")
            )
        except (OSError, ValueError, IndexError, StopIteration):
            return UNKNOWN

    def labels(self, subject: str) -> frozenset[str]:
        """Nothing: a session's marks are its ledger's."""
        del subject
        return frozenset()

    def made(self, path: str) -> bool:
        """Nothing is known to be this session's."""
        del path
        return False

    def started(self, pid: str) -> bool:
        """Nothing is known to be this session's."""
        del pid
        return False

    def own_code(self) -> tuple[str, ...]:
        """Return the folder of this package, as imported and with its links followed."""
        folder = str(sys.modules["interlock"].__path__[0])
        real = self.real(folder)
        return (folder, real) if isinstance(real, str) and real != folder else (folder,)


def _branch(head: str | Unknown) -> str:
    """Return the branch that HEAD names, or ``""``."""
    return (
        head.strip().removeprefix("ref: refs/heads/")
        if isinstance(head, str) and head.startswith("ref: refs/heads/")
        else ""
    )


def _link(path: str) -> str | Unknown | None:
    """Return where a symbolic link points; None where there is no link."""
    try:
        return _os.readlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        return None if problem.errno == 22 else UNKNOWN
    except ValueError:
        return UNKNOWN


def _environment(name: str) -> str | None:
    """Return an environment variable as text; ``posix`` keeps them as bytes."""
    environ: Mapping[object, object] = _os.environ  # type: ignore[assignment]
    value = environ.get(name) if hasattr(environ, "encodekey") else environ.get(name.encode())
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else None
