"""Nodes to values, by the rows of the schema: every error of a file, each with its place, what was
expected and the nearest known name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.model.record import Record
from interlock.policy.document import LIST as A_LIST
from interlock.policy.document import SCALAR, TABLE, DocumentNode, guess_type, parse
from interlock.policy.problem import NOTE, PolicyError, PolicyProblem, PolicyProblems, suggest_name
from interlock.policy.schema import (
    ADR,
    CASES,
    LAYERS,
    LIST,
    MAP,
    ONE,
    PLUGIN,
    POLICY,
    SKILL,
    TABLES,
    USER,
    SchemaKey,
    SchemaTable,
)
from interlock.policy.value_kinds import WORDS, ValueKind

EXAMPLE = "example"
"""A call: the text of a command, or a table of a tool and its input."""


class Section(Record):
    """A table that was read: values by key, and the nodes they came from. A table within is a
    ``Section``, a list a tuple.
    """

    node: DocumentNode
    values: dict[str, Any]
    nodes: dict[str, DocumentNode]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, or the default where the key is not there."""
        return self.values.get(key, default)

    def at(self, key: str) -> DocumentNode:
        """Return where a key's value stands; where the key is not there, the table itself."""
        return self.nodes.get(key, self.node)


def read(data: bytes, path: str, layer: str) -> tuple[Section, PolicyProblems]:
    """Return a file's policy and its problems so far; raises ``PolicyError`` where there is nothing
    to go on with.
    """
    node, problems = parse(data, path)
    return read_node(node, problems, layer), problems


def read_node(node: DocumentNode, problems: PolicyProblems, layer: str) -> Section:
    """Return the policy of a document; raises ``PolicyError`` where it is no table."""
    if node.kind != TABLE:
        problems.add(
            node.line,
            node.column,
            f"a policy is a table of keys such as `version: 1`, not {node.said}",
        )
        raise PolicyError(problems.found)
    return _Reader(problems, layer).table(node, ADR if _version(node) == "1.0" else POLICY)


def read_cases(data: bytes, path: str) -> tuple[Section, PolicyProblems]:
    """Return a file of cases and its problems so far; raises ``PolicyError`` where there is nothing
    to go on with.
    """
    node, problems = parse(data, path)
    if node.kind != TABLE:
        problems.add(
            node.line,
            node.column,
            f"a file of cases is a table with the key `cases`, not {node.said}",
        )
        raise PolicyError(problems.found)
    return _Reader(problems, USER).table(node, CASES), problems


def read_guard(data: bytes, path: str, layer: str) -> tuple[Section, PolicyProblems]:
    """Return a plugin's guard and its problems so far: a YAML file, or Markdown whose front matter
    and body are YAML; raises ``PolicyError``.
    """
    problems: PolicyProblems | None = None
    pairs: list[tuple[DocumentNode, DocumentNode]] = []
    first: DocumentNode | None = None
    for part in _parts(data) if path.endswith(".md") else (data,):
        node, problems = parse(part, path, problems)
        first = first or node
        if node.kind != TABLE:
            problems.add(
                node.line,
                node.column,
                f"a guard is a table of keys such as `id: my-guard`, not {node.said}",
            )
            raise PolicyError(problems.found)
        pairs += node.value
    if first is None or problems is None:
        raise PolicyError(
            [
                PolicyProblem(
                    path,
                    1,
                    1,
                    "a guard in Markdown begins with a line of three dashes, its id and its tool",
                )
            ]
        )
    return _Reader(problems, layer).table(first.replace(value=tuple(pairs)), PLUGIN), problems


def is_documentation(data: bytes, path: str) -> bool:
    """Whether a file among guards is a text for people: Markdown whose first line is no row of
    dashes, such as a README.
    """
    return path.endswith(".md") and data.lstrip()[:3] != b"---"


