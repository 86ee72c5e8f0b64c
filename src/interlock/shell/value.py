"""What a word will be when the shell runs: known text, a pattern, or partly unknown; and what flows
through a pipe.
"""

from __future__ import annotations

from collections.abc import Callable

HOLE = "\ue000"
"""Stands in a value's text for each piece nobody can know. A private-use character: text that
really holds it is treated as unknown, which only tightens.
"""

NAME = "\u2026"
"""Stands for a piece nobody can know but that is no more than a number or a plain name: not empty,
no slash, no blank (``$RANDOM``, ``$(date +%s)``).

It tells as much as a known text about where a path lies, and nothing where the text itself matters:
in conditions, as code, cut to pieces.
"""

MAX_TEXT = 256 * 1024
"""Characters of a value; a longer one is unknown, so that no script can blow one up."""

ARGUMENT, ENVIRONMENT, OUTPUT, NETWORK, FILE, NUMBER, BRANCH, LOOP, OWN_PROCESS, DEV_PORT, SYNTAX = (
    "argument", "environment", "output", "network", "file", "number", "branch", "loop", "own-process", "dev-port", "syntax",
)  # fmt: skip
"""Where an unknown piece comes from. Rules care: the network's code is not an argument's."""


SOCKETS = ("/dev/tcp/", "/dev/udp/")
"""What stands before host and port where bash itself opens a connection."""


MAX_DIGITS = 18


def whole(text: str) -> int | None:
    """Return the number that a text of ASCII digits is, with a minus sign or without; None for any
    other text, or a longer one.
    """
    digits = text.removeprefix("-")
    return (
        int(text) if digits.isdecimal() and digits.isascii() and len(digits) <= MAX_DIGITS else None
    )


class Value:
    """One field of a command after expansion.

    ``text``: the text, with ``HOLE`` for every unknown piece. ``pattern``: globs in it are active.
    ``why``: where the unknown comes from (one of the constants above). ``start, end``: the word's
    place in its text.
    """

    __slots__ = ("end", "pattern", "start", "text", "why")

    def __init__(
        self, text: str, start: int = 0, end: int = 0, why: str = "", pattern: bool = False
    ) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.why = why
        self.pattern = pattern

    def __repr__(self) -> str:
        return f"Value({self.text!r}{', pattern' if self.pattern else ''}{', ' + self.why if self.why else ''})"

    @property
    def known(self) -> bool:
        """Whether the text is all there is to know."""
        return not self.pattern and HOLE not in self.text

    @property
    def hollow(self) -> bool:
        """Whether some piece is unknown."""
        return HOLE in self.text


class Choice(Value):
    """A value that is one of a few known texts, and nobody knows which: what two branches assigned,
    ``$(which a || which b)``.
    """

    __slots__ = ("texts",)

    def __init__(
        self,
        texts: tuple[str, ...],
        start: int = 0,
        end: int = 0,
        why: str = BRANCH,
        pattern: bool = False,
    ) -> None:
        super().__init__(HOLE, start, end, why, pattern)
        self.texts = texts


UNSET = Value("")
"""Stands in an array for the elements between others that were never set."""

MAX_FIELDS = 512
"""How many fields one word may become; the rest is one unknown field."""

MAX_CHOICES = 4
"""Texts of a choice; more of them are simply unknown."""

MAX_TRAPS = 3
"""How often traps that traps set are run in turn."""


class Flow:
    """What one command hands to the next: its text where known, else None, and labels of where it
    comes from.

    Labels: ``network``, ``secret``, ``workspace``, ``outside``, ``decoded``, ``file``,
    ``environment``...
    ``path``: the file it is read from, if one; ``edited``: it was no longer as it was before the
    call. ``pieces``: what stands one behind the other in it, where the whole is no known text.
    ``listing``: paths that it names, where they are known as patterns. ``data``: known bytes that
    are no text (``base64 -d`` of a compressed file). ``choices``: the few texts that it may be, if
    those are known.
    """

    __slots__ = ("choices", "data", "edited", "labels", "listing", "path", "pieces", "text")

    def __init__(
        self,
        text: str | None,
        labels: frozenset[str] = frozenset(),
        path: str = "",
        data: bytes | None = None,
    ) -> None:
        self.text = text if text is None or len(text) <= MAX_TEXT else None
        self.labels = labels
        self.path = path
        self.data = data
        self.listing: list[Value] = []
        self.choices: tuple[str, ...] = ()
        self.pieces: tuple[Flow, ...] = ()
        self.edited = False

    def __repr__(self) -> str:
        return f"Flow({self.text!r}, {sorted(self.labels)})"

    def name(self) -> Value | None:
        """Return one of the paths that it names; None where it names none, or too many."""
        if len(self.listing) == 1:
            return self.listing[0]
        few = 1 < len(self.listing) <= MAX_CHOICES
        return (
            Choice(
                tuple([path.text for path in self.listing]),
                pattern=any(path.pattern for path in self.listing),
            )
            if few
            else None
        )

    def naming(self, listing: list[Value]) -> Flow:
        """Return the same, with these paths that it names."""
        other = Flow(self.text, self.labels, self.path, self.data)
        other.choices, other.pieces, other.edited, other.listing = (
            self.choices,
            self.pieces,
            self.edited,
            listing,
        )
        return other

    def labelled(self, labels: frozenset[str]) -> Flow:
        """Return the same, with these labels."""
        other = self.naming(self.listing)
        other.labels = labels
        return other

    @property
    def why(self) -> str:
        """Where an unknown text comes from, in a value's words; what a program made of a file is
        no longer that file.
        """
        if any(isinstance(piece, ChangedFlow) for piece in self.pieces):
            return OUTPUT
        for label in (NETWORK, FILE, ENVIRONMENT, OWN_PROCESS, DEV_PORT):
            if label in self.labels:
                return label
        return OUTPUT


class ChangedFlow(Flow):
    """What a program makes of a text that is looked up only where it matters: the lines of a file
    from last to first. ``change`` returns None where nobody can tell.
    """

    __slots__ = ("change", "source")

    def __init__(self, source: Flow, change: Callable[[str], str | None]) -> None:
        super().__init__(None, source.labels)
        self.source = source
        self.change = change


NOTHING = Flow("")
"""Prints nothing."""
UNREAD = Flow(None)
"""Prints something nobody knows."""


def join_flows(flows: list[Flow]) -> Flow:
    """Return what several commands print one after another."""
    if not flows:
        return NOTHING
    if len(flows) == 1:
        return flows[0]
    labels = frozenset().union(*[flow.labels for flow in flows])
    texts = [flow.text for flow in flows if flow.text is not None]
    whole = Flow("".join(texts) if len(texts) == len(flows) else None, labels)
    if whole.text is None and all(
        flow.text is not None or flow.path or flow.pieces for flow in flows
    ):
        whole.pieces = tuple(flows)
    named = all(flow.listing or (flow.text is not None and not flow.text.strip()) for flow in flows)
    return (
        whole.naming([path for flow in flows for path in flow.listing])
        if named and whole.text is None
        else whole
    )


def text_flow(value: Value) -> Flow:
    """The flow of a text given in the script itself; holes stay in it, for whoever reads it to
    judge. One that is all hole is what fills it.
    """
    whole = value.why == NETWORK and not value.text.strip(HOLE + " \n")
    return Flow(None, frozenset({NETWORK})) if whole else Flow(value.text, frozenset({"script"}))
