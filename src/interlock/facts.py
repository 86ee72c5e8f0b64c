"""The door to the world: ``Live`` asks the disk, ``Recorded`` answers from what was noted (replay, corpora, tests)."""

from __future__ import annotations

from interlock.model.facts import FILE, FOLDER, LINK, MISSING, SPECIAL, UNKNOWN, Repository, Stat, Unknown

try:
    import posix as _os
except ImportError:  # Windows
    import os as _os  # type: ignore[no-redef]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_TEXT = 256 * 1024
MAX_LINKS = 40
HARMLESS_VARIABLES = frozenset({
    "HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    "GOPATH", "GOROOT", "CARGO_HOME",
    "RUSTUP_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "NVM_DIR", "PYENV_ROOT", "JAVA_HOME", "EDITOR", "SHELL", "LANG", "PATH", "HOSTNAME", "OSTYPE",
    "PWD", "CLAUDE_PROJECT_DIR",
})  # fmt: skip
"""Only these environment variables are ever looked at: paths and names, no secrets."""


class Live:
    """Asks the disk the guard runs on. ``labels`` answers for the session's ledger."""

    def __init__(self, home: str = "", temps: tuple[str, ...] = ("/tmp",), labels: Callable[[str], frozenset[str]] | None = None) -> None:
        self._home = home or _environment("HOME") or ""
        self._temps = temps
        self._labels = labels

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
        """Follow every symbolic link of a path, at most 40."""
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
        """Return what is at a path, by ``lstat``."""
        try:
            found = _os.lstat(path)
        except FileNotFoundError:
            return Stat(MISSING)
        except (OSError, ValueError):
            return UNKNOWN
        form = found.st_mode & 0o170000
        kind = {0o100000: FILE, 0o040000: FOLDER, 0o120000: LINK}.get(form, SPECIAL)
        return Stat(kind, found.st_size)

    def text(self, path: str) -> str | Unknown:
        """Return a regular file's text of at most 256 KiB."""
        try:
            if _os.stat(path).st_mode & 0o170000 != 0o100000:
                return UNKNOWN
            with open(path, "rb") as file:
                data = file.read(MAX_TEXT + 1)
            return UNKNOWN if len(data) > MAX_TEXT or b"\0" in data else data.decode("utf-8")
        except (OSError, ValueError):
            return UNKNOWN

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository whose folder or ``.git`` is at or above a path. git itself is never run."""
        folder = path
        while folder:
            stat = self.stat(folder + "/.git")
            if isinstance(stat, Stat) and stat.kind != MISSING:
                git = self._git_folder(folder, stat)
                return Repository(folder, remotes=_remotes(self.text(f"{git}/config")), branch=_branch(self.text(f"{git}/HEAD")))
            folder = folder.rpartition("/")[0]
        return None

    def _git_folder(self, folder: str, stat: Stat) -> str:
        """Return where a work tree's data lies; a linked work tree has a file that says where (gitrepository-layout(5))."""
        text = self.text(f"{folder}/.git") if stat.kind == FILE else ""
        linked = text.partition("gitdir:")[2].strip() if isinstance(text, str) else ""
        return f"{folder}/.git" if not linked else linked if linked.startswith("/") else f"{folder}/{linked}"

    def labels(self, subject: str) -> frozenset[str]:
        """Return the session's marks on a path."""
        return self._labels(subject) if self._labels is not None else frozenset()


def _branch(head: str | Unknown) -> str:
    """Return the branch that HEAD names, or ``""``."""
    return head.strip().removeprefix("ref: refs/heads/") if isinstance(head, str) and head.startswith("ref: refs/heads/") else ""


def _remotes(config: str | Unknown) -> tuple[str, ...]:
    """Return the names of the configured remotes."""
    if not isinstance(config, str):
        return ()
    heads = [line.strip() for line in config.split("\n") if line.strip().startswith('[remote "')]
    return tuple([head[len('[remote "') :].partition('"')[0] for head in heads])


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


class Recorded:
    """Answers from what was noted; all else is Unknown. ``texts`` and ``reals`` map absolute paths."""

    def __init__(
        self,
        home: str = "/home/user",
        variables: Mapping[str, str] | None = None,
        texts: Mapping[str, str] | None = None,
        reals: Mapping[str, str] | None = None,
    ) -> None:
        self._home = home
        self._variables = variables or {}
        self._texts = texts or {}
        self._reals = reals or {}
        self.marks: dict[str, frozenset[str]] = {}

    def home(self) -> str:
        """Return the noted home folder."""
        return self._home

    def variable(self, name: str) -> str | Unknown:
        """Return a noted variable."""
        return self._variables.get(name, UNKNOWN)

    def temps(self) -> tuple[str, ...]:
        """Return ``/tmp``."""
        return ("/tmp",)

    def real(self, path: str) -> str | Unknown:
        """Return a noted real path."""
        return self._reals.get(path, UNKNOWN)

    def stat(self, path: str) -> Stat | Unknown:
        """Return a file where a text was noted."""
        return Stat(FILE, len(self._texts[path])) if path in self._texts else UNKNOWN

    def text(self, path: str) -> str | Unknown:
        """Return a noted text."""
        return self._texts.get(path, UNKNOWN)

    def repository(self, path: str) -> Repository | Unknown | None:
        """Nothing was noted of repositories."""
        del path
        return UNKNOWN

    def labels(self, subject: str) -> frozenset[str]:
        """Return the marks noted on a path."""
        return self.marks.get(subject, frozenset())
