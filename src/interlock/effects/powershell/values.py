"""What PowerShell's expressions are worth, as far as can be told: a text, a list, a block, an
object of a known kind, and where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects.powershell.tree import PsNode
from interlock.shell.value import (
    BRANCH,
    ENVIRONMENT,
    FILE,
    HOLE,
    MAX_TEXT,
    NETWORK,
    OUTPUT,
    Flow,
    Value,
)

MAX_ITEMS = 4096
VARIABLE, SECRET_VARIABLE = "variable", "secret-variable"
"""Labels of one variable of the environment: it is not the whole environment (label
``environment``), and may be called like a secret.
"""
GLOBS = frozenset("*?[")


class PsValue:
    """A value.

    ``text``: as a string, with ``HOLE`` for what nobody knows. ``labels``: where it comes from, in
    a flow's words. ``items``: its elements, if it is a list. ``fields``: of a table or an object.
    ``kind``: ``number``, ``bytes``, ``char``, ``type NAME``, ``object NAME``, or ``""``.
    ``paths``: the files it stands for. ``block``: the tree of a script block. ``data``: known
    bytes.
    """

    __slots__ = (
        "block",
        "data",
        "end",
        "fields",
        "items",
        "kind",
        "labels",
        "paths",
        "start",
        "text",
    )

    def __init__(
        self, text: str = HOLE, labels: frozenset[str] = frozenset(), kind: str = ""
    ) -> None:
        self.text = text if len(text) <= MAX_TEXT else HOLE
        self.labels = labels
        self.kind = kind
        self.items: list[PsValue] | None = None
        self.fields: dict[str, PsValue] = {}
        self.paths: list[Value] = []
        self.block: PsNode | None = None
        self.data: bytes | None = None
        self.start = 0
        self.end = 0

    def __repr__(self) -> str:
        return f"Thing({self.text!r}, {sorted(self.labels)}, {self.kind!r}, {self.items})"

    @property
    def known(self) -> bool:
        """Whether its text is all there is to know."""
        return HOLE not in self.text and self.block is None

    @property
    def why(self) -> str:
        """Where an unknown piece comes from, in a value's words."""
        if self.known:
            return ""
        if VARIABLE in self.labels and NETWORK not in self.labels:
            return ENVIRONMENT
        return next(
            (label for label in (NETWORK, FILE, ENVIRONMENT, BRANCH) if label in self.labels),
            OUTPUT,
        )

    def number(self) -> int | None:
        """Return it as a whole number, or None."""
        return whole(self.text)

    def at(self, start: int, end: int) -> PsValue:
        """Note where it stands."""
        self.start, self.end = start, end
        return self

    def each(self) -> list[PsValue]:
        """Return its elements; of what is no list itself, and of nothing none."""
        if self.items is not None:
            return self.items
        return [] if self is NULL else [self]

    def values(self, *, literal: bool = False) -> list[Value]:
        """Return the words a program gets for it; ``literal``: nothing in it is a wildcard."""
        if self.paths:
            return self.paths
        return [
            Value(
                one.text,
                self.start,
                self.end,
                one.why,
                not literal and not GLOBS.isdisjoint(one.text),
            )
            for one in self.each()
            if one is not NULL
        ]

    def flow(self) -> Flow:
        """Return it as what flows through a pipe."""
        text = "\n".join([one.text for one in self.each()])
        flow = Flow(None if text == HOLE else text, self.labels)
        if (
            self.text == HOLE
            and len(self.paths) == 1
            and self.paths[0].known
            and FILE in self.labels
        ):
            flow = Flow(None, self.labels, self.paths[0].text)
        return flow


NULL = PsValue("")
TRUE, FALSE = PsValue("True", kind="bool"), PsValue("False", kind="bool")


def unknown(*labels: str, kind: str = "") -> PsValue:
    """Return what nobody knows, with where it comes from."""
    return PsValue(HOLE, frozenset(labels), kind)


def derive(text: str, *sources: PsValue, kind: str = "") -> PsValue:
    """Return a text made of others: it comes from where they come from."""
    return PsValue(text, frozenset().union(*[source.labels for source in sources]), kind)


def make_list(items: Iterable[PsValue]) -> PsValue:
    """Return a list; its text is what ``"$list"`` gives."""
    found = list(items)
    if len(found) > MAX_ITEMS:
        return unknown("output")
    one = PsValue("", frozenset().union(*[item.labels for item in found]))
    one.text = _join_items(found)
    one.items = found
    one.paths = (
        [path for item in found for path in item.paths]
        if found and all(item.paths for item in found)
        else []
    )
    return one


def _join_items(items: list[PsValue]) -> str:
    text = " ".join([item.text for item in items])
    return text if len(text) <= MAX_TEXT else HOLE


def set_items(thing: PsValue, items: list[PsValue] | None) -> None:
    """Change a list in place; None: nobody knows what it holds now."""
    thing.items = items
    thing.text = HOLE if items is None else _join_items(items)
    thing.data = None


def output(things: list[PsValue]) -> PsValue:
    """Return what several statements put out: nothing, one thing, or a list."""
    found = [
        item
        for thing in things
        if thing is not NULL
        for item in (thing.items if thing.items is not None else [thing])
    ]
    if not found:
        return NULL
    return found[0] if len(found) == 1 else make_list(found)


def from_flow(flow: Flow) -> PsValue:
    """Return what a program printed; a known text is split into lines, as PowerShell does."""
    if flow.text is None:
        thing = PsValue(HOLE, flow.labels)
        thing.paths = [Value(flow.path)] if flow.path else []
        return thing
    lines = flow.text.removesuffix("\n").split("\n")
    things = [PsValue(line.removesuffix("\r"), flow.labels) for line in lines]
    if not flow.text:
        return NULL
    return things[0] if len(things) == 1 else make_list(things)


def whole(text: str) -> int | None:
    """Read a number as PowerShell writes it: ``12``, ``0x1F``, ``4kb``, ``1l``; else None."""
    digits = text.strip().lower()
    factor = 1
    for index, unit in enumerate(("kb", "mb", "gb", "tb"), 1):
        if digits.endswith(unit):
            digits, factor = digits[:-2], 1024**index
    hexadecimal = digits.startswith(("0x", "-0x"))
    digits = digits if hexadecimal else digits.rstrip("luysdn")
    if (
        not digits
        or len(digits) > 20
        or not all(
            char in ("0123456789abcdefx-" if hexadecimal else "0123456789-") for char in digits
        )
    ):
        return None
    try:
        return int(digits, 16 if hexadecimal else 10) * factor
    except ValueError:
        return None
