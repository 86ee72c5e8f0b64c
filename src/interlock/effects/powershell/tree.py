"""The tree of a PowerShell text: one kind of node, told apart by a word."""

from __future__ import annotations


class PsNode:
    """A piece of a PowerShell text at ``[start, end)``.

    ``kind`` is one of: ``text word variable sub array paren hash block number type member index
    unary binary list cast assign command pipeline chain if while for foreach switch try function
    return flow broken parameter splat redirect``. ``name`` is its word: the operator, the
    variable's name, the literal text; ``parts`` are the nodes in it; ``words`` are names that go
    with the parts (operators of a chain, parameters of a block).
    """

    __slots__ = ("end", "kind", "name", "parts", "start", "words")

    def __init__(
        self, kind: str, start: int, end: int, name: str = "", parts: list[PsNode] | None = None
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.name = name
        self.parts = parts if parts is not None else []
        self.words: list[str] = []

    def __repr__(self) -> str:
        return f"{self.kind}({self.name!r}, {self.parts})"
