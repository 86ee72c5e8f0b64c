"""Programs that make text of text and do nothing else: on known text their result is known too.

Whoever hides a command behind ``rev``, ``cut`` or ``md5sum`` is read as if it stood there. What an
option does that is not done here makes the result unknown, never wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.labels import origin_of
from interlock.effects.programs.printing import unescape
from interlock.effects.run import Run
from interlock.shell.value import (
    FILE,
    HOLE,
    MAX_TEXT,
    NAME,
    UNREAD,
    ChangedFlow,
    Flow,
    Value,
    whole,
)

Change = Callable[[Run, str], str | None]
"""What a program makes of known text; None where that is not known."""

MAX_LINES = 4096
"""Lines that ``seq`` and ``yes`` print; more are unknown."""


def _filter(name: str, *, label: str = "", keeps: str = "") -> Callable[[Run], Flow]:
    """Return a reader for a program that reads its operands, or standard input, and prints what
    a row of ``CHANGES`` makes of it.

    ``keeps``: the lines that it prints are ones that it read, so that names stay names.
    """

    def read(run: Run) -> Flow:
        run.roles()
        flow = read_input(run)
        text = (
            CHANGES[name](run, flow.text)
            if flow is not None and flow.text is not None and HOLE not in flow.text
            else None
        )
        if flow is None or text is None:
            printed = defer_change(run, flow, lambda text: CHANGES[name](run, text))
            printed.listing = (
                flow.listing if flow is not None and keeps and not run.has("-c", "--count") else []
            )
            return printed
        return Flow(text, flow.labels | {label} if label else flow.labels)

    return read


def defer_change(run: Run, flow: Flow | None, change: Callable[[str], str | None]) -> Flow:
    """Return what is made of an unknown text; a file's may be read later, where it is run."""
    labels = run.input_labels() | (flow.labels if flow is not None else frozenset())
    if flow is None or flow.text is not None or origin_of(Flow(None, labels)) != FILE:
        return Flow(None, labels)
    printed = Flow(None, labels)
    printed.pieces = (ChangedFlow(flow, change),)
    return printed


def read_input(run: Run) -> Flow | None:
    """Return what a program reads: its files one after another, or standard input."""
    named = _files(run)
    files = [value for value in named if value.text != "-"]
    if not files:
        return run.stdin
    return (
        run.all_contents(files)
        if len(files) == len(named)
        else Flow(None, run.all_contents(files).labels)
    )


def _files(run: Run) -> list[Value]:
    return [value for value in run.operands if not _is_count(value.text)]


def _is_count(text: str) -> bool:
    """Whether this is a number of lines: ``head -5``."""
    return text[:1] in ("-", "+") and text[1:].isdecimal()


