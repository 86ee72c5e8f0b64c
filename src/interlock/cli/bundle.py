"""All of the package's compiled modules in one file, so that the hook's process opens one file instead of ninety.

Opening, checking and reading a module's own cache file costs more than running it, and the hook starts
anew for every tool call. ``interlock install`` writes the bundle beside the ordinary caches. A module
is taken from it only while its source has the size and time it had then (as ``.pyc`` files do it, PEP 3147);
for all others, and where there is no bundle, Python's own import goes on. So the bundle is never needed and
never stale; ``doctor`` says when it is missing.
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
    from collections.abc import Sequence
    from types import ModuleType

FORM = 1
SUFFIX = f"{sys.implementation.cache_tag}.bundle"


def path_of(package: str) -> str:
    """Return where the bundle of the package folder lies."""
    return f"{package}/__pycache__/interlock.{SUFFIX}"


class Bundle:
    """Finds and loads modules from a bundle: the importlib finder and loader protocols, as far as they are used."""

    def __init__(self, modules: dict[str, tuple[str, bool, int, int, bytes]]) -> None:
        self.modules = modules

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load a module, or None where it is not held or has changed."""
        del path, target
        held = self.modules.get(name)
        if held is None:
            return None
        file, package, time, size, _ = held
        try:
            found = stat(file)
        except OSError:
            return None
        if found.st_mtime_ns != time or found.st_size != size:
            return None
        spec = ModuleSpec(name, self, origin=file, is_package=package)  # type: ignore[arg-type]
        if package:
            spec.submodule_search_locations = [file.rpartition("/")[0]]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave the making of the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code in it."""
        name = module.__name__
        module.__file__ = self.modules[name][0]
        exec(marshal.loads(self.modules[name][4]), module.__dict__)  # noqa: S102, S302 - the package's own compiled code, as in its .pyc files


def use(package: str) -> bool:
    """Take the package's modules from its bundle from now on; False where there is none that fits this Python."""
    try:
        with open(path_of(package), "rb") as file:
            data = file.read()
        form, modules = marshal.loads(data)  # noqa: S302 - written by us beside the .pyc files, with the same rights
    except (OSError, ValueError, EOFError, TypeError):
        return False
    if form != FORM:
        return False
    sys.meta_path.insert(0, Bundle(modules))
    return True


def write(package: str) -> str:
    """Compile every module of the package folder into its bundle; return the bundle's path. Raises ``OSError``."""
    import os

    modules: dict[str, tuple[str, bool, int, int, bytes]] = {}
    for folder, folders, names in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if name.endswith(".py"):
                file = f"{folder}/{name}"
                modules[_module_name(package, file)] = _compiled(file, package=name == "__init__.py")
    target = path_of(package)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    fresh = f"{target}.{os.getpid()}"
    with open(fresh, "wb") as out:
        out.write(marshal.dumps((FORM, modules)))
    os.replace(fresh, target)
    return target


def _module_name(package: str, file: str) -> str:
    parts = file[len(package) + 1 : -len(".py")].split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join([package.rpartition("/")[2], *parts])


def _compiled(file: str, *, package: bool) -> tuple[str, bool, int, int, bytes]:
    """Return a module's row. Docstrings are left out: nobody reads them in the hook's process."""
    with open(file, "rb") as source:
        text = source.read()
        found = stat(source.fileno())
    code = compile(text, file, "exec", dont_inherit=True, optimize=2)
    return file, package, found.st_mtime_ns, found.st_size, marshal.dumps(code)
