"""Parameters to the pieces of a word: ``$x``, ``$@``, ``${a[i]}`` and every operation of ``${..}``
(bash manual 3.5.3).
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell import pattern
from interlock.shell.ansi import decode
from interlock.shell.api import ShellWalk
from interlock.shell.dollar import INVALID
from interlock.shell.numbers import calculate, expand_text, read_subscripts
from interlock.shell.pieces import Piece, literal_subscript, separators
from interlock.shell.tree import DoubleQuoted, Parameter, Quoted, Word
from interlock.shell.value import (
    ENVIRONMENT,
    HOLE,
    MAX_CHOICES,
    NAME,
    NUMBER,
    OUTPUT,
    UNSET,
    Choice,
    Value,
)


def parameter(node: Parameter, walker: ShellWalk, *, quoted: bool) -> list[Piece]:
    """Return the pieces that ``$x`` or ``${..}`` expands to."""
    if node.name in ("@", "*") and not node.prefix:
        if walker.state.arguments == [] and (
            not node.operator or node.operator.lstrip(":") not in ("-", "=", "?", "+")
        ):
            return []
        return _arguments(walker.state.arguments, node, walker, quoted=quoted)
    if node.name in ("@", "*") and node.prefix == "#" and walker.state.arguments is not None:
        return [Piece(str(len(walker.state.arguments)), quoted=True)]
    if node.name in ("@", "*") and walker.state.arguments == []:
        return []
    if node.subscript is not None:
        if node.prefix == "#":
            return _count(node, walker)
        return (
            _keys(node, walker, quoted=quoted)
            if node.prefix == "!"
            else _element(node, walker, quoted=quoted)
        )
    value = walker.state.lookup(node.name)
    if node.prefix == "!" and value is not None:
        value = _indirect(value, walker)
    if node.prefix == "#":
        known = value is not None and value.known and NAME not in value.text
        return [
            Piece(
                str(len(value.text)) if known and value is not None else NAME,
                quoted=True,
                why=NUMBER,
            )
        ]
    value = operate(node, value, walker)
    text = walker.choose_text(value.texts) if type(value) is Choice else value.text
    return [Piece(text, quoted=quoted, why=value.why, matched=value.pattern)]


def _indirect(value: Value, walker: ShellWalk) -> Value | None:
    """Return what the variable holds that a variable names: ``${!x}``, where ``x`` may name an
    element as well.
    """
    if not value.known or not value.text:
        return Value(HOLE, why=ENVIRONMENT)
    name, bracket, subscript = value.text.partition("[")
    if not bracket:
        return walker.state.lookup(name)
    read_subscripts(value.text, walker)
    items = walker.state.arrays.get(name)
    number = walker.state.position(
        name, Value(subscript[:-1]), lambda text: calculate(text, walker)
    )
    return (
        items[number]
        if items is not None and number is not None and -len(items) <= number < len(items)
        else Value(HOLE, why=ENVIRONMENT)
    )


def _arguments(
    values: list[Value] | None, node: Parameter, walker: ShellWalk, *, quoted: bool
) -> list[Piece]:
    """``$@`` and ``$*``: each argument a field of its own, kept apart by an unquoted blank."""
    if values is None:
        return [Piece(HOLE, quoted=quoted, why="argument")]
    mark = node.operator.lstrip(":")
    if node.operator == ":":
        values = _some(values, node, walker)
        if values is None:
            return [Piece(HOLE, quoted=quoted, why="argument")]
    elif mark in ("-", "=", "?", "+"):
        text = (
            walker.single(node.argument).text
            if (mark in ("-", "=")) == (not values) and mark != "?"
            else ""
        )
        if not values or mark == "+":
            return [Piece(text, quoted=quoted)] if text else []
    elif mark:
        values = [operate(node, value, walker) for value in values]
    out: list[Piece] = []
    for value in values:
        if out:
            out.append(
                Piece(separators(walker.state)[:1] or " ", quoted=quoted and node.name == "*")
            )
        out.append(Piece(value.text, quoted=quoted, why=value.why, matched=value.pattern))
    return out


def _some(values: list[Value], node: Parameter, walker: ShellWalk) -> list[Value] | None:
    """``${@:from:count}``, ``${a[@]:from:count}``: of the arguments the first is number 1, and 0
    the name of the shell.
    """
    offset, colon, length = walker.single(node.argument).text.partition(":")
    start, count = calculate(offset, walker), calculate(length, walker) if colon else None
    if start is None or (colon and (count is None or count < 0)):
        return None
    if node.subscript is None:
        values = [walker.state.name, *values]
    start = max(len(values) + start, 0) if start < 0 else start
    return values[start:] if count is None else values[start : start + count]


def _count(node: Parameter, walker: ShellWalk) -> list[Piece]:
    """``${#a[@]}``, ``${#a[1]}``: how many elements, or how long one is."""
    pieces = _element(
        Parameter(node.start, node.end, node.name, "", node.subscript), walker, quoted=True
    )
    if any(HOLE in piece.text or NAME in piece.text or piece.matched for piece in pieces):
        return [Piece(NAME, quoted=True, why=NUMBER)]
    if literal_subscript(node) in ("@", "*"):
        items = walker.state.arrays.get(node.name)
        return [
            Piece(
                str(len(items) - items.count(UNSET) if items is not None else len(pieces)),
                quoted=True,
            )
        ]
    return [Piece(str(len("".join([piece.text for piece in pieces]))), quoted=True)]


def _keys(node: Parameter, walker: ShellWalk, *, quoted: bool) -> list[Piece]:
    """``${!a[@]}``: the subscripts of an array."""
    items = walker.state.arrays.get(node.name)
    if items is None or literal_subscript(node) not in ("@", "*"):
        return [Piece(HOLE, quoted=quoted, why=ENVIRONMENT)]
    names: Sequence[str] = list(walker.state.subscripts.get(node.name, ())) or [
        str(at) for at, item in enumerate(items) if item is not UNSET
    ]
    return _arguments(
        [Value(name) for name in names],
        Parameter(0, 0, literal_subscript(node)),
        walker,
        quoted=quoted,
    )


def _element(node: Parameter, walker: ShellWalk, *, quoted: bool) -> list[Piece]:
    """``${a[i]}``, ``${a[@]}``."""
    index = walker.single(node.subscript)
    items = walker.state.arrays.get(node.name)
    if items is None:
        value = (
            walker.state.lookup(node.name)
            if node.name in walker.state.variables and index.text in ("0", "@", "*")
            else None
        )
        value = operate(node, value, walker) if value is not None else None
        return (
            [Piece(value.text, quoted=quoted, why=value.why)]
            if value
            else [Piece(HOLE, quoted=quoted, why=ENVIRONMENT)]
        )
    if index.text in ("@", "*"):
        values = [item for item in items if item is not UNSET]
        return _arguments(
            values,
            Parameter(0, 0, index.text, "", node.subscript, node.operator, node.argument),
            walker,
            quoted=quoted,
        )
    number = walker.state.position(node.name, index, lambda text: calculate(text, walker))
    if number is not None and -len(items) <= number < len(items):
        item = operate(node, items[number], walker)
        return [Piece(item.text, quoted=quoted, why=item.why, matched=item.pattern)]
    return [Piece(HOLE, quoted=quoted, why=ENVIRONMENT)]


def operate(node: Parameter, value: Value | None, walker: ShellWalk) -> Value:
    """Return ``value`` after the operation of ``${name<operator><argument>}``."""
    operator = node.operator
    if not operator:
        return value if value is not None else Value("")
    if operator.lstrip(":") in ("-", "=", "?", "+"):
        return _default(node, value, walker.single(node.argument), walker)
    if operator == INVALID:
        return _of_zsh(node, walker)
    argument = (
        walker.single(node.argument)
        if operator[0] not in "#%/"
        else Value(pattern_text(node.argument, walker))
    )
    if value is None:
        value = Value("")
    if isinstance(value, Choice) and argument.known:
        return _either(
            [
                HOLE if HOLE in text else _apply_operator(operator, text, argument.text, walker)
                for text in value.texts
            ],
            value.why,
        )
    if value.hollow and operator == "@" and argument.text == "P":
        walker.visitor.opaque(
            "a text that nobody knows is expanded as a prompt", walker, node.start, node.end
        )
    if (
        value.hollow
        or value.pattern
        or argument.hollow
        or NAME in value.text
        or NAME in argument.text
    ):
        return Value(HOLE, why=value.why or argument.why or ENVIRONMENT)
    return Value(_apply_operator(operator, value.text, argument.text, walker))


def _either(texts: list[str], why: str) -> Value:
    """Return the value that is one of these texts."""
    first, *others = dict.fromkeys(texts)
    return (
        Choice((first, *others), why=why)
        if others
        else Value(first, why=why if HOLE in first else "")
    )


def pattern_text(word: Word | None, walker: ShellWalk) -> str:
    """Return a word as a pattern: what is quoted in it means itself."""
    out = []
    for part in word.parts if word is not None else ():
        text = walker.single(Word(part.start, part.end, (part,))).text
        # between double quotes all text is `Quoted`; only what had quotes of its own is longer in
        # the script than as text
        quoted = isinstance(part, DoubleQuoted) or (
            isinstance(part, Quoted) and part.end - part.start != len(part.text)
        )
        out.append(
            "".join([f"\\{char}" if char in "*?[]\\/" else char for char in text])
            if quoted
            else text
        )
    return "".join(out)


def _of_zsh(node: Parameter, walker: ShellWalk) -> Value:
    """``${(flags)name}``: of zsh's flags ``e`` expands the value once more, commands in it included
    (zshexpn(1)).
    """
    flags, close, name = walker.single(node.argument).text.lstrip("(").partition(")")
    value = walker.state.lookup(name) if close and name.isidentifier() else None
    if isinstance(value, Choice) and "e" in flags:
        for text in value.texts:
            expand_text(text, walker)
    if value is None or not value.known:
        return Value(HOLE, why=ENVIRONMENT)
    if "e" in flags:
        expand_text(value.text, walker)
        return value if "$" not in value.text and "`" not in value.text else Value(HOLE, why=OUTPUT)
    return Value(
        value.text.upper() if flags == "U" else value.text.lower() if flags == "L" else HOLE,
        why=ENVIRONMENT,
    )


def _default(node: Parameter, value: Value | None, argument: Value, walker: ShellWalk) -> Value:
    """``:-  :=  :?  :+`` and their forms without a colon (bash manual 3.5.3)."""
    mark = node.operator.lstrip(":")
    if value is not None and value.hollow and (not value.text.strip(HOLE) or type(value) is Choice):
        return _perhaps(node, value, argument, walker)
    unset = value is None or (not value.text and node.operator[0] == ":")
    if mark == "+":
        return Value("") if unset else argument
    if unset and mark == "=":
        walker.state.assign(node.name, argument)
    return argument if unset or value is None else value


def _perhaps(node: Parameter, value: Value, argument: Value, walker: ShellWalk) -> Value:
    """The same of a value that nobody knows: it may be unset, or empty, and then it is the
    argument.

    Of a variable of the environment that nobody knows the default is taken: whoever writes one says
    what is to be expected, and to ask about ``${BUILD_DIR:-build}`` would be to ask about every
    script that has one.
    """
    mark = node.operator.lstrip(":")
    texts = (
        value.texts
        if type(value) is Choice
        else ()
        if value.why == ENVIRONMENT and mark != "+"
        else (HOLE,)
    )
    if mark == "?" or argument.hollow:
        return value
    left = ("",) if mark == "+" else [text for text in texts if text or node.operator[0] != ":"]
    first, *others = dict.fromkeys([argument.text, *left])
    several = (
        Choice((first, *others)[:MAX_CHOICES], why=value.why, pattern=argument.pattern)
        if others
        else argument
    )
    if mark == "=":
        walker.state.assign(node.name, several)
    return several


def _apply_operator(operator: str, text: str, argument: str, walker: ShellWalk) -> str:
    if operator == ":":
        return _slice(text, argument, walker)
    if operator in ("#", "##", "%", "%%"):
        stripped = pattern.strip(
            text, argument, front=operator[0] == "#", longest=len(operator) == 2
        )
        return HOLE if stripped is None else stripped
    if operator in ("/", "//", "/#", "/%"):
        find, instead = _halves(argument)
        changed = (
            pattern.replace_anchored(text, find, instead, front=operator == "/#")
            if operator in ("/#", "/%")
            else pattern.substitute(text, find, instead, every=operator == "//")
        )
        return HOLE if changed is None else changed
    if operator in ("^", "^^", ",", ",,"):
        change = str.upper if operator[0] == "^" else str.lower
        return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]
    if operator == "@":
        return _transform(argument, text, walker)
    if operator in ("~", "~~"):
        return text.swapcase() if operator == "~~" else text[:1].swapcase() + text[1:]
    return HOLE


