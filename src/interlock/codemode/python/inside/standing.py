"""Functions that stand for others."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .asking import Asking


def like(function: Callable[..., Any], original: object, name: str) -> Callable[..., Any]:
    """Return a function that looks like the one it stands for."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(original, "__doc__", None)
    return function


def never(asking: Asking, name: str, rule: str, message: str) -> Callable[..., Any]:
    """Return what refuses to be called."""

    def function(*_: object, **__: object) -> object:
        raise asking.make_refusal("call", name, rule, message)

    return like(function, None, name.rpartition(".")[2])
