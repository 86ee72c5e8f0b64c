"""Operations on known values: decoding, text methods, arithmetic. Bounded, and free of effects;
nothing of the program itself runs.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterable
from typing import Any

from interlock.effects.places import LARGEST
from interlock.effects.python.decoding import DECODERS, codec
from interlock.effects.python.values import (
    MAX_NUMBER,
    MAX_TEXT,
    UNKNOWN,
    PyValue,
    is_known,
    is_text,
    labels_of,
    plain,
    text_of,
    unknown_from,
    wrap,
)
from interlock.shell.value import HOLE


def _b64_encode(data: Any, *_: Any) -> bytes:
    return binascii.b2a_base64(data, newline=False)


def _integer(value: Any, base: int = 10) -> int:
    return int(value, base) if isinstance(value, (str, bytes)) else int(value)


def _range(*bounds: int) -> range:
    return range(*bounds)


def _dedent(text: str) -> str:
    lines = text.split("\n")
    margin = min([len(line) - len(line.lstrip()) for line in lines if line.strip()], default=0)
    return "\n".join([line[margin:] for line in lines])


def _power(base: int, exponent: int, modulus: int) -> int:
    return pow(base, exponent, modulus)


PLAIN: dict[str, Callable[..., object]] = {
    "chr": chr, "ord": ord, "int": _integer, "str": str, "float": float, "bool": bool, "hex": hex,
    "bin": bin, "oct": oct, "repr": repr, "len": len, "abs": abs, "min": min, "max": max,
    "sum": sum, "bytes": bytes, "bytearray": bytearray, "list": list, "tuple": list,
    "reversed": lambda values: list(values)[::-1], "sorted": sorted, "range": _range,
    "ascii": ascii,
    "base64.b64encode": _b64_encode, "binascii.hexlify": binascii.hexlify,
    "os.fsencode": str.encode, "os.fspath": str, "textwrap.dedent": _dedent, "set": list,
    "zip": lambda *lists: [list(row) for row in zip(*lists, strict=False)],
    "enumerate": lambda values: [list(row) for row in enumerate(values)], "pathlib.os.fspath": str,
    "bytes.decode": lambda data, *rest: data.decode(*rest), "str.encode": lambda data,
    *rest: data.encode(*rest), "str.lower": str.lower, "operator.add": lambda a, b: a + b,
    "pow": _power,
}  # fmt: skip

_TEXT_METHODS = frozenset(
    "strip lstrip rstrip lower upper title capitalize swapcase replace split rsplit splitlines join encode decode startswith endswith removeprefix removesuffix partition rpartition "
    "casefold find index count isdigit isalpha hex translate zfill".split()
)
_HOLLOW_METHODS = frozenset(
    "strip lstrip rstrip lower upper replace encode decode removeprefix removesuffix casefold expandtabs".split()
)
_MAX_WORK = 1 << 22


def attempt(
    function: Callable[..., object],
    arguments: list[PyValue],
    keywords: dict[str, PyValue] | None = None,
    extra: frozenset[str] = frozenset(),
) -> PyValue:
    """Return what the function gives for known arguments; else, or where it would fail, unknown."""
    labels = labels_of(arguments) | extra
    if any(_slow(argument) for argument in arguments):
        return PyValue(UNKNOWN, labels, "output")
    if not all(is_known(argument) for argument in arguments) or not all(
        is_known(value) for value in (keywords or {}).values()
    ):
        return (
            unknown_from(arguments)
            if not extra
            else PyValue(UNKNOWN, labels, unknown_from(arguments).why)
        )
    try:
        return wrap(
            function(
                *[plain(argument) for argument in arguments],
                **{name: plain(value) for name, value in (keywords or {}).items()},
            ),
            labels,
        )
    except (
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        AttributeError,
        MemoryError,
        OSError,
        EOFError,
        Warning,
    ):
        return PyValue(UNKNOWN, labels, "output")
    except Exception as error:  # a zlib error is of a type that only importing zlib tells
        if type(error).__module__ != "zlib":
            raise
        return PyValue(UNKNOWN, labels, "output")


def _slow(thing: PyValue) -> bool:
    """Whether it is the name of an encoding whose cost grows with the square of the text."""
    return isinstance(thing.value, str) and thing.value.lower() in ("idna", "punycode")


def call(name: str, arguments: list[PyValue], keywords: dict[str, PyValue]) -> PyValue | None:
    """Return the result of a function that only computes; else None."""
    decoder = DECODERS.get(name)
    if decoder is not None:
        return attempt(decoder, arguments, None, frozenset({"decoded"}))
    function = PLAIN.get(name)
    if function is None:
        return None
    if name == "str" and len(arguments) == 1 and not is_known(arguments[0]):
        return PyValue(
            text_of(arguments[0]), arguments[0].labels, arguments[0].why, arguments[0].path
        )
    if (
        name in ("list", "tuple", "sorted", "reversed", "set")
        and arguments
        and isinstance(arguments[0].value, list)
    ):
        return PyValue(
            arguments[0].value[::-1] if name == "reversed" else list(arguments[0].value),
            arguments[0].labels,
            arguments[0].why,
        )
    if name in ("bytes", "bytearray", "range") and any(
        isinstance(argument.value, int) and argument.value > MAX_TEXT for argument in arguments
    ):
        return PyValue(UNKNOWN)
    return attempt(
        function, arguments, {key: value for key, value in keywords.items() if key == "base"}
    )


def method(thing: PyValue, name: str, arguments: list[PyValue]) -> PyValue | None:
    """Return what a method gives of a text, list or dict; None where it has no such pure method."""
    value = thing.value
    if is_text(value):
        return _text_method(thing, name, arguments)
    if isinstance(value, dict):
        return _dict_method(thing, name, arguments)
    if isinstance(value, list):
        return _list_method(thing, name, arguments)
    return None


def _text_method(thing: PyValue, name: str, arguments: list[PyValue]) -> PyValue | None:
    value: Any = thing.value
    if name == "join":
        return _join(thing, arguments[0]) if arguments else None
    if name in ("format", "format_map"):
        return None
    if name not in _TEXT_METHODS:
        return PyValue(UNKNOWN, thing.labels, thing.why)
    if name == "decode" and arguments and is_known(arguments[0]):
        return attempt(codec, [thing, *arguments[:1]]) if is_known(thing) else thing
    if not hasattr(value, name):
        return thing  # bytes are kept as text where their bytes do not matter: `received.decode()`
    if not is_known(thing) and name not in _HOLLOW_METHODS:
        return PyValue(UNKNOWN, labels_of([thing, *arguments]), thing.why, thing.path)
    if (
        name == "zfill"
        and arguments
        and isinstance(arguments[0].value, int)
        and arguments[0].value > MAX_TEXT
    ):
        return PyValue(UNKNOWN)
    if not all(is_known(argument) for argument in arguments):
        return unknown_from([thing, *arguments])
    if any(_slow(argument) for argument in arguments):
        return unknown_from([thing, *arguments])
    if name in ("replace", "translate") and len(value) * _longest(arguments) > _MAX_WORK:
        return unknown_from([thing, *arguments])
    try:
        result = getattr(value, name)(*[plain(argument) for argument in arguments])
    except (ValueError, TypeError, LookupError, OverflowError, Warning):
        return PyValue(UNKNOWN, labels_of([thing, *arguments]), thing.why)
    made = wrap(list(result) if isinstance(result, tuple) else result, thing.labels)
    made.why, made.path = thing.why, thing.path
    return made


def _longest(arguments: list[PyValue]) -> int:
    """Return how many characters the longest text in these has."""
    texts = [
        inner.value
        for thing in arguments
        for inner in (thing.value.values() if isinstance(thing.value, dict) else [thing])
    ]
    return max([len(text) for text in texts if isinstance(text, (str, bytes))], default=0)


def join_limited(pieces: Iterable[str], glue: str = "") -> str:
    """Return pieces of text joined, up to ``MAX_TEXT``: no more is ever built."""
    out, size = [], 0
    for piece in pieces:
        out.append(piece)
        size += len(piece) + len(glue)
        if size > MAX_TEXT:
            break
    return glue.join(out)[:MAX_TEXT]


def _join(glue: PyValue, parts: PyValue) -> PyValue:
    if not isinstance(parts.value, list):
        if is_text(parts.value) and is_known(parts) and is_known(glue):
            return attempt(lambda one, other: one.join(other), [glue, parts])
        return PyValue(HOLE, labels_of([glue, parts]), parts.why)
    texts = [text_of(part) for part in parts.value]
    text = join_limited(texts, text_of(glue))
    labels = labels_of([glue, parts])
    why = unknown_from(parts.value).why
    if len(text) == MAX_TEXT:
        return PyValue(UNKNOWN, labels)
    return PyValue(text.encode() if isinstance(glue.value, bytes) else text, labels, why)


def _dict_method(thing: PyValue, name: str, arguments: list[PyValue]) -> PyValue | None:
    items: dict[object, PyValue] = thing.value  # type: ignore[assignment]
    if name in ("get", "pop", "setdefault") and arguments:
        key = (
            arguments[0].value
            if is_known(arguments[0]) and not isinstance(arguments[0].value, (list, dict))
            else UNKNOWN
        )
        return items.get(key) or (
            arguments[1] if len(arguments) > 1 else PyValue(UNKNOWN, thing.labels)
        )
    if name in ("values", "keys", "items"):
        rows = {
            "values": list(items.values()),
            "keys": [wrap(key) for key in items],
            "items": [PyValue([wrap(key), value]) for key, value in items.items()],
        }
        return PyValue(rows[name], thing.labels)
    if name == "update" and arguments and isinstance(arguments[0].value, dict):
        items.update(arguments[0].value)
    return PyValue(UNKNOWN, thing.labels)


def _list_method(thing: PyValue, name: str, arguments: list[PyValue]) -> PyValue | None:
    items: list[PyValue] = thing.value  # type: ignore[assignment]
    if name == "append" and arguments and len(items) < MAX_TEXT:
        items.append(arguments[0])
    elif name == "extend" and arguments:
        more = (
            arguments[0].value
            if isinstance(arguments[0].value, list)
            else [unknown_from(arguments)]
        )
        items.extend(more if len(items) + len(more) <= MAX_TEXT else [unknown_from(more)])
    elif name == "insert" and len(arguments) > 1 and len(items) < MAX_TEXT:
        items.insert(arguments[0].value if isinstance(arguments[0].value, int) else 0, arguments[1])
    elif name == "reverse":
        items.reverse()
    elif name == "pop" and items:
        return items[-1]
    elif name == "copy":
        return PyValue(list(items), thing.labels)
    return PyValue(UNKNOWN, thing.labels)


# -- operators -------------------------------------------------------------------------------------


def binary(operator: str, left: PyValue, right: PyValue) -> PyValue:
    """Return ``left operator right``; the operator is named as in Python's tree (``Add``)."""
    if operator == "Add" and (is_text(left.value) or is_text(right.value)):
        return concat(left, right)
    if operator == "Add" and isinstance(left.value, list) and isinstance(right.value, list):
        both = left.value + right.value
        return (
            PyValue(both, labels_of([left, right]))
            if len(both) <= MAX_TEXT
            else unknown_from([left, right])
        )
    if operator == "Mod" and is_text(left.value):
        return _percent(left, right)
    if operator == "Mult":
        return _times(left, right)
    if isinstance(left.value, (int, float)) and isinstance(right.value, (int, float)):
        return _number(operator, left, right)
    return unknown_from([left, right])


