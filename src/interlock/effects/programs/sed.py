"""sed: what its scripts write and run (GNU sed 4.9 manual; POSIX sed)."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects.programs.filters import defer_change
from interlock.effects.run import Run
from interlock.effects.touched_files import find_text
from interlock.model.effect import Reads, RunsCode, Writes
from interlock.shell.value import NOTHING, Flow, Value

_TO_LINE_END = "rRwWe"
"""Commands whose argument is the rest of the line."""
_TEXT = "aic"
MAX_ACTS = 200
"""Reads, writes and runs of a script that are looked at; one more is opaque."""
_LABELS = ":btTv"


def _sed(run: Run) -> Flow:
    """``sed -i`` writes its operands; the ``e`` and ``w`` commands run and write; ``s/a/b/`` on
    known text is done.
    """
    scripts = run.parsed.values("-e", "--expression")
    operands = list(run.operands)
    in_place = run.has("-i", "--in-place")
    if in_place and operands and not operands[0].text:
        operands.pop(0)  # BSD: ``-i ''``
    files = run.parsed.values("-f", "--file")
    if not scripts and not files and operands:
        scripts = [operands.pop(0)]
    for value in files:
        run.script(value, "sed")
    if scripts:
        read_code(
            run,
            "\n".join([value.text for value in scripts]),
            scripts[0] if len(scripts) == 1 else None,
        )
    for value in operands:
        held = run.contents(value) if in_place else NOTHING
        effect = run.path(Writes if in_place else Reads, value, *(["in-place"] if in_place else []))
        if in_place and value.known and effect.target:
            _record_edit(run, effect.target, held, [script.text for script in scripts])
        _backup(run, value)
    flow = run.stdin
    if not operands and flow is not None and flow.text is not None and len(scripts) == 1:
        text = _once(scripts[0].text, flow.text)
        if text is not None:
            return Flow(text, flow.labels | {"decoded"})
    if in_place:
        return NOTHING
    said = [value.text for value in scripts]
    quiet = run.has("-n", "--quiet", "--silent")
    given = run.all_contents(operands) if operands else flow
    return defer_change(run, given, lambda text: _output_of(said, text, quiet=quiet))


def _output_of(scripts: list[str], text: str, *, quiet: bool) -> str | None:
    """Return what is printed of a text by one plain substitution, or by lines that are picked by
    their numbers (``-n 2,5p``, ``1d``); None where a script does anything else.
    """
    if len(scripts) != 1:
        return None
    picked = _lines_of(scripts[0], text) if scripts[0][-1:] in ("p", "d") else None
    if picked is None or quiet != (scripts[0][-1:] == "p"):
        return None if quiet else _once(scripts[0], text)
    return picked


def _lines_of(script: str, text: str) -> str | None:
    """Return the lines that ``2,5p`` picks, or that ``2,5d`` leaves."""
    first, comma, last = script[:-1].strip().partition(",")
    lines = text.splitlines(keepends=True)
    ends = [str(len(lines)) if end == "$" else end for end in (first, last if comma else first)]
    if not all(end.isdecimal() and len(end) < len("1234567") for end in ends):
        return None
    low, high = int(ends[0]) - 1, int(ends[1])
    inside = lines[max(low, 0) : high]
    return "".join(inside if script[-1:] == "p" else [*lines[: max(low, 0)], *lines[high:]])


def _record_edit(run: Run, path: str, held: Flow, scripts: list[str]) -> None:
    """Note what a file holds after a script: its text where that can be told, else what it held and
    what the script puts in.
    """
    text = find_text(run.context, held)
    made = _once(scripts[0], text) if len(scripts) == 1 and text is not None else None
    put = "\n".join(
        [argument for letter, argument in commands("\n".join(scripts)) if letter == "+"]
    )
    if made is not None and text is not None and _first(made) == _first(text):
        run.reader.written[path] = Flow(made, held.labels)
    elif put:
        run.reader.written.add(path, Flow(f"\n{put}\n"), held)


def _first(text: str) -> str:
    """Return the first line, which says what a file is started by."""
    return text.partition("\n")[0]


def _backup(run: Run, value: Value) -> None:
    """The suffix of ``-i`` names a copy: in it ``*`` is the file's name, and with ``/`` it lies
    elsewhere (GNU sed, ``--in-place``).
    """
    suffix = run.parsed.value("-i", "--in-place")
    if suffix is None or not ("*" in suffix.text or "/" in suffix.text):
        return
    folder, slash, name = value.text.rpartition("/")
    copy = suffix.text.replace("*", name)
    run.path(
        Writes,
        Value(copy if "/" in copy else folder + slash + copy, suffix.start, suffix.end, suffix.why),
        "copied",
    )


def read_code(run: Run, text: str, value: Value | None, language: str = "sed") -> None:
    """Add what a script writes and runs."""
    del language
    start, end = (value.start, value.end) if value is not None else (0, 0)
    acts = (act for act in commands(text) if act[0] != "+")
    for number, (letter, argument) in enumerate(acts):
        if number == MAX_ACTS:
            run.context.opaque("more acts of a sed script than can be read", None, "too-much")
            break
        if letter == "w":
            run.path(Writes, Value(argument, start, end))
        elif letter == "r":
            run.path(Reads, Value(argument, start, end))
        elif letter == "e":
            run.effect(
                RunsCode,
                "",
                "sed-e",
                value=value,
                detail="sed runs a command" if argument else "sed runs what it made",
            )
            if argument:
                run.code(Value(argument, start, end))


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield what matters in a script: ``("w", FILE)``, ``("r", FILE)``, ``("e", COMMAND)``, ``("+",
    TEXT)`` that is put in; a command of ``""`` is what the input says.
    """
    at, last = 0, text.rfind("]")
    while at < len(text):
        at = _address(text, _skip(text, at, " \t\n;}"), last)
        letter = text[at : at + 1]
        at += 1
        if letter == "#" or letter in _LABELS:
            at = (
                _line_end(text, at)
                if letter == "#"
                else min(_line_end(text, at), _find(text, ";", at))
            )
        elif letter in _TEXT:
            end = _text_end(text, at)
            put = text[at:end].lstrip(" \t")
            yield (
                "+",
                put.removeprefix("\\")
                .removeprefix("\n")
                .replace("\\\n", "\n")
                .replace("\\n", "\n"),
            )
            at = end
        elif letter and letter in _TO_LINE_END:
            end = _line_end(text, at)
            yield letter.lower(), text[at:end].strip()
            at = end
        elif letter in ("s", "y"):
            delimiter, at = text[at : at + 1], at + 1
            at = _part(text, at, delimiter, last if letter == "s" else -1)
            start, at = at, _part(text, at, delimiter, -1)
            if letter == "s":
                put = text[start : max(at - 1, start)].replace("\\n", "\n")
                yield "+", put.replace(f"\\{delimiter}", delimiter).replace("&", "")
                end = _skip(text, at, "gpiIeMm0123456789")
                if "e" in text[at:end]:
                    yield "e", ""
                at = end
                if text[at : at + 1] == "w":
                    end = _line_end(text, at)
                    yield "w", text[at + 1 : end].strip()
                    at = end


