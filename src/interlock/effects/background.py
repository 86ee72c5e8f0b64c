"""What a session itself starts in the background, by its words: it may end that by name."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects.context import CallContext

MOST = 16
"""Commands of a call, and words of each, that are kept."""
_MOST_NAMED = 48


def note(context: CallContext, words: list[str]) -> None:
    """Keep the words of a command that goes on in the background."""
    if len(context.begun.words) < MOST:
        context.begun.words.append(tuple(words[:MOST]))


def is_own(context: CallContext, pattern: str) -> bool:
    """Whether this call, or an earlier one of the session that ran, started what a pattern of
    ``pkill -f`` names; one plain word is too little.
    """
    named = pattern.strip("\"'^$ ")
    if not _tells(named) or any(mark in named for mark in "*|[("):
        return False
    return any(named in " ".join(words) for words in context.begun.words) or context.facts.made(
        f"process {named}"
    )


def _tells(text: str) -> bool:
    """Whether words tell one program from others of its kind: several, or the name of a file."""
    return " " in text or "." in text.strip(".") or "/" in text


def names(context: CallContext) -> Iterable[str]:
    """Yield what later calls may call the processes that this one starts: its words together, and
    those beside each other.
    """
    found: dict[str, None] = {}
    for words in context.begun.words:
        for size in (1, 2, 3, len(words)):
            for at in range(len(words) - size + 1):
                text = " ".join(words[at : at + size])
                if _tells(text):
                    found[f"process {text}"] = None
    yield from list(found)[:_MOST_NAMED]
