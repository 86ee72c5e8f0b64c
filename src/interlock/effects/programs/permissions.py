"""What a file allows besides its mode: capabilities, attributes, access lists, flags, quarantine
(setcap(8), chattr(1), setfacl(1), xattr(1)).
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import ChangesMode, ErasesTraces
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

_LETTERS = frozenset("aAcCdDeEFijmPsStTuxI")
"""Attributes that chattr(1) knows."""


def _chattr(run: Run) -> Flow:
    """``chattr [-RVf] [+-=]LETTERS FILE..``; ``+i`` and ``+a`` lock a file, ``-i`` opens it."""
    mode = ""
    files: list[Value] = []
    for value in run.arguments:
        text = value.text
        if (text[:1] in "+=" and set(text[1:]) <= _LETTERS) or (
            text[:1] == "-" and text not in ("-R", "-V", "-f") and set(text[1:]) <= _LETTERS
        ):
            mode += text
        elif text[:1] != "-" and not (text.isdigit() and len(files) == 0 and run.has("-v", "-p")):
            files.append(value)
    traits = ["recursive"] if "-R" in [value.text for value in run.arguments] else []
    for value in files:
        run.path(ChangesMode, value, *traits, *(["locks"] if "+" in mode or "=" in mode else []))
    return NOTHING


def _setcap(run: Run) -> Flow:
    """``setcap CAPABILITIES FILE``, ``-r FILE``: rights of root for whoever runs the file."""
    words = [value for value in run.operands if value.text != "-"]
    removes = run.has("-r")
    for value in words if removes else words[1::2]:
        run.path(ChangesMode, value, *([] if removes else ["setuid", "capabilities"]))
    return NOTHING


def _setfacl(run: Run) -> Flow:
    """``setfacl -m u:nobody:rwx FILE``: an entry for others that lets them write opens the file."""
    entries = " ".join([value.text for value in run.parsed.values("-m", "--modify", "--set", "-s")])
    opens = (
        ["world-writable"]
        if any(
            "w" in part.rpartition(":")[2] and ("o:" in part or "other:" in part)
            for part in entries.split(",")
        )
        else []
    )
    for value in run.operands:
        run.path(ChangesMode, value, *opens)
    return NOTHING


def _xattr(run: Run) -> Flow:
    """``xattr -w NAME VALUE FILE``, ``-d NAME FILE``, ``-c FILE``: without ``com.apple.quarantine``
    a downloaded program runs unchecked.
    """
    if not run.has("-d", "-c", "-w"):
        return UNREAD
    words = run.operands if run.has("-c") else run.operands[2 if run.has("-w") else 1 :]
    name = run.operands[0].text if run.operands and not run.has("-c") else ""
    traits = ["recursive"] if run.has("-r") else []
    for value in words:
        fetched = not run.context.workspace(run.context.normal(value.text, run.cwd))
        run.path(
            ChangesMode,
            value,
            *traits,
            *(["quarantine-off"] if "quarantine" in name or (run.has("-c") and fetched) else []),
        )
    return NOTHING


def _setfattr(run: Run) -> Flow:
    """``setfattr -n NAME -v VALUE FILE``: ``security.capability`` is setcap(8)'s."""
    name = run.parsed.value("-n", "--name", "-x", "--remove")
    gives = (
        name is not None and name.text == "security.capability" and not run.has("-x", "--remove")
    )
    for value in run.operands:
        run.path(ChangesMode, value, *(["setuid", "capabilities"] if gives else []))
    return NOTHING


def _set_file(run: Run) -> Flow:
    """``SetFile -d DATE FILE``: a file looks older than it is; ``-a V FILE`` hides it."""
    if run.has("-d", "-m"):
        run.effect(ErasesTraces, run.name, "timestamps")
    letters = run.parsed.value("-a")
    if letters is not None:
        for value in run.operands:
            run.path(ChangesMode, value, *(["hides"] if "V" in letters.text else []))
    return NOTHING


def _chflags(run: Run) -> Flow:
    """``chflags [-R] FLAGS FILE..``: ``hidden`` hides a file from its owner (chflags(1))."""
    flags = run.operands[0].text.split(",") if run.operands else []
    for value in run.operands[1:]:
        run.path(ChangesMode, value, *(["hides"] if "hidden" in flags else []))
    return NOTHING