def read_skill(data: bytes, path: str, layer: str) -> tuple[Section, str]:
    """Return a guard agent's skill's front matter, and its text; raises ``PolicyError``."""
    bars = _bars(data)
    if not bars:
        raise PolicyError(
            [
                PolicyProblem(
                    path,
                    1,
                    1,
                    "a skill begins with a line of three dashes, its name and its description",
                )
            ]
        )
    lines = data.split(b"\n")
    node, problems = parse(b"\n" * (bars[0] + 1) + b"\n".join(lines[bars[0] + 1 : bars[1]]), path)
    if node.kind != TABLE:
        problems.add(
            node.line,
            node.column,
            f"the front matter is a table of keys such as `name: my-skill`, not {node.said}",
        )
        raise PolicyError(problems.found)
    section = _Reader(problems, layer).table(node, SKILL)
    text = b"\n".join(lines[bars[1] + 1 :]).decode("utf-8", "replace").strip()
    if not text:
        problems.add(
            bars[1] + 1, 1, "nothing stands below the front matter, so the skill says nothing"
        )
    if problems.broken:
        raise PolicyError(problems.found)
    return section, text


def _bars(data: bytes) -> list[int]:
    """Return the lines of the rows of dashes around a file's front matter, if it has one."""
    lines = data.split(b"\n")
    bars = [at for at, line in enumerate(lines) if line.strip() == b"---"][:2]
    return bars if len(bars) == 2 and not any(line.strip() for line in lines[: bars[0]]) else []


def _parts(data: bytes) -> list[bytes]:
    """Return the front matter and the body's patterns, each with empty lines for what is not of it,
    so that lines keep their numbers.
    """
    lines = data.split(b"\n")
    bars = _bars(data)
    if not bars:
        return []
    front = [line if bars[0] < at < bars[1] else b"" for at, line in enumerate(lines)]
    starts = [at for at, line in enumerate(lines) if at > bars[1] and line.startswith(b"patterns:")]
    if not starts:
        return [b"\n".join(front)]
    stop = next(
        (
            at
            for at, line in enumerate(lines)
            if at > starts[0] and line.strip() and line[:1] not in (b" ", b"-", b"#")
        ),
        len(lines),
    )
    return [
        b"\n".join(front),
        b"\n".join([line if starts[0] <= at < stop else b"" for at, line in enumerate(lines)]),
    ]


def _version(node: DocumentNode) -> str:
    return next((str(value.value) for key, value in node.value if key.value == "version"), "")


def _a(name: str) -> str:
    """Return the name of a table with its article: ``a policy``, ``an older policy``, ``files``."""
    return name if name.endswith("s") else f"an {name}" if name[0] in "aeio" else f"a {name}"