def concat(left: PyValue, right: PyValue) -> PyValue:
    """Return two texts one after another; what is unknown becomes a hole."""
    text = text_of(left) + text_of(right)
    if len(text) > MAX_TEXT:
        return unknown_from([left, right])
    made = (
        text.encode("utf-8", "replace")
        if isinstance(left.value, bytes) or isinstance(right.value, bytes)
        else text
    )
    if isinstance(left.value, bytes) and isinstance(right.value, bytes):
        made = left.value + right.value
    return PyValue(made, labels_of([left, right]), left.why or right.why)


def is_too_much(left: PyValue, right: PyValue) -> bool:
    """Whether a text, or a list, is repeated so often that it fills a memory or a disk."""
    for one, count in ((left.value, right.value), (right.value, left.value)):
        repeated = is_text(one) or isinstance(one, list)
        if repeated and isinstance(count, int) and count * len(one) > LARGEST:  # type: ignore[arg-type]
            return True
    return False


def _times(left: PyValue, right: PyValue) -> PyValue:
    for one, other in ((left, right), (right, left)):
        count = other.value
        if not isinstance(count, int) or abs(count) > MAX_TEXT:
            continue
        if is_text(one.value):
            return (
                PyValue(one.value * count, one.labels, one.why)  # type: ignore[operator]
                if len(one.value) * max(count, 0) <= MAX_TEXT  # type: ignore[arg-type]
                else PyValue(UNKNOWN, one.labels)
            )
        if isinstance(one.value, list):
            return (
                PyValue(one.value * count, one.labels)
                if len(one.value) * max(count, 0) <= 1024
                else PyValue(UNKNOWN, one.labels)
            )
    if isinstance(left.value, (int, float)) and isinstance(right.value, (int, float)):
        return _number("Mult", left, right)
    return unknown_from([left, right])


