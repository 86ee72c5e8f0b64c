"""Phrases of the table of cues, taken apart once, and where they match in a clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from interlock.intent.vocabulary import NEGATORS, RELATIVES
from interlock.intent.words import QUOTED, plain
from interlock.model.record import Record

GAP = "..."
REACH = 4
"""Words that a gap may span."""
NO_PATHS = frozenset(
    "and/or n/a i/o w/o ci/cd he/she yes/no tcp/ip read/write client/server input/output on/off"
    " true/false".split()
)
_DOCUMENT = (".md", ".rst", ".txt", ".adoc")
_CONFIG = tuple(
    (
        ".yml .yaml .toml .ini .cfg .env .conf config.json settings.json rc .lock"
        " .config.js .config.ts"
    ).split()
)


class Phrase(Record):
    """One phrase: ``parts`` are the words to be met in their order, each a set of words and of
    beginnings; None is a gap.

    ``head``: it counts only where a clause begins.
    """

    names: tuple[str, ...]
    parts: tuple[tuple[frozenset[str], tuple[str, ...]] | None, ...]
    head: bool = False
    row: int = 0

    @property
    def weight(self) -> tuple[int, int]:
        """How much it says: the more words the more, then the earlier row."""
        return len([part for part in self.parts if part is not None]), -self.row

    def end(self, words: Sequence[str], at: int) -> int:
        """Return where the match that begins at a word ends, or 0."""
        return _end(self.parts, words, at)


def _end(
    parts: Sequence[tuple[frozenset[str], tuple[str, ...]] | None], words: Sequence[str], at: int
) -> int:
    for number, part in enumerate(parts):
        if part is None:
            return _over(parts[number + 1 :], words, at)
        if at >= len(words) or not _fits(part, words[at]):
            return 0
        at += 1
    return at


def _over(
    rest: Sequence[tuple[frozenset[str], tuple[str, ...]] | None], words: Sequence[str], at: int
) -> int:
    """Return the end of a match of the rest after a gap of at most ``REACH`` words."""
    for begin in range(at, min(at + REACH, len(words) - 1) + 1):
        end = _end(rest, words, begin)
        if end:
            return end
        if words[begin] in RELATIVES or words[begin] in NEGATORS:
            return 0
    return 0


def _fits(part: tuple[frozenset[str], tuple[str, ...]], word: str) -> bool:
    if word in part[0] or (part[1] and word.startswith(part[1])):
        return True
    if "@doc" in part[0] and word.endswith(_DOCUMENT):
        return True
    return ("@path" in part[0] and is_path(word)) or (
        "@config" in part[0] and is_path(word) and word.endswith(_CONFIG)
    )


def is_path(word: str) -> bool:
    """Tell whether a word is the name of a file or a folder: it has a slash or an ending."""
    word = word.removeprefix(QUOTED)
    if "://" in word or word.strip("./-*") == "":
        return False
    head, dot, ending = word.rpartition(".")
    if dot and ending.isalnum() and ending[0].isalpha() and len(ending) <= 10 and "@" not in word:
        return bool(head) or len(ending) > 1
    if "/" not in word:
        return False
    return word not in NO_PATHS and not word[0].isdigit()


def phrases(rows: Iterable[tuple[str, str]]) -> Iterator[Phrase]:
    """Yield the phrases of a table."""
    for number, (names, texts) in enumerate(rows):
        for text in texts.split(";"):
            words = list(_split_words(plain(text.strip())))
            if words:
                parts = tuple(
                    [None if word == GAP else _part(word.removeprefix("^")) for word in words]
                )
                yield Phrase(tuple(names.split()), parts, words[0].startswith("^"), number)


def _split_words(text: str) -> Iterator[str]:
    """Yield the words of a phrase; the signs of Chinese are words of their own."""
    for word in text.split():
        if any("\u4e00" <= char <= "\u9fff" for char in word):
            yield from word
        else:
            yield word


def _part(word: str) -> tuple[frozenset[str], tuple[str, ...]]:
    choices = word.split("|")
    return frozenset([choice for choice in choices if not choice.endswith("*")]), tuple(
        [choice[:-1] for choice in choices if choice.endswith("*")]
    )


class PhraseIndex:
    """Phrases by their first word or its first letter: a word asks only those that begin so."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        self._exact: dict[str, list[Phrase]] = {}
        self._beginning: dict[str, list[Phrase]] = {}
        self._paths: list[Phrase] = []
        for phrase in phrases(rows):
            words, beginnings = phrase.parts[0] or (frozenset[str](), ())
            for letter in dict.fromkeys([beginning[0] for beginning in beginnings]):
                self._beginning.setdefault(letter, []).append(phrase)
            for word in words:
                self._exact.setdefault(word, []).append(phrase)
            if any(word.startswith("@") for word in words):
                self._paths.append(phrase)

    def best(self, words: Sequence[str], at: int, *, head: bool) -> Phrase | None:
        """Return the phrase that says most of those that begin at a word."""
        word = words[at]
        near = (
            *self._exact.get(word, ()),
            *self._beginning.get(word[:1], ()),
            *(self._paths if "." in word or "/" in word else ()),
        )
        return max(
            [phrase for phrase in near if (head or not phrase.head) and phrase.end(words, at)],
            key=lambda phrase: phrase.weight,
            default=None,
        )
