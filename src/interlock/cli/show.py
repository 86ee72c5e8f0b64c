"""A decision on a terminal: the verdict, why, the words that caused it underlined, a safer way."""

from __future__ import annotations

import datetime as dt
import textwrap
from collections.abc import Iterator

from interlock.cli.colors import VERDICTS, Painter, terminal_width, visible
from interlock.engine.explain import describe, quote, steps
from interlock.engine.radius import render_examples, render_radius
from interlock.model.action import WARN
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Reading

WIDTH = 100
"""Columns at most; a narrower terminal has fewer."""


def headline(decision: Decision, paint: Painter) -> str:
    """Return the verdict in one coloured word or two."""
    name = "warn" if decision.warned else str(decision.verdict)
    colour, mark, words = VERDICTS[name]
    return paint(f"{mark} {words}", colour, "bold")


def lines(reading: Reading, decision: Decision, paint: Painter) -> Iterator[str]:
    """Yield the answer line by line."""
    yield headline(decision, paint)
    seen: set[tuple[str, str]] = set()
    for finding in decision.deciding:
        # of several rules on one effect the first is the most particular
        subject = (
            (finding.effect.kind, finding.effect.target)
            if finding.effect is not None
            else (finding.rule, "")
        )
        if finding.effective >= WARN and subject not in seen:
            seen.add(subject)
            yield from _finding(reading, finding, paint, loss=decision.radius is None)
    yield from at_stake(decision)
    for finding in decision.findings:
        if finding.stage == "checkpoint":
            yield from wrap_text(f"undo: {visible(finding.message)}", 2)
    if decision.coverage == "partial":
        yield paint("  part of this call could not be analysed", "grey")


def at_stake(decision: Decision) -> Iterator[str]:
    """Yield what would be lost, where that was looked for."""
    if decision.radius is not None:
        yield from wrap_text("at stake: " + render_radius(decision.radius), 2)
        names, newest = render_examples(decision.radius), decision.radius.newest
        if names:
            yield from wrap_text(
                f"such as {names}" + (f"; last changed {_when(newest)}" if newest else ""), 4
            )


def _when(seconds: int) -> str:
    """Return a time in UTC as people write it; of a time that no calendar has, the seconds."""
    try:
        when = dt.datetime.fromtimestamp(seconds, dt.UTC)
        return when.strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return f"at {seconds}"


def _finding(reading: Reading, finding: Finding, paint: Painter, *, loss: bool) -> Iterator[str]:
    colour = VERDICTS.get(str(finding.effective), ("amber", "", ""))[0]
    what = (
        f" — {visible(describe(finding.effect, loss=loss))}" if finding.effect is not None else ""
    )
    action, said = str(finding.effective).ljust(5), sentence(finding.message)
    first, *more = wrap_text(f"{action} {said}{what}", 2, 8)
    # how much of the text comes before what it did, which is grey
    plain = 2 + len(action) + 1 + len(said)
    yield (
        f"  {paint(action, colour)}{_grey_tail(first[2 + len(action) :], plain - 2 - len(action), paint)}"
    )
    plain -= len(first) + 1
    for line in more:
        yield f"{line[:8]}{_grey_tail(line[8:], plain, paint)}"
        plain -= len(line) - 8 + 1
    yield from _quote_finding(reading, finding, paint)
    if finding.instead:
        yield from wrap_text("safer: " + finding.instead, 8)
    yield paint(f"        rule {finding.rule}", "grey")


def sentence(message: str) -> str:
    """Return what a finding says as a sentence: a rule's title completes "This call ...", a judge
    or the guard says a whole one.
    """
    return f"This call {message}" if message[:1].islower() else message


def _grey_tail(line: str, plain: int, paint: Painter) -> str:
    """Return a line of which what stands behind the first ``plain`` characters is grey."""
    cut = max(0, plain)
    return line[:cut] + (paint(line[cut:], "grey") if line[cut:].strip() else line[cut:])


def _quote_finding(reading: Reading, finding: Finding, paint: Painter) -> Iterator[str]:
    found = quote(reading, finding.span)
    if found is None:
        return
    before, meant, after = (
        visible(part)
        for part in (
            found.line[: found.start],
            found.line[found.start : found.end],
            found.line[found.end :],
        )
    )
    yield f"        {before}{paint(meant, 'red', 'underline')}{after}"
    if not paint.on:
        yield f"        {' ' * len(before)}{'^' * len(meant)}"
    if found.inner and found.inner not in found.line:
        yield paint(f"        which runs: {visible(found.inner)}", "grey")


def columns() -> int:
    """Return how many columns lines may have here."""
    return max(40, min(WIDTH, terminal_width(WIDTH)))


def wrap_text(text: str, indent: int, after: int = -1) -> list[str]:
    """Return a text as lines that fit; ``after``: how far in all but the first one begin."""
    width = columns()
    rest = " " * (after if after >= 0 else indent + 2)
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )


def explain_effects(reading: Reading, decision: Decision, paint: Painter) -> Iterator[str]:
    """Yield every effect that was read, and under each the rules that matched."""
    found = steps(reading, decision)
    if not found:
        yield "  it has no effect that any rule is about"
    for number, step in enumerate(found, 1):
        yield from wrap_text(f"{number}. {visible(step.words)}", 2, 5)
        if step.effect is not None and step.effect.traits:
            yield paint(f"     traits: {', '.join(sorted(step.effect.traits))}", "grey")
        for finding in step.findings:
            colour = VERDICTS.get(str(finding.effective), ("green", "", ""))[0]
            by = (
                f" ({finding.action}, settled by {visible(finding.settled.by)})"
                if finding.settled is not None
                else ""
            )
            first, *more = wrap_text(
                f"{finding.effective} by {finding.rule}: {finding.message}{by}", 5, 7
            )
            yield first.replace(str(finding.effective), paint(str(finding.effective), colour), 1)
            yield from more
        if not step.findings:
            yield paint("     no rule speaks of it", "grey")
    yield from at_stake(decision)
    yield headline(decision, paint)
