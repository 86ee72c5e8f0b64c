"""Words to values: what the shell will make of each word (bash manual 3.5), as far as it can be known."""

from __future__ import annotations

import itertools

from interlock.shell import pattern
from interlock.shell.arithmetic import evaluate
from interlock.shell.state import BLANKS
from interlock.shell.tree import (
    Arithmetic,
    Assignment,
    CommandSubstitution,
    DoubleQuoted,
    ExtendedGlob,
    Literal,
    Parameter,
    ProcessSubstitution,
    Quoted,
    Word,
)
from interlock.shell.value import ENVIRONMENT, FILE, HOLE, MAX_TEXT, NUMBER, SYNTAX, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from interlock.shell.state import State
    from interlock.shell.tree import Part
    from interlock.shell.walk import Walker

MAX_FIELDS = 512
"""How many fields one word may become; the rest is one unknown field."""

_ACTIVE = frozenset("*?[{~" + HOLE)


def _globbed(text: str) -> bool:
    """Whether unquoted text is a pattern: a lone ``[`` is a program's name."""
    return "*" in text or "?" in text or ("[" in text and "]" in text[text.index("[") :])


class Piece:
    """A stretch of an expanding word: ``quoted`` text is neither split nor globbed; ``literal`` text is not split.

    ``matched``: it is no text but a pattern that stands for the names it matched (``for f in *.o; do rm "$f"; done``).
    """

    __slots__ = ("literal", "matched", "quoted", "text", "why")

    def __init__(self, text: str, *, quoted: bool, literal: bool = False, why: str = "", matched: bool = False) -> None:
        self.text = text
        self.quoted = quoted
        self.literal = literal
        self.why = why
        self.matched = matched


def fields(word: Word | Assignment, walker: Walker) -> list[Value]:
    """Return the fields a word becomes: none, one or many."""
    if isinstance(word, Assignment):
        return [_assignment_field(word, walker)]
    parts = word.parts
    if len(parts) == 1:
        part = parts[0]
        if isinstance(part, Literal) and _ACTIVE.isdisjoint(part.text):
            return [Value(part.text, word.start, word.end)]
        if isinstance(part, Quoted) and HOLE not in part.text:
            return [Value(part.text, word.start, word.end)]
    out: list[Value] = []
    size = 0
    for alternative in braces(parts):
        pieces = _pieces(alternative, walker, quoted=False)
        size += sum([len(piece.text) for piece in pieces])
        if size > MAX_TEXT:
            return [*out, Value(HOLE, word.start, word.end, SYNTAX)]
        out.extend(_split(pieces, word, separators(walker.state)))
        if len(out) > MAX_FIELDS:
            return [*out[:MAX_FIELDS], Value(HOLE, word.start, word.end, SYNTAX)]
    return out


def single(word: Word | None, walker: Walker) -> Value:
    """Return the one value of a word where no splitting happens: an assignment, a redirection, ``case``."""
    if word is None:
        return Value("")
    pieces = _pieces(word.parts, walker, quoted=False)
    globbed = any(piece.matched or (not piece.quoted and _globbed(piece.text)) for piece in pieces)
    text = "".join([piece.text for piece in pieces])
    if len(text) > MAX_TEXT:
        return Value(HOLE, word.start, word.end, SYNTAX)
    return Value(text, word.start, word.end, _why(pieces), globbed)


def _assignment_field(node: Assignment, walker: Walker) -> Value:
    """An argument like ``x=1`` of ``export`` and its kin, as one field."""
    value = single(node.value, walker) if node.array is None else Value(HOLE, why=SYNTAX)
    return Value(f"{node.name}{'+' if node.append else ''}={value.text}", node.start, node.end, value.why)


def _why(pieces: Sequence[Piece]) -> str:
    return next((piece.why for piece in pieces if HOLE in piece.text), "")


# -- the pieces of a word --------------------------------------------------------------------------


