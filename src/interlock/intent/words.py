"""A prompt as sentences, clauses and words: lower case, without accents, without quotations."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining, normalize

from interlock.model.record import Record

MOST = 3000
"""Characters of a prompt's beginning and end that are read; what is pasted between is not."""
MOST_PASTED, MOST_ELEMENTS = 100_000, 200
"""Characters of either end searched for blocks of code and elements, and how many elements."""
QUOTED = "\u0001"
"""Stands before a word that was quoted or written as code: it names and asks nothing."""
_FENCES = ("```", "~~~")
_OPEN = {'"': '"', "`": "`", "\u201c": "\u201d\u201c", "\u201e": "\u201c\u201d", "\u00ab": "\u00bb"}
_INSIDE = frozenset("_/.-*@+#")
_ENDS = frozenset(".!?\n;\u3002\uff01\uff1f\uff1b\u2026")
_PAUSES = frozenset(",:()\uff0c\u3001\uff1a\u2013\u2014")
_ENGLISH = frozenset({"t", "s", "re", "ve", "ll", "d", "m"})
"""What follows an apostrophe within one English word, but for ``'re``: *we're* is not *were*."""
_SUFFIXES = frozenset(
    {"tu", "moi", "vous", "nous", "t", "il", "elle", "le", "la", "les", "ce", "on", "lo"}
)
"""What French hangs on a verb with a hyphen."""
JOINS = {
    **dict.fromkeys(
        "and und et y e".split(),
        "and",
    ),
    **dict.fromkeys(("or", "nor", "oder", "ou", "o", "ni"), "or"),
    **dict.fromkeys(
        "then dann danach puis ensuite luego despues but aber mais pero afterwards plus".split(),
        "then",
    ),
}
"""Words between clauses. ``and`` carries a ``not`` on to the next clause (``don't commit and
push``), ``then`` does not.
"""
_HAN_JOINS = {"\u7136\u540e": "then", "\u5e76\u4e14": "and", "\u5e76": "and", "\u4f46": "then"}


class Clause(Record):
    """A part of a sentence: its words, and what joins it to the one before (``and``, ``then``,
    ``,`` or nothing).
    """

    words: tuple[str, ...]
    joined: str = ""


class Sentence(Record):
    """Clauses up to a full stop, and the sign that ends them."""

    clauses: tuple[Clause, ...]
    end: str = ""


def plain(text: str) -> str:
    """Return the text in lower case and without accents."""
    if text.isascii():
        return text.lower()
    return "".join(
        [
            char
            for char in normalize("NFKD", text.lower().replace("\u00df", "ss"))
            if not combining(char)
        ]
    )


def words_of(text: str) -> frozenset[str]:
    """Return a list of words as the table of cues writes it; signs of Chinese are words."""
    return frozenset(
        [part for word in plain(text).split() for part in (word if _is_han(word[0]) else [word])]
    )


def own_words(text: str) -> str:
    """Return what a person says themself in a prompt, bounded: without blocks of code, quoted lines
    and what a client put in.
    """
    lines: list[str] = []
    fence = ""
    if len(text) > 2 * MOST_PASTED:
        text = f"{text[:MOST_PASTED]}\n{text[-MOST_PASTED:]}"
    for line in _without_elements(text).splitlines():
        start = line.lstrip()
        if fence:
            fence = "" if start.startswith(fence) else fence
        elif start.startswith(_FENCES):
            fence = start[:3]
        elif not start.startswith((">", "at ", 'File "', "diff --git", "@@ ")):
            lines.append(line)
    kept = "\n".join(lines)
    return kept if len(kept) <= 2 * MOST else f"{kept[:MOST]}\n{kept[-MOST:]}"


def _without_elements(text: str) -> str:
    """Return the text without elements that a client put in:
    ``<task-notification>...</task-notification>``.
    """
    kept: list[str] = []
    for _ in range(MOST_ELEMENTS):
        before, opened, rest = text.partition("<")
        name = rest[:40].partition(">")[0]
        end = f"</{name}>"
        if not opened:
            break
        if "-" in name and name.replace("-", "").isalpha() and name.islower() and end in rest:
            kept.append(before + "\n")
            text = rest.partition(end)[2]
        else:
            kept.append(before + opened)
            text = rest
    return "".join([*kept, text])


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a prompt."""
    clauses: list[Clause] = []
    words: list[str] = []
    joined = ""
    for token in [*_tokens(plain(own_words(text))), "."]:
        joins = token in JOINS and (words or clauses)
        if not joins and token not in _PAUSES and token not in _ENDS and token not in _HAN_JOINS:
            words.append(token)
            continue
        if words:
            clauses.append(Clause(tuple(words), joined))
            words, joined = [], ""
        if token in _ENDS:
            if clauses:
                yield Sentence(tuple(clauses), token)
            clauses, joined = [], ""
        else:
            joined = JOINS.get(token) or _HAN_JOINS.get(token) or joined or ","


def _tokens(text: str) -> Iterator[str]:
    """Yield words, signs, and the signs of Chinese one by one."""
    at = 0
    while at < len(text):
        char = text[at]
        if char in _OPEN and (end := _closing(text, at)):
            yield from _mark_quoted(text[at + 1 : end])
            at = end + 1
        elif _is_han(char):
            two = text[at : at + 2]
            yield two if two in _HAN_JOINS else char
            at += 2 if two in _HAN_JOINS else 1
        elif char.isalnum() or char in _INSIDE:
            end = at + 1
            while (
                end < len(text)
                and (text[end].isalnum() or text[end] in _INSIDE or _apostrophe(text, end))
                and not _is_han(text[end])
            ):
                end += 1
            yield from _word(text[at:end])
            at = end
        else:
            if char in _ENDS or char in _PAUSES:
                yield char
            at += 1


def _closing(text: str, at: int) -> int:
    """Return where a quotation ends, or 0 where it does not within the line."""
    for end in range(at + 1, min(len(text), at + 200)):
        if text[end] in _OPEN[text[at]]:
            return end
        if text[end] == "\n":
            return 0
    return 0


def _mark_quoted(inner: str) -> Iterator[str]:
    for word in inner.split():
        yield QUOTED + word


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def _apostrophe(text: str, at: int) -> bool:
    return text[at] in "'\u2019" and at + 1 < len(text) and text[at + 1].isalpha()


def _word(run: str) -> Iterator[str]:
    """Yield the words of a run of letters: ``don't`` is one, ``l'erreur`` and ``peux-tu`` are two;
    a full stop at the end is no part of it.
    """
    dots = len(run) - len(run.rstrip("."))
    run = run.rstrip(".").replace("\u2019", "'")
    for part in _split_contraction(run):
        first, *rest = part.split("-")
        if rest and all(word in _SUFFIXES for word in rest):
            yield from [first, *rest]
        elif part.strip("-*+#@"):
            yield part
    if dots:
        yield "."


def _split_contraction(run: str) -> list[str]:
    head, _, tail = run.partition("'")
    if tail == "re":
        return [head]
    return [head + tail] if tail in _ENGLISH else run.split("'")
