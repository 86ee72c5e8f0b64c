"""Builtins that change the shell itself: its folder, variables, functions, aliases (bash manual 4).

Each takes the state, the fields of the command and what it reads. What else a builtin does to the world
is the visitor's business, like any program's.
"""

from __future__ import annotations

from interlock.shell.value import ENVIRONMENT, HOLE, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.shell.state import State


def folder(cwd: str | None, path: str) -> str | None:
    """Return where ``path`` leads from ``cwd``, ``.`` and ``..`` taken out as the shell does; None where unknown."""
    if HOLE in path or (path[:1] != "/" and cwd is None):
        return None
    out: list[str] = []
    for part in (path if path[:1] == "/" else f"{cwd}/{path}").split("/"):
        if part == "..":
            if out:
                out.pop()
        elif part not in ("", "."):
            out.append(part)
    return "/" + "/".join(out)


def _cd(state: State, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    operands = [value for value in argv[1:] if not (value.text[:1] == "-" and len(value.text) > 1)]
    before = state.cwd
    if not operands:
        home = state.lookup("HOME")
        state.cwd = folder(None, home.text) if home else None
    elif operands[0].text == "-":
        state.cwd = state.old_cwd
    elif operands[0].pattern:
        state.cwd = None
    elif operands[0].text:
        state.cwd = folder(before, operands[0].text)
    state.old_cwd = before
    state.doubt = before if before != state.cwd else state.doubt
    state.variables.pop("PWD", None)


def _popd(state: State, argv: list[Value], stdin: Flow | None) -> None:
    del argv, stdin
    state.cwd, state.old_cwd = state.old_cwd, state.cwd


def _declare(state: State, argv: list[Value], stdin: Flow | None) -> None:
    """``export``, ``declare``, ``local``, ``readonly``, ``typeset``."""
    del stdin
    flags = "".join([value.text[1:] for value in argv[1:] if value.text[:1] == "-"])
    exporting = argv[0].text == "export" or "x" in flags
    for value in argv[1:]:
        name, equals, text = value.text.partition("=")
        append = name.endswith("+")
        name = name.rstrip("+")
        if not name.isidentifier():
            continue
        if equals:
            state.assign(name, Value(text, value.start, value.end, value.why), append=append)
        if exporting:
            state.exported.add(name)


def _unset(state: State, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    for value in argv[1:]:
        if value.text[:1] != "-":
            state.forget(value.text)
            state.functions.pop(value.text, None)


def _set(state: State, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    for index, value in enumerate(argv[1:], 1):
        if value.text == "--":
            state.arguments = argv[index + 1 :]
            return
        if value.text[:1] not in ("-", "+"):
            state.arguments = argv[index:]
            return


def _shift(state: State, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    count = int(argv[1].text) if len(argv) > 1 and argv[1].text.isdigit() else 1
    if state.arguments is not None:
        state.arguments = state.arguments[count:]


def _alias(state: State, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    for value in argv[1:]:
        name, equals, text = value.text.partition("=")
        if equals and HOLE not in value.text:
            state.aliases[name] = text


def _unalias(state: State, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    for value in argv[1:]:
        if value.text == "-a":
            state.aliases.clear()
        state.aliases.pop(value.text, None)


def _read(state: State, argv: list[Value], stdin: Flow | None) -> None:
    """``read``, ``mapfile``: one line of known input is known, all else is what the input is."""
    names = [value.text for value in argv[1:] if value.text.isidentifier()] or ["REPLY"]
    line = ""
    why = stdin.why if stdin is not None else ENVIRONMENT
    if stdin is not None and stdin.text is not None and stdin.text.count("\n") <= 1 and argv[0].text == "read":
        line = stdin.text.rstrip("\n")
    words = line.split(None, len(names) - 1) if line else [HOLE] * len(names)
    for name, word in zip(names, words + [""] * len(names), strict=False):
        state.assign(name, Value(word, why=why))


def _printf(state: State, argv: list[Value], stdin: Flow | None) -> None:
    """Only ``printf -v NAME`` changes the shell."""
    del stdin
    if len(argv) > 2 and argv[1].text == "-v":
        state.assign(argv[2].text, Value(HOLE, why="output"))


MOVING = frozenset({"cd", "chdir", "pushd"})
"""Builtins that go into another folder, and may fail to."""

CHANGES: dict[str, Callable[[State, list[Value], Flow | None], None]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _cd,
    "popd": _popd,
    "export": _declare,
    "declare": _declare,
    "typeset": _declare,
    "local": _declare,
    "readonly": _declare,
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "alias": _alias,
    "unalias": _unalias,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "printf": _printf,
}
"""What each of these does to the state."""