_NUMBERS: dict[str, Callable[[Any, Any], object]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
    "FloorDiv": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
    "BitXor": lambda a, b: a ^ b,
    "BitAnd": lambda a, b: a & b,
    "BitOr": lambda a, b: a | b,
    "LShift": lambda a, b: a << b if b < 512 else None,
    "RShift": lambda a, b: a >> b,
    "Pow": lambda a, b: a**b if abs(b) <= 64 and abs(a) < 1 << 32 else None,
}


def _number(operator: str, left: PyValue, right: PyValue) -> PyValue:
    function = _NUMBERS.get(operator)
    if function is None or any(
        isinstance(thing.value, int) and abs(thing.value) > MAX_NUMBER for thing in (left, right)
    ):
        return unknown_from([left, right])
    made = attempt(function, [left, right])
    return made if made.value is not None else PyValue(UNKNOWN)


def _percent(left: PyValue, right: PyValue) -> PyValue:
    """``"%s %d" % values``: each directive is replaced by the text of its value."""
    template = text_of(left)
    values = right.value if isinstance(right.value, list) else [right]
    named = right.value if isinstance(right.value, dict) else {}
    out, at, used = [], 0, 0
    while at < len(template):
        if template[at] != "%":
            out.append(template[at])
            at += 1
            continue
        end = at + 1
        key = ""
        if template[end : end + 1] == "(":
            close = template.find(")", end)
            key, end = template[end + 1 : close], close + 1 if close > 0 else len(template)
        while end < len(template) and template[end] in "-+ #0123456789.":
            end += 1
        if template[end : end + 1] == "%":
            out.append("%")
        else:
            value = named.get(key) if key else (values[used] if used < len(values) else None)
            used += 1
            out.append(text_of(value) if value is not None else HOLE)
        at = end + 1
    return PyValue(
        join_limited(out), labels_of([left, right]), right.why or unknown_from(values).why
    )


