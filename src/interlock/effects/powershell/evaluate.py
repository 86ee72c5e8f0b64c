"""Expressions to things: of a command's words, conditions, right sides of assignments."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell import members, operators
from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import (
    FALSE,
    NULL,
    TRUE,
    PsValue,
    derive,
    make_list,
    output,
    unknown,
)
from interlock.shell.value import ENVIRONMENT, HOLE

FIXED: dict[str, str] = {
    "shellid": "Microsoft.PowerShell", "pshome": "C:\\Windows\\System32\\WindowsPowerShell\\v1.0",
    "verbosepreference": "SilentlyContinue",
    "errorview": "NormalView", "ofs": " ", "confirmpreference": "High", "whatifpreference": "False",
    "warningpreference": "Continue",
    "iswindows": "True", "islinux": "False", "ismacos": "False", "maximumdrivecount": "4096",
}  # fmt: skip
"""Variables that PowerShell sets itself (about_Automatic_Variables, about_Preference_Variables)."""


def evaluate(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    """Return what an expression is worth; what it does on the way is added."""
    reader = _KINDS.get(node.kind)
    if reader is None:
        return session.statement(node)
    if not session.spend(node):
        return unknown("output")
    return (
        reader(session, node).at(node.start, node.end)
        if node.kind in _PLACED
        else reader(session, node)
    )


def _text(_: PowerShellInterpreter, node: PsNode) -> PsValue:
    return PsValue(node.name)


def _word(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    """Join the pieces of a word; a word of one piece is that piece's text."""
    pieces = [evaluate(session, part) for part in node.parts]
    if len(pieces) == 1:
        one = derive(_stringify(session, pieces[0]), pieces[0])
        one.paths = pieces[0].paths
        return one
    return derive("".join([_stringify(session, piece) for piece in pieces]), *pieces)


def _stringify(session: PowerShellInterpreter, thing: PsValue) -> str:
    """Return a thing as text in a text: of a list its items with ``$OFS`` between them."""
    if thing.items is None:
        return thing.text
    between = session.lookup("ofs")
    return between.text.join([item.text for item in thing.items])


def _variable(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    return session.lookup(node.name)


def _number(_: PowerShellInterpreter, node: PsNode) -> PsValue:
    number = PsValue(node.name, kind="number").number()
    return PsValue(str(number) if number is not None else node.name, kind="number")


def _type(_: PowerShellInterpreter, node: PsNode) -> PsValue:
    return PsValue(node.name, kind=f"type {node.name.removeprefix('system.')}")


def _group(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    return output([session.statement(part) for part in node.parts])


def _array(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    found = _group(session, node)
    return found if found.items is not None or found.text == HOLE else make_list(found.each())


def _hash(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    thing = PsValue(HOLE, kind="table")
    labels: frozenset[str] = frozenset()
    for key, value in zip(node.parts[::2], node.parts[1::2], strict=False):
        one = session.statement(value)
        thing.fields[evaluate(session, key).text.lower()] = one
        labels |= one.labels
    thing.labels = labels
    return thing


def _block(_: PowerShellInterpreter, node: PsNode) -> PsValue:
    thing = PsValue(HOLE, kind="block")
    thing.block = node
    return thing


def _list(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    return make_list([evaluate(session, part) for part in node.parts])


def _binary(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    chain = [node]
    while chain[-1].parts[0].kind == "binary":  # a + b + c + ..: as long as the text is
        chain.append(chain[-1].parts[0])
    left = evaluate(session, chain[-1].parts[0])
    for one in reversed(chain):
        if not session.spend(one):
            return unknown("output")
        right = evaluate(session, one.parts[1])
        session.pay(len(left.text) + len(right.text) + 32 * len(left.items or ()))
        left = (
            operators.binary(one.name, left, right)
            if one.name not in ("-and", "-or", "-xor", "??")
            else derive(HOLE, left, right)
        )
        session.pay(32 * len(left.items or ()))
    return left


def _either(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    evaluate(session, node.parts[0])
    one, other = evaluate(session, node.parts[1]), evaluate(session, node.parts[2])
    return derive(one.text if one.text == other.text else HOLE, one, other)


def _unary(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    thing = evaluate(session, node.parts[0])
    if node.name == "-join":
        return operators.join_texts(thing, "")
    if node.name in ("-split", "-csplit", "-isplit"):
        return operators.split_blanks(thing)
    if node.name == ",":
        return make_list([thing])
    number = thing.number()
    if node.name == "-" and number is not None:
        return derive(str(-number), thing, kind="number")
    if node.name == "count":
        session.forget(node.parts[0])
        return NULL
    if node.name == "+":
        return thing
    return derive(HOLE, thing, kind="bool")


def _cast(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    thing = evaluate(session, node.parts[0])
    if node.name in ("scriptblock", "system.management.automation.scriptblock"):
        return members.block_of(session, thing, node)
    if node.name in (
        "xml",
        "hashtable",
        "pscustomobject",
        "ordered",
        "switch",
        "bool",
        "adsi",
        "wmi",
        "wmiclass",
    ):
        return members.convert_thing(node.name, thing)
    if node.name in ("string", "system.string"):
        return derive(_stringify(session, thing), thing)
    return operators.cast(node.name, thing)


def _index(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    thing, index = evaluate(session, node.parts[0]), evaluate(session, node.parts[1])
    if thing.fields and index.text.lower() in thing.fields:
        return thing.fields[index.text.lower()]
    if index.items is not None:
        found = [_at(thing, one) for one in index.items[:4096]]
        return make_list(found)
    return _at(thing, index)


def _at(thing: PsValue, index: PsValue) -> PsValue:
    number = index.number()
    if number is None:
        return derive(HOLE, thing)
    items = thing.items
    if items is None and thing.known:
        return (
            derive(thing.text[number], thing, kind="char")
            if -len(thing.text) <= number < len(thing.text)
            else NULL
        )
    if items is None:
        one = derive(HOLE, thing)
        one.paths = thing.paths
        return one
    return items[number] if -len(items) <= number < len(items) else NULL


def _splat(session: PowerShellInterpreter, node: PsNode) -> PsValue:
    return session.lookup(node.name)


_KINDS: dict[str, Callable[[PowerShellInterpreter, PsNode], PsValue]] = {
    "text": _text, "word": _word, "variable": _variable, "number": _number, "type": _type,
    "paren": _group, "sub": _group, "array": _array, "hash": _hash,
    "block": _block, "list": _list, "binary": _binary, "either": _either, "unary": _unary,
    "cast": _cast, "index": _index, "splat": _splat,
    "member": members.member,
}  # fmt: skip
_PLACED = frozenset({"text", "word", "binary", "list"})


def automatic(session: PowerShellInterpreter, name: str) -> PsValue:
    """Return a variable that PowerShell itself sets, or what nobody knows."""
    if name in ("true", "false"):
        return TRUE if name == "true" else FALSE
    if name == "null":
        return NULL
    if name == "home":
        return PsValue(
            session.context.home or HOLE,
            frozenset() if session.context.home else frozenset({ENVIRONMENT}),
        )
    if name == "pwd":
        return PsValue(session.cwd) if session.cwd is not None else unknown("output")
    if name == "profile":
        return PsValue(
            f"{session.context.home}/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"
        )
    if name == "pid":
        return unknown("own-process")
    if name in FIXED:
        return PsValue(FIXED[name])
    if name == "psscriptroot" and session.cwd is not None:
        return PsValue(HOLE, frozenset({"argument"}))
    return (
        NULL
        if name in ("matches", "error", "lastexitcode", "?", "input", "args")
        else unknown("environment")
    )
