"""Operators on known texts and numbers (about_Operators); what one of them cannot work out is
unknown, and keeps where it comes from.
"""

from __future__ import annotations

from interlock.effects.powershell.values import (
    FALSE,
    MAX_ITEMS,
    NULL,
    TRUE,
    PsValue,
    derive,
    make_list,
    whole,
)
from interlock.shell.value import HOLE, MAX_TEXT

_PLAIN_PATTERN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-, :;/#~@%&=<>!\"'\u00a7`"
)
"""Characters that stand for themselves in a regular expression."""


def binary(name: str, left: PsValue, right: PsValue) -> PsValue:
    """Return what a binary operator gives."""
    plain = (
        name[1:].lstrip("ci")
        if name[:1] == "-"
        and name[1:2] in "ci"
        and name[1:] not in ("contains", "in", "is", "isnot")
        else name.lstrip("-")
    )
    if name == "+":
        return add(left, right)
    if name == "*":
        return _times(left, right)
    if name in ("-", "/", "%") or plain in _BITS:
        return _calculate(name if name in ("-", "/", "%") else plain, left, right)
    if name == "..":
        return _range(left, right)
    if name == "-f":
        return format_text(left, right)
    if name == "-creplace":
        return _replace(left, right, cased=True)
    found = {"replace": _replace, "split": _split, "join": _join, "as": _as}.get(plain)
    return found(left, right) if found is not None else _compare(plain, left, right)


def add(left: PsValue, right: PsValue) -> PsValue:
    """Join texts, add numbers, lengthen lists."""
    if left.items is not None:
        return make_list([*left.items, *right.each()])
    one, two = left.number(), right.number()
    if left.kind == "char" and right.kind == "number":
        return derive(
            str(ord(left.text) + two) if len(left.text) == 1 and two is not None else HOLE,
            left,
            right,
            kind="number",
        )
    if left.kind == "number" and one is not None and two is not None:
        return derive(str(one + two), left, right, kind="number")
    return derive(left.text + right.text, left, right)


def _times(left: PsValue, right: PsValue) -> PsValue:
    count, one = right.number(), left.number()
    if left.kind == "number" and one is not None and count is not None:
        return derive(str(one * count), left, right, kind="number")
    if count is None or count < 0 or len(left.text) * count > MAX_TEXT or left.items is not None:
        return derive(HOLE, left, right)
    return derive(left.text * count, left, right)


_BITS = frozenset({"bxor", "band", "bor", "shl", "shr"})


def _calculate(name: str, left: PsValue, right: PsValue) -> PsValue:
    one, two = left.number(), right.number()
    if (
        one is None
        or two is None
        or (name in ("/", "%") and (two == 0 or (name == "/" and one % two)))
    ):
        return derive(HOLE, left, right, kind="number")
    if name in ("shl", "shr") and not 0 <= two < 64:
        return derive(HOLE, left, right, kind="number")
    found = {
        "-": one - two, "/": one // two if two else 0,
        "%": abs(one) % abs(two) * (-1 if one < 0 else 1) if two else 0, "bxor": one ^ two,
        "band": one & two, "bor": one | two, "shl": one << two if 0 <= two < 64 else 0,
        "shr": one >> two if 0 <= two < 64 else 0,
    }  # fmt: skip
    return derive(str(found[name]), left, right, kind="number")


def _range(left: PsValue, right: PsValue) -> PsValue:
    first, last = left.number(), right.number()
    if first is None or last is None or abs(last - first) >= MAX_ITEMS:
        return derive(HOLE, left, right)
    step = 1 if last >= first else -1
    return make_list(
        [PsValue(str(number), kind="number") for number in range(first, last + step, step)]
    )


def format_text(left: PsValue, right: PsValue) -> PsValue:
    """``"{1}{0}" -f 'b', 'a'``: alignment and formats are left out."""
    arguments = right.each() or [NULL]
    pieces, at, text, size = [], 0, left.text, 0
    while at < len(text) and size <= MAX_TEXT:
        char = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            pieces.append(char)
            at += 2
        elif char == "{":
            number, _, _ = text[at + 1 : at + 40].partition("}")
            index = whole(number.partition(",")[0].partition(":")[0])
            special = ":" in number or "," in number
            pieces.append(
                arguments[index].text
                if index is not None and 0 <= index < len(arguments) and not special
                else HOLE
            )
            at += len(number) + 2
        else:
            pieces.append(char)
            at += 1
        size += len(pieces[-1])
    return derive("".join(pieces) if size <= MAX_TEXT else HOLE, left, right)