def _pieces(parts: Sequence[Part], walker: Walker, *, quoted: bool) -> list[Piece]:
    out: list[Piece] = []
    for index, part in enumerate(parts):
        if isinstance(part, Literal):
            text = part.text
            if index == 0 and not quoted and "=~" in text and text.partition("=~")[0].isidentifier():
                name, text = text.split("=", 1)  # dd of=~/x: a word that looks like an assignment (bash manual 3.5.2)
                out.append(Piece(f"{name}=", quoted=True))
            if index == 0 and not quoted and text[:1] == "~":
                home, text = _tilde(text, walker)
                out.append(Piece(home, quoted=True, why=ENVIRONMENT))
            out.append(Piece(text, quoted=quoted, literal=True, why=walker.origin or SYNTAX))
        elif isinstance(part, Quoted):
            out.append(Piece(part.text, quoted=True, why=walker.origin or SYNTAX))
        elif isinstance(part, DoubleQuoted):
            inner = _pieces(part.parts, walker, quoted=True)
            if inner or not _spreads(part):
                out.extend(inner or [Piece("", quoted=True)])
        else:
            out.extend(_expansion(part, walker, quoted=quoted))
    return out


def _spreads(node: DoubleQuoted) -> bool:
    """Whether quotes hold ``$@`` (in any form), which without arguments is no field at all, while ``""`` is an empty one."""
    return any(isinstance(part, Parameter) and (part.name == "@" or _index(part) == "@") for part in node.parts)


def _index(node: Parameter) -> str:
    """Return the literal subscript of a parameter, or ``""``."""
    parts = node.subscript.parts if node.subscript is not None else ()
    return getattr(parts[0], "text", "") if len(parts) == 1 else ""


def _expansion(part: Part, walker: Walker, *, quoted: bool) -> list[Piece]:
    if isinstance(part, Parameter):
        return _parameter(part, walker, quoted=quoted)
    if isinstance(part, CommandSubstitution):
        flow = walker.substitution(part)
        if flow.text is None and flow.listing:
            return [Piece(" ".join([item.text for item in flow.listing]), quoted=quoted, why=flow.why, matched=True)]
        text = HOLE if flow.text is None else flow.text.rstrip("\n")
        return [Piece(text, quoted=quoted, why=flow.why)]
    if isinstance(part, Arithmetic):
        text = "".join([piece.text for piece in _pieces(part.parts, walker, quoted=True)])
        number = None if HOLE in text else evaluate(text, lambda name: _numeric(walker, name))
        return [Piece(HOLE if number is None else str(number), quoted=True, why=NUMBER)]
    if isinstance(part, ProcessSubstitution):
        return [Piece(walker.process_substitution(part), quoted=True, why=FILE)]
    if isinstance(part, ExtendedGlob):
        inner = _pieces(part.parts, walker, quoted=True)
        return [Piece("*", quoted=False, literal=True), *[piece for piece in inner if HOLE in piece.text]]
    return [Piece(HOLE, quoted=quoted, why=SYNTAX)]


def _numeric(walker: Walker, name: str) -> str | None:
    """Return the text of a variable in arithmetic; unset is 0, unknown is None."""
    value = walker.state.lookup(name)
    if value is None:
        return ""
    return value.text if value.known else None


def _tilde(text: str, walker: Walker) -> tuple[str, str]:
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
    elif head == "~root":
        folder = "/root"
    elif head[1:].isidentifier():
        folder = f"/home/{head[1:]}"
    else:
        return "", text
    return folder, slash + rest


# -- parameters ------------------------------------------------------------------------------------


def _parameter(node: Parameter, walker: Walker, *, quoted: bool) -> list[Piece]:
    if node.name in ("@", "*") and not node.prefix:
        return _arguments(walker.state.arguments, node, walker, quoted=quoted)
    if node.name in ("@", "*") and walker.state.arguments == []:
        return [Piece("0", quoted=True)] if node.prefix == "#" else []
    if node.subscript is not None and not node.prefix:
        return _element(node, walker, quoted=quoted)
    value = walker.state.lookup(node.name)
    if node.prefix == "!" and value is not None:
        value = walker.state.lookup(value.text) if value.known and value.text else Value(HOLE, why=ENVIRONMENT)
    if node.prefix == "#":
        return [Piece(str(len(value.text)) if value is not None and value.known else HOLE, quoted=True, why=NUMBER)]
    value = operate(node, value, walker)
    return [Piece(value.text, quoted=quoted, why=value.why, matched=value.pattern)]


def _arguments(values: list[Value] | None, node: Parameter, walker: Walker, *, quoted: bool) -> list[Piece]:
    """``$@`` and ``$*``: each argument a field of its own, kept apart by an unquoted blank."""
    if values is None or (node.operator and values):
        return [Piece(HOLE, quoted=quoted, why="argument")]
    if node.operator:
        mark = node.operator.lstrip(":")
        text = single(node.argument, walker).text if mark in ("-", "=") else ""
        return [Piece(text, quoted=quoted)] if text else []
    out: list[Piece] = []
    for value in values:
        if out:
            out.append(Piece(separators(walker.state)[:1] or " ", quoted=quoted and node.name == "*"))
        out.append(Piece(value.text, quoted=quoted, why=value.why, matched=value.pattern))
    return out


