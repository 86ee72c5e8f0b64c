"""Which cmdlet is described where; cmdlets nobody described by their verb and noun."""

from __future__ import annotations

from interlock.data import cmdlets
from interlock.effects.named_code import find_function, name_modules
from interlock.effects.powershell import (
    cmdlets_files,
    cmdlets_flow,
    cmdlets_machine,
    cmdlets_run,
    cmdlets_web,
)
from interlock.effects.powershell.cmdlet import CmdletShape
from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.names import ATTACKING, CLOUD_NOUNS, LOOKING, MACHINE_NOUNS
from interlock.effects.powershell.tree import PsNode
from interlock.effects.rows import table

_MODULES = name_modules((
    cmdlets_files, cmdlets_flow, cmdlets_machine, cmdlets_run, cmdlets_web,
))  # fmt: skip
_shapes: dict[str, CmdletShape | None] = {}
_SERVICE_WORDS = frozenset(
    "stop start delete create config query queryex qc failure sdset pause continue \\\\localhost description qdescription".split()
)
_DELETING = frozenset(
    "remove clear disable stop uninstall unregister revoke reset unpublish dismount".split()
)
_LOOKS = CmdletShape(positions="inputobject:data", prints="output")
_UNKNOWN = CmdletShape(
    positions="inputobject:data", effects="executes:unknown-program", prints="output"
)
_MACHINE = CmdletShape(positions="inputobject:data", effects="controls-system:defaults")
_CLOUD = CmdletShape(positions="inputobject:data", effects="changes-infrastructure:modify")
_CLOUD_DELETES = CmdletShape(positions="inputobject:data", effects="changes-infrastructure:delete")
_ATTACKS = CmdletShape(positions="inputobject:data", effects="executes:security-tool")


def find(name: str) -> CmdletShape | None:
    """Return the shape of a cmdlet: described, or guessed by its verb and noun; else None."""
    shape = _find_described(name)
    if shape is not None:
        return shape
    verb, dash, noun = name.partition("-")
    if (
        not dash
        or not verb.isalpha()
        or not noun[:1].isalpha()
        or "." in noun
        or "/" in noun
        or "\\" in noun
    ):
        return None
    if any(word in noun for word in ATTACKING):
        return _ATTACKS
    if verb in LOOKING:
        return _LOOKS
    if verb not in _CHANGING:
        return None
    if noun.startswith(CLOUD_NOUNS) and not noun.startswith(
        ("azurite", "view", "visual", "virtual", "script")
    ):
        return _CLOUD_DELETES if verb in _DELETING else _CLOUD
    return _MACHINE if noun.startswith(MACHINE_NOUNS) else _UNKNOWN


def _find_described(name: str) -> CmdletShape | None:
    if name not in _shapes:
        said = cmdlets.find(name)
        _shapes[name] = _make_shape(said) if said is not None else None
    return _shapes[name]


def _make_shape(said: dict[str, str]) -> CmdletShape:
    """Return the shape that the lines of a cmdlet describe."""
    positions, options, switches = [
        " ".join([word if ":" in word else f"{word}:" for word in said.get(key, "").split()])
        for key in ("positions", "options", "switches")
    ]
    return CmdletShape(
        positions, options, switches, said.get("effects", ""),
        find_function(f"cmdlets_{said['read']}", _MODULES) if "read" in said else None,
        said.get("prints", ""), said.get("piped", ""), "runs" in said,
    )  # fmt: skip


_CHANGING = frozenset(
    "add approve backup block checkpoint clear close complete connect copy disable disconnect dismount edit enable enter exit expand export grant hide "
    "initialize install invoke lock merge mount move new open optimize pop protect publish push redo register remove rename repair request reset resize "
    "restart restore resume revoke save send set start stop submit suspend switch sync undo uninstall unlock unprotect unpublish unregister update format "
    "convert".split()
)


def is_program(
    session: PowerShellInterpreter, alias: str, shape: CmdletShape, words: list[PsNode]
) -> bool:
    """Whether an alias with these words is meant as the program or command of another shell that is
    called so: ``rm -rf x``, ``curl -X POST``.
    """
    del session
    first = _literal(words[0]).lower() if words else ""
    if alias == "sc":
        return first in _SERVICE_WORDS or first.startswith("\\\\")
    if alias in ("set", "where", "start", "sort"):
        return first.startswith("/")
    known = {**table(shape.positions), **table(shape.options), **table(shape.switches)}
    for word in words:
        text = _literal(word)
        if text.startswith("--") or (
            len(text) in (2, 3) and text[0] == "/" and text[1].isalpha() and ":" not in text[1:2]
        ):
            return True
        if word.kind == "parameter" and not _is_parameter(alias, text.lower(), known):
            return True
    return False


def _is_parameter(alias: str, text: str, known: dict[str, str]) -> bool:
    name = text[1:].partition(":")[0]
    if alias in ("curl", "wget") and len(name) < 3:
        return False
    common = (
        "erroraction",
        "warningaction",
        "verbose",
        "whatif",
        "confirm",
        "debug",
        "errorvariable",
        "outvariable",
        "ea",
        "ev",
        "wi",
        "ov",
        "cf",
    )
    return any(full.startswith(name) for full in (*known, *common))


def _literal(word: PsNode) -> str:
    """Return the text of a word that is only text; of a parameter its name."""
    if word.kind == "parameter":
        return word.name
    if word.kind == "word" and len(word.parts) == 1 and word.parts[0].kind == "text":
        return word.parts[0].name
    return word.name if word.kind == "text" else ""