def plain_pattern(text: str) -> str | None:
    """Return what a regular expression matches, where that is one text only; None for any other."""
    pieces, at = [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text) and not text[at + 1].isalnum():
            at += 1
        elif text[at] not in _PLAIN_PATTERN and not text[at].isspace() and text[at] < "\x7f":
            return None
        pieces.append(text[at])
        at += 1
    return "".join(pieces)


def replace_text(text: str, old: str, new: str) -> str:
    """Replace a text whatever its case."""
    low, small = text.lower(), old.lower()
    if not small or len(low) != len(text) or len(text) + text.count(small) * len(new) > MAX_TEXT:
        return text if not small else HOLE
    pieces, at = [], 0
    while (found := low.find(small, at)) >= 0:
        pieces += [text[at:found], new]
        at = found + len(small)
    return "".join([*pieces, text[at:]])


def _replace(left: PsValue, right: PsValue, *, cased: bool = False) -> PsValue:
    words = right.each()
    new = words[1].text if len(words) > 1 else ""
    old = plain_pattern(words[0].text) if words else ""
    if left.items is not None:
        return make_list([_replace(item, right, cased=cased) for item in left.items])
    if (
        old is None
        or HOLE in old
        or HOLE in left.text
        or "$" in new
        or (cased and len(left.text) * (len(new) + 1) > MAX_TEXT)
    ):
        return derive(HOLE, left, right)
    return derive(
        left.text.replace(old, new) if cased and old else replace_text(left.text, old, new),
        left,
        right,
    )


def _split(left: PsValue, right: PsValue) -> PsValue:
    words = right.each()
    mark = words[0].text if words else " "
    if (
        len(mark) > 2
        and mark[0] == "["
        and mark[-1] == "]"
        and mark.isprintable()
        and "-" not in mark
        and "^" not in mark
    ):
        text = left.text
        for char in mark[2:-1]:
            text = text.replace(char, mark[1])
        return _pieces(left, text.split(mark[1]))
    if mark in ("\\s+", "\\s"):
        return _pieces(left, left.text.split())
    old = plain_pattern(mark)
    if (
        old is None
        or not old
        or HOLE in old
        or len(words) > 1
        or left.text.lower().count(old.lower()) != left.text.count(old)
    ):
        return derive(HOLE, left, right)
    return _pieces(left, left.text.split(old))


def _pieces(source: PsValue, texts: list[str]) -> PsValue:
    return make_list([derive(text, source) for text in texts])


def split_blanks(thing: PsValue) -> PsValue:
    """``-split "a b"``."""
    return _pieces(thing, thing.text.split())


def _join(left: PsValue, right: PsValue) -> PsValue:
    return join_texts(left, right.text)


def join_texts(things: PsValue, between: str) -> PsValue:
    """Return the texts of a list as one."""
    text = between.join([item.text for item in things.each()])
    return PsValue(text, things.labels)


def _as(left: PsValue, right: PsValue) -> PsValue:
    if right.text.strip("[]").lower().endswith("scriptblock"):
        return derive(left.text, left, kind="code")
    return cast(right.text.strip("[]").lower(), left)


def _compare(name: str, left: PsValue, right: PsValue) -> PsValue:
    if name in ("eq", "ne") and left.known and right.known and left.items is None:
        return TRUE if (left.text.lower() == right.text.lower()) == (name == "eq") else FALSE
    return derive(HOLE, left, right, kind="bool")


_NUMBERS = frozenset(
    "int int16 int32 int64 long byte uint16 uint32 uint64 short system.int32 system.byte sbyte double decimal".split()
)


def cast(name: str, thing: PsValue) -> PsValue:
    """Return what ``[name]value`` gives."""
    name = name.removeprefix("system.")
    if name.endswith("[]"):
        return _cast_list(name[:-2], thing)
    number = thing.number()
    if name == "char":
        if len(thing.text) == 1 and thing.kind != "number":
            return derive(thing.text, thing, kind="char")
        return derive(
            chr(number) if number is not None and 0 <= number < 0x110000 else HOLE,
            thing,
            kind="char",
        )
    if name in _NUMBERS:
        if thing.kind == "char" and len(thing.text) == 1:
            return derive(str(ord(thing.text)), thing, kind="number")
        return derive(str(number) if number is not None else HOLE, thing, kind="number")
    if name in ("string", "object", "psobject", "array", "void"):
        return derive(thing.text, thing) if name == "string" else thing
    return thing


def _cast_list(name: str, thing: PsValue) -> PsValue:
    if name == "char" and thing.items is None:
        return make_list([derive(char, thing, kind="char") for char in thing.text])
    if name == "byte" and thing.data is not None:
        return thing
    return make_list([cast(name, item) for item in thing.each()])
