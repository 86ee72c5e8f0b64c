"""awk: what its programs run, write and read (POSIX awk; gawk 5.2 manual)."""

from __future__ import annotations

from interlock.effects.programs.awkprints import Token, program_output
from interlock.effects.programs.filters import defer_change
from interlock.effects.programs.printing import unescape
from interlock.effects.run import Run
from interlock.model.effect import Connects, Reads, RunsCode, Writes
from interlock.shell.value import FILE, HOLE, Flow, Value

_ONLY_TEXT = frozenset(
    "sort uniq head tail wc column cat tr cut date grep tac nl fmt less more".split()
)
_TWO = frozenset("|| && >> |& >= <= == != ++ -- += -= *= /= %= ^= !~".split())
_BEFORE_REGEX = frozenset("(,{};!~&|=<>+-*%?:\n")
_ACTS = frozenset({"print", "printf", "getline", "system"})
_SHELLS = ("sh", "bash", "/bin/sh", "/bin/bash")
MAX_ACTS = 400
"""Acts of a program looked at (one more is opaque), and assignments (one more is unknown)."""
LONGEST = 200
"""Tokens of an expression that are looked at."""
MAX_KNOWN = 4096
"""Characters of a text that is put together; a longer one is unknown."""
_STOPS = frozenset({";", "\n", "}"})
_ENDS_COMMAND = frozenset(
    {"(", "{", ";", "\n", "&&", "||", "!", "=", "}", ")", ">", "<", ">=", "<=", "==", "!=", ","}
)


def _awk(run: Run) -> Flow:
    """``awk [-v NAME=TEXT] PROGRAM|-f FILE FILE..``: programs that call ``system``, pipe or
    redirect run commands and write files.
    """
    operands = list(run.operands)
    for name, value in run.parsed.options:
        if (
            name in ("-o", "-p", "-d", "--pretty-print", "--profile", "--dump-variables")
            and value.text
        ):
            run.path(Writes, value)
    included = [one for one in run.parsed.values("-i", "--include") if one.text != "inplace"]
    for value in included:
        run.script(value, "awk")
    files = run.parsed.values("-f", "--file", "-E", "--exec", "-l", "--load")
    for value in files:
        run.script(value, "awk")
    texts = run.parsed.values("-e", "--source")
    if not texts and not files and operands:
        texts = [operands.pop(0)]
    for value in texts:
        read_code(run, value.text, value)
    in_place = any(value.text == "inplace" for value in run.parsed.values("-i", "--include"))
    for value in operands:
        if "=" not in value.text:
            run.path(Writes if in_place else Reads, value, *(["in-place"] if in_place else []))
    text = _text(run, texts, files=bool(files or operands))
    if text is not None:
        return Flow(text, run.input_labels())
    named = [value for value in operands if "=" not in value.text]
    given = run.all_contents(named) if named else run.stdin
    return defer_change(run, given, lambda text: _text(run, texts, files=bool(files), lines=text))


def _text(run: Run, texts: list[Value], *, files: bool, lines: str | None = None) -> str | None:
    """Return what a program of nothing but known prints writes; None for every other. ``lines``:
    what it reads, where that is looked up.
    """
    if (
        len(texts) != 1
        or len(texts[0].text) > MAX_KNOWN
        or HOLE in texts[0].text
        or run.parsed.has("-f", "-i", "-l")
    ):
        return None
    given = (
        lines.splitlines()
        if lines is not None
        else None
        if files or run.stdin is None or run.stdin.text is None or HOLE in run.stdin.text
        else run.stdin.text.splitlines()
    )
    separator = run.parsed.value("-F", "--field-separator")
    if separator is not None and len(separator.text) != 1:
        return None
    known = dict([_parse_assignment(word.text) for word in run.parsed.values("-v", "--assign")])
    return program_output(
        tokenize(texts[0].text), known, given, separator.text if separator is not None else ""
    )


_LOOPS = ("while(1)", "for(;;)", "while(true)")


def read_code(run: Run, text: str, value: Value | None, language: str = "awk") -> None:
    """Add what a program runs, writes and reads."""
    del language
    spaced = text.replace(" ", "")
    if any(loop in spaced for loop in _LOOPS) and "break" not in text and "exit" not in text:
        run.context.doubt("a loop has no end")
    read = run.context.gather(lambda: _acts(run, text, value))
    run.context.take(read)
    if "/inet/" in text or "/inet4/" in text or "/inet6/" in text:
        run.effect(RunsCode, "", "socket", value=value, detail="awk opens a socket")
        if any(
            effect.kind is RunsCode and "awk-unknown" in effect.traits for effect in read.effects
        ):
            run.effect(
                Connects,
                "",
                "socket",
                "shell",
                value=value,
                host="unknown",
                detail="what comes through a socket is run as commands",
            )


