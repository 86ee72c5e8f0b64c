"""The tree of a shell text: what stands where, before anything is expanded.

Every node knows the half-open range ``[start, end)`` of the text it was read from. Texts nested in
another text whose characters are not one to one with it (back-ticks, here-documents with tabs
stripped) are trees of their own: their ``Script.offsets`` leads back.

Nodes are plain slotted classes with ``__init__`` written out: they are made for every word of every
command, and this is the cheapest way to make them.
"""

from __future__ import annotations

from collections.abc import Sequence


class ShellNode:
    """Anything with a place in a text: ``start`` and ``end`` are offsets in characters."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        inner = ", ".join(
            f"{name}={getattr(self, name)!r}"
            for cls in type(self).__mro__
            for name in getattr(cls, "__slots__", ())
        )
        return f"{type(self).__name__}({inner})"


# -- words -----------------------------------------------------------------------------------------


class Literal(ShellNode):
    """Unquoted characters; globs, tildes and braces are still active, continuations out."""

    __slots__ = ("text",)

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start = start
        self.end = end
        self.text = text


class Quoted(ShellNode):
    r"""Characters that mean themselves: from ``\x``, ``'..'`` or ``$'..'`` (decoded)."""

    __slots__ = ("text",)

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start = start
        self.end = end
        self.text = text


class DoubleQuoted(ShellNode):
    """``".."`` or ``$".."``: parts in which neither globs nor field splitting are active."""

    __slots__ = ("parts",)

    def __init__(self, start: int, end: int, parts: Sequence[Part]) -> None:
        self.start = start
        self.end = end
        self.parts = parts


class Parameter(ShellNode):
    """``$x`` or any ``${..}``.

    ``prefix`` is ``""``, ``"!"`` (indirect) or ``"#"`` (length); ``subscript`` the word between ``[
    ]``; ``operator`` the text of the operation (``:-``, ``//``, ``/#``, ``#``, ``^^``, ``:``,
    ``@``...) and ``argument`` the word after it, with everything nested in it read. What bash calls
    a bad substitution has the operator ``invalid`` (``dollar.INVALID``), the name as far as there
    is one, and the rest as argument.
    """

    __slots__ = ("argument", "name", "operator", "prefix", "subscript")

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        prefix: str = "",
        subscript: Word | None = None,
        operator: str = "",
        argument: Word | None = None,
    ) -> None:
        self.start = start
        self.end = end
        self.name = name
        self.prefix = prefix
        self.subscript = subscript
        self.operator = operator
        self.argument = argument


class CommandSubstitution(ShellNode):
    """``$(..)``, back-ticks or ``${ ..; }``. Of back-ticks the script is a text of its own
    (``script.offsets``).
    """

    __slots__ = ("script",)

    def __init__(self, start: int, end: int, script: Script) -> None:
        self.start = start
        self.end = end
        self.script = script


class Arithmetic(ShellNode):
    """``$((..))`` or ``$[..]``: its parts, with every expansion in them read."""

    __slots__ = ("parts",)

    def __init__(self, start: int, end: int, parts: Sequence[Part]) -> None:
        self.start = start
        self.end = end
        self.parts = parts


class ProcessSubstitution(ShellNode):
    """``<(..)`` (``direction`` ``"<"``) or ``>(..)``."""

    __slots__ = ("direction", "script")

    def __init__(self, start: int, end: int, direction: str, script: Script) -> None:
        self.start = start
        self.end = end
        self.direction = direction
        self.script = script


class ExtendedGlob(ShellNode):
    """``@(a|b)`` and its four siblings: ``operator`` is one of ``@!*+?``."""

    __slots__ = ("operator", "parts")

    def __init__(self, start: int, end: int, operator: str, parts: Sequence[Part]) -> None:
        self.start = start
        self.end = end
        self.operator = operator
        self.parts = parts


class Opaque(ShellNode):
    """Text that was not read, and ``why`` in a few words. Stands wherever a command or a word part
    may.
    """

    __slots__ = ("why",)

    def __init__(self, start: int, end: int, why: str) -> None:
        self.start = start
        self.end = end
        self.why = why


class Word(ShellNode):
    """One word: its parts in order. A word of one ``Literal`` is the common case."""

    __slots__ = ("parts",)

    def __init__(self, start: int, end: int, parts: Sequence[Part]) -> None:
        self.start = start
        self.end = end
        self.parts = parts


# -- commands --------------------------------------------------------------------------------------


class Assignment(ShellNode):
    """``name=value``, ``name+=value``, ``name[subscript]=value`` or ``name=(..)``.

    ``array`` holds the words of ``=(..)``; then ``value`` is None, but for ``name=(..)rest``, which
    bash takes for text. In an array, ``[subscript]=value`` is one without a name.
    """

    __slots__ = ("append", "array", "name", "subscript", "value")

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        value: Word | None,
        append: bool = False,
        subscript: Word | None = None,
        array: Sequence[Word | Assignment] | None = None,
    ) -> None:
        self.start = start
        self.end = end
        self.name = name
        self.value = value
        self.append = append
        self.subscript = subscript
        self.array = array


class Redirect(ShellNode):
    """``2>file``, ``{fd}>file``, ``<<EOF`` ... ``fd`` is the text before the operator, or ``""``.

    Of a here-document ``target`` is the delimiter word and ``body`` the document as one word:
    ``Quoted`` for its text, and expansions where the delimiter was not quoted. It stands after the
    line, at ``body_start, body_end``; tabs that ``<<-`` takes away are not in its text but in that
    range. None where a syntax error came first.
    """

    __slots__ = ("body", "body_end", "body_start", "fd", "operator", "target")

    def __init__(self, start: int, end: int, operator: str, target: Word, fd: str = "") -> None:
        self.start = start
        self.end = end
        self.operator = operator
        self.target = target
        self.fd = fd
        self.body: Word | None = None
        self.body_start = end
        self.body_end = end


class Simple(ShellNode):
    """A simple command: assignments, words and redirections, each in the order written."""

    __slots__ = ("assignments", "redirects", "words")

    def __init__(
        self,
        start: int,
        end: int,
        assignments: Sequence[Assignment],
        words: Sequence[Word | Assignment],
        redirects: Sequence[Redirect],
    ) -> None:
        self.start = start
        self.end = end
        self.assignments = assignments
        self.words = words
        self.redirects = redirects


class Pipeline(ShellNode):
    """``! time a | b |& c``; ``operators`` stand between the commands (one less)."""

    __slots__ = ("commands", "negated", "operators", "timed")

    def __init__(
        self,
        start: int,
        end: int,
        commands: Sequence[Command],
        operators: Sequence[str],
        negated: bool = False,
        timed: bool = False,
    ) -> None:
        self.start = start
        self.end = end
        self.commands = commands
        self.operators = operators
        self.negated = negated
        self.timed = timed


class AndOr(ShellNode):
    """``a && b || c``; ``operators`` stand between the commands (one less)."""

    __slots__ = ("commands", "operators")

    def __init__(
        self, start: int, end: int, commands: Sequence[Command], operators: Sequence[str]
    ) -> None:
        self.start = start
        self.end = end
        self.commands = commands
        self.operators = operators


class CommandList(ShellNode):
    r"""Commands one after another; ``operators[i]`` follows command i: ``";"``, ``"&"``, ``"\n"``
    or ``""``.
    """

    __slots__ = ("commands", "operators")

    def __init__(
        self, start: int, end: int, commands: Sequence[Command], operators: Sequence[str]
    ) -> None:
        self.start = start
        self.end = end
        self.commands = commands
        self.operators = operators


class Compound(ShellNode):
    """Any compound command.

    ``keyword``: ``{ ( if while until for for(( select case (( [[ function coproc``.
    ``bodies``: the nested lists in the order written (of ``if``: condition, then-part, ...,
    else-part; of ``while``: condition, body; of ``case``: one for each clause, ``patterns[i]`` its
    patterns).
    ``words``: the words it looks at (items of ``for``, subject of ``case``, operands of ``[[``,
    expressions of ``((`` and ``for((``). ``name``: variable of ``for``/``select``, name of a
    function or coprocess. ``explicit_in``: whether ``for``/``select`` had ``in``. ``has_else``:
    whether the last body of ``if`` is an else-part.
    """

    __slots__ = (
        "bodies",
        "explicit_in",
        "has_else",
        "keyword",
        "name",
        "patterns",
        "redirects",
        "words",
    )

    def __init__(
        self,
        start: int,
        end: int,
        keyword: str,
        bodies: Sequence[CommandList],
        words: Sequence[Word] = (),
        name: str = "",
    ) -> None:
        self.start = start
        self.end = end
        self.keyword = keyword
        self.bodies = bodies
        self.words = words
        self.name = name
        self.patterns: Sequence[Sequence[Word]] = ()
        self.redirects: Sequence[Redirect] = ()
        self.explicit_in = False
        self.has_else = False


class Script(ShellNode):
    """A whole text: ``body`` and the text itself. ``offsets`` maps it to the text it is nested in,
    where that is another one.

    ``offsets[i]`` is the offset in the parent text of character i of ``text`` (one longer than the
    text): so for back-ticks, whose nodes have places in ``text``. It is None for all others: there
    ``text`` is the whole outer text, and all places are places in that. ``comments`` are all
    comments of the text, in its outermost script.
    """

    __slots__ = ("body", "comments", "offsets", "text")

    def __init__(
        self,
        start: int,
        end: int,
        text: str,
        body: CommandList,
        offsets: Sequence[int] | None = None,
    ) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.body = body
        self.offsets = offsets
        self.comments: Sequence[ShellNode] = ()


Part = (
    Literal
    | Quoted
    | DoubleQuoted
    | Parameter
    | CommandSubstitution
    | Arithmetic
    | ProcessSubstitution
    | ExtendedGlob
    | Opaque
)
Command = Simple | Pipeline | AndOr | Compound | Opaque | CommandList