def _element(node: Parameter, walker: Walker, *, quoted: bool) -> list[Piece]:
    """``${a[i]}``, ``${a[@]}``."""
    index = single(node.subscript, walker)
    items = walker.state.arrays.get(node.name)
    if items is None or node.operator:
        value = walker.state.lookup(node.name) if node.name in walker.state.variables and index.text in ("0", "@", "*") else None
        return [Piece(value.text, quoted=quoted, why=value.why)] if value else [Piece(HOLE, quoted=quoted, why=ENVIRONMENT)]
    if index.text in ("@", "*"):
        return _arguments(items, Parameter(0, 0, index.text), walker, quoted=quoted)
    number = evaluate(index.text, lambda name: _numeric(walker, name)) if index.known else None
    if number is not None and -len(items) <= number < len(items):
        item = items[number]
        return [Piece(item.text, quoted=quoted, why=item.why, matched=item.pattern)]
    return [Piece(HOLE, quoted=quoted, why=ENVIRONMENT)]


def operate(node: Parameter, value: Value | None, walker: Walker) -> Value:
    """Return ``value`` after the operation of ``${name<operator><argument>}``."""
    operator = node.operator
    if not operator:
        return value if value is not None else Value("")
    argument = single(node.argument, walker)
    if operator.lstrip(":") in ("-", "=", "?", "+"):
        return _default(node, value, argument, walker)
    if value is None:
        value = Value("")
    if value.hollow or value.pattern or argument.hollow:
        return Value(HOLE, why=value.why or argument.why or ENVIRONMENT)
    return Value(_operated(operator, value.text, argument.text, walker))


def _default(node: Parameter, value: Value | None, argument: Value, walker: Walker) -> Value:
    """``:-  :=  :?  :+`` and their forms without a colon (bash manual 3.5.3)."""
    mark = node.operator.lstrip(":")
    if value is not None and value.hollow:
        # it may be unset: then it is the argument
        return Value(HOLE, why=value.why)
    unset = value is None or (not value.text and node.operator[0] == ":")
    if mark == "+":
        return Value("") if unset else argument
    if unset and mark == "=":
        walker.state.assign(node.name, argument)
    return argument if unset or value is None else value


def _operated(operator: str, text: str, argument: str, walker: Walker) -> str:
    if operator == ":":
        return _slice(text, argument, walker)
    if operator in ("#", "##", "%", "%%"):
        stripped = pattern.strip(text, argument, front=operator[0] == "#", longest=len(operator) == 2)
        return HOLE if stripped is None else stripped
    if operator in ("/", "//", "/#", "/%"):
        find, _, instead = argument.partition("/")
        changed = pattern.substitute(text, find, instead, every=operator == "//")
        return HOLE if changed is None else changed
    if operator in ("^", "^^", ",", ",,"):
        change = str.upper if operator[0] == "^" else str.lower
        return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]
    if operator in ("~", "~~"):
        return text.swapcase() if operator == "~~" else text[:1].swapcase() + text[1:]
    return HOLE


def _slice(text: str, argument: str, walker: Walker) -> str:
    """``${x:offset:length}`` where both are known numbers."""
    offset, colon, length = argument.partition(":")
    start = evaluate(offset, lambda name: _numeric(walker, name))
    count = evaluate(length, lambda name: _numeric(walker, name)) if colon else None
    if start is None or (colon and count is None):
        return HOLE
    start = max(len(text) + start, 0) if start < 0 else start
    if count is None:
        return text[start:]
    return text[start:count] if count < 0 else text[start : start + count]


# -- splitting -------------------------------------------------------------------------------------


def separators(state: State) -> str:
    """Return the characters that unquoted expansions are split at; blanks where nobody knows (bash manual 3.5.7)."""
    value = state.variables.get("IFS")
    return BLANKS if value is None or not value.known else value.text


def parted(text: str, at: str) -> list[str]:
    """Return the words of a text that is split at these characters; at all blanks where they are the usual ones."""
    if at == BLANKS:
        return text.split()
    for char in at:
        text = text.replace(char, "\0")
    return [word for word in text.split("\0") if word]


