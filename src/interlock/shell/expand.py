"""Words to values: what the shell will make of each word (bash manual 3.5), as far as known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.shell.api import ShellWalk
from interlock.shell.numbers import calculate
from interlock.shell.pieces import Piece, literal_subscript, separators
from interlock.shell.state import BLANKS
from interlock.shell.tree import (
    Arithmetic,
    Assignment,
    CommandSubstitution,
    DoubleQuoted,
    ExtendedGlob,
    Literal,
    Parameter,
    Part,
    ProcessSubstitution,
    Quoted,
    Word,
)
from interlock.shell.value import (
    ENVIRONMENT,
    FILE,
    HOLE,
    MAX_FIELDS,
    MAX_TEXT,
    NAME,
    NUMBER,
    SYNTAX,
    Value,
)

_MARKS = {":": ":", "'": "'", '"': '"', "{": "}", "[": "]", "<": ">", "|": "|", "/": "/", ",": ","}
"""What may stand around the command of a glob qualifier."""
_late: list[Callable[..., list[Piece]]] = []
"""The reader of parameters, once a word has one: most commands have none, and an import in a loop
costs a microsecond each time.
"""
_ACTIVE = frozenset("*?[{~" + HOLE)


def _is_pattern(text: str) -> bool:
    """Whether unquoted text is a pattern: a lone ``[`` is a program's name."""
    return "*" in text or "?" in text or ("[" in text and "]" in text[text.index("[") :])


def fields(word: Word | Assignment, walker: ShellWalk) -> list[Value]:
    """Return the fields a word becomes: none, one or many."""
    if isinstance(word, Assignment):
        return _assignment_fields(word, walker)
    parts = word.parts
    if len(parts) == 1:
        part = parts[0]
        if isinstance(part, Literal) and _ACTIVE.isdisjoint(part.text):
            return [Value(part.text, word.start, word.end)]
        if isinstance(part, Quoted) and HOLE not in part.text:
            return [Value(part.text, word.start, word.end)]
    out: list[Value] = []
    size = 0
    for alternative in _alternatives(parts):
        pieces = _pieces(alternative, walker, quoted=False)
        size += sum([len(piece.text) for piece in pieces])
        if size > MAX_TEXT:
            return [*out, Value(HOLE, word.start, word.end, SYNTAX)]
        out.extend(_split(pieces, word, separators(walker.state)))
        if len(out) > MAX_FIELDS:
            return [*out[:MAX_FIELDS], Value(HOLE, word.start, word.end, SYNTAX)]
    return out


def _alternatives(parts: Sequence[Part]) -> list[Sequence[Part]]:
    """Return the words that a word becomes by brace expansion."""
    for part in parts:
        if isinstance(part, Literal) and "{" in part.text:
            from interlock.shell.braces import braces

            return braces(parts)
    return [parts]


def single(word: Word | None, walker: ShellWalk, *, assigned: bool = False) -> Value:
    """Return the one value of a word where no splitting happens: a redirection, ``case``;
    ``assigned``: a pattern in it is no pattern yet.
    """
    if word is None:
        return Value("")
    pieces = _pieces(word.parts, walker, quoted=False)
    globbed = any(
        piece.matched or (not assigned and not piece.quoted and _is_pattern(piece.text))
        for piece in pieces
    )
    text = "".join([piece.text for piece in pieces])
    if len(text) > MAX_TEXT:
        return Value(HOLE, word.start, word.end, SYNTAX)
    return Value(text, word.start, word.end, _why(pieces), globbed)


def _assignment_fields(node: Assignment, walker: ShellWalk) -> list[Value]:
    """An argument like ``x=1`` of ``export`` and its kin: one field, but for braces."""
    if node.array is not None or node.value is None:
        values = [Value(HOLE, why=SYNTAX) if node.array is not None else Value("")]
    else:
        word = node.value
        values = [
            single(Word(word.start, word.end, tuple(parts)), walker)
            for parts in _alternatives(word.parts)
        ]
    return [
        Value(
            f"{node.name}{'+' if node.append else ''}={value.text}", node.start, node.end, value.why
        )
        for value in values
    ]


def _why(pieces: Sequence[Piece]) -> str:
    return next(
        (piece.why for piece in pieces if piece.why and (HOLE in piece.text or NAME in piece.text)),
        "",
    )


# -- the pieces of a word --------------------------------------------------------------------------


def _pieces(parts: Sequence[Part], walker: ShellWalk, *, quoted: bool) -> list[Piece]:
    out: list[Piece] = []
    origin = walker.at.origin or SYNTAX
    for part in parts:
        kind = type(part)
        if kind is Quoted:
            out.append(Piece(part.text, quoted=True, why=origin))  # type: ignore[union-attr]
        elif isinstance(part, Literal):
            text = part.text
            if "~" in text and not quoted and part is parts[0]:
                text = _with_home(text, walker, out)
            out.append(Piece(text, quoted=quoted, literal=True, why=origin))
        elif isinstance(part, DoubleQuoted):
            inner = _pieces(part.parts, walker, quoted=True)
            if inner or not _spreads(part):
                out.extend(inner or [Piece("", quoted=True)])
        else:
            out.extend(_expansion(part, walker, quoted=quoted))
    return out


def _with_home(text: str, walker: ShellWalk, out: list[Piece]) -> str:
    """Take a leading tilde from the text that a word begins with; what it stands for becomes a
    piece of its own.
    """
    if "=~" in text and text.partition("=~")[0].isidentifier():
        # dd of=~/x: a word that looks like an assignment (bash manual 3.5.2)
        name, text = text.split("=", 1)
        out.append(Piece(f"{name}=", quoted=True))
    if text[:1] == "~":
        home, text = _tilde(text, walker)
        out.append(Piece(home, quoted=True, why=ENVIRONMENT))
    return text


def _spreads(node: DoubleQuoted) -> bool:
    """Whether quotes hold ``$@`` (in any form), which without arguments is no field at all, while
    ``""`` is an empty one.
    """
    return any(
        isinstance(part, Parameter) and (part.name == "@" or literal_subscript(part) == "@")
        for part in node.parts
    )


def _expansion(part: Part, walker: ShellWalk, *, quoted: bool) -> list[Piece]:
    if isinstance(part, Parameter):
        if not _late:
            from interlock.shell.parameters import parameter

            _late.append(parameter)
        return _late[0](part, walker, quoted=quoted)
    if isinstance(part, CommandSubstitution):
        flow = walker.substitution(part)
        if flow.text is None and flow.listing:
            named = any(item.pattern for item in flow.listing)
            return [
                Piece(
                    " ".join([item.text for item in flow.listing]),
                    quoted=quoted,
                    why=flow.why,
                    matched=named,
                )
            ]
        text = HOLE if flow.text is None else flow.text.rstrip("\n")
        if flow.choices and flow.text is None:
            text = walker.choose_text(flow.choices)
        return [Piece(text, quoted=quoted, why=flow.why)]
    if isinstance(part, Arithmetic):
        only = part.parts[0] if len(part.parts) == 1 else None
        text = (
            only.text
            if type(only) is Quoted
            else "".join([piece.text for piece in _pieces(part.parts, walker, quoted=True)])
        )
        number = calculate(text, walker)
        return [Piece(NAME if number is None else str(number), quoted=True, why=NUMBER)]
    if isinstance(part, ProcessSubstitution):
        return [Piece(walker.process_substitution(part), quoted=True, why=FILE)]
    if isinstance(part, ExtendedGlob):
        inner = _pieces(part.parts, walker, quoted=True)
        _follow_qualifier("".join([piece.text for piece in inner]), walker)
        return [
            Piece("*", quoted=False, literal=True),
            *[piece for piece in inner if HOLE in piece.text],
        ]
    return [Piece(HOLE, quoted=quoted, why=SYNTAX)]


def _follow_qualifier(text: str, walker: ShellWalk) -> None:
    """Follow the command in zsh's glob qualifiers ``*(e:'command':)`` and ``*(+name)``, which runs
    for every file (zshexpn(1)).
    """
    if text[:1] == "+" and text[1:] in walker.state.functions:
        walker.nested(text[1:], 0, 0, "glob qualifier")
    elif text[:1] == "e" and text[1:2] in _MARKS and len(text) > 3:
        end = text.rfind(_MARKS[text[1]])
        walker.nested(text[2 : end if end > 2 else len(text)], 0, 0, "glob qualifier")


def _tilde(text: str, walker: ShellWalk) -> tuple[str, str]:
    """Return the folder a leading tilde stands for, and the rest of the text."""
    head, slash, rest = text.partition("/")
    state = walker.state
    if head == "~":
        home = state.lookup("HOME")
        folder = home.text if home else HOLE
    elif head == "~+":
        folder = state.cwd if state.cwd is not None else HOLE
    elif head == "~-":
        folder = state.old_cwd if state.old_cwd is not None else HOLE
    elif head[1:].lstrip("+-").isdecimal() and len(head) < 6:
        number = int(head[1:].lstrip("+-"))
        stack = [state.cwd, *state.stack]
        at = len(stack) - 1 - number if head[1] == "-" else number
        folder = (stack[at] if 0 <= at < len(stack) else None) or HOLE
    elif head == "~root":
        folder = "/root"
    elif head[1:].isidentifier():
        folder = f"/home/{head[1:]}"
    else:
        return "", text
    return folder, slash + rest


# -- splitting -------------------------------------------------------------------------------------


def split_words(text: str, at: str) -> list[str]:
    """Return the words of a text that is split at these characters; at all blanks where they are
    the usual ones.
    """
    if at == BLANKS:
        return text.split()
    for char in at:
        text = text.replace(char, "\0")
    return [word for word in text.split("\0") if word]


def _split(pieces: list[Piece], word: Word, at: str) -> list[Value]:
    """Split unquoted expansions at the separators and mark globs (bash manual 3.5.7, 3.5.8)."""
    if len(pieces) < 2:
        if not pieces:
            return []
        piece = pieces[0]
        if piece.quoted and not piece.matched:
            return [Value(piece.text, word.start, word.end, _why(pieces))]
    out: list[Value] = []
    text: list[str] = []
    started = globbed = False
    why = ""

    def close() -> None:
        nonlocal started, globbed, why
        if started:
            out.append(Value("".join(text), word.start, word.end, why, globbed))
        text.clear()
        started = globbed = False
        why = ""

    for piece in pieces:
        if piece.why and (HOLE in piece.text or NAME in piece.text):
            why = why or piece.why
        if piece.quoted or piece.literal:
            started = started or bool(piece.text) or piece.quoted
            text.append(piece.text)
            globbed |= piece.matched or (not piece.quoted and _is_pattern(piece.text))
            continue
        if piece.text and piece.text[0] in at:
            close()
        for number, field in enumerate(split_words(piece.text, at)):
            if number:
                close()
            started = True
            text.append(field)
            globbed |= piece.matched or _is_pattern(field)
            if piece.why and (HOLE in field or NAME in field):
                why = why or piece.why
        if piece.text and piece.text[-1] in at:
            close()
    close()
    return out
