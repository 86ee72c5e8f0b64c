"""What a person is shown of a call that asks: what it would do, the words that say so, what would
be lost, a safer way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interlock.approvals.terms import asking
from interlock.engine.explain import describe, quote
from interlock.model.call import ToolCall
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Reading
from interlock.model.record import Record

MOST = 6
"""Findings that are shown of one call."""
WIDTH = 240
"""Characters of one text that is shown."""
MOST_LINES = 12
"""Lines of a call's own text that are shown."""
_TEXTS = ("command", "code", "content", "new_string", "query")
_KEYS = ("operation", "command", "file_path", "path", "url", "query", "pattern", "code")


class FindingSummary(Record):
    """One finding: the effect in words, the rule's sentence, and the line of the call with the
    range ``[start, end)`` that is meant.

    ``inner``: the nested text that the range stands for, where it is not seen in the line.
    """

    words: str
    message: str
    rule: str
    line: str = ""
    start: int = 0
    end: int = 0
    inner: str = ""
    instead: str = ""


class ApprovalSummary(Record):
    """A call as it is shown.

    ``lost``: what it would take away, in figures, ``examples`` some names of that; ``more``:
    findings left out. ``lines``: its text, where that has more than one line, and ``cut``: how many
    lines of it were left out.
    """

    tool: str
    cwd: str
    items: tuple[FindingSummary, ...]
    lost: str = ""
    examples: str = ""
    partial: bool = False
    more: int = 0
    lines: tuple[str, ...] = ()
    cut: int = 0

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ApprovalSummary:
        """Return what was kept as plain data."""
        return cls(
            **{
                **data,
                "items": tuple([FindingSummary(**item) for item in data["items"]]),
                "lines": tuple(data.get("lines", ())),
            }
        )


def describe_call(
    call: ToolCall, reading: Reading, decision: Decision, clean: Callable[[str], str]
) -> ApprovalSummary:
    """Return what is shown of a call; ``clean`` takes secrets out of a text."""
    found: dict[tuple[str, str], FindingSummary] = {}
    for finding in sorted(asking(decision), key=lambda one: -one.effective):
        effect = finding.effect
        subject = (effect.kind, effect.target) if effect is not None else ("", finding.rule)
        if subject not in found:  # of several rules on one effect the first is the most particular
            found[subject] = _item(call, reading, finding, clean)
    items = tuple(found.values())
    lost = examples = ""
    if decision.radius is not None:
        from interlock.engine.radius import render_examples, render_radius

        lost, examples = (
            clean(render_radius(decision.radius)),
            clean(render_examples(decision.radius)),
        )
    text = clean(
        next((given for key in _TEXTS if isinstance(given := call.input.get(key), str)), "")
    )
    whole = text.strip("\n").split("\n")
    shown = tuple([_truncate(line) for line in whole[:MOST_LINES]]) if len(whole) > 1 else ()
    partial, more = decision.coverage == "partial", len(items[MOST:])
    return ApprovalSummary(
        clean(call.name or call.tool),
        clean(call.cwd),
        items[:MOST],
        lost,
        examples,
        partial,
        more,
        shown,
        len(whole[MOST_LINES:]),
    )


def _item(
    call: ToolCall, reading: Reading, finding: Finding, clean: Callable[[str], str]
) -> FindingSummary:
    found = quote(reading, finding.span)
    line, start, end, inner = (
        (found.line, found.start, found.end, found.inner)
        if found is not None
        else (_subject(call), 0, 0, "")
    )
    shown = clean(line)
    if shown != line:
        start = end = 0  # what was taken out has moved the rest
    words = clean(describe(finding.effect)) if finding.effect is not None else ""
    inner = "" if inner in line else clean(inner)
    return FindingSummary(
        words,
        clean(finding.message),
        finding.rule,
        shown,
        start,
        end,
        inner,
        clean(finding.instead),
    )


def _subject(call: ToolCall) -> str:
    """Return what the call is about, for a finding without words: its command, path or URL."""
    for key in _KEYS:
        text = call.input.get(key)
        if isinstance(text, str) and text:
            return _truncate(text)
    return ""


def _truncate(text: str) -> str:
    return text if len(text) <= WIDTH else text[:WIDTH] + "…"
