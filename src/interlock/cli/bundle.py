"""All of the package's compiled modules in one file, so that the hook's process opens one file instead of a hundred.

Opening, checking and reading a module's own cache file costs more than running it, and so does what Python's import does around
each; the hook starts anew for every tool call. ``interlock install`` writes the bundle beside the ordinary caches. The modules that
every call needs stand first in it, in an order in which each finds what it imports, and are run at once; the others are taken from
it when they are imported. A module is used only while its source has the size and time it had then (as ``.pyc`` files do it,
PEP 3147); for all others, and where there is no bundle, Python's own import goes on. So the bundle is never needed and never stale;
``doctor`` says when it is missing.
"""

from __future__ import annotations

import marshal
import sys
from _frozen_importlib import ModuleSpec

if sys.platform == "win32":
    from nt import stat
else:
    from posix import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import FileIO
    from types import CodeType, ModuleType

    Source = tuple[str, bool, int, int]
    """A module's file, whether it is a package, and the time (nanoseconds) and size (bytes) of the file."""

FORM = b"interlock-bundle-2"
HEAD = 64
"""Bytes of the first line: the form, and the lengths of the modules run at once and of the table of the others."""
SUFFIX = f"{sys.implementation.cache_tag}.bundle"
ALWAYS = ("cli.hook", "integrations.claude_code", "cli.build", "store.sqlite", "effects.programs.text")
"""What every call needs, with all that these import."""


def path_of(package: str) -> str:
    """Return where the bundle of the package folder lies."""
    return f"{package}/__pycache__/interlock.{SUFFIX}"


def _unchanged(source: Source) -> bool:
    file, _, time, size = source
    try:
        found = stat(file)
    except OSError:
        return False
    return found.st_mtime_ns == time and found.st_size == size


class Bundle:
    """Finds and loads the modules that not every call needs: the importlib finder and loader protocols, as far as they are used.

    ``table``: for each name its source, and where its code starts, counted from ``begin`` in the file, and how long it is, in bytes.
    """

    def __init__(self, table: dict[str, tuple[Source, int, int]], file: FileIO, begin: int) -> None:
        self.table = table
        self.file = file
        self.begin = begin

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load a module, or None where it is not held or has changed."""
        del path, target
        held = self.table.get(name)
        if held is None or not _unchanged(held[0]):
            return None
        file, package, _, _ = held[0]
        spec = ModuleSpec(name, self, origin=file, is_package=package)  # type: ignore[arg-type]
        if package:
            spec.submodule_search_locations = [file.rpartition("/")[0]]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave the making of the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code in it."""
        source, start, length = self.table[module.__name__]
        module.__file__ = source[0]
        self.file.seek(self.begin + start)
        exec(marshal.loads(self.file.read(length)), module.__dict__)  # noqa: S102, S302 - the package's own compiled code, as in its .pyc files


def use(package: str) -> bool:
    """Take the package's modules from its bundle from now on; False where there is none that fits this Python."""
    try:
        file = open(path_of(package), "rb", buffering=0)  # noqa: SIM115 - modules are read from it until the process ends
        form, at_once, table = file.read(HEAD).split()
        data = memoryview(file.read(int(at_once) + int(table)))
        first = marshal.loads(data[: int(at_once)])  # noqa: S302 - written by us beside the .pyc files, with the same rights
        others = marshal.loads(data[int(at_once) :])  # noqa: S302 - as above
    except (OSError, ValueError, EOFError, TypeError):
        return False
    if form != FORM:
        return False
    sys.meta_path.insert(0, Bundle(others, file, HEAD + len(data)))
    _run_at_once(first)
    return True


def _run_at_once(first: tuple[tuple[str, Source, CodeType], ...]) -> None:
    """Run the modules that every call needs, each before those that import it: what importlib would do, without asking it a hundred times."""
    make = type(sys)
    for name, source, code in first:
        if name in sys.modules or not _unchanged(source):
            continue
        module = sys.modules[name] = make(name)
        module.__file__ = source[0]
        above, _, own = name.rpartition(".")
        module.__package__ = name if source[1] else above
        if source[1]:
            module.__path__ = [source[0].rpartition("/")[0]]
        exec(code, module.__dict__)  # noqa: S102 - the package's own compiled code, as in its .pyc files
        if above:
            setattr(sys.modules[above], own, module)


def write(package: str) -> str:
    """Compile every module of the package folder into its bundle; return the bundle's path. Raises ``OSError``."""
    import os

    sources = {_module_name(package, file): file for file in _files(package)}
    compiled = {name: _compiled(file) for name, file in sources.items()}
    first = _order([f"{package.rpartition('/')[2]}.{name}" for name in ALWAYS], sources)
    at_once = marshal.dumps(tuple((name, *compiled.pop(name)) for name in first))
    codes, table, start = [], {}, 0
    for name, (source, code) in compiled.items():
        codes.append(marshal.dumps(code))
        table[name] = (source, start, len(codes[-1]))
        start += len(codes[-1])
    rows = marshal.dumps(table)
    head = b" ".join([FORM, b"%d" % len(at_once), b"%d" % len(rows)]).ljust(HEAD)
    target = path_of(package)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    fresh = f"{target}.{os.getpid()}"
    try:
        with open(fresh, "wb") as out:
            out.write(b"".join([head, at_once, rows, *codes]))
        os.replace(fresh, target)
    except BaseException:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise
    return target


def _files(package: str) -> Iterator[str]:
    import os

    for folder, folders, names in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from [f"{folder}/{name}" for name in sorted(names) if name.endswith(".py")]


def _order(wanted: list[str], sources: dict[str, str]) -> list[str]:
    """Return these modules and all that they import when they are run, each after what it imports, packages before what they hold."""
    ordered: list[str] = []
    begun: set[str] = set()

    def add(name: str) -> None:
        if name in begun or name not in sources:
            return
        begun.add(name)
        add(name.rpartition(".")[0])
        for other in _imported(sources[name], sources):
            add(other)
        ordered.append(name)

    for name in wanted:
        add(name)
    return ordered


def _imported(file: str, sources: dict[str, str]) -> Iterator[str]:
    """Yield the modules that a file imports as it is run, not the ones that only its functions or its types need."""
    import ast

    with open(file, "rb") as text:
        tree = ast.parse(text.read())
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from [node.module, *[name for name in inner if name in sources]]


def _module_name(package: str, file: str) -> str:
    parts = file[len(package) + 1 : -len(".py")].split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join([package.rpartition("/")[2], *parts])


def _compiled(file: str) -> tuple[Source, CodeType]:
    """Return a module's source and code. Docstrings are left out: nobody reads them in the hook's process."""
    with open(file, "rb") as source:
        text = source.read()
        found = stat(source.fileno())
    code = compile(text, file, "exec", dont_inherit=True, optimize=2)
    return (file, file.endswith("/__init__.py"), found.st_mtime_ns, found.st_size), code