def format_text(
    template: PyValue, arguments: list[PyValue], keywords: dict[str, PyValue]
) -> PyValue:
    """``"{} {name}".format(..)``: each field is replaced by the text of its value; conversions and
    widths are left out.
    """
    text = text_of(template)
    out, at, used = [], 0, 0
    while at < len(text):
        char = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            out.append(char)
            at += 2
            continue
        end = text.find("}", at) if char == "{" else -1
        if end < 0:
            out.append(char)
            at += 1
            continue
        name = text[at + 1 : end].partition(":")[0].partition("!")[0]
        number = int(name) if name.isdecimal() and len(name) < 6 else used
        used += not name
        value = (
            keywords.get(name)
            if name and not name.isdecimal()
            else (arguments[number] if number < len(arguments) else None)
        )
        out.append(text_of(value) if value is not None else HOLE)
        at = end + 1
    values = [*arguments, *keywords.values()]
    return PyValue(join_limited(out), labels_of([template, *values]), unknown_from(values).why)


def take_slice(
    thing: PyValue, lower: PyValue | None, upper: PyValue | None, step: PyValue | None
) -> PyValue:
    """``value[a:b:c]`` of a known text or of a list."""
    bounds: list[int | None] = []
    for bound in (lower, upper, step):
        given = bound.value if bound is not None else None
        if given is None or isinstance(given, int):
            bounds.append(given)
    if len(bounds) != 3 or bounds[2] == 0:
        return PyValue(UNKNOWN, thing.labels, thing.why, thing.path)
    cut = slice(*bounds)
    if isinstance(thing.value, list):
        return PyValue(thing.value[cut], thing.labels, thing.why)
    if is_text(thing.value) and is_known(thing):
        return PyValue(thing.value[cut], thing.labels, thing.why)  # type: ignore[index]
    return PyValue(UNKNOWN, thing.labels, thing.why, thing.path)


def item_of(thing: PyValue, index: PyValue) -> PyValue:
    """``value[index]``."""
    value, key = thing.value, index.value
    if isinstance(value, dict) and is_known(index) and not isinstance(key, (list, dict)):
        found = value.get(key)
        return found if found is not None else PyValue(UNKNOWN, thing.labels, thing.why)
    if isinstance(key, int) and isinstance(value, list) and -len(value) <= key < len(value):
        return value[key]  # type: ignore[no-any-return]
    if (
        isinstance(key, int)
        and is_text(value)
        and is_known(thing)
        and -len(value) <= key < len(value)  # type: ignore[arg-type]
    ):
        return PyValue(value[key], thing.labels)  # type: ignore[index]
    return PyValue(UNKNOWN, labels_of([thing]), thing.why, thing.path)
