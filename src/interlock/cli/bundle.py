"""All of the package's compiled modules in one file, so that the hook's process, and that of a
command, opens one file instead of a hundred.

Opening, checking and reading a module's own cache file costs more than running it, and so does what
Python's import does around each; the hook starts anew for every tool call. ``interlock install``
writes the bundle beside the ordinary caches (``interlock.cli.bundle_writer``). The modules that
every call needs stand first in it, in an order in which each finds what it imports, and are run at
once; the others are run when something of them is asked for. So a module that only some calls need
is imported at the top like any other, as a module (``from interlock.effects import
unknown_programs``), and costs nothing until it is met; nor do modules of Python's own that only
functions name (``import json``). What only annotations name is not in it, so modules from the
bundle and newer ones do not fit together: it is used whole, while every source has the size and
time it had then (as ``.pyc`` files do it, PEP 3147), or not at all, and then Python's own import
goes on. So the bundle is never needed and never stale, a copy of the folder has a copy of it, and
``doctor`` says when it is missing.
"""

from __future__ import annotations

import marshal
import sys
from _frozen_importlib import ModuleSpec
from _io import FileIO
from _thread import RLock
from types import CodeType, ModuleType

if sys.platform == "win32":
    from nt import stat
else:
    from posix import stat

Source = tuple[str, bool, int, int]
"""A module's file, whether it is a package, its time (nanoseconds) and its size (bytes)."""

FORM = b"interlock-bundle-4"
HEAD = 64
"""Bytes of the first line: its form, lengths of the modules run at once and the others' table."""
SUFFIX = f"{sys.implementation.cache_tag}.bundle"


def path_of(package: str) -> str:
    """Return where the bundle of the package folder lies."""
    return f"{package}/__pycache__/interlock.{SUFFIX}"


def _is_unchanged(source: Source) -> bool:
    file, _, time, size = source
    try:
        found = stat(file)
    except OSError:
        return False
    return found.st_mtime_ns == time and found.st_size == size


class Bundle:
    """Finds and loads the modules that not every call needs: the importlib finder and loader
    protocols, as far as they are used.

    ``table``: for each name its source, and where its code starts, counted from ``begin`` in the
    file, and how long it is, in bytes.
    """

    def __init__(self, table: Table, file: FileIO, begin: int) -> None:
        self.table = table
        self.file = file
        self.begin = begin

    def find_spec(
        self, name: str, path: object = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module, or None where it is not held."""
        del path, target
        held = self.table.get(name)
        if held is None:
            return None
        file, package, _, _ = held[0]
        spec = ModuleSpec(name, self, origin=file, is_package=package)  # type: ignore[arg-type]
        if package:
            spec.submodule_search_locations = [file.rpartition("/")[0]]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module that runs its code when something of it is asked for."""
        return self._make_module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing yet."""

    def _make_module(self, name: str) -> _LazyModule:
        module = _LazyModule(name)
        module.__file__ = self.table[name][0][0]
        _bundles[name] = self
        return module

    def late(self, name: str) -> None:
        """Have a module at hand, as if it were imported already, for those that import it."""
        if name in sys.modules:
            return
        above, _, own = name.rpartition(".")
        module = sys.modules[name] = self._make_module(name)
        module.__package__ = name if self.table[name][0][1] else above
        if module.__package__ == name:
            module.__path__ = [self.table[name][0][0].rpartition("/")[0]]
        setattr(sys.modules[above], own, module)

    def run(self, module: ModuleType) -> None:
        """Run a module's code in it."""
        _, start, length = self.table[module.__name__]
        self.file.seek(self.begin + start)
        code = marshal.loads(self.file.read(length))  # noqa: S302 - the package's own compiled code, as in its .pyc files
        exec(code, module.__dict__)  # noqa: S102 - as above


_turn = RLock()
"""Whoever holds it runs a module: the way of a hook, or the thread of its deadline."""
_running: set[str] = set()
_bundles: dict[str, Bundle] = {}
"""Where each module that has not run yet comes from."""


_ASKED = frozenset({"__path__", "__spec__", "__loader__", "__file__", "__all__"})
"""What the import system asks every module for, whether it has run or not."""


class _LazyModule(ModuleType):
    """A module that has not run yet."""

    def __getattr__(self, name: str) -> object:
        if name in _ASKED:
            raise AttributeError(name)
        own = self.__name__
        with _turn:
            if type(self) is _LazyModule and own not in _running:
                _running.add(own)
                try:
                    _bundles[own].run(self)
                    self.__class__ = ModuleType  # type: ignore[assignment]
                finally:
                    _running.discard(own)
        if name in self.__dict__ or type(self) is not _LazyModule:
            return getattr(self, name)
        raise AttributeError(f"module {own!r} has no attribute {name!r}")


class Outside(ModuleType):
    """A module of Python's own, which is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> object:
        return getattr(__import__(self.__name__), name)


First = tuple[tuple[str, Source, CodeType, tuple[str, ...]], ...]
"""The modules that are run at once, and what each imports and may not need."""
Table = dict[str, tuple[Source, int, int]]
"""The others: where their code starts and how long it is."""


def use(package: str) -> bool:
    """Take the package's modules from its bundle from now on; False where there is none that fits
    this Python and each of its sources.
    """
    found = _read(package)
    if found is None:
        return False
    first, bundle = found
    if not all(map(_is_unchanged, _sources(first, bundle).values())):
        bundle.file.close()
        return False
    sys.meta_path.insert(0, bundle)
    _run_at_once(first, bundle)
    return True


def read_sources(package: str) -> dict[str, Source]:
    """Return the source of each module in the package's bundle, by its name; nothing where there
    is none that fits this Python.
    """
    found = _read(package)
    if found is None:
        return {}
    first, bundle = found
    bundle.file.close()
    return _sources(first, bundle)


def _sources(first: First, bundle: Bundle) -> dict[str, Source]:
    sources = {name: source for name, source, _, _ in first}
    return sources | {name: row[0] for name, row in bundle.table.items()}


def _read(package: str) -> tuple[First, Bundle] | None:
    try:
        file = open(path_of(package), "rb", buffering=0)  # noqa: SIM115 - modules are read from it until the process ends
        form, at_once, table = file.read(HEAD).split()
        if form != FORM:
            return None
        data = memoryview(file.read(int(at_once) + int(table)))
        rows = marshal.loads(data[: int(at_once)])  # noqa: S302 - written by us beside the .pyc files, with the same rights
        others = marshal.loads(data[int(at_once) :])  # noqa: S302 - as above
        first = tuple([(name, _at(package, source), *row) for name, source, *row in rows])
        table = {name: (_at(package, source), *row) for name, (source, *row) in others.items()}
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return first, Bundle(table, file, HEAD + len(data))


def _at(package: str, source: Source) -> Source:
    """Return a source where the package lies now; in the bundle its file is named from there."""
    file, folder, time, size = source
    return f"{package}/{file}", folder, time, size


def _run_at_once(first: First, bundle: Bundle) -> None:
    """Run the modules that every call needs, each before those that import it, with what they
    import and may not need at hand: what importlib would do, without asking it a hundred times.
    """
    for name, source, code, late in first:
        if name in sys.modules:
            continue
        above, _, own = name.rpartition(".")
        for other in late:
            bundle.late(other)
        module = sys.modules[name] = ModuleType(name)
        module.__file__ = source[0]
        module.__package__ = name if source[1] else above
        if source[1]:
            module.__path__ = [source[0].rpartition("/")[0]]
        exec(code, module.__dict__)  # noqa: S102 - the package's own compiled code, as in its .pyc files
        if above:
            setattr(sys.modules[above], own, module)
