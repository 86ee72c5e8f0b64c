"""YAML text to typed nodes with their places. Strict: what YAML lets pass and people trip over is
an error here.

Refused: duplicate keys, keys that are no plain names, anchors, aliases, merge keys, tags, several
documents, control characters, and files past the bounds below. What a plain word means (a number, a
truth value) is for the schema to say, never for YAML: see ``guess_type``. Only this module imports
PyYAML; no hook does, unless a policy file changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.model.record import Record
from interlock.policy.installation import install_command
from interlock.policy.problem import PolicyError, PolicyProblem, PolicyProblems

MAX_BYTES = 1 << 20
MAX_DEPTH = 20
MAX_NODES = 50_000
SCALAR, LIST, TABLE = "text", "list", "table"


class DocumentNode(Record):
    """One node. ``value``: text of a scalar, nodes of a list, pairs of nodes of a table. ``plain``:
    a scalar without quotes.
    """

    kind: str
    line: int
    column: int
    value: Any
    plain: bool = False

    @property
    def said(self) -> str:
        """What was found, for a message."""
        if self.kind != SCALAR:
            return f"a {self.kind}"
        text = str(self.value)
        return (
            repr(text if len(text) <= 60 else text[:60] + "...")
            if text or not self.plain
            else "nothing"
        )


class _TooMuchError(Exception):
    """A bound was passed: where, and which."""


def parse(
    data: bytes, path: str, problems: PolicyProblems | None = None
) -> tuple[DocumentNode, PolicyProblems]:
    """Return the one document of a file and its problems so far; raises ``PolicyError`` where there
    is no document to go on with.
    """
    text = _decode(data, path)
    problems = problems or PolicyProblems(path, text)
    try:
        import yaml
    except ModuleNotFoundError:
        raise PolicyError(
            [
                PolicyProblem(
                    path,
                    1,
                    1,
                    "policy files are read with PyYAML, which is missing here; install it with:"
                    f" {install_command()}",
                )
            ]
        ) from None
    quick = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    node = None
    try:
        node = _Builder(problems, yaml.parse(text, Loader=quick)).document()
    except yaml.YAMLError:
        _tell(yaml, text, problems)
    except (_TooMuchError, RecursionError) as bound:
        problems.add(
            *(bound.args if isinstance(bound, _TooMuchError) else (1, 1, "it is nested too deeply"))
        )
    if node is None:
        raise PolicyError(problems.found)
    return node, problems


def _tell(yaml: Any, text: str, problems: PolicyProblems) -> None:
    """Note what is wrong with YAML that does not parse: the slower Python parser says it better."""
    fresh = PolicyProblems(problems.path, text)
    try:
        _Builder(fresh, yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        fresh.add(line, column, f"invalid YAML: {_reword(str(error.problem))}")
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        code = error.character if isinstance(error.character, int) else ord(error.character)
        fresh.add(
            line,
            error.position - text.rfind("\n", 0, error.position),
            f"the character U+{code:04X} may not stand in a policy file",
        )
    except _TooMuchError as bound:
        fresh.add(*bound.args)
    if not fresh.broken:
        fresh.add(1, 1, "invalid YAML")
    raise PolicyError(fresh.found)


_WORDS = (
    ("found character '\\t'", "a tab cannot indent; use spaces"),
    (
        "mapping values are not allowed",
        "a colon stands where none may; put the text in quotes, or begin a new line",
    ),
    ("could not find expected ':'", "a key without a colon after it"),
    ("expected <block end>", "the indentation does not fit the lines above"),
    ("found unexpected end of stream", "the closing quote is missing"),
    ("'<stream end>'", "a closing bracket is missing"),
    (
        "'<document start>'",
        (
            "a line that does not go on with what stands above; a policy is made of lines such as"
            " `key: value`"
        ),
    ),
    ("found character '%'", "text that begins with % has to stand in quotes"),
    ("found character '@'", "text that begins with @ has to stand in quotes"),
    ("found character '`'", "text that begins with ` has to stand in quotes"),
)
"""What PyYAML says (a part of it), and what that means for whoever wrote the file."""


def _reword(said: str) -> str:
    return next((words for part, words in _WORDS if part in said.replace("\t", "\\t")), said)


def _decode(data: bytes, path: str) -> str:
    if len(data) > MAX_BYTES:
        raise PolicyError(
            [
                PolicyProblem(
                    path, 1, 1, f"it has {len(data)} bytes; a policy file has at most {MAX_BYTES}"
                )
            ]
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise PolicyError(
            [
                PolicyProblem(
                    path,
                    line,
                    column,
                    f"the byte 0x{data[error.start]:02X} is no UTF-8; save the file as UTF-8",
                )
            ]
        ) from None


class _Builder:
    """Makes nodes of PyYAML's events, and notes what is not allowed on the way."""

    def __init__(self, problems: PolicyProblems, events: Iterator[Any]) -> None:
        self.problems = problems
        self.events = events
        self.count = 0
        self.line = self.column = 1

    def document(self) -> DocumentNode | None:
        """Return the first document's node, or None; a second document is a problem."""
        found: DocumentNode | None = None
        for event in self.events:
            self.line, self.column = event.start_mark.line + 1, event.start_mark.column + 1
            name = type(event).__name__
            if name == "DocumentStartEvent" and found is not None:
                self.say("a policy file is one document; put the second one into a file of its own")
                break
            if name in (
                "StreamStartEvent",
                "DocumentStartEvent",
                "DocumentEndEvent",
                "StreamEndEvent",
            ):
                continue
            found = self.node(event, 1)
        if found is None:
            self.problems.add(
                1, 1, "the file is empty; a policy sets something: see `interlock policy init`"
            )
        return found

    def say(self, message: str) -> None:
        """Note a problem where the last event begins."""
        self.problems.add(self.line, self.column, message)

    def node(self, event: Any, depth: int) -> DocumentNode:
        """Return the node that begins with an event."""
        line, column = self.line, self.column = (
            event.start_mark.line + 1,
            event.start_mark.column + 1,
        )
        self.count += 1
        if depth > MAX_DEPTH or self.count > MAX_NODES:
            raise _TooMuchError(
                line,
                column,
                (
                    f"deeper than {MAX_DEPTH} levels"
                    if depth > MAX_DEPTH
                    else f"more than {MAX_NODES} values"
                ),
            )
        name = type(event).__name__
        if name == "AliasEvent":
            self.say(
                f"*{event.anchor} repeats what stands elsewhere; write it out, so that each line"
                " says what holds"
            )
            return DocumentNode(SCALAR, line, column, "")
        self._check_marks(event)
        if name == "ScalarEvent":
            return DocumentNode(SCALAR, line, column, event.value, not event.style)
        if name == "SequenceStartEvent":
            return DocumentNode(LIST, line, column, tuple(self._items(depth)))
        return DocumentNode(TABLE, line, column, tuple(self._pairs(depth)))

    def _check_marks(self, event: Any) -> None:
        if event.anchor:
            self.say(
                f"&{event.anchor} names a part to be repeated elsewhere; write it out there, so"
                " that each line says what holds"
            )
        if event.tag is not None and event.tag != "!":
            self.say(f"the tag {event.tag} has no meaning in a policy file; leave it out")

    def _items(self, depth: int) -> Iterator[DocumentNode]:
        while type(event := next(self.events)).__name__ != "SequenceEndEvent":
            yield self.node(event, depth + 1)

    def _pairs(self, depth: int) -> Iterator[tuple[DocumentNode, DocumentNode]]:
        lines: dict[str, int] = {}
        while type(event := next(self.events)).__name__ != "MappingEndEvent":
            key = self.node(event, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if self._is_key(key, lines):
                lines[key.value] = key.line
                yield key, value

    def _is_key(self, key: DocumentNode, lines: dict[str, int]) -> bool:
        message = ""
        if key.kind != SCALAR or (key.plain and not key.value):
            message = f"a key is a name, not {key.said}"
        elif key.plain and key.value == "<<":
            message = (
                "<< would copy keys from elsewhere; write them out, so that each line says what"
                " holds"
            )
        elif key.value in lines:
            message = (
                f"{key.value!r} stands here already, in line {lines[key.value]}; YAML would"
                " silently keep only one of them"
            )
        if message:
            self.problems.add(key.line, key.column, message)
        return not message


# -- what YAML would guess -------------------------------------------------------------------------

_TRUTH = frozenset("y n yes no on off true false".split())
_DIGITS = frozenset("0123456789")


def guess_type(text: str) -> str:
    """Return what YAML 1.1 would take a plain word for (``a truth value``, ``a number``, ``a time
    of day``, ``a date``, ``nothing``), or ``""``.
    """
    word = text.lower()
    if word in _TRUTH:
        return "a truth value"
    if word in ("", "~", "null"):
        return "nothing"
    body = word.lstrip("+-")
    if not body or (body[0] not in _DIGITS and body[0] != "."):
        return ""
    if body in (".inf", ".nan"):
        return "a number"
    if ":" in body:
        return (
            "a number to the base of 60"
            if all(part and set(part) <= _DIGITS | {"_", "."} for part in body.split(":"))
            else _as_date(body)
        )
    if body[:2] in ("0x", "0b", "0o"):
        return "a number" if body[2:].replace("_", "").isalnum() else ""
    return "a number" if _is_number(body) else _as_date(body)


def _is_number(body: str) -> bool:
    mantissa, mark, exponent = body.replace("_", "").partition("e")
    whole, _, part = mantissa.partition(".")
    return (
        set(whole + part) <= _DIGITS
        and bool(whole + part)
        and (not mark or set(exponent.lstrip("+-")) <= _DIGITS)
    )


def _as_date(body: str) -> str:
    parts = body[:10].split("-")
    return (
        "a date"
        if len(parts) == 3 and len(parts[0]) == 4 and all(part[:1] in _DIGITS for part in parts)
        else ""
    )
