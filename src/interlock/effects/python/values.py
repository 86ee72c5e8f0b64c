"""What a Python value will be when the program runs: known, partly known, or an object whose kind
alone is known.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.shell.value import ENVIRONMENT, FILE, HOLE, NETWORK, OUTPUT, Flow

MAX_TEXT = 65536
MAX_NUMBER = 1 << 512
MAX_EITHER = 4
"""Values that one may be; more of them are simply unknown."""
MARK = "__hole__"
"""Stands in the source for a piece that a shell would have put in and nobody knows."""
IDLE = "idle"
"""Label of what a function that nobody calls would be given: such code is defined, not run."""
_NONE: frozenset[str] = frozenset()
_HOLE = HOLE.encode()


class UnknownValue:
    """A value nobody can know; there is one, ``UNKNOWN``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = UnknownValue()


class PyValue:
    """A value with labels of where it comes from.

    ``value``: a constant (text may hold ``HOLE``), a list or dict of things, ``DottedName``,
    ``KnownObject``, ``Function``, ``BoundAttribute``, ``Class`` or ``UNKNOWN``. ``why``: where what
    is unknown comes from, in a shell value's words. ``path``: the file a text was read from.
    """

    __slots__ = ("labels", "path", "value", "why")

    def __init__(
        self, value: object = UNKNOWN, labels: frozenset[str] = _NONE, why: str = "", path: str = ""
    ) -> None:
        self.value = value
        self.labels = labels
        self.why = why
        self.path = path

    def __repr__(self) -> str:
        return f"Thing({self.value!r}, {sorted(self.labels)})"


class DottedName:
    """Something imported or built in, by its full name: ``os.system``."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted

    def __repr__(self) -> str:
        return f"Name({self.dotted})"


class KnownObject:
    """An object of a known kind (``path``, ``file``, ``socket``...) with what is known of it."""

    __slots__ = ("fields", "kind", "of")

    def __init__(
        self, kind: str, fields: dict[str, PyValue] | None = None, of: Class | None = None
    ) -> None:
        self.kind = kind
        self.fields: dict[str, PyValue] = fields if fields is not None else {}
        self.of = of

    def __repr__(self) -> str:
        return f"Item({self.kind}, {self.fields})"


class Scope:
    """Names of a module, class or function, and the scope around it."""

    __slots__ = ("names", "outer", "stars")

    def __init__(self, outer: Scope | None = None) -> None:
        self.names: dict[str, PyValue] = {}
        self.outer = outer
        self.stars: list[str] = outer.stars if outer is not None else []

    def find(self, name: str) -> PyValue | None:
        """Return what the name stands for, or None."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    @property
    def top(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


class Function:
    """A function of the program itself; ``called`` once its body was followed."""

    __slots__ = ("called", "node", "scope")

    def __init__(self, node: object, scope: Scope) -> None:
        self.node = node
        self.scope = scope
        self.called = False

    def has_decorator(self, word: str) -> bool:
        """Whether ``@word`` stands above it."""
        return any(
            getattr(decorator, "id", "") == word
            for decorator in getattr(self.node, "decorator_list", ())
        )


class Class:
    """A class of the program itself: its own scope holds the methods, ``bases`` its bases."""

    __slots__ = ("bases", "scope")

    def __init__(self, scope: Scope, bases: list[PyValue]) -> None:
        self.scope = scope
        self.bases = bases

    def method(self, name: str) -> PyValue | None:
        """Return a method of the class or of a base that the program defines."""
        met: set[int] = set()
        left = [self]
        while left:
            cls = left.pop()
            found = cls.scope.names.get(name)
            if found is not None:
                return found
            if id(cls) not in met:
                met.add(id(cls))
                left.extend(
                    [base.value for base in reversed(cls.bases) if isinstance(base.value, Class)]
                )
        return None


class Either:
    """One of a few values, and nobody knows which: what two branches left."""

    __slots__ = ("things",)

    def __init__(self, things: list[PyValue]) -> None:
        self.things = things

    def __repr__(self) -> str:
        return f"Either({self.things})"


class BoundAttribute:
    """An attribute of an unknown thing: ``thing.attribute``, most often a method."""

    __slots__ = ("attribute", "thing")

    def __init__(self, thing: PyValue, attribute: str) -> None:
        self.thing = thing
        self.attribute = attribute


# -- asking ----------------------------------------------------------------------------------------


def is_text(value: object) -> bool:
    """Whether it is a string or bytes."""
    return isinstance(value, (str, bytes))


def text_of(thing: PyValue) -> str:
    """Return the value as the text it would print as, with ``HOLE`` for what is unknown."""
    value = thing.value
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, int) and abs(value) > MAX_NUMBER:
        return HOLE
    if isinstance(value, (int, float)) or value is None:
        return str(value)
    if isinstance(value, KnownObject):
        inner = value.fields.get("path")
        return text_of(inner) if inner is not None else HOLE
    return HOLE


