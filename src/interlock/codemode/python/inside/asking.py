"""Asks the broker for a program, and raises its no: what, where and by which rule."""

from __future__ import annotations

import os
import sys

from .paths import CHANGE, READ, UnaskedPaths, behind, real, standing_for, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Ask = Callable[..., tuple[str, str, str, int]]

HERE = os.path.dirname(os.path.abspath(__file__))
_frame = sys._getframe  # noqa: SLF001 - where a program stands is asked thousands of times
_MACHINERY = ("<frozen", "<string>", HERE)
"""What stands between a program and an event it causes, by how its files begin; packages that do so
are looked for by their folder.
"""
_PACKAGES = ("/ctypes/", "/importlib/", "/multiprocessing/")
_SHARES = "/multiprocessing/sharedctypes.py"
"""Of those, what lays values into memory that processes share, and calls nothing for others."""


class OperationRefused(PermissionError):
    """An operation was refused by interlock. It is a ``PermissionError`` for whoever expects one;
    its text says the rule.
    """


OperationRefused.__module__ = "builtins"


class Asking:
    """What the guard of one program asks by. ``file``: the program's own file, ``name``: what
    messages call it.
    """

    __slots__ = (
        "_ask",
        "_tell",
        "file",
        "held",
        "kernel",
        "loopback",
        "name",
        "network",
        "plain",
        "proxy",
    )

    def __init__(
        self, lines: list[str], line: tuple[Ask, Callable[..., None]], file: str, name: str
    ) -> None:
        told: dict[str, list[str]] = {}
        for text in lines:
            key, _, value = text.partition("=")
            told.setdefault(key, []).append(value)
        self._ask, self._tell = line
        self.file, self.name = file, name
        self.plain = UnaskedPaths(told)
        self.network = told.get("network", ["off"])[0]
        self.loopback = "loopback" in told
        self.proxy = ("127.0.0.1", int(told["proxy"][0])) if "proxy" in told else None
        self.kernel = told.get("kernel", [""])[0]
        self.held = tuple(told.get("held", ())) if self.kernel else ()
        standing_for(told.get("copies", [""])[0])

    def where(self) -> str:
        """Return the line of the program that is being run: ``program.py:12``."""
        frame: FrameType | None = _frame(1)
        while frame is not None:
            if frame.f_code.co_filename == self.file:
                return f"{self.name}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    def by_program(self, between: tuple[str, ...] = _PACKAGES) -> bool:
        """Whether the nearest caller is the program's own code, not a library's or package's."""
        frame: FrameType | None = _frame(1)
        while frame is not None:
            path = frame.f_code.co_filename
            passes = any(part in path for part in between) and not path.endswith(_SHARES)
            if not path.startswith(_MACHINERY) and not passes:
                return path == self.file or not path.startswith(self.plain.reads)
            frame = frame.f_back
        return True

    def asked(self, operation: str, by: str, *arguments: str) -> int:
        """Ask; return the descriptor that came with a yes, or -1. Raises ``OperationRefused``, or
        ``OSError`` where it was allowed and failed.
        """
        return self._ask_broker(operation, by, arguments)[1]

    def open_file(self, by: str, *arguments: str) -> int | str:
        """Have a file opened; return the descriptor of a copy, the path of a folder's, or -1."""
        text, descriptor = self._ask_broker("open", by, arguments)
        return text or descriptor

    def seen(self, by: str, path: str, *, last: bool, what: str) -> list[int]:
        """Ask what is at a path, or of its disk (``what``: ``file``, ``disk``); return numbers."""
        arguments = (path, "leads" if last else "itself", what)
        return [int(word) for word in self._ask_broker("look", by, arguments)[0].split()]

    def _ask_broker(self, operation: str, by: str, arguments: tuple[str, ...]) -> tuple[str, int]:
        verdict, rule, message, descriptor = self._ask(operation, self.where(), by, *arguments)
        if verdict == "allow":
            return message, descriptor
        if verdict == "error":
            raise OSError(int(rule), message, arguments[operation == "carry"])
        raise refusal(rule, message, " ".join(arguments[:2]))

    def path(
        self,
        operation: str,
        path: object,
        kind: int,
        by: str,
        dir_fd: int | None = None,
        *,
        last: bool = True,
    ) -> None:
        """Ask about a path, unless it is plain. By a descriptor, what lies behind it is changed."""
        found = to_text(path)
        if found is None and kind == CHANGE and isinstance(path, int):
            found = behind(path)
        if found is not None:
            target = real(found, dir_fd, last=last)
            if not self.plain.lets(target, kind):
                self.asked(operation, by, target)

    def looked(
        self, path: object, by: str, dir_fd: int | None = None, *, last: bool = True
    ) -> None:
        """Ask whether it may be known what is at a path."""
        self.path("stat", path, READ, by, dir_fd, last=last)

    def make_refusal(
        self, operation: str, argument: str, rule: str, message: str
    ) -> OperationRefused:
        """Return a refusal that needs no question, and tell the broker of it."""
        self.tell(self.where(), operation, argument, rule, "guard", message)
        return refusal(rule, message, argument)

    def tell(self, *fields: str) -> None:
        """Tell the broker what was refused without it."""
        self._tell(*fields)


def refusal(rule: str, message: str, argument: str) -> OperationRefused:
    """Return the exception."""
    return OperationRefused(13, f"refused by interlock: {message} [{rule}]", argument)
