"""Known texts decoded as other languages do it, and their methods of texts in Python's words."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.python import known as pure
from interlock.effects.python.values import (
    UNKNOWN,
    PyValue,
    is_known,
    is_text,
    labels_of,
    text_of,
    unknown_from,
    wrap,
)
from interlock.shell.value import HOLE

_ENCODINGS = {
    "base64": "base64.b64decode",
    "base64url": "base64.b64decode",
    "hex": "bytes.fromhex",
    "m": "base64.b64decode",
    "m0": "base64.b64decode",
}


def _by(name: str) -> Callable[[list[PyValue]], PyValue]:
    """Return a decoder of Python's library."""

    def decode(things: list[PyValue]) -> PyValue:
        made = pure.call(name, [_ascii(things[0])], {})
        return _as_text(made) if made is not None else unknown_from(things)

    return decode


def _ascii(thing: PyValue) -> PyValue:
    return (
        PyValue(text_of(thing), thing.labels, thing.why)
        if isinstance(thing.value, bytes)
        else thing
    )


def _as_text(thing: PyValue) -> PyValue:
    """Return decoded bytes as text, where they are text."""
    if not isinstance(thing.value, bytes):
        return thing
    try:
        return PyValue(thing.value.decode(), thing.labels, thing.why)
    except UnicodeDecodeError:
        return thing


def _decode_named(things: list[PyValue]) -> PyValue:
    """``Buffer.from(text, "base64")``: the encoding is the second argument."""
    name = _ENCODINGS.get(text_of(things[1]).lower()) if len(things) > 1 else None
    if name is None:
        first = things[0]
        return _characters(first.value, first.labels) if isinstance(first.value, list) else first
    return _by(name)(things)


def _characters(items: list[PyValue], labels: frozenset[str]) -> PyValue:
    numbers = [item.value for item in items]
    if all(isinstance(number, int) and 0 <= number < 0x110000 for number in numbers):
        return PyValue(
            "".join([chr(number) for number in numbers if isinstance(number, int)]),
            labels | {"decoded"},
        )
    return unknown_from(items)


def _from_codes(things: list[PyValue]) -> PyValue:
    """``String.fromCharCode(a, b)``, ``chr(a)``."""
    items = [
        inner
        for thing in things
        for inner in (thing.value if isinstance(thing.value, list) else [thing])
    ]
    return _characters(items, labels_of(things))


def _unpack(things: list[PyValue]) -> PyValue:
    """``pack("H*", text)``, ``unpack("u", text)``, ``text.unpack("m")``: the common shapes."""
    shapes = {"H*": "bytes.fromhex", "m": "base64.b64decode", "m0": "base64.b64decode"}
    shape = next(
        (
            text_of(thing)
            for thing in things
            if text_of(thing) in (*shapes, "u", "C*", "c*", "W*", "U*")
        ),
        "",
    )
    others = [thing for thing in things if text_of(thing) != shape]
    if shape in shapes and others:
        return PyValue([_by(shapes[shape])(others)])
    if shape in ("C*", "c*", "W*", "U*") and others:
        return PyValue([_from_codes(others)])
    return PyValue([PyValue(UNKNOWN, labels_of(things) | {"decoded"}, "output")])


def _pack(things: list[PyValue]) -> PyValue:
    made = _unpack(things)
    return made.value[0] if isinstance(made.value, list) else made


def _reverse(things: list[PyValue]) -> PyValue:
    first = things[0]
    if isinstance(first.value, list):
        return PyValue(first.value[::-1], first.labels, first.why)
    return (
        wrap(text_of(first)[::-1], first.labels | {"decoded"})
        if is_known(first)
        else unknown_from(things)
    )


def _split(things: list[PyValue]) -> PyValue:
    """Text taken apart: every character where there is no separator."""
    first, mark = things[0], text_of(things[1]) if len(things) > 1 else " "
    if not is_known(first) or HOLE in mark:
        return unknown_from(things)
    text = text_of(first)
    parts: list[str] = (
        list(text)
        if mark == ""
        else text.split(mark)
        if mark.strip()
        else text.split(mark if mark != " " else None)
    )
    return PyValue([PyValue(part, first.labels) for part in parts[:4096]], first.labels)


def _cut(things: list[PyValue]) -> PyValue:
    """``substr(text, start, length)``."""
    numbers = [thing.value for thing in things[1:3] if isinstance(thing.value, int)]
    if not is_known(things[0]) or len(numbers) != len(things[1:3]) or not numbers:
        return unknown_from(things)
    text = text_of(things[0])
    length = numbers[1] if len(numbers) > 1 else len(text)
    return wrap(text[numbers[0] : numbers[0] + length if length >= 0 else length], things[0].labels)