def is_known(thing: PyValue) -> bool:
    """Whether the whole value is known plain data, of a size that can be worked with: a list that
    holds itself is not.
    """
    left, size = [thing], 0
    while left:
        value = left.pop().value
        size += 1
        if isinstance(value, str):
            if HOLE in value:
                return False
        elif isinstance(value, bytes):
            if _HOLE in value:
                return False
        elif isinstance(value, (list, dict)):
            left.extend(value if isinstance(value, list) else value.values())
        elif not (
            value is None
            or isinstance(value, float)
            or (isinstance(value, int) and abs(value) <= MAX_NUMBER)
        ):
            return False
        if size + len(left) > MAX_TEXT:
            return False
    return True


def plain(thing: PyValue) -> object:
    """Return a known value as Python itself has it."""
    value = thing.value
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def wrap(value: object, labels: frozenset[str] = _NONE) -> PyValue:
    """Return plain data as a thing; too long a text is unknown."""
    if isinstance(value, (str, bytes)):
        return (
            PyValue(value, labels) if len(value) <= MAX_TEXT else PyValue(UNKNOWN, labels, OUTPUT)
        )
    if isinstance(value, (list, tuple, range)):
        return (
            PyValue([wrap(item, labels) for item in value], labels)
            if len(value) <= MAX_TEXT
            else PyValue(UNKNOWN, labels)
        )
    if isinstance(value, bytearray):
        return wrap(bytes(value), labels)
    if isinstance(value, (int, float, bool)) or value is None:
        return PyValue(value, labels)
    return PyValue(UNKNOWN, labels)


def labels_of(things: Iterable[PyValue]) -> frozenset[str]:
    """Return the labels of all of these, and of what they hold."""
    found: set[str] = set()
    met: set[int] = set()
    left = list(things)
    while left:
        thing = left.pop()
        if thing.labels:
            found |= thing.labels
        value = thing.value
        inner = (
            value
            if isinstance(value, list)
            else value.values()
            if isinstance(value, dict)
            else value.fields.values()
            if isinstance(value, KnownObject)
            else ()
        )
        if inner and id(value) not in met:
            met.add(id(value))
            left.extend(inner)
    return frozenset(found)


def reason(things: Iterable[PyValue]) -> str:
    """Return where the unknown in these comes from."""
    found = list(things)
    if "network" in labels_of(found):
        return NETWORK
    return next((thing.why for thing in found if thing.why), "")


def unknown_from(things: Iterable[PyValue], why: str = "") -> PyValue:
    """Return an unknown value that carries the labels of what it is made of."""
    found = list(things)
    return PyValue(UNKNOWN, labels_of(found), why or reason(found))


