"""JSON for the hook's path: what ``json`` does, without its import (``json`` pulls in ``re``, which
doubles the start).

The scanner and the encoder are the C parts of the standard library; where they are absent, ``json``
itself is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

DEPTH = 200
"""Deeper nesting is refused: no client needs it, and every reader after this one may recurse."""

_BLANK = " \t\n\r"


class JsonError(ValueError):
    """The text is not strict JSON in UTF-8; the message says what and where."""


class _Strict:
    """What the C scanner reads its settings from."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_int = int
    memo: dict[str, str]

    def __init__(self) -> None:
        self.memo = {}

    @staticmethod
    def parse_float(digits: str) -> float:
        value = float(digits)
        if value - value != 0:
            raise JsonError(f"{digits[:40]} is out of range")
        return value

    @staticmethod
    def parse_constant(name: str) -> object:
        raise JsonError(f"{name} is not JSON")


_kept: dict[str, Any] = {}
"""What reads, and what writes (with sorted keys or not), once it was needed."""


def _scanner() -> Callable[[str, int], tuple[Any, int]]:
    if "read" not in _kept:
        _kept["read"] = _made_scanner()
    read: Callable[[str, int], tuple[Any, int]] = _kept["read"]
    return read


def _made_scanner() -> Callable[[str, int], tuple[Any, int]]:
    try:
        from _json import make_scanner
    except ImportError:
        from json import JSONDecoder

        decoder: Any = JSONDecoder(
            parse_float=_Strict.parse_float, parse_constant=_Strict.parse_constant
        )
        plain: Callable[[str, int], tuple[Any, int]] = decoder.scan_once
        return plain
    settings: Any = _Strict()
    return make_scanner(settings)


def loads(source: bytes | str) -> Any:
    """Read one JSON value; blank space may surround it and nothing else.

    Unpaired surrogates become U+FFFD, as every client's own encoder makes them. Raises
    ``JsonError`` for bytes that are not UTF-8, for anything that is not JSON, for a second value
    and for nesting deeper than ``DEPTH``.
    """
    text = _decode(source) if isinstance(source, bytes) else source
    start = len(text) - len(text.lstrip(_BLANK))
    try:
        value, end = _scanner()(text, start)
    except JsonError:
        raise
    except StopIteration as stop:
        raise JsonError(
            "the text is empty"
            if start == len(text)
            else f"no JSON value at character {stop.value}"
        ) from None
    except RecursionError:
        raise JsonError(f"nested deeper than {DEPTH} levels") from None
    except (ValueError, SystemError) as error:
        raise JsonError(
            _explain_error(text) if isinstance(error, SystemError) else _first_line(error)
        ) from None
    if text[end:].strip(_BLANK):
        raise JsonError(f"more text after the JSON value, at character {end}")
    deep = text.count("[") + text.count("{") > DEPTH
    return _check_depth(value) if deep or "\\u" in text or "\\U" in text else value


def object_of(source: bytes | str) -> dict[str, Any]:
    """Return the object that JSON holds, an empty one where it holds none."""
    try:
        found = loads(source)
    except JsonError:
        return {}
    return found if isinstance(found, dict) else {}


def whole(value: object) -> int | None:
    """Return the whole number that JSON holds, 1.0 too, None where it is none."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def _decode(source: bytes) -> str:
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8: byte {error.start} is 0x{source[error.start]:02x}") from None


def _explain_error(text: str) -> str:
    """Return what is wrong with a text, by ``json`` itself: without its import the C scanner of
    some Pythons has no words (a ``SystemError``).
    """
    from json import loads as read

    try:
        read(text)
    except ValueError as error:
        return _first_line(error)
    return "no JSON value"


def _first_line(error: ValueError) -> str:
    return str(error).split("\n", 1)[0][:200]


def _check_depth(value: object) -> object:
    """Walk level by level, so that nothing recurses before the depth is known to be small."""
    level: list[object] = [value]
    depth = 0
    while level:
        depth += 1
        inner = [child for node in level for child in _children(node)]
        if depth > DEPTH and any(isinstance(node, dict | list) for node in level):
            raise JsonError(f"nested deeper than {DEPTH} levels")
        level = inner
    return mend_texts(value)


def _children(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def mend_texts(value: Any) -> Any:
    """Return plain data in which every text can be written in UTF-8: two halves of one character
    are it, a half alone becomes U+FFFD.
    """
    if isinstance(value, str):
        return (
            value
            if _encodable(value)
            else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, list):
        return [mend_texts(child) for child in value]
    if isinstance(value, dict):
        return {mend_texts(key): mend_texts(child) for key, child in value.items()}
    return value


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def dumps(
    value: object, *, sort_keys: bool = False, default: Callable[[object], object] = _refuse
) -> str:
    """Write a value as one line of ASCII JSON without blanks.

    ``default`` turns what JSON does not know into what it does. Raises ``TypeError`` for such a
    value without it, and ``ValueError`` for NaN, infinities, a value that holds itself, and nesting
    that the encoder cannot follow.
    """
    try:
        return _encode(value, sort_keys, default)
    except RecursionError:
        raise ValueError("nested too deep to be written as JSON") from None


def _encode(value: object, sort_keys: bool, default: Callable[[object], object]) -> str:
    if default is not _refuse:
        return _encoder(sort_keys, default)(value)
    key = "write sorted" if sort_keys else "write"
    if key not in _kept:
        _kept[key] = _encoder(sort_keys, default)
    text: str = _kept[key](value)
    return text


def _encoder(sort_keys: bool, default: Callable[[object], object]) -> Callable[[object], str]:
    """Return what writes a value. That one holds itself shows by how deep it goes."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        encode: Any = make_encoder(
            None, default, encode_basestring_ascii, None, ":", ",", sort_keys, False, False
        )
    except (ImportError, TypeError):
        from json import JSONEncoder

        return JSONEncoder(
            separators=(",", ":"), sort_keys=sort_keys, default=default, allow_nan=False
        ).encode
    return lambda value: "".join(encode(value, 0))