def _acts(run: Run, text: str, value: Value | None) -> None:
    known = dict([_parse_assignment(word.text) for word in run.parsed.values("-v", "--assign")])
    tokens = tokenize(text)
    left = told = MAX_ACTS
    for at, (kind, word) in enumerate(tokens):
        if kind != "name" or not left:
            continue
        if tokens[at + 1 : at + 2] == [("op", "=")]:
            told -= told > 0
            known[word] = (
                _concat(tokens[at + 2 : _statement_end(tokens, at + 2, LONGEST)], known)
                if told
                else HOLE
            )
            continue
        left -= word in _ACTS
        if word == "ARGV":
            _read_argv_file(run, tokens, at, known, value)
        if word in ("print", "printf"):
            _read_redirects(run, tokens, at, known, value)
        elif word == "getline":
            _read_getline(run, tokens, at, known, value)
        elif word == "system" and tokens[at + 1 : at + 2] == [("op", "(")]:
            _runs(run, _concat(tokens[at + 2 : _closing(tokens, at + 1)], known), value, asks=True)
    if not left:
        run.context.opaque("more acts of an awk program than can be read", None, "too-much")


def _read_argv_file(
    run: Run, tokens: list[Token], at: int, known: dict[str, str], value: Value | None
) -> None:
    """``ARGV[1] = "FILE"``: awk reads it as if it had been an operand (POSIX awk, ARGV)."""
    end = next(
        (
            index
            for index in range(at + 1, min(len(tokens), at + 8))
            if tokens[index] == ("op", "]")
        ),
        at,
    )
    if end > at and tokens[end + 1 : end + 2] == [("op", "=")]:
        text = _concat(tokens[end + 2 : _statement_end(tokens, end + 2, LONGEST)], known)
        if text and HOLE not in text:
            run.path(Reads, Value(text, *((value.start, value.end) if value is not None else ())))


def _parse_assignment(text: str) -> tuple[str, str]:
    name, _, rest = text.partition("=")
    return name, unescape(rest)


def _statement_end(tokens: list[Token], at: int, most: int) -> int:
    """Return where the statement ends that goes on at a token, or where the next ``print`` begins;
    so many tokens on at most.
    """
    depth = 0
    for index in range(at, min(len(tokens), at + most)):
        kind, word = tokens[index]
        if kind == "op":
            if depth == 0 and word in _STOPS:
                return index
            depth += (word in ("(", "[")) - (word in (")", "]"))
        elif kind == "name" and word in ("print", "printf"):
            return index
    return min(len(tokens), at + most)


def _read_redirects(
    run: Run, tokens: list[Token], at: int, known: dict[str, str], value: Value | None
) -> None:
    """``print .. > FILE``, ``>> FILE``, ``| COMMAND``: a ``>`` in parentheses compares."""
    end = _statement_end(tokens, at + 1, len(tokens))
    depth = 0
    for index in range(at + 1, end):
        word = tokens[index][1] if tokens[index][0] == "op" else ""
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if depth == 0 and word in (">", ">>"):
            run.path(
                Writes,
                _word_at(_concat(tokens[index + 1 : end], known), value),
                *(["append"] if word == ">>" else []),
            )
            return
        if depth == 0 and word in ("|", "|&"):
            printed = _concat(tokens[at + 1 : index], known)
            _runs(
                run,
                _concat(tokens[index + 1 : end], known),
                value,
                asks=word == "|&",
                stdin=Flow(printed, frozenset({"script"})),
            )
            return


def _read_getline(
    run: Run, tokens: list[Token], at: int, known: dict[str, str], value: Value | None
) -> None:
    """``COMMAND | getline``, ``getline [NAME] < FILE``."""
    if at > 1 and tokens[at - 1] in (("op", "|"), ("op", "|&")):
        start, first = at - 1, max(0, at - LONGEST)
        while start > first and not (
            tokens[start - 1][0] == "op" and tokens[start - 1][1] in _ENDS_COMMAND
        ):
            start -= 1
        while start == at - 1 or (
            start > first and tokens[at - 2] == ("op", ")") and tokens[start] != ("op", "(")
        ):
            start -= 1  # ``(..) | getline``: all of the parentheses
        _runs(run, _concat(tokens[start : at - 1], known), value, asks=tokens[at - 1][1] == "|&")
        return
    after = at + 1 + (tokens[at + 1 : at + 2] != [] and tokens[at + 1][0] == "name")
    if tokens[after : after + 1] == [("op", "<")] and after + 1 < len(tokens):
        run.path(Reads, _word_at(_concat(tokens[after + 1 : after + 2], known), value))


