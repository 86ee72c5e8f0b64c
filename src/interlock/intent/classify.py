"""``classify``: the words of a prompt to what the person asks for, by the table of cues."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.intent.cues import ASKS, FOLLOWS, STATES
from interlock.intent.limits import find_lifts, is_act, limits
from interlock.intent.names import LOOKING
from interlock.intent.phrases import Phrase, PhraseIndex
from interlock.intent.request import PromptIntent
from interlock.intent.vocabulary import (
    AFTER_NOUNS,
    AFTER_POINTING,
    ASSENT,
    BEFORE_NOUNS,
    COURTESY,
    DECLARATIVE,
    FILLERS,
    FINDING,
    MORE_ENDS,
    MORE_HEADS,
    NEGATORS,
    NOUNS,
    POINTING,
    SUBORDINATE,
    UNABLE,
    WHY,
)
from interlock.intent.words import QUOTED, Clause, Sentence, plain, sentences

_ASKS = PhraseIndex(ASKS)
_STATES = PhraseIndex(STATES)
_FOLLOWS = {
    " ".join(_words): kind
    for kind, texts in FOLLOWS.items()
    for text in texts.split(";")
    if (_words := plain(text).split())
}
_COMMANDS = frozenset({"test", "build_run", "install", "publish", "deploy", "push"})
"""What may be only the subject of a complaint: ``npm run build throws an error``."""
QUESTION = "?"
"""Stands for ``explain`` where a clause is a question: beside a request in the same prompt it asks
for nothing of its own.
"""
SHORT = 6
"""Words up to which a prompt that is not understood remarks on the request before it."""
_CONTEXT = frozenset(
    "i we they he she my our the this that it its there im ive hi hello hey here ich wir das die"
    " der es je nous le la il elle yo el ella mi".split()
)
"""A sentence that begins so tells something; it is no request that was missed."""


def classify(words: str) -> PromptIntent:
    """Return what a prompt asks for. Total and pure: what is not understood is no intent."""
    follow = _follow(words)
    if follow:
        return PromptIntent(follows=follow)
    found = list(sentences(words.strip().removeprefix("/")))
    names: dict[str, None] = {}
    unsure = False
    for sentence in found:
        asked, understood = _sentence(sentence)
        names.update(dict.fromkeys(asked))
        unsure = unsure or not understood
    if names.pop(QUESTION, "") is None and not names:
        names["explain"] = None
    every = [word for sentence in found for clause in sentence.clauses for word in clause.words]
    return PromptIntent(
        names=tuple(names),
        follows=_goes_on(every, names=bool(names)),
        unsure=unsure and bool(names),
        limits=limits(found),
        lifts=find_lifts(found, tuple(names)),
    )


def _follow(text: str) -> str:
    """Return how a prompt that says nothing of its own goes on, or ``""``: every part of it is such
    a word.
    """
    kinds = []
    for sentence in sentences(text):
        for clause in sentence.clauses:
            kind = _follow_of([word for word in clause.words if not word.startswith(QUOTED)])
            if not kind:
                return ""
            kinds.append(kind)
    return next((kind for kind in ("agree", "more", "chat") if kind in kinds), "chat")


def _follow_of(words: Sequence[str]) -> str:
    if len(words) == 1 and words[0].isdigit():
        return "agree"
    spaced = " ".join(words)
    if spaced in _FOLLOWS:
        return _FOLLOWS[spaced]
    if words[:1] == ["option"] or words[:2] == ["the", "option"]:
        return "agree"
    while words and words[0] in FILLERS and " ".join(words) not in _FOLLOWS:
        words = words[1:]
    while words and words[-1] in FILLERS and " ".join(words) not in _FOLLOWS:
        words = words[:-1]
    return _FOLLOWS.get(" ".join(words), "" if words else "agree")


def _goes_on(words: Sequence[str], *, names: bool) -> str:
    """Return ``more`` for a request that adds to the one before it, ``remark`` for a short one that
    is not understood, else ``""``.
    """
    if not words:
        return "more"
    if not names:
        return "remark" if len(words) <= SHORT else ""
    first = next((word for word in words if word not in COURTESY), words[-1])
    return (
        "more"
        if first in MORE_HEADS or words[-1] in MORE_ENDS or (len(words) <= SHORT and _points(words))
        else ""
    )


def _points(words: Sequence[str]) -> bool:
    """Tell whether a word stands for something said before: ``push it``, ``do that again``."""
    after = [*words[1:], ""]
    return any(
        word in POINTING and (not then or then in FILLERS or then in AFTER_POINTING)
        for word, then in zip(words, after, strict=True)
    )


# -- sentences -------------------------------------------------------------------------------------


def _sentence(sentence: Sentence) -> tuple[list[str], bool]:
    """Return what a sentence asks for, and whether it was understood (or asks for nothing)."""
    asked: list[str] = []
    told: list[Clause] = []
    negated = False
    for clause in sentence.clauses:
        if negated and (
            clause.joined in ("and", "or") or (len(clause.words) == 1 and is_act(clause.words[0]))
        ):
            continue  # `don't commit and push`
        if asked and clause.joined in ("and", "or") and clause.words[0] in BEFORE_NOUNS:
            continue  # `the build and the release pipeline`
        names, negated = _clause(clause, first=not asked)
        if names is not None:
            asked += names
        elif not negated:
            told.append(clause)
    if asked:
        return asked + _besides(asked, told), not set(asked) <= {*LOOKING, QUESTION} or not any(
            _is_unclear(clause) for clause in told
        )
    stated = _state(told)
    return stated, bool(stated) or all(_asks_nothing(clause) for clause in told)


def _asks_nothing(clause: Clause) -> bool:
    """Tell whether a clause that was not understood surely asks for nothing: it tells something,
    says when, or is talk.
    """
    first = clause.words[0]
    if first in _CONTEXT or first in SUBORDINATE:
        return True
    kind = _follow_of(clause.words)
    return kind == "chat" or (kind == "agree" and ASSENT.isdisjoint(clause.words))


def _besides(asked: Sequence[str], told: Sequence[Clause]) -> list[str]:
    """Return ``debug_error`` where somebody who is to look at something is told that it is broken:
    ``look at the tests, they fail``.
    """
    broken = any(
        clause.words[0] in DECLARATIVE | _CONTEXT and _complains(clause.words, 0) for clause in told
    )
    return ["debug_error"] if broken and set(asked) <= {*LOOKING, QUESTION} else []


def _is_unclear(clause: Clause) -> bool:
    """Tell whether a clause may ask for something that was not understood: ``read TODO.md and do
    the first item``.
    """
    first = clause.words[head_of(clause.words)]
    asks = (
        clause.joined in ("and", "then")
        and len(clause.words) > 1
        and first not in BEFORE_NOUNS | SUBORDINATE | _CONTEXT
    )
    return asks and not _state([clause])


def _clause(clause: Clause, *, first: bool) -> tuple[list[str] | None, bool]:
    """Return the intents that a clause asks for (None: it asks for nothing), and whether it says
    not to do something.
    """
    words, head = clause.words, head_of(clause.words)
    if words[0] in SUBORDINATE or words[head] in SUBORDINATE:
        return None, False
    if words[head : head + 2] == ("read", "only"):
        return None, True
    if words[head] in DECLARATIVE and _complains(words, head):
        return None, False
    at = 0
    while at < len(words):
        word = words[at]
        phrase = (
            None
            if word.startswith(QUOTED)
            else _ASKS.best(words, at, head=at in (0, head) and (first or clause.joined != ","))
        )
        if phrase is not None and not phrase.names:
            at = head = phrase.end(words, at)
            continue
        if (
            word in NEGATORS and words[at - 1 : at] != words[at + 1 : at + 2]
        ):  # but not the question of Chinese, `neng bu neng`
            return None, at <= head + 2
        if word in UNABLE or (at > head and word in SUBORDINATE):
            return None, False
        if phrase is not None and not _is_noun(words, at):
            return _find_intents(phrase, words, at), False
        at += 1
    return None, False


def head_of(words: Sequence[str]) -> int:
    """Return where a clause begins after words of courtesy."""
    head = 0
    while head < len(words) - 1 and words[head] in FILLERS:
        head += 1
    return head


def _find_intents(phrase: Phrase, words: Sequence[str], at: int) -> list[str]:
    """Return the intents of a phrase; a command or a why said to go wrong is about the error."""
    complaint = (
        words[at] in WHY
        or (words[at] in FINDING and phrase.names == ("read_docs",))
        or (phrase.names and not _COMMANDS.isdisjoint(phrase.names) and "test" not in phrase.names)
    )
    if complaint and _complains(words, at + 1):
        return ["debug_error"]
    return [QUESTION] if phrase.head and phrase.names == ("explain",) else list(phrase.names)


def _complains(words: Sequence[str], at: int) -> bool:
    """Tell whether a command is then said to go wrong: ``npm run build throws an error``."""
    for number in range(at, len(words)):
        phrase = _STATES.best(words, number, head=False)
        if phrase is not None and phrase.names == ("debug_error",):
            return True
    return False


def _is_noun(words: Sequence[str], at: int) -> bool:
    word = words[at]
    if at and words[at - 1] in BEFORE_NOUNS:
        return True
    return word in NOUNS and at + 1 < len(words) and words[at + 1] in AFTER_NOUNS


def _state(clauses: Sequence[Clause]) -> list[str]:
    """Return what clauses mean that ask for nothing."""
    best = None
    for clause in clauses:
        for at in range(len(clause.words)):
            phrase = _STATES.best(clause.words, at, head=False)
            if phrase is not None and (best is None or phrase.row < best.row):
                best = phrase
    return list(best.names) if best is not None else []
