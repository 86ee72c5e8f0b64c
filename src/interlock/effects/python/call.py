"""``PyCall``: one call of a library function in a Python program, and ways to say what it does."""

from __future__ import annotations

from interlock.effects.connecting import to_host
from interlock.effects.python.following import PythonInterpreter
from interlock.effects.python.values import (
    IDLE,
    UNKNOWN,
    BoundAttribute,
    Either,
    KnownObject,
    PyValue,
    either,
    from_flow,
    is_text,
    labels_of,
    text_of,
    unknown_from,
)
from interlock.model.effect import Effect, Kind
from interlock.shell.value import ARGUMENT, HOLE, NETWORK, NOTHING, Flow, Value

_TELLING = frozenset({NETWORK, "socket", "secret", "environment", "decoded"})
"""Labels that tell of an unknown value where it comes from."""


class PyCall:
    """A call: the full ``name`` , what it is given, and whose method it is (``owner``)."""

    __slots__ = ("arguments", "keywords", "name", "node", "owner", "program", "run")

    def __init__(
        self,
        program: PythonInterpreter,
        name: str,
        arguments: list[PyValue],
        keywords: dict[str, PyValue],
        node: object,
        owner: PyValue | None,
    ) -> None:
        self.program = program
        self.run = program.run
        self.name = name
        self.arguments = arguments
        self.keywords = keywords
        self.node = node
        self.owner = owner

    # -- what it is given --------------------------------------------------------------------------

    def argument(self, position: int, *names: str) -> PyValue | None:
        """Return an argument by its position or by one of its names."""
        if 0 <= position < len(self.arguments):
            return self.arguments[position]
        return next((self.keywords[name] for name in names if name in self.keywords), None)

    def text(self, position: int, *names: str) -> str:
        """Return an argument as text, ``""`` where it was not given."""
        thing = self.argument(position, *names)
        return text_of(thing) if thing is not None else ""

    @property
    def method(self) -> str:
        """The last word of the name."""
        return self.name.rpartition(".")[2]

    def field(self, name: str) -> PyValue | None:
        """Return what is known of the object whose method is called."""
        return (
            self.owner.value.fields.get(name)
            if self.owner is not None and isinstance(self.owner.value, KnownObject)
            else None
        )

    def unknown(self) -> PyValue:
        """Return a result of which only the labels are known."""
        return unknown_from(
            [
                *self.arguments,
                *self.keywords.values(),
                *([self.owner] if self.owner is not None else []),
            ]
        )

    # -- what it does ------------------------------------------------------------------------------

    def word(self, thing: PyValue) -> Value:
        """Return a thing as a word of a command."""
        pattern = isinstance(thing.value, KnownObject) and "pattern" in thing.value.fields
        return self.program.word(text_of(thing), self.node, why_of(thing), pattern=pattern)

    def effect(
        self, kind: Kind, target: str = "", *traits: str, detail: str = "", host: str = ""
    ) -> Effect:
        """Add an effect of the program."""
        return self.run.context.add(
            kind,
            target.replace(HOLE, "?"),
            traits=frozenset(traits),
            span=self.program.span(self.node),
            by=self.by,
            detail=detail,
            host=host,
        )

    @property
    def by(self) -> str:
        """The name of what does it, as a person reads it."""
        language = self.program.language
        return f"{language} {self.name}" if self.owner is None else f"{language} {self.method}"

    def path(self, kind: Kind, thing: PyValue, *traits: str) -> Effect | None:
        """Add an effect on a path, or on each path of a list; None for what a function that nobody
        calls would do.
        """
        if self.is_unsupplied(thing):
            return None
        several = thing.value.things if isinstance(thing.value, Either) else thing.value
        if isinstance(several, list):
            found = [self.path(kind, item, *traits) for item in several]
            return found[0] if found else None
        if isinstance(thing.value, int):
            return None
        return self.run.path(kind, self.word(thing), *traits)

    def host(self, kind: Kind, host: str, *traits: str) -> Effect:
        """Add an effect on a host."""
        return to_host(
            self.run.context, kind, host, self.program.span(self.node), frozenset(traits), self.by
        )

    def shell(self, thing: PyValue, stdin: PyValue | None = None) -> PyValue:
        """Run a text by the shell; return what it prints."""
        if self.is_unsupplied(thing):
            return PyValue(UNKNOWN)
        if isinstance(thing.value, Either):
            return either([self.shell(one, stdin) for one in thing.value.things])
        text = text_of(thing)
        if not text.strip(HOLE).strip() and HOLE in text:
            self.unread(thing, "sh")
            return PyValue(UNKNOWN, thing.labels)
        if "decoded" in thing.labels:
            self.add_decoded_code()
        if not self.program.charge(text):
            return PyValue(UNKNOWN, thing.labels)
        held = self.run.execution.stdin
        self.run.execution.stdin = _flow(stdin)
        try:
            return from_flow(self.run.code(self.word(thing)))
        finally:
            self.run.execution.stdin = held

    def command(self, words: list[PyValue], stdin: PyValue | None = None) -> PyValue:
        """Run a program with known and unknown arguments; return what it prints."""
        if not words or self.is_unsupplied(words[0]):
            return PyValue(UNKNOWN)
        return from_flow(self.run.command([self.word(word) for word in words], _flow(stdin)))

    def unread(self, thing: PyValue, language: str) -> None:
        """Add that a text nobody can read runs as code, or read the file it comes from."""
        if self.is_unsupplied(thing):
            return
        if thing.path and NETWORK not in thing.labels:
            self.run.script(self.program.word(thing.path, self.node), language)
            return
        if "socket" in thing.labels:
            self.program.marks.add("joined")
        self.run.unknown_code(
            why_of(thing) or ARGUMENT, language, *(["decoded"] if "decoded" in thing.labels else [])
        )

    def is_unsupplied(self, thing: PyValue) -> bool:
        """Whether nothing is known of a value as nobody calls the function using it."""
        if idle(thing):
            return True
        return (
            self.program.idling
            and not isinstance(thing.value, list)
            and not text_of(thing).strip(HOLE)
            and not thing.labels & _TELLING
        )

    def add_decoded_code(self) -> None:
        """Add that hidden text runs as code."""
        from interlock.model.effect import RunsCode

        self.effect(RunsCode, "", "decoded", detail="decoded text run as code")


def _flow(thing: PyValue | None) -> Flow:
    """Return what a started program reads: nothing, unless it is given something."""
    if thing is None:
        return NOTHING
    text = text_of(thing)
    return Flow(
        text if is_text(thing.value) and HOLE not in text else None, labels_of([thing]), thing.path
    )


def why_of(thing: PyValue) -> str:
    """Return where the unknown of a thing comes from, in a shell value's words."""
    return NETWORK if NETWORK in thing.labels else thing.why


def idle(thing: PyValue) -> bool:
    """Whether this is only what a function that nobody calls would be given."""
    return (IDLE in thing.labels and not text_of(thing).strip(HOLE)) or (
        isinstance(thing.value, BoundAttribute) and IDLE in thing.value.thing.labels
    )
