"""Expressions to things: what stands in a command's words, in a condition, on the right of an
assignment.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell import members, operators
from interlock.effects.powershell.following import Following
from interlock.effects.powershell.things import (
    FALSE,
    NULL,
    TRUE,
    Thing,
    derived,
    listed,
    output,
    unknown,
)
from interlock.effects.powershell.tree import Node
from interlock.shell.value import ENVIRONMENT, HOLE

FIXED: dict[str, str] = {
    "shellid": "Microsoft.PowerShell", "pshome": "C:\\Windows\\System32\\WindowsPowerShell\\v1.0",
    "verbosepreference": "SilentlyContinue",
    "errorview": "NormalView", "ofs": " ", "confirmpreference": "High", "whatifpreference": "False",
    "warningpreference": "Continue",
    "iswindows": "True", "islinux": "False", "ismacos": "False", "maximumdrivecount": "4096",
}  # fmt: skip
"""Variables that PowerShell sets itself (about_Automatic_Variables, about_Preference_Variables)."""


def evaluate(session: Following, node: Node) -> Thing:
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


def _text(_: Following, node: Node) -> Thing:
    return Thing(node.name)


def _word(session: Following, node: Node) -> Thing:
    """Join the pieces of a word; a word of one piece is that piece's text."""
    pieces = [evaluate(session, part) for part in node.parts]
    if len(pieces) == 1:
        one = derived(_spelled(session, pieces[0]), pieces[0])
        one.paths = pieces[0].paths
        return one
    return derived("".join([_spelled(session, piece) for piece in pieces]), *pieces)


def _spelled(session: Following, thing: Thing) -> str:
    """Return a thing as text in a text: of a list its items with ``$OFS`` between them."""
    if thing.items is None:
        return thing.text
    between = session.lookup("ofs")
    return between.text.join([item.text for item in thing.items])


def _variable(session: Following, node: Node) -> Thing:
    return session.lookup(node.name)


def _number(_: Following, node: Node) -> Thing:
    number = Thing(node.name, kind="number").number()
    return Thing(str(number) if number is not None else node.name, kind="number")


def _type(_: Following, node: Node) -> Thing:
    return Thing(node.name, kind=f"type {node.name.removeprefix('system.')}")


def _group(session: Following, node: Node) -> Thing:
    return output([session.statement(part) for part in node.parts])


def _array(session: Following, node: Node) -> Thing:
    found = _group(session, node)
    return found if found.items is not None or found.text == HOLE else listed(found.each())


def _hash(session: Following, node: Node) -> Thing:
    thing = Thing(HOLE, kind="table")
    labels: frozenset[str] = frozenset()
    for key, value in zip(node.parts[::2], node.parts[1::2], strict=False):
        one = session.statement(value)
        thing.fields[evaluate(session, key).text.lower()] = one
        labels |= one.labels
    thing.labels = labels
    return thing


def _block(_: Following, node: Node) -> Thing:
    thing = Thing(HOLE, kind="block")
    thing.block = node
    return thing


def _list(session: Following, node: Node) -> Thing:
    return listed([evaluate(session, part) for part in node.parts])


def _binary(session: Following, node: Node) -> Thing:
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
            else derived(HOLE, left, right)
        )
        session.pay(32 * len(left.items or ()))
    return left


def _either(session: Following, node: Node) -> Thing:
    evaluate(session, node.parts[0])
    one, other = evaluate(session, node.parts[1]), evaluate(session, node.parts[2])
    return derived(one.text if one.text == other.text else HOLE, one, other)


def _unary(session: Following, node: Node) -> Thing:
    thing = evaluate(session, node.parts[0])
    if node.name == "-join":
        return operators.joined(thing, "")
    if node.name in ("-split", "-csplit", "-isplit"):
        return operators.split_blanks(thing)
    if node.name == ",":
        return listed([thing])
    number = thing.number()
    if node.name == "-" and number is not None:
        return derived(str(-number), thing, kind="number")
    if node.name == "count":
        session.forget(node.parts[0])
        return NULL
    if node.name == "+":
        return thing
    return derived(HOLE, thing, kind="bool")


def _cast(session: Following, node: Node) -> Thing:
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
        return members.converted(node.name, thing)
    if node.name in ("string", "system.string"):
        return derived(_spelled(session, thing), thing)
    return operators.cast(node.name, thing)


def _index(session: Following, node: Node) -> Thing:
    thing, index = evaluate(session, node.parts[0]), evaluate(session, node.parts[1])
    if thing.fields and index.text.lower() in thing.fields:
        return thing.fields[index.text.lower()]
    if index.items is not None:
        found = [_at(thing, one) for one in index.items[:4096]]
        return listed(found)
    return _at(thing, index)


def _at(thing: Thing, index: Thing) -> Thing:
    number = index.number()
    if number is None:
        return derived(HOLE, thing)
    items = thing.items
    if items is None and thing.known:
        return (
            derived(thing.text[number], thing, kind="char")
            if -len(thing.text) <= number < len(thing.text)
            else NULL
        )
    if items is None:
        one = derived(HOLE, thing)
        one.paths = thing.paths
        return one
    return items[number] if -len(items) <= number < len(items) else NULL


def _splat(session: Following, node: Node) -> Thing:
    return session.lookup(node.name)


_KINDS: dict[str, Callable[[Following, Node], Thing]] = {
    "text": _text, "word": _word, "variable": _variable, "number": _number, "type": _type,
    "paren": _group, "sub": _group, "array": _array, "hash": _hash,
    "block": _block, "list": _list, "binary": _binary, "either": _either, "unary": _unary,
    "cast": _cast, "index": _index, "splat": _splat,
    "member": members.member,
}  # fmt: skip
_PLACED = frozenset({"text", "word", "binary", "list"})


def automatic(session: Following, name: str) -> Thing:
    """Return a variable that PowerShell itself sets, or what nobody knows."""
    if name in ("true", "false"):
        return TRUE if name == "true" else FALSE
    if name == "null":
        return NULL
    if name == "home":
        return Thing(
            session.context.home or HOLE,
            frozenset() if session.context.home else frozenset({ENVIRONMENT}),
        )
    if name == "pwd":
        return Thing(session.cwd) if session.cwd is not None else unknown("output")
    if name == "profile":
        return Thing(
            f"{session.context.home}/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"
        )
    if name == "pid":
        return unknown("own-process")
    if name in FIXED:
        return Thing(FIXED[name])
    if name == "psscriptroot" and session.cwd is not None:
        return Thing(HOLE, frozenset({"argument"}))
    return (
        NULL
        if name in ("matches", "error", "lastexitcode", "?", "input", "args")
        else unknown("environment")
    )
