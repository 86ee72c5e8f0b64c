"""Builtins that change the shell itself: its folder, variables, functions, aliases (bash manual 4).

Each takes the state, the fields of the command and what it reads. What else a builtin does to the
world is the visitor's business, like any program's.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.shell.expand import split_words
from interlock.shell.pieces import separators
from interlock.shell.state import EVERYTHING, ShellState
from interlock.shell.value import ENVIRONMENT, HOLE, NETWORK, UNREAD, Flow, Value, whole

MAX_LINES = 64
"""Lines of known input that become elements of an array."""
MAX_STACK, MAX_STACKED = 4, 64
"""Characters of a number of the stack of folders, and the folders that are kept on it."""


def folder(cwd: str | None, path: str) -> str | None:
    r"""Return where ``path`` leads from ``cwd``, ``.`` and ``..`` taken out as the shell does; None
    where unknown.

    A folder that begins with a drive is one of Windows: there Git Bash knows ``C:/x`` and ``C:\x``
    as whole paths.
    """
    if HOLE in path or (path[:1] != "/" and cwd is None):
        return None
    if cwd is not None and cwd[1:2] == ":" and path[:1] != "/":
        path = path.replace("\\", "/")
        drive, path = (
            (path[0].lower() + ":", path[2:] or "/") if path[1:2] == ":" else (cwd[:2], path)
        )
        below = folder(cwd[2:] or "/", path)
        return None if below is None else drive + below
    out: list[str] = []
    for part in (path if path[:1] == "/" else f"{cwd}/{path}").split("/"):
        if part == "..":
            if out:
                out.pop()
        elif part not in ("", "."):
            out.append(part)
    return "/" + "/".join(out)


def _cd(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    """``cd``, ``pushd``, ``popd``: the folder, and the stack below it (bash manual 6.8.1)."""
    del stdin
    name, words = argv[0].text, [value for value in argv[1:] if value.text != "--"]
    stays = name in ("pushd", "popd") and any(value.text == "-n" for value in words)
    words = [
        value
        for value in words
        if not (value.text[:1] == "-" and value.text[1:].isalpha() and value.text[1:].isascii())
    ]
    if name == "pushd":
        goes_to = _push(state, words, stays=stays)
    elif name == "popd":
        goes_to = _pop(state, words, stays=stays)
    else:
        goes_to = _resolve_folder(state, words[0]) if words else _home(state)
    if not stays:
        _go(state, goes_to)


def _go(state: ShellState, goes_to: str | None) -> None:
    """Be in another folder, if that does not fail."""
    before = state.cwd
    state.cwd, state.old_cwd, state.old_doubt = goes_to, before, state.doubt
    state.doubt = before if before != goes_to else state.doubt
    state.variables.pop("PWD", None)


def _home(state: ShellState) -> str | None:
    home = state.lookup("HOME")
    return folder(None, home.text) if home else None


def _resolve_folder(state: ShellState, word: Value) -> str | None:
    """Return the folder that a word names."""
    if word.text == "-":
        return state.old_cwd
    if word.pattern and not _stays_below(word.text):
        return None
    searched = "CDPATH" in state.variables and word.text.split("/")[0] not in ("", ".", "..")
    return state.cwd if not word.text else None if searched else folder(state.cwd, word.text)


def _stays_below(text: str) -> bool:
    """Whether whatever a pattern names is a folder below this one."""
    return text[:1] not in (".", "/", "~") and ".." not in text and "**" not in text


def _stack_number(state: ShellState, words: list[Value]) -> int | None:
    """Return which folder of the stack ``+N`` or ``-N`` means, the current one being number 0; None
    where the words say no number.
    """
    text = words[0].text if words else ""
    if (
        text[:1] not in ("+", "-")
        or not text[1:].isdecimal()
        or not text.isascii()
        or len(text) > MAX_STACK
    ):
        return None
    return int(text) if text[0] == "+" else len(state.stack) - int(text[1:])


def _push(state: ShellState, words: list[Value], *, stays: bool) -> str | None:
    """Put a folder on the stack, or turn the stack; return the folder that comes up."""
    number = _stack_number(state, words)
    if number is None and words:
        goes_to = _resolve_folder(state, words[0])
        state.stack = ((goes_to if stays else state.cwd), *state.stack)[:MAX_STACKED]
        return goes_to
    whole_stack = [state.cwd, *state.stack]
    number = 1 if number is None else number
    if not 0 <= number < len(whole_stack):
        return state.cwd
    if not words:
        number, whole_stack = 0, [whole_stack[1], whole_stack[0], *whole_stack[2:]]
    turned = (*whole_stack[number:], *whole_stack[:number])
    state.stack = turned[1:]
    return turned[0]


def _pop(state: ShellState, words: list[Value], *, stays: bool) -> str | None:
    """Take a folder from the stack; return the one that comes up."""
    number = _stack_number(state, words) or 0
    if not state.stack:
        return state.cwd
    if stays or number:
        taken = max(number, 1) - 1
        state.stack = (*state.stack[:taken], *state.stack[taken + 1 :])
        return state.cwd
    goes_to, state.stack = state.stack[0], state.stack[1:]
    return goes_to


def _declare(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    """``export``, ``declare``, ``local``, ``readonly``, ``typeset``."""
    del stdin
    flags = "".join([value.text[1:] for value in argv[1:] if value.text[:1] == "-"])
    if "A" in flags:
        names = [
            value.text.partition("=")[0] for value in argv[1:] if value.text[:1] not in ("-", "+")
        ]
        state.subscripts = {
            **state.subscripts,
            **{name: {} for name in names if name not in state.subscripts},
        }
    exporting = argv[0].text == "export" or "x" in flags
    for value in argv[1:]:
        name, equals, text = value.text.partition("=")
        append = name.endswith("+")
        name = name.rstrip("+")
        if "i" in flags and value.text[:1] not in ("-", "+"):
            state.integers |= {name}
        if (
            argv[0].text not in ("export", "readonly")
            and "g" not in flags
            and value.text[:1] not in ("-", "+")
        ):
            state.enter(name)
        if "[" in name and equals:
            state.call(name, Value(text, value.start, value.end, value.why))
        if not name.isidentifier():
            continue
        if "n" in flags and argv[0].text != "export":
            state.refer(name, Value(text, value.start, value.end))
        elif equals:
            state.assign(name, Value(text, value.start, value.end, value.why), append=append)
        if exporting:
            state.exported.add(name)
        if argv[0].text == "readonly" or "r" in flags:
            state.readonly |= {name}


def _unset(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    for value in argv[1:]:
        if value.text[:1] != "-":
            state.forget(value.text)
            state.functions.pop(value.text, None)


def _set(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    """``set -e``, ``set -euo pipefail``, ``set -- ARG..``: each ``o`` among the letters takes a
    word (bash manual 4.3.1).
    """
    del stdin
    at = 1
    while (
        at < len(argv)
        and argv[at].text[:1] in ("-", "+")
        and len(argv[at].text) > 1
        and argv[at].text != "--"
    ):
        word, at = argv[at].text, at + 1
        for letter in word[1:]:
            named = letter == "o" and at < len(argv)
            _switch(state, argv[at].text if named else letter, on=word[0] == "-")
            at += named
    if at < len(argv):
        ends = argv[at].text in ("--", "-")
        state.arguments = (
            argv[at + ends :] if argv[at].text != "-" or argv[at + 1 :] else state.arguments
        )


def _switch(state: ShellState, option: str, *, on: bool) -> None:
    """Turn one option of the shell on or off, by its letter or its name."""
    if option in ("e", "errexit"):
        state.strict = on
    elif option in ("a", "allexport") and on:
        state.exported.add(EVERYTHING)


def _shift(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    count = whole(argv[1].text) if len(argv) > 1 else 1
    if state.arguments is not None:
        state.arguments = state.arguments[count:] if count is not None and count >= 0 else None


def _alias(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    everywhere = any(value.text[:1] == "-" and "g" in value.text for value in argv[1:])
    for value in argv[1:]:
        name, equals, text = value.text.partition("=")
        if equals and HOLE not in value.text:
            state.aliases[f"-g {name}" if everywhere else name] = text


def _hash(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    """``hash -p PATH NAME``: the name stands for that program from now on."""
    del stdin
    if len(argv) > 3 and argv[1].text == "-p":
        state.aliases[argv[3].text] = argv[2].text


def _unalias(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    del stdin
    for value in argv[1:]:
        if value.text == "-a":
            state.aliases.clear()
        state.aliases.pop(value.text, None)


def _read(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    """``read``: a line of known input, what a listing names; else what the input is."""
    array, names, at = "", [], 1
    while at < len(argv):
        text = argv[at].text
        at += 1
        if text[:1] != "-":
            names.append(text)
        elif text[-1] in "adinNptu" and at < len(argv):
            array = argv[at].text if text[-1] == "a" else array
            at += 1
    stdin = _input_flow(state, argv, stdin)
    why = stdin.why if stdin is not None else ENVIRONMENT
    line, marks = _line(stdin), separators(state)
    if array:
        state.assign(array, Value(HOLE, why=why))
        words = split_words(line, marks) if line is not None else [HOLE]
        state.arrays[array] = [Value(word, why=why) for word in words]
        state.variables.pop(array)
        return
    names = names or ["REPLY"]
    named = stdin.name() if line is None and stdin is not None and len(names) == 1 else None
    if named is not None:
        state.assign(names[0], named)
        return
    words = [HOLE] * len(names) if line is None else split_words(line, marks)
    words[len(names) - 1 :] = [(marks[:1] or " ").join(words[len(names) - 1 :])]
    for name, word in zip(names, words + [""] * len(names), strict=False):
        state.call(name, Value(word, why=why))


def _input_flow(state: ShellState, argv: list[Value], stdin: Flow | None) -> Flow | None:
    """Return what is read: standard input, or the descriptor after ``-u``."""
    words = [value.text for value in argv]
    number = next(
        (
            words[at + 1]
            for at, word in enumerate(words[:-1])
            if word[:1] == "-" and word[-1:] == "u"
        ),
        "",
    )
    number = number or next(
        (word[2:] for word in words if word[:2] == "-u" and word[2:].isdigit()), ""
    )
    return state.descriptors.get(number, UNREAD) if number and number != "0" else stdin


def _line(stdin: Flow | None) -> str | None:
    """Return the one line that is read; None where it is not known, or one of many."""
    if stdin is None or stdin.text is None or stdin.text.count("\n") > 1:
        return None
    return stdin.text.rstrip("\n") or None


_MAPFILE_OPTIONS = frozenset({"-d", "-n", "-O", "-s", "-u", "-C", "-c"})
"""Options of ``mapfile`` with a value."""


def _mapfile(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    """``mapfile``: every line an element."""
    stdin = _input_flow(state, argv, stdin)
    texts = [value.text for value in argv]
    names = [
        text
        for at, text in enumerate(texts)
        if at and text.isidentifier() and texts[at - 1] not in _MAPFILE_OPTIONS
    ] or ["MAPFILE"]
    end = texts[texts.index("-d") + 1][:1] if "-d" in texts[:-1] else "\n"
    lines = [HOLE]
    if stdin is not None and stdin.text is not None and stdin.text.count(end or "\0") < MAX_LINES:
        lines = stdin.text.removesuffix("\n").split(end or "\0")
    state.forget(names[-1])
    state.variables.pop(names[-1])
    if stdin is not None and stdin.text is None and stdin.listing:
        state.arrays[names[-1]] = list(stdin.listing)
        return
    state.arrays[names[-1]] = [
        Value(line, why=stdin.why if stdin is not None else ENVIRONMENT) for line in lines
    ]


NAMING = frozenset(
    (
        "read printf unset export declare typeset local readonly let getopts mapfile readarray wait"
    ).split()
)
"""Builtins that take some of their words for names of variables."""


def _printf(state: ShellState, argv: list[Value], printed: Flow | None) -> None:
    """``printf -v NAME`` sets a variable to what would be printed."""
    if len(argv) > 2 and argv[1].text == "-v":
        text = printed.text if printed is not None else None
        state.call(
            argv[2].text,
            Value(
                HOLE if text is None else text, why=printed.why if printed is not None else "output"
            ),
        )


def _ztcp(state: ShellState, argv: list[Value], stdin: Flow | None) -> None:
    """Zsh's ``ztcp HOST [PORT]`` joins a new descriptor to a socket, and says in ``REPLY`` which
    (zshtcpsys).
    """
    del stdin
    words = [value.text for value in argv[1:]]
    number = next(
        (words[at + 1] for at in range(len(words) - 1) if words[at] in ("-d", "-a")), "12"
    )
    hosts = [
        word
        for at, word in enumerate(words)
        if word[:1] != "-" and (not at or words[at - 1] not in ("-d", "-a", "-l"))
    ]
    state.assign("REPLY", Value(number))
    state.descriptors[number] = Flow(
        None,
        frozenset({NETWORK}),
        f"/dev/tcp/{hosts[0] if hosts else HOLE}/{hosts[1] if len(hosts) > 1 else ''}",
    )


MOVING = frozenset({"cd", "chdir", "pushd", "popd"})
"""Builtins that go into another folder, and may fail to."""

CHANGES: dict[str, Callable[[ShellState, list[Value], Flow | None], None]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _cd,
    "popd": _cd,
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
    "hash": _hash,
    "read": _read,
    "printf": _printf,
    "ztcp": _ztcp,
    "mapfile": _mapfile,
    "readarray": _mapfile,
}
"""What each of these does to the state."""
