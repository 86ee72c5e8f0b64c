"""Calculators, plotters and macro processors that are languages of their own: m4, dc, gnuplot,
Octave, and scripts on the Java machine.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.run import Run
from interlock.model.effect import Executes, Reads, Writes
from interlock.shell.value import UNREAD, Flow, Value

MAX_LINES = 2000


def _texts(run: Run, *options: str) -> list[Value]:
    """Return the code that is given: by options, as files of this call, on standard input."""
    found = run.parsed.values(*options)
    for value in run.operands if not found else []:
        run.path(Reads, value)
        text = run.contents(value).text
        if text is not None:
            found.append(Value(text, value.start, value.end))
    if not found and run.stdin is not None and run.stdin.text is not None:
        found.append(Value(run.stdin.text))
    return found


def _within(text: str, opens: str, close: str) -> list[str]:
    """Return what stands between each ``opens`` and the ``close`` that belongs to it."""
    out = []
    for rest in text.split(opens)[1:]:
        depth, at = 1, 0
        while at < len(rest) and depth:
            depth += (rest[at] == opens[-1]) - (rest[at] == close)
            at += 1
        out.append(rest[: at - 1] if not depth else rest)
    return out


def _m4(run: Run) -> Flow:
    """``syscmd(`text')`` and ``esyscmd`` run their text (GNU m4 manual, 13)."""
    for value in _texts(run, "-e"):
        for inner in [*_within(value.text, "syscmd(", ")")]:
            run.code(Value(inner.strip("`' "), value.start, value.end, value.why))
    return Flow(None, run.input_labels())


def _dc(run: Run) -> Flow:
    """A line with ``!`` runs the rest of it; ``!<``, ``!>`` and ``!=`` compare (dc(1))."""
    for value in _texts(run, "-e", "--expression"):
        for line in run.context.limit(value.text.split("\n"), MAX_LINES, "lines"):
            head, mark, command = line.partition("!")
            if mark and command[:1] not in ("<", ">", "=", "") and "[" not in head:
                run.code(Value(command, value.start, value.end, value.why))
    return UNREAD


def _gnuplot(run: Run) -> Flow:
    """``system("text")``, ``!text``, ``set output "file"``, ``plot "< text"``, ``load "file"``,
    ``shell`` (gnuplot's manual).
    """
    for value in _texts(run, "-e"):
        lines = value.text.replace(";", "\n").split("\n")
        for line in run.context.limit(lines, MAX_LINES, "lines"):
            _gnuplot_line(run, line.strip(), value)
    return UNREAD


def _gnuplot_line(run: Run, line: str, at: Value) -> None:
    quoted = line.replace("'", '"').split('"')[1::2]
    if line.startswith("!"):
        run.code(Value(line[1:], at.start, at.end))
    elif line.startswith("shell"):
        run.effect(Executes, "sh", "interactive", "nested", value=at)
    elif line.startswith("system") or "system(" in line.replace(" ", ""):
        for text in quoted:
            run.code(Value(text, at.start, at.end))
    elif line.startswith("set o") and quoted:
        run.path(Writes, Value(quoted[0], at.start, at.end)) if quoted[0][:1] != "|" else run.code(
            Value(quoted[0][1:], at.start, at.end)
        )
    else:
        for text in quoted:
            if text.strip()[:1] in ("<", "|"):
                run.code(Value(text.strip()[1:], at.start, at.end))


def _language(name: str, *options: str) -> Callable[[Run], Flow]:
    """Return a reader for an interpreter of a language: code in options or behind a word of them
    (``eval CODE``), a file or input.
    """

    def read(run: Run) -> Flow:
        said = run.operands[:1] and run.operands[0].text in options
        texts = run.operands[1:2] if said else run.parsed.values(*options)
        for value in texts:
            run.code(value, name)
        if texts or run.has("--version", "--help", "-h"):
            return UNREAD
        if run.operands:
            return run.script(run.operands[0], name)
        return run.input_as_code(name) if run.stdin is not None else UNREAD

    return read