def _lines(text: str) -> list[str]:
    """Return the lines of a text, each with its end."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _change_lines(change: Callable[[str], str], text: str) -> str:
    """Change each line but not its end."""
    return "\n".join([change(line) for line in text.split("\n")])


# -- parts of a text -------------------------------------------------------------------------------


def _count(run: Run, *names: str) -> tuple[str, int] | None:
    """Return the sign and number of an option like ``-n -3``; None where it is not known."""
    value = run.parsed.value(*names)
    text = (
        value.text
        if value is not None
        else next((value.text.lstrip("-") for value in run.operands if _is_count(value.text)), "10")
    )
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    return (sign, int(digits)) if digits.isdecimal() and len(digits) < 9 else None


def _head(run: Run, text: str) -> str | None:
    if run.has("-z", "--zero-terminated", "-v", "--verbose") or len(_files(run)) > 1:
        return None
    if run.has("-c", "--bytes"):
        count = _count(run, "-c", "--bytes")
        data = text.encode("utf-8", "surrogateescape")
        return (
            None
            if count is None
            else (data[: len(data) - count[1]] if count[0] == "-" else data[: count[1]]).decode(
                "utf-8", "surrogateescape"
            )
        )
    count, lines = _count(run, "-n", "--lines"), _lines(text)
    return (
        None
        if count is None
        else "".join(
            lines[: max(len(lines) - count[1], 0)] if count[0] == "-" else lines[: count[1]]
        )
    )


def _tail(run: Run, text: str) -> str | None:
    if run.has("-f", "-F", "--follow", "-z", "-v", "--verbose", "-r") or len(_files(run)) > 1:
        return None
    if run.has("-c", "--bytes"):
        count = _count(run, "-c", "--bytes")
        data = text.encode("utf-8", "surrogateescape")
        return (
            None
            if count is None
            else (
                data[max(count[1] - 1, 0) :]
                if count[0] == "+"
                else data[len(data) - min(count[1], len(data)) :]
            ).decode("utf-8", "surrogateescape")
        )
    count, lines = _count(run, "-n", "--lines"), _lines(text)
    return (
        None
        if count is None
        else "".join(
            lines[max(count[1] - 1, 0) :]
            if count[0] == "+"
            else lines[len(lines) - min(count[1], len(lines)) :]
        )
    )


def _ranges(text: str) -> list[tuple[int, int]] | None:
    """Read a list of ``cut``: ``1,3-5,7-`` as pairs of first and last."""
    out: list[tuple[int, int]] = []
    for part in text.replace(" ", ",").split(","):
        first, dash, last = part.partition("-")
        if not part or any(end and not end.isdecimal() for end in (first, last)) or len(part) > 16:
            return None
        low = int(first or 1)
        out.append((low, (int(last) if last else MAX_TEXT) if dash else low))
    return out


def _cut(run: Run, text: str) -> str | None:
    """``cut -c``, ``-b``, ``-f`` with ``-d``, ``-s``, ``--complement`` and
    ``--output-delimiter``.
    """
    letters, fields = (
        run.parsed.value("-c", "--characters", "-b", "--bytes"),
        run.parsed.value("-f", "--fields"),
    )
    chosen = letters or fields
    ranges = _ranges(chosen.text) if chosen is not None else None
    if ranges is None or run.has("-z", "--zero-terminated"):
        return None
    mark = run.parsed.value("-d", "--delimiter")
    between = mark.text if mark is not None else "\t"
    glue = run.parsed.value("--output-delimiter")
    inside = run.has("--complement")

    def shortened(line: str) -> str:
        parts = list(line) if letters is not None else line.split(between)
        kept = [
            part
            for at, part in enumerate(parts, 1)
            if any(low <= at <= high for low, high in ranges) != inside
        ]
        return (glue.text if glue is not None else "" if letters is not None else between).join(
            kept
        )

    if letters is not None:
        return _change_lines(shortened, text)
    if not between:
        return None
    lines = [
        line for line in _lines(text) if between in line or not run.has("-s", "--only-delimited")
    ]
    return "".join(
        [shortened(line.rstrip("\n")) + "\n" if between in line else line for line in lines]
    )


# -- order -----------------------------------------------------------------------------------------


def _sort(run: Run, text: str) -> str | None:
    """``sort`` by whole lines, ``-r``, ``-u`` and ``-n``."""
    if run.parsed.options or run.parsed.flags - {
        "-r",
        "-u",
        "-n",
        "--reverse",
        "--unique",
        "--numeric-sort",
    }:
        return None
    lines = [line.rstrip("\n") for line in _lines(text)]
    if run.has("-n", "--numeric-sort"):
        if any(whole(line.strip()) is None for line in lines):
            return None
        lines.sort(key=lambda line: whole(line.strip()) or 0)
    else:
        lines.sort()
    if run.has("-u", "--unique"):
        lines = list(dict.fromkeys(lines))
    if run.has("-r", "--reverse"):
        lines.reverse()
    return "".join([line + "\n" for line in lines])


def _uniq(run: Run, text: str) -> str | None:
    if run.parsed.options or run.parsed.flags or len(run.operands) > 1:
        return None
    lines = [line.rstrip("\n") for line in _lines(text)]
    return "".join(
        [line + "\n" for at, line in enumerate(lines) if not at or line != lines[at - 1]]
    )


def _tac(run: Run, text: str) -> str | None:
    """Lines, or what a mark ends (``-s``), from last to first; the mark stays behind each."""
    mark = run.parsed.value("-s", "--separator")
    if run.has("-b", "-r", "--before", "--regex") or (mark is not None and not mark.text):
        return None
    end = mark.text if mark is not None else "\n"
    parts = text.split(end)
    return parts[-1] + "".join([part + end for part in reversed(parts[:-1])])


def _paste(run: Run, text: str) -> str | None:
    """``paste -s [-d MARK]``: all lines as one."""
    mark = run.parsed.value("-d", "--delimiters")
    between = unescape(mark.text) if mark is not None else "\t"
    if not run.has("-s", "--serial") or len(run.operands) > 1 or len(between) > 1:
        return None
    return between.join([line.rstrip("\n") for line in _lines(text)]) + "\n"


def _fold(run: Run, text: str) -> str | None:
    value = run.parsed.value("-w", "--width")
    width = (
        int(value.text)
        if value is not None and value.text.isdecimal()
        else 80
        if value is None
        else 0
    )
    if run.has("-s", "--spaces") or not width:
        return None
    return _change_lines(
        lambda line: "\n".join([line[at : at + width] for at in range(0, len(line), width)]), text
    )


def _seq(run: Run) -> Flow:
    """``seq [-s MARK] [FIRST [STEP]] LAST``, whole numbers only."""
    numbers = [
        number for number in [whole(value.text) for value in run.operands] if number is not None
    ]
    if (
        len(numbers) != len(run.operands)
        or not 0 < len(numbers) < 4
        or run.parsed.flags - {"-s", "--separator"}
    ):
        return Flow(None, frozenset({"number"}))
    mark = run.parsed.value("-s", "--separator")
    first, step = numbers[0] if len(numbers) > 1 else 1, numbers[1] if len(numbers) > 2 else 1
    run_of = range(first, numbers[-1] + (1 if step > 0 else -1), step) if step else range(0)
    if len(run_of) > MAX_LINES:
        return Flow(None, frozenset({"number"}))
    return Flow(
        (mark.text if mark is not None else "\n").join(map(str, run_of)) + "\n",
        frozenset({"number"}),
    )


# -- digits ----------------------------------------------------------------------------------------


def _digest_reader(algorithm: str) -> Callable[[Run], Flow]:
    """Return a reader for ``md5sum`` and its kin: the digest of known text, and the name it is
    printed with.
    """

    def read(run: Run) -> Flow:
        run.roles()
        flow = read_input(run)
        if (
            flow is None
            or flow.text is None
            or HOLE in flow.text
            or NAME in flow.text
            or run.parsed.flags
            or run.parsed.options
            or len(run.operands) > 1
        ):
            return Flow(None, run.input_labels())
        import hashlib

        digest = hashlib.new(
            algorithm, flow.text.encode("utf-8", "surrogateescape"), usedforsecurity=False
        ).hexdigest()
        return Flow(
            f"{digest}  {run.operands[0].text if run.operands else '-'}\n", flow.labels - {"secret"}
        )

    return read


def bytes_of(flow: Flow | None) -> bytes | None:
    """Return the bytes of a flow, where they are known."""
    if flow is None or (flow.text is not None and (HOLE in flow.text or NAME in flow.text)):
        return None
    if flow.text is None:
        return flow.data
    return flow.text.encode("utf-8", "surrogateescape")


def encoding_reader(encode: Callable[[bytes], str], width: int = 76) -> Callable[[Run], Flow]:
    """Return a reader for an encoder: known bytes in lines of ``width`` characters, or of ``-w``; 0
    is one line without an end.
    """

    def read(run: Run) -> Flow:
        flow = read_input(run)
        data = bytes_of(flow)
        value = run.parsed.value("-w", "--wrap", "-c", "-b")
        if data is None or flow is None or (value is not None and not value.text.isdecimal()):
            return UNREAD if flow is None else Flow(None, flow.labels)
        text, wide = encode(data), int(value.text) if value is not None else width
        if not wide:
            return Flow(text, flow.labels)
        return Flow(
            "".join([text[at : at + wide] + "\n" for at in range(0, len(text), wide)]), flow.labels
        )

    return read


def _octal(run: Run, text: str) -> str | None:
    """``od`` prints numbers in columns: known for one byte a column, without addresses (``od -An
    -tx1``, ``-to1``, ``-tu1``, ``-b``).
    """
    value, base = run.parsed.value("-t", "--format"), run.parsed.value("-A", "--address-radix")
    form = {"x1": "02x", "o1": "03o", "u1": "3d"}.get(
        value.text if value is not None else "o1" if run.has("-b") else ""
    )
    if form is None or base is None or base.text != "n":
        return None
    data = text.encode("utf-8", "surrogateescape")
    return "".join(
        [
            "".join([f" {format(byte, form)}" for byte in data[at : at + 16]]) + "\n"
            for at in range(0, len(data), 16)
        ]
    )


CHANGES: dict[str, Change] = {
    "head": _head, "tail": _tail, "cut": _cut, "sort": _sort, "uniq": _uniq, "tac": _tac,
    "paste": _paste, "fold": _fold, "od": _octal,
    "rev": lambda _, text: _change_lines(lambda line: line[::-1], text),
}  # fmt: skip
"""What each program makes of a text."""