def _runs(
    run: Run, command: str, value: Value | None, *, asks: bool, stdin: Flow | None = None
) -> None:
    """Read a command that awk hands to ``sh``; one nobody can read, or that does more than change
    text, is worth a question by itself.

    One that is known and that nothing is printed into is judged by what it does. ``system("")``
    runs nothing: it empties awk's own buffers (gawk manual, I/O Functions).
    """
    programs = [part.split()[:1] for part in command.split("|")]
    plain = all(words and words[0] in _ONLY_TEXT for words in programs) and not any(
        mark in command for mark in HOLE + ";&$`><\n"
    )
    unknown = ["awk-unknown"] if command[:1] == HOLE or command.startswith(_SHELLS) else []
    if unknown or (asks and command.strip()) or (HOLE in command if stdin is None else not plain):
        run.effect(RunsCode, "", "awk-system", *unknown, value=value, detail="awk starts a command")
    if command.strip():
        held = run.execution.stdin
        run.execution.stdin = held if stdin is None else stdin
        run.code(_word_at(command, value))
        run.execution.stdin = held


def _word_at(text: str, value: Value | None) -> Value:
    return Value(
        text,
        value.start if value is not None else 0,
        value.end if value is not None else 0,
        FILE if HOLE in text else "",
    )


def _concat(tokens: list[Token], known: dict[str, str]) -> str:
    """Return the text an expression makes: of texts and known variables, all else unknown."""
    out = []
    field = False
    for kind, word in tokens:
        if field:
            field = False
        elif kind in ("text", "number"):
            out.append(word)
        elif kind == "name":
            out.append(known.get(word, HOLE))
        elif word == "$":
            out.append(HOLE)
            field = True
        elif word == ",":
            out.append(" ")
    return "".join(out) if len(tokens) < LONGEST - 2 and sum(map(len, out)) <= MAX_KNOWN else HOLE


def _closing(tokens: list[Token], at: int) -> int:
    depth = 0
    end = min(len(tokens), at + LONGEST)
    for index in range(at, end):
        word = tokens[index][1] if tokens[index][0] == "op" else ""
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return index
    return end


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a program: ``text`` (decoded), ``regex``, ``name``, ``number`` and
    ``op``; comments are dropped.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        mark = text[at]
        if mark in " \t\r" or text[at : at + 2] == "\\\n":
            at += 1 + (mark == "\\")
        elif mark == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif mark == '"':
            end = _end(text, at + 1, '"')
            tokens.append(("text", unescape(text[at + 1 : end])))
            at = end + 1
        elif mark == "/" and (
            not tokens
            or (tokens[-1][0] == "op" and tokens[-1][1][-1] in _BEFORE_REGEX)
            or tokens[-1] == ("name", "print")
        ):
            end = _end(text, at + 1, "/")
            tokens.append(("regex", text[at + 1 : end]))
            at = end + 1
        elif mark.isalpha() or mark == "_":
            at = _take(text, at, tokens, "name")
        elif mark.isdigit():
            at = _take(text, at, tokens, "number")
        elif mark == HOLE:
            tokens.append(("name", HOLE))
            at += 1
        else:
            word = text[at : at + 2] if text[at : at + 2] in _TWO else mark
            tokens.append(("op", word))
            at += len(word)
    return tokens


def _end(text: str, at: int, mark: str) -> int:
    """Return where a text or a regular expression ends: at the mark (not after a backslash, not in
    brackets), or at the end of the line.
    """
    inside = False
    while at < len(text) and text[at] != "\n" and (inside or text[at] != mark):
        if mark == "/":
            inside = text[at] == "[" or (inside and text[at] != "]")
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text))


def _take(text: str, at: int, tokens: list[Token], kind: str) -> int:
    end = at
    while end < len(text) and (
        text[end].isalnum() or text[end] == "_" or (kind == "number" and text[end] == ".")
    ):
        end += 1
    tokens.append((kind, text[at:end]))
    return end
