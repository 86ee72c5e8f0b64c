"""Members of .NET types and objects: on known text they are computed, acts are effects."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell import operators
from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import NULL, PsValue, derive, make_list, unknown
from interlock.shell.value import HOLE, Value

Method = Callable[[PsValue, list[PsValue]], PsValue]


def member(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    """Return what ``x.name``, ``x.name(..)`` or ``[x]::name(..)`` gives."""
    target = session.value(node.parts[0])
    named = (
        session.value(node.parts[1])
        if node.parts[1].kind != "text"
        else PsValue(node.parts[1].name)
    )
    arguments = [session.value(part) for part in node.parts[2:]]
    name = named.text.lower()
    if "called" not in node.words:
        return _property(session, target, name)
    session.pay(len(target.text))
    if name == "invoke" and node.parts[0].kind == "member" and "called" not in node.parts[0].words:
        return _invoke(session, node, arguments)
    return call_member(session, node, target, name, arguments)


def _invoke(session: PowerShellInterpreter, node: PsNode, arguments: list[PsValue]) -> PsValue:
    """``$x.DownloadString.Invoke(..)``: the member that stands before it is called."""
    inner = node.parts[0]
    target, named = session.value(inner.parts[0]), session.value(inner.parts[1])
    return call_member(session, node, target, named.text.lower(), arguments)


def call_member(
    session: PowerShellInterpreter,
    node: PsNode,
    target: PsValue,
    name: str,
    arguments: list[PsValue],
) -> PsValue:
    """Return what a call gives; what it does is added."""
    if HOLE in name:
        session.unread(node, "a method whose name cannot be known")
        return unknown("output")
    found = _compute(target, name, arguments)
    if found is not None:
        return found
    session.reader.noted(
        [Value(f"[{target.kind[5:]}]::{name}" if target.kind.startswith("type ") else f".{name}")]
    )
    return session.call(node, target, name, arguments)


def _property(session: PowerShellInterpreter, target: PsValue, name: str) -> PsValue:
    """A property of an object: of files their names, lists' length, responses' text."""
    if name in target.fields:
        return target.fields[name]
    if name.startswith(("currentuser", "allusers")) and target.text.endswith("profile.ps1"):
        return target  # $PROFILE.CurrentUserAllHosts and its like are profiles too
    if name == "historysavepath":
        return PsValue(
            f"{session.context.home}/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt"
        )
    if name in ("length", "count"):
        if target.items is not None or target.known:
            return PsValue(
                str(len(target.items) if target.items is not None else len(target.text)),
                kind="number",
            )
        return PsValue(HOLE, kind="number")
    if target.kind.startswith("type "):
        return _static(target.kind[5:], name, target)
    if name == "invoke" or target is NULL:
        return target
    one = derive(HOLE, target)
    one.paths = target.paths
    one.kind = (
        f"object {name}"
        if name in ("assembly", "invokecommand", "sessionstate")
        else target.kind
        if target.kind.startswith("object ")
        else ""
    )
    if name in ("value", "content", "name", "text", "definition") and target.known:
        one.text = target.text
    session.pay(1)
    return one


_PARTS = {"ascii", "utf8", "unicode", "utf32", "utf7", "default", "bigendianunicode", "latin1"}


def _static(kind: str, name: str, target: PsValue) -> PsValue:
    if kind.endswith("encoding") and name in _PARTS:
        return PsValue(HOLE, kind=f"encoding {name}")
    if kind == "environment" and name == "newline":
        return PsValue("\n")
    if kind == "string" and name == "empty":
        return NULL
    if kind == "io.path" and name == "directoryseparatorchar":
        return PsValue("\\")
    return derive(HOLE, target, kind=f"object {kind}.{name}")


# -- worked out ------------------------------------------------------------------------------------


def _compute(target: PsValue, name: str, arguments: list[PsValue]) -> PsValue | None:
    """Return what a call on known texts gives; None where it is no such call."""
    if target.kind.startswith("type "):
        static = _STATIC.get(f"{target.kind[5:]}.{name}")
        return static(target, arguments) if static is not None else None
    if target.kind.startswith("encoding "):
        return (
            _decode(target.kind[9:], arguments)
            if name == "getstring"
            else _encode(target.kind[9:], arguments)
            if name == "getbytes"
            else None
        )
    method = _METHODS.get(name)
    if method is None or target.kind.startswith("object ") or target.block is not None:
        return None
    if target.items is not None and name != "tostring":
        return make_list([method(item, arguments) for item in target.items])
    return method(target, arguments)


def _replace(target: PsValue, words: list[PsValue]) -> PsValue:
    old, new = (words[0].text, words[1].text) if len(words) > 1 else ("", "")
    if not old or HOLE in old or len(target.text) + target.text.count(old) * len(new) > 1 << 18:
        return derive(HOLE, target)
    return derive(target.text.replace(old, new), target, *words[:2])


def _substring(target: PsValue, words: list[PsValue]) -> PsValue:
    start = words[0].number() if words else None
    size = words[1].number() if len(words) > 1 else len(target.text)
    if start is None or size is None or not target.known or start < 0 or size < 0:
        return derive(HOLE, target)
    return derive(target.text[start : start + size], target)


def _split(target: PsValue, words: list[PsValue]) -> PsValue:
    if len(words) > 1 or any(len(one.text) != 1 for word in words for one in word.each()):
        # a count, or marks that Windows PowerShell and PowerShell 7 read differently
        return derive(HOLE, target)
    text, marks = (
        target.text,
        [mark for word in words[:1] for one in word.each() for mark in one.text],
    )
    for mark in marks[1:]:
        text = text.replace(mark, marks[0])
    return make_list(
        [derive(piece, target) for piece in (text.split(marks[0]) if marks else text.split())]
    )


def _insert(target: PsValue, words: list[PsValue]) -> PsValue:
    place = words[0].number() if words else None
    if place is None or len(words) < 2:
        return derive(HOLE, target)
    return derive(target.text[:place] + words[1].text + target.text[place:], target, words[1])


def _remove(target: PsValue, words: list[PsValue]) -> PsValue:
    place = words[0].number() if words else None
    size = words[1].number() if len(words) > 1 else len(target.text)
    if place is None or size is None or target.paths:
        return derive(HOLE, target)
    return derive(target.text[:place] + target.text[place + size :], target)


def _characters(target: PsValue, _: list[PsValue]) -> PsValue:
    return (
        make_list([derive(char, target, kind="char") for char in target.text])
        if target.known
        else derive(HOLE, target)
    )


def _trim(target: PsValue, words: list[PsValue]) -> PsValue:
    marks = "".join([one.text for word in words for one in word.each()])
    return derive(target.text.strip(marks or None), target)


def _whether(target: PsValue, words: list[PsValue]) -> PsValue:
    return derive(HOLE, target, *words, kind="bool")


_METHODS: dict[str, Method] = {
    "replace": _replace, "substring": _substring, "split": _split, "insert": _insert,
    "remove": _remove, "tochararray": _characters, "trim": _trim,
    "trimstart": lambda target, _: derive(HOLE, target), "trimend": lambda target,
    _: derive(HOLE, target), "tolower": lambda target, _: derive(target.text.lower(), target),
    "toupper": lambda target, _: derive(target.text.upper(), target),
    "tolowerinvariant": lambda target, _: derive(target.text.lower(), target),
    "toupperinvariant": lambda target, _: derive(target.text.upper(), target),
    "tostring": lambda target, words: derive(target.text if not words else HOLE, target),
    "startswith": _whether, "endswith": _whether, "contains": _whether, "indexof": _whether,
    "equals": _whether, "gettype": lambda target, _: derive(HOLE, target),
    "padleft": lambda target, _: derive(HOLE, target), "padright": lambda target,
    _: derive(HOLE, target), "add": lambda target, words: derive(HOLE, target, *words),
}  # fmt: skip


def _join(_: PsValue, words: list[PsValue]) -> PsValue:
    if not words:
        return NULL
    things = words[1] if len(words) == 2 else make_list(words[1:])
    return operators.join_texts(things, words[0].text)


def _concat(_: PsValue, words: list[PsValue]) -> PsValue:
    return operators.join_texts(make_list([one for word in words for one in word.each()]), "")


def _from_base64(_: PsValue, words: list[PsValue]) -> PsValue:
    """Bytes of a base64 text; that it was decoded stays with it."""
    from interlock.effects.programs.streams import from_base64

    thing = derive(HOLE, *words, kind="bytes")
    thing.labels |= {"decoded"}
    if words and words[0].known:
        thing.data = from_base64(words[0].text)
    return thing


_CODECS = {
    "ascii": "latin-1",
    "utf8": "utf-8",
    "unicode": "utf-16-le",
    "utf32": "utf-32-le",
    "default": "utf-8",
    "bigendianunicode": "utf-16-be",
    "latin1": "latin-1",
}


def _decode(encoding: str, words: list[PsValue]) -> PsValue:
    data = bytes_of(words[0]) if words else None
    if data is None:
        return derive(HOLE, *words)
    return derive(data.decode(_CODECS.get(encoding, "utf-8"), "replace"), *words)


def bytes_of(thing: PsValue) -> bytes | None:
    """Return known bytes, also of a list of numbers."""
    if thing.data is not None or thing.items is None:
        return thing.data
    numbers = [item.number() for item in thing.items]
    found = [number for number in numbers if number is not None and 0 <= number < 256]
    return bytes(found) if len(found) == len(numbers) else None


def _encode(encoding: str, words: list[PsValue]) -> PsValue:
    thing = derive(HOLE, *words, kind="bytes")
    if words and words[0].known:
        thing.data = words[0].text.encode(_CODECS.get(encoding, "utf-8"), "replace")
    return thing


def _to_number(_: PsValue, words: list[PsValue]) -> PsValue:
    base = words[1].number() if len(words) > 1 else 10
    if not words or base not in (2, 8, 10, 16):
        return derive(HOLE, *words, kind="number")
    try:
        return derive(str(int(words[0].text, base)), *words, kind="number")
    except ValueError:
        return derive(HOLE, *words, kind="number")


def _to_char(_: PsValue, words: list[PsValue]) -> PsValue:
    return operators.cast("char", words[0]) if words else NULL


def _combine(_: PsValue, words: list[PsValue]) -> PsValue:
    return derive("\\".join([word.text.rstrip("\\/") for word in words]), *words)


def _block(_: PsValue, words: list[PsValue]) -> PsValue:
    thing = derive(words[0].text if words else "", *words, kind="code")
    thing.block = words[0].block if words else None
    return thing


def _regex_replace(_: PsValue, words: list[PsValue]) -> PsValue:
    return (
        operators.binary("-replace", words[0], make_list(words[1:]))
        if len(words) > 2
        else derive(HOLE, *words)
    )


def _format(_: PsValue, words: list[PsValue]) -> PsValue:
    return operators.format_text(words[0], make_list(words[1:])) if words else NULL


def _random(_: PsValue, words: list[PsValue]) -> PsValue:
    return PsValue(
        f"C:/Users/user/AppData/Local/Temp/{HOLE}",
        frozenset({"output"}).union(*[word.labels for word in words]),
    )


_STATIC: dict[str, Method] = {
    "string.join": _join, "string.concat": _concat, "string.format": _format,
    "convert.frombase64string": _from_base64, "convert.toint32": _to_number,
    "convert.toint16": _to_number, "convert.tobyte": _to_number, "convert.toint64": _to_number,
    "convert.tochar": _to_char, "char.convertfromutf32": _to_char,
    "io.path.combine": _combine,
    "io.path.gettemppath": lambda *_: PsValue("C:/Users/user/AppData/Local/Temp/"),
    "scriptblock.create": _block,
    "management.automation.scriptblock.create": _block, "regex.replace": _regex_replace,
    "text.regularexpressions.regex.replace": _regex_replace,
    "regex.unescape": lambda _,
    words: derive(words[0].text.replace("\\", "") if words else HOLE, *words),
    "io.path.gettempfilename": _random,
    "io.path.getrandomfilename": lambda *_: unknown("output"),
    "guid.newguid": lambda *_: unknown("output"),
}  # fmt: skip


def block_of(session: PowerShellInterpreter, thing: PsValue, node: PsNode) -> PsValue:
    """``[scriptblock]$text``: code that may be run later."""
    del session, node
    return _block(NULL, [thing])


def convert_thing(name: str, thing: PsValue) -> PsValue:
    """A cast that keeps the thing, or makes an object of it."""
    if name in ("wmiclass", "wmi", "adsi"):
        return derive(thing.text, thing, kind=f"object {name} {thing.text.lower()}")
    if name in ("hashtable", "pscustomobject", "ordered", "switch"):
        return thing
    return derive(HOLE, thing, kind="bool" if name == "bool" else "")