def _halves(argument: str) -> tuple[str, str]:
    """Return pattern and replacement of ``${x/pattern/replacement}``: a slash that is quoted does
    not divide them.
    """
    at = 0
    while at < len(argument) and argument[at] != "/":
        at += 2 if argument[at] == "\\" else 1
    instead = argument[at + 1 :]
    find = argument[:at].replace("\\/", "/")
    return find, "".join(
        [
            char
            for number, char in enumerate(instead)
            if char != "\\" or instead[number - 1 : number] == "\\"
        ]
    )


def _transform(how: str, text: str, walker: ShellWalk) -> str:
    """``${x@U}`` and its kin (bash manual 3.5.3); ``P`` expands a prompt, with its commands."""
    if how == "E":
        return decode(text)
    if how == "P":
        expand_text(text, walker)
        return text if "$" not in text and "`" not in text and "\\" not in text else HOLE
    if how == "Q":
        return "'" + text.replace("'", "'\\''") + "'"
    if how == "u":
        return text[:1].upper() + text[1:]
    return text.upper() if how == "U" else text.lower() if how == "L" else HOLE


def _slice(text: str, argument: str, walker: ShellWalk) -> str:
    """``${x:offset:length}`` where both are known numbers."""
    offset, colon, length = argument.partition(":")
    start = calculate(offset, walker)
    count = calculate(length, walker) if colon else None
    if start is None or (colon and count is None):
        return HOLE
    start = max(len(text) + start, 0) if start < 0 else start
    if count is None:
        return text[start:]
    return text[start:count] if count < 0 else text[start : start + count]
