"""The guard inside an interpreter: an audit hook (PEP 578) that asks the broker before each
sensitive operation, and functions for the silent ones.

It stops accidents and ordinary code; code that means to get out of it can (the pages say how far):
the walls of the kernel are what holds. It refuses where it fails.
"""

from __future__ import annotations

import sys
from types import MappingProxyType

from .asking import Asking, OperationRefused
from .events import EventChecks
from .silent import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_WALLS = frozenset({1, 13, 30})
"""What the kernel's walls answer: EPERM, EACCES, EROFS."""


def arm_guard(asking: Asking) -> Callable[[BaseException, TracebackType | None], None]:
    """Arm the guard; return what tells the broker of an error that the kernel's walls caused."""
    events = EventChecks(asking)
    replace(asking, events)
    find = MappingProxyType(events.table()).get

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        check = find(event)
        if check is None:
            return
        try:
            check(*arguments)
        except OSError:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever goes wrong in here, nothing is done
            raise OperationRefused(
                13,
                f"refused by interlock: it could not be judged: {type(error).__name__}: {error}",
                event,
            ) from None

    sys.addaudithook(hook)
    return lambda error, trace: _by_kernel(asking, error, trace)


def _by_kernel(asking: Asking, error: BaseException, trace: TracebackType | None) -> None:
    if (
        not asking.kernel
        or not isinstance(error, OSError)
        or isinstance(error, OperationRefused)
        or error.errno not in _WALLS
    ):
        return
    line = ""
    while trace is not None:
        line = (
            f"{asking.name}:{trace.tb_lineno}"
            if trace.tb_frame.f_code.co_filename == asking.file
            else line
        )
        trace = trace.tb_next
    asking.tell(
        line,
        "system call",
        str(error.filename or ""),
        "code.walls",
        "kernel",
        f"The kernel's walls ({asking.kernel}) refused it: {error}",
    )