def _range(things: list[PyValue]) -> PyValue:
    """``text.substring(start, end)``, ``list.slice(start, end)``."""
    return pure.take_slice(
        things[0],
        things[1] if len(things) > 1 else None,
        things[2] if len(things) > 2 else None,
        None,
    )


def _join(things: list[PyValue]) -> PyValue:
    """List and glue, in either order."""
    items = next((thing for thing in things if isinstance(thing.value, list)), None)
    glue = next((thing for thing in things if is_text(thing.value)), PyValue(""))
    if items is None:
        return unknown_from(things)
    return pure.method(glue, "join", [items]) or unknown_from(things)


def _join_all(things: list[PyValue]) -> PyValue:
    """``join(glue, a, b, ..)`` of Perl."""
    rest = [
        inner
        for thing in things[1:]
        for inner in (thing.value if isinstance(thing.value, list) else [thing])
    ]
    return _join([things[0], PyValue(rest)])


def _together(things: list[PyValue]) -> PyValue:
    made = things[0]
    for thing in things[1:]:
        made = pure.binary("Add", made, thing)
    return made


def _replace(things: list[PyValue]) -> PyValue:
    if len(things) > 2 and all(is_known(thing) and is_text(thing.value) for thing in things[:3]):
        return pure.method(things[0], "replace", things[1:3]) or unknown_from(things)
    return PyValue(UNKNOWN, labels_of(things), things[0].why, things[0].path)


def _code_of(things: list[PyValue]) -> PyValue:
    at = things[1].value if len(things) > 1 and isinstance(things[1].value, int) else 0
    text = text_of(things[0])
    return (
        PyValue(ord(text[at]), things[0].labels)
        if is_known(things[0]) and at < len(text)
        else unknown_from(things)
    )


def _format(things: list[PyValue]) -> PyValue:
    return pure.binary("Mod", things[0], PyValue(list(things[1:])))


def _path(things: list[PyValue]) -> PyValue:
    """Paths joined by ``/``: of two absolute ones the second is put below the first."""
    texts = [text_of(thing) for thing in things if is_text(thing.value) or HOLE in text_of(thing)]
    text = (
        "/".join(
            [text.rstrip("/") if at == 0 else text.strip("/") for at, text in enumerate(texts)]
        )
        or "/"
    )
    return PyValue(text, labels_of(things), unknown_from(things).why)


def _folder(things: list[PyValue]) -> PyValue:
    head, slash, _ = text_of(things[0]).rpartition("/")
    return PyValue(head or slash or ".", things[0].labels, things[0].why)


def _base(things: list[PyValue]) -> PyValue:
    return PyValue(text_of(things[0]).rpartition("/")[2], things[0].labels, things[0].why)


def _expand(things: list[PyValue]) -> PyValue:
    return things[0]


DECODED: dict[str, Callable[[list[PyValue]], PyValue]] = {
    "base64": _by("base64.b64decode"), "hex": _by("bytes.fromhex"), "url": _by("urllib.parse.unquote"), "rot13": lambda things: pure.call("codecs.decode", [things[0], PyValue("rot13")], {}) or unknown_from(things),
    "inflate": _by("zlib.decompress"), "encoding": _decode_named, "codes": _from_codes,
    "unpack": _unpack, "pack": _pack, "reverse": _reverse, "split": _split,
    "cut": _cut, "range": _range, "join": _join, "joinall": _join_all, "concat": _together,
    "replace": _replace, "ord": _code_of, "format": _format, "path": _path,
    "folder": _folder, "base": _base, "expand": _expand,
    "explode": lambda things: _split([things[1], things[0]]) if len(things) > 1 else things[0],
}  # fmt: skip

METHODS: dict[str, str] = {
    "reverse": "reverse", "split": "split", "chars": "split", "substr": "cut", "substring": "range",
    "slice": "range", "concat": "concat", "charCodeAt": "ord", "codePointAt": "ord", "ord": "ord",
    "unpack": "unpack", "unpack1": "pack", "pack": "pack", "join": "join", "replace": "replace",
    "replaceAll": "replace", "gsub": "replace", "sub": "replace", "byteslice": "cut",
    "rev": "reverse",
    "unescape": "same",
}  # fmt: skip
"""Methods of texts and lists that are read by a decoder: the object is its first argument."""
SAME = frozenset(
    "toString to_s to_str to_sym str trim strip chomp chop decode encode force_encoding toArray to_a then flat freeze dup clone valueOf as_str unwrap expect to_string to_owned into "
    "lstrip rstrip await ok getBytes text utf8 toPath stdout read_to_string iter collect lines readAll".split()
)
"""Methods that give the same again, as far as we care."""