def either(things: list[PyValue], why: str = "") -> PyValue:
    """Return what is one of these: itself where they are the same; of more than a few, or of what
    is no text and nothing to call, only where from.
    """
    flat: list[PyValue] = []
    for thing in things:
        for one in thing.value.things if isinstance(thing.value, Either) else [thing]:
            if not any(_alike(one, other) for other in flat):
                flat.append(one)
    if len(flat) == 1:
        return flat[0]
    told = all(
        isinstance(one.value, (str, DottedName, Function, Class, BoundAttribute)) for one in flat
    )
    unknown = unknown_from(flat, why)
    return (
        PyValue(Either(flat), unknown.labels, unknown.why)
        if told and len(flat) <= MAX_EITHER
        else unknown
    )


def _alike(one: PyValue, other: PyValue) -> bool:
    if isinstance(one.value, DottedName) and isinstance(other.value, DottedName):
        return one.value.dotted == other.value.dotted
    return same(one, other)


def from_flow(flow: Flow) -> PyValue:
    """Return what a command printed."""
    why = (
        NETWORK
        if NETWORK in flow.labels
        else ENVIRONMENT
        if ENVIRONMENT in flow.labels
        else FILE
        if flow.path
        else OUTPUT
    )
    return PyValue(
        flow.text if flow.text is not None else HOLE,
        flow.labels,
        "" if flow.text is not None else why,
        flow.path,
    )


def same(one: PyValue, other: PyValue) -> bool:
    """Whether two values are the same for all we know."""
    if one is other:
        return True
    return is_known(one) and is_known(other) and plain(one) == plain(other)


def path_item(text: str, *, like: PyValue | None = None, pattern: bool = False) -> PyValue:
    """Return a ``pathlib.Path``."""
    fields = {"path": PyValue(text, like.labels if like else _NONE, like.why if like else "")}
    if pattern:
        fields["pattern"] = PyValue(value=True)
    return PyValue(
        KnownObject("path", fields), like.labels if like else _NONE, like.why if like else ""
    )


def join_paths(parts: list[PyValue]) -> PyValue:
    """Return paths joined as ``/`` of ``pathlib`` joins them: an absolute one begins anew."""
    text = ""
    for part in parts:
        piece = text_of(part)
        text = (
            piece
            if piece.startswith("/") or not text
            else f"{text.rstrip('/')}/{piece}"
            if text != "/"
            else f"/{piece}"
        )
    made = path_item(text, like=unknown_from(parts))
    if any(
        isinstance(part.value, KnownObject) and "pattern" in part.value.fields for part in parts
    ):
        made.value.fields["pattern"] = PyValue(value=True)  # type: ignore[attr-defined]
    return made


def fingerprint(things: list[PyValue], depth: int = 0) -> object:
    """Return what tells values apart, as far as a function that is called with them could."""
    return (len(things), *[_print_of(thing, depth) for thing in things[:16]])


def _print_of(thing: PyValue, depth: int) -> object:
    value = thing.value
    made: object = type(value).__name__
    if isinstance(value, (str, bytes)):
        made = value if len(value) <= 256 else (value[:64], len(value), hash(value))
    elif isinstance(value, (int, float)) or value is None:
        made = value
    elif isinstance(value, DottedName):
        made = value.dotted
    elif isinstance(value, Function):
        made = id(value.node)
    elif isinstance(value, Class):
        made = id(value)
    elif isinstance(value, Either) and depth < 3:
        made = fingerprint(value.things, depth + 1)
    elif depth < 3 and isinstance(value, list):
        made = fingerprint(value, depth + 1)
    elif depth < 3 and isinstance(value, (dict, KnownObject)):
        fields = value if isinstance(value, dict) else value.fields
        made = (
            getattr(value, "kind", ""),
            tuple(map(str, list(fields)[:16])),
            fingerprint(list(fields.values()), depth + 1),
        )
    elif depth < 3 and isinstance(value, BoundAttribute):
        made = (value.attribute, _print_of(value.thing, depth + 1))
    return made, thing.labels, thing.path
