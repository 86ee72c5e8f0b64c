"""Runs the program as ``__main__``, the way ``python FILE`` would."""

from __future__ import annotations

import builtins
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Report = Callable[[BaseException, types.TracebackType | None], None]


def run(source: bytes, file: str, name: str, arguments: list[str], report: Report) -> None:
    """Run the source, then leave. ``file``: where its text lies, ``name``: what it is called;
    ``report`` is told of the error that ends it.
    """
    sys.argv = [file if os.path.basename(file) == name else name, *arguments]
    main = types.ModuleType("__main__")
    main.__dict__.update({"__file__": file, "__builtins__": builtins, "__cached__": None})
    sys.modules["__main__"] = main
    sys.path.insert(
        0,
        os.path.dirname(file) if os.path.dirname(file) != os.environ.get("TMPDIR") else os.getcwd(),
    )
    sys.excepthook = _shower(report, sys.excepthook)
    exec(compile(source, file, "exec", dont_inherit=True), main.__dict__)  # noqa: S102 - this is what it is for
    sys.exit(0)


def _shower(report: Report, show: Callable[..., object]) -> Callable[..., None]:
    """Return what shows an error as it would be shown without a guard."""
    here, make = os.path.dirname(os.path.abspath(__file__)), types.TracebackType

    def shown(
        kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
    ) -> None:
        report(error, trace)
        kept = []
        while trace is not None:
            if not trace.tb_frame.f_code.co_filename.startswith((here, "<string>")):
                kept.append(trace)
            trace = trace.tb_next
        shorter: types.TracebackType | None = None
        for one in reversed(kept):
            shorter = make(shorter, one.tb_frame, one.tb_lasti, one.tb_lineno)
        error.__traceback__ = shorter
        show(kind, error, shorter)

    return shown
