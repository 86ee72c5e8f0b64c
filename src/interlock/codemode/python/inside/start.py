"""``python -I -S -c BOOT FOLDER FOLDER TEXT FILE NAME ARGUMENT...`` calls this: walls up, guard
armed and shown to be, then the program.

Any failure runs nothing: one sentence on standard error, exit code 125.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib_external import SourceFileLoader

from .asking import Asking
from .guard import arm_guard
from .line import open_line
from .program import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FAILED = 125
_OURS = ("entrance", "ctypes", "_ctypes", "__main__", __package__)


def main(put_up: Callable[[dict[str, object]], None]) -> None:
    """Prepare everything while nothing of the program's has run yet, then become the program."""
    text, file, name, *arguments = sys.argv[3:]
    variables = os.environ
    line, spec, canary = (
        int(variables.pop("INTERLOCK_BROKER")),
        int(variables.pop("INTERLOCK_WALLS")),
        variables.pop("INTERLOCK_CANARY"),
    )
    try:
        del sys.path[:2]
        with os.fdopen(spec, "rb") as held:
            put_up(marshal.load(held))  # noqa: S302 - written by the process that started this one
        os.set_inheritable(line, False)
        ask, tell, configuration = open_line(line)
        told = configuration()
        with open(text, "rb") as opened_text:
            source = opened_text.read()
        import site

        site.main()
        asking = Asking(told, (ask, tell), file, name)
        _caching_in(asking.plain.writes)
        report = arm_guard(asking)
    except Exception as error:  # noqa: BLE001 - whatever it is, the program must not run
        _leave(f"the program was not started: {type(error).__name__}: {error}")
    for module in [one for one in sys.modules if one.partition(".")[0] in _OURS]:
        del sys.modules[module]
    if not _refuses(f"/.interlock-canary-{canary}"):
        _leave("the guard is not armed")
    run(source, file, name, arguments, report)


def _caching_in(folders: tuple[str, ...]) -> None:
    """Have compiled modules kept where the program may write, and nowhere else: each import from an
    environment outside the workspace would be a refusal that nobody caused.
    """
    loader = SourceFileLoader
    keep = loader.set_data

    def set_data(self: SourceFileLoader, path: str, data: bytes, **mode: int) -> None:
        if any(path.startswith(f"{folder}/") for folder in folders):
            keep(self, path, data, **mode)

    loader.set_data = set_data  # type: ignore[method-assign,assignment]


def _leave(why: str) -> None:
    os.write(2, f"interlock: {why}\n".encode())
    os._exit(FAILED)


def _refuses(path: str) -> bool:
    try:
        open(path, "rb").close()
    except PermissionError:
        return True
    return False