def _skip(text: str, at: int, marks: str) -> int:
    while at < len(text) and text[at] in marks:
        at += 1
    return at


def _find(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return len(text) if found < 0 else found


def _line_end(text: str, at: int) -> int:
    return _find(text, "\n", at)


def _text_end(text: str, at: int) -> int:
    """Return where the text of ``a``, ``i`` or ``c`` ends: at the first line that does not end in a
    backslash.
    """
    end = _line_end(text, at)
    while end < len(text) and text[end - 1] == "\\":
        end = _line_end(text, end + 1)
    return end


def _address(text: str, at: int, last: int) -> int:
    r"""Return where the addresses before a command end: ``1,/re/I!``, ``$``, ``\cREc``, ``2~3``."""
    while at < len(text):
        mark = text[at]
        if mark in "0123456789$,!~+ \t{IM":
            at += 1
        elif mark == "/":
            at = _part(text, at + 1, "/", last)
        elif mark == "\\" and at + 1 < len(text):
            at = _part(text, at + 2, text[at + 1], last)
        else:
            break
    return at


def _part(text: str, at: int, delimiter: str, last: int) -> int:
    """Return what follows the next delimiter. One after a backslash is none; nor is one in
    brackets, looked for up to ``last``.
    """
    while at < len(text):
        mark = text[at]
        if mark == "\\":
            at += 2
        elif mark == delimiter:
            return at + 1
        elif mark == "[" and at + 2 <= last:
            at = text.find("]", at + (3 if text[at + 1] == "^" else 2)) + 1 or last + 1
        else:
            at += 1
    return len(text)


def _once(script: str, text: str) -> str | None:
    """Do one plain ``s/a/b/[g]`` on known text; None where it is anything else."""
    if script[:1] != "s" or len(script) < 4:
        return None
    parts = [
        part.replace("\0", script[1])
        for part in script.replace("\\" + script[1], "\0").split(script[1])
    ]
    if (
        len(parts) != 4
        or any(mark in parts[1] for mark in ".*[]^$\\+?(){}|")
        or any(mark in parts[2] for mark in "\\&")
        or set(parts[3]) - {"g"}
    ):
        return None
    count = -1 if "g" in parts[3] else 1
    return "\n".join([line.replace(parts[1], parts[2], count) for line in text.split("\n")])