def _split(pieces: list[Piece], word: Word, at: str) -> list[Value]:
    """Split unquoted expansions at the separators and mark globs (bash manual 3.5.7, 3.5.8)."""
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
        if HOLE in piece.text:
            why = why or piece.why
        if piece.quoted or piece.literal:
            started = started or bool(piece.text) or piece.quoted
            text.append(piece.text)
            globbed |= piece.matched or (not piece.quoted and _globbed(piece.text))
            continue
        if piece.text and piece.text[0] in at:
            close()
        for number, field in enumerate(parted(piece.text, at)):
            if number:
                close()
            started = True
            text.append(field)
            globbed |= piece.matched or _globbed(field)
            if HOLE in field:
                why = why or piece.why
        if piece.text and piece.text[-1] in at:
            close()
    close()
    return out


# -- braces ----------------------------------------------------------------------------------------


def braces(parts: Sequence[Part]) -> list[Sequence[Part]]:
    """Return the words a word becomes by brace expansion (bash manual 3.5.1); itself where there is none."""
    if not any(isinstance(part, Literal) and "{" in part.text for part in parts):
        return [parts]
    atoms: list[str | Part] = []
    for part in parts:
        if isinstance(part, Literal):
            atoms.extend(part.text)
        else:
            atoms.append(part)
    return [_rejoin(alternative) for alternative in _brace(atoms, 0)]


def _rejoin(atoms: list[str | Part]) -> list[Part]:
    out: list[Part] = []
    text: list[str] = []
    for atom in atoms:
        if isinstance(atom, str):
            text.append(atom)
            continue
        if text:
            out.append(Literal(0, 0, "".join(text)))
            text.clear()
        out.append(atom)
    if text:
        out.append(Literal(0, 0, "".join(text)))
    return out


def _brace(atoms: list[str | Part], depth: int) -> list[list[str | Part]]:
    found = _first_brace(atoms) if depth < 8 else None
    if found is None:
        return [atoms]
    start, end, commas = found
    choices = _choices(atoms[start + 1 : end], [comma - start - 1 for comma in commas])
    if choices is None:
        return [atoms[: end + 1] + rest for rest in _brace(atoms[end + 1 :], depth + 1)]
    rests = _brace(atoms[end + 1 :], depth + 1)
    out = []
    for choice in choices:
        for inner in _brace(choice, depth + 1):
            out.extend([atoms[:start] + inner + rest for rest in rests])
            if len(out) > MAX_FIELDS:
                return out
    return out


def _first_brace(atoms: list[str | Part]) -> tuple[int, int, list[int]] | None:
    """Return where the first complete ``{..}`` starts and ends, and its top-level commas."""
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[int]] | None = None
    for index, atom in enumerate(atoms):
        if atom == "{":
            opened.append((index, []))
        elif atom == "," and opened:
            opened[-1][1].append(index)
        elif atom == "}" and opened:
            start, commas = opened.pop()
            if best is None or start < best[0]:
                best = (start, index, commas)
            if not opened:
                return best
    return best


def _choices(inner: list[str | Part], commas: list[int]) -> list[list[str | Part]] | None:
    if commas:
        edges = [-1, *commas, len(inner)]
        return [inner[low + 1 : high] for low, high in itertools.pairwise(edges)]
    text = "".join(atom if isinstance(atom, str) else HOLE for atom in inner)
    ends = text.split("..")
    if len(ends) < 2 or len(ends) > 3:
        return None
    return _sequence(ends)


def _sequence(ends: list[str]) -> list[list[str | Part]] | None:
    """``{1..5}``, ``{a..e}``, ``{1..9..2}``."""
    first, last = ends[0], ends[1]
    step = abs(int(ends[2])) if len(ends) == 3 and ends[2].lstrip("-").isdigit() else 1
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        low, high = int(first), int(last)
        width = max(len(first), len(last)) if first.lstrip("-")[:1] == "0" or last.lstrip("-")[:1] == "0" else 0
        shape: Callable[[int], str] = lambda number: f"{number:0{width}d}" if width > 1 else str(number)  # noqa: E731 - one of two shapes
    elif len(first) == len(last) == 1:
        low, high = ord(first), ord(last)
        shape = chr
    else:
        return None
    way = max(step, 1) * (1 if high >= low else -1)
    return [list(shape(number)) for number in range(low, high + (1 if way > 0 else -1), way)[: MAX_FIELDS + 1]]