class _Reader:
    def __init__(self, problems: PolicyProblems, layer: str) -> None:
        self.problems = problems
        self.layer = layer

    def say(self, node: DocumentNode, message: str, weight: str = "error") -> None:
        self.problems.add(node.line, node.column, message, weight)

    def table(self, node: DocumentNode, table: SchemaTable) -> Section:
        """Return a table's values; what is wrong with one of them leaves it out."""
        known = {key.name: key for key in table.keys}
        values: dict[str, Any] = {}
        nodes: dict[str, DocumentNode] = {}
        for name, value in node.value:
            key = known.get(name.value)
            if key is None:
                self.say(
                    name,
                    f"there is no key {name.value!r} in"
                    f" {_a(table.name)}{suggest_name(name.value, known) or '; known: ' + ', '.join(known)}",
                )
            elif self.layer not in key.layers:
                allowed = " or ".join([layer for layer in LAYERS if layer in key.layers])
                self.say(
                    name,
                    f"{name.value} counts only in a file of the {allowed}; in this one, of the"
                    f" {self.layer}, it is ignored",
                    NOTE,
                )
            else:
                nodes[name.value] = value
                found = self.value(value, key)
                if found is not None:
                    values[name.value] = found
        self._complete(node, table)
        return Section(node, values, nodes)

    def _complete(self, node: DocumentNode, table: SchemaTable) -> None:
        there = {str(name.value) for name, _ in node.value}
        unknown = there - {key.name for key in table.keys}
        missing = [key.name for key in table.keys if key.needed and key.name not in there]
        # a slip of the finger is told once
        missing = [
            name for name in missing if not any(suggest_name(word, [name]) for word in unknown)
        ]
        if missing:
            self.say(
                node,
                f"{_a(table.name)} needs"
                f" {' and '.join(['version: 1' if name == 'version' else name for name in missing])}",
            )
        elif table.some and there.isdisjoint(table.some) and not unknown:
            self.say(
                node,
                f"{_a(table.name)} sets nothing here; expected at least one of"
                f" {', '.join(table.some)}",
            )

    def value(self, node: DocumentNode, key: SchemaKey) -> Any:
        """Return a key's value, or None where it is not as it has to be."""
        if key.many == ONE:
            return self.single(node, key)
        if key.many == MAP:
            return self._map(node, key)
        if key.many == LIST and node.kind != A_LIST:
            self.say(node, f"{key.name} is a list (`- ` before each item), not {node.said}")
            return None
        items = node.value if node.kind == A_LIST else (node,)
        if not items:
            self.say(node, f"{key.name} is empty; leave it out, or name something")
        return tuple([found for item in items if (found := self.single(item, key)) is not None])

    def _map(self, node: DocumentNode, key: SchemaKey) -> dict[str, Any] | None:
        if node.kind != TABLE:
            self.say(node, f"{key.name} is a table of names, not {node.said}")
            return None
        found = {}
        for name, value in node.value:
            items = value.value if value.kind == A_LIST and key.of in WORDS else (value,)
            several = tuple([one for item in items if (one := self.single(item, key)) is not None])
            if several:
                found[name.value] = several if key.of in WORDS else several[0]
        if not node.value:
            self.say(node, f"{key.name} is empty; leave it out, or name something")
        return found

    def single(self, node: DocumentNode, key: SchemaKey) -> Any:
        """Return one value: a word, a table, or an example of a call."""
        if key.of in TABLES:
            if node.kind != TABLE:
                self.say(
                    node,
                    f"{key.name} takes tables with the keys"
                    f" {', '.join([one.name for one in TABLES[key.of].keys])}, not {node.said}",
                )
                return None
            return self.table(node, TABLES[key.of])
        if key.of == EXAMPLE:
            return self._example(node)
        return self._word(node, key.name, WORDS[key.of])

    def _word(self, node: DocumentNode, name: str, word: ValueKind) -> Any:
        if node.kind != SCALAR:
            self.say(node, f"{name} is {word.expected}, not {node.said}")
            return None
        text = str(node.value)
        if word.plain and not node.plain and word.name != "version":
            self.say(node, f"{name} is {word.expected}, and this is a text: leave out the quotes")
            return None
        guess = guess_type(text) if node.plain and not word.plain else ""
        if guess:
            self.say(
                node,
                f"{name} is {word.expected}, and without quotes YAML takes {text!r} for {guess}:"
                f' write "{text}" if you mean the text',
            )
            return None
        try:
            return word.read(text)
        except ValueError as error:
            expected, did, meaning = str(error).partition("; did you mean")
            self.say(node, f"{name}: {expected}, found {node.said}{did}{meaning}")
            return None

    def _example(self, node: DocumentNode) -> Any:
        """Return an example: the text of a command, or pairs of a tool's name and input."""
        if node.kind == SCALAR:
            return self._word(node, "an example", WORDS["text"])
        pairs = tuple(self._fields(node)) if node.kind == TABLE else ()
        if "tool" not in dict(pairs):
            self.say(
                node, "an example is a command, or a table of `tool` and the fields of its input"
            )
            return None
        return pairs

    def _fields(self, node: DocumentNode) -> Iterator[tuple[str, str]]:
        for key, value in node.value:
            if value.kind == SCALAR:
                yield str(key.value), str(value.value)
            else:
                self.say(
                    value, f"the field {key.value!r} of an example is a text, not {value.said}"
                )
