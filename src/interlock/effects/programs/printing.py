"""``echo`` and ``printf``: what they print is known text, as far as their words are."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects.run import Run
from interlock.effects.secret_variables import EVERYWHERE, SECRET_NAMES, variables_in
from interlock.model.effect import SECRET, Reads
from interlock.shell.ansi import join_utf8
from interlock.shell.value import ENVIRONMENT, FILE, HOLE, NOTHING, OUTPUT, OWN_PROCESS, Flow, Value

_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "e": "\x1b",
    "E": "\x1b",
    "'": "'",
    '"': '"',
}
MAX_WIDTH = 4096
"""The widest field of ``printf`` that is written out."""


def unescape(text: str) -> str:
    r"""Decode ``\n``, ``\x41``, ``\0101``, ``\u00e9`` as ``echo -e`` and ``printf`` do (bash manual
    4.2); bytes that make up UTF-8 are its characters.
    """
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while (found := text.find("\\", at)) >= 0 and found + 1 < len(text):
        out.append(text[at:found])
        mark = text[found + 1]
        at = found + 2
        if mark in _ESCAPES:
            out.append(_ESCAPES[mark])
        elif mark in "xuU" or mark in "01234567":
            code, at = _code(text, at, mark)
            out.append(code)
        elif mark == "c":
            return join_utf8("".join(out))
        else:
            out.append("\\" + mark)
    out.append(text[at:])
    return join_utf8("".join(out))


def _code(text: str, at: int, mark: str) -> tuple[str, int]:
    base, most, digits = (
        (16, {"x": 2, "u": 4, "U": 8}[mark], "0123456789abcdefABCDEF")
        if mark in "xuU"
        else (8, 3, "01234567")
    )
    start = at if mark in "xuU" or mark == "0" else at - 1
    end = start
    while end < len(text) and end - start < most and text[end] in digits:
        end += 1
    if end == start and mark in "xuU":
        return "\\" + mark, at
    number = int(text[start:end], base) if end > start else 0
    if mark in "uU":
        return chr(min(number, 0x10FFFF)), max(end, at)
    number &= 0xFF
    return chr(number) if number < 0x80 else chr(0xDC00 + number), max(end, at)


def _echo(run: Run) -> Flow:
    words = run.arguments
    decode = False
    newline = True
    while (
        words
        and words[0].text[:1] == "-"
        and words[0].text[1:]
        and set(words[0].text[1:]) <= set("neE")
    ):
        decode = "e" in words[0].text or (decode and "E" not in words[0].text)
        newline = newline and "n" not in words[0].text
        words = words[1:]
    text = " ".join([value.text for value in words])
    if HOLE in text and any(value.why == ENVIRONMENT for value in words):
        source = run.walker.texts[run.execution.text].text
        shows_variables(run, variables_in(source[run.execution.start : run.execution.end]))
    return Flow(
        (unescape(text) if decode else text) + ("\n" if newline else ""),
        words_labels(words) | _output_labels(run, words),
    )


def _output_labels(run: Run, words: list[Value]) -> frozenset[str]:
    """``secret`` for what a command printed (``"$(cat KEY)"``) if this call read a secret."""
    if not any(value.hollow and value.why in (OUTPUT, FILE) for value in words):
        return frozenset()
    secret = any(
        effect.kind is Reads and effect.place is not None and SECRET in effect.place.natures
        for effect in run.context.past.reads
    )
    return frozenset({"secret"}) if secret else frozenset()


def words_labels(words: list[Value]) -> frozenset[str]:
    """Labels of a text that is made of these words."""
    labels = {"script"}
    for value in words:
        if value.why == ENVIRONMENT:
            labels.add(ENVIRONMENT)
        elif value.why == "network":
            labels.add("network")
    if {value.why for value in words if value.hollow} == {OWN_PROCESS}:
        labels.add(OWN_PROCESS)
    return frozenset(labels)


def _printf(run: Run) -> Flow:
    """``printf [-v NAME] FORMAT ARG..``: the format is used while there are arguments."""
    words = run.arguments
    if len(words) > 1 and words[0].text == "-v":
        words = words[2:]
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return NOTHING
    pieces = _pieces(words[0].text)
    arguments = [value.text for value in words[1:]]
    takes = sum([len(piece) > 1 and piece[-1] != "%" for piece in pieces if piece[:1] == "%"])
    out: list[str] = []
    at = 0
    while True:
        for piece in pieces:
            if piece[0] != "%":
                out.append(unescape(piece))
                continue
            at = _put(piece, arguments, at, out)
        if not takes or at >= len(arguments):
            return Flow(join_utf8("".join(out)), words_labels(words) | _output_labels(run, words))


def _pieces(form: str) -> list[str]:
    """Return the texts and the conversions of a format, in order."""
    out: list[str] = []
    at = 0
    while at < len(form):
        found = form.find("%", at)
        if found < 0:
            out.append(form[at:])
            break
        if found > at:
            out.append(form[at:found])
        end = found + 1
        while end < len(form) and form[end] in "-+ #0123456789.*'hlLjzt":
            end += 1
        if form[end : end + 1] == "(":
            end = form.find(")", end)
            end = len(form) - 1 if end < 0 else end + 1
        at = end + 1
        out.append(form[found:at])
    return out


def _put(piece: str, arguments: list[str], at: int, out: list[str]) -> int:
    """Add one converted argument; return where the next one is."""
    mark, flags = piece[-1], piece[1:-1]
    if piece == "%%":
        out.append("%")
        return at
    while "*" in flags:
        flags = flags.replace(
            "*",
            arguments[at] if at < len(arguments) and arguments[at].lstrip("-").isdecimal() else "0",
            1,
        )
        at += 1
    argument = arguments[at] if at < len(arguments) else ""
    out.append(_convert(mark, argument, flags.strip("hlLjzt'")))
    return at + 1


def _convert(mark: str, argument: str, flags: str) -> str:
    """Return an argument as a conversion writes it; unknown where that is not known."""
    width, dot, precision = flags.lstrip("-+ #0").partition(".")
    most = int(precision or 0) if dot and (precision or "0").isdecimal() else None
    if mark in "diuxXoc" and not argument:
        argument = "" if mark == "c" else "0"
    if mark in "diuxXo":
        number = _number(argument)
        text = HOLE if number is None else _digits(number, mark, flags)
        text = text if most is None or number is None else text.rjust(min(most, MAX_WIDTH), "0")
    elif mark in "sbqQ":
        text = unescape(argument) if mark == "b" else argument
        text = text if most is None else text[:most]
    else:
        text = argument[:1] if mark == "c" else HOLE
    wide = min(int(width), MAX_WIDTH) if width.isdecimal() else 0
    if text == HOLE or len(text) >= wide:
        return text
    if flags.startswith("-"):
        return text.ljust(wide)
    return text.rjust(wide, "0" if flags[:1] == "0" and mark in "diuxXo" else " ")


def _digits(number: int, mark: str, flags: str) -> str:
    if mark in "diu":
        return ("+" if "+" in flags and number >= 0 else "") + str(number)
    number = number if number >= 0 else number + (1 << 64)
    return format(number, ("#" if "#" in flags.partition(".")[0] and mark != "o" else "") + mark)


def _number(text: str) -> int | None:
    """Read a number as C does; a quote before a character is its number (POSIX printf)."""
    if text[:1] in ("'", '"'):
        return ord(text[1]) if len(text) > 1 and text[1] != HOLE else 0 if len(text) == 1 else None
    digits = text.strip().lstrip("+-")
    base = 16 if digits[:2].lower() == "0x" else 8 if digits[:1] == "0" and len(digits) > 1 else 10
    try:
        number = int(digits, base) if len(digits) < 24 and "_" not in digits else None
    except ValueError:
        return None
    return number if number is None or not text.strip().startswith("-") else -number


def shows_variables(run: Run, names: Iterable[str] = ()) -> None:
    """Note that the environment of a container, or of another machine, is shown: what runs there is
    given its secrets so, and the agent's own environment is another. Of that only what has the name
    of a secret is one.
    """
    if not run.here:
        run.context.doubt(f"the environment of {run.context.where} may hold secrets")
    for name in names:
        if name.upper().endswith(SECRET_NAMES) and name not in EVERYWHERE:
            run.context.doubt(f"what {name} holds may be secret")
