"""The limits of a prompt: what is not to be done, and where nothing is to be changed."""

from __future__ import annotations

from interlock.intent.bounds import (
    ACTS,
    ADDS,
    AFTERWARDS,
    ALONE,
    ASKING,
    CATEGORIES,
    EDITS,
    EVERYTHING,
    FOLDERS,
    FREELY,
    INSIDE,
    LEADS,
    LEAVE,
    LIFTED_BY,
    ONLY,
    OUTSIDE,
    POSITIVE,
    STAY,
    STOPS,
    WITHOUT,
)
from interlock.intent.cues import FILLERS, NEGATORS, SUBORDINATE
from interlock.intent.phrases import is_path
from interlock.intent.words import QUOTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.intent.words import Clause, Sentence

_ACTS = [(act, frozenset(words.split()), tuple([word[:-1] for word in words.split() if word.endswith("*")])) for act, words in ACTS.items()]
_CATEGORIES = {word: name for name, (words, _) in CATEGORIES.items() for word in words.split()}
_NOTHING = frozenset({*NEGATORS, "nothing", "rien", "nada"})
_ANY = frozenset({"this", "that", "the", "same", "any", "current", "whole", "entire", "new", "other"})
WRITE = "write"
"""The act of changing anything."""


def limits(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Return the limits of a prompt: ``only PATH``, ``not PATH``, ``keep PATH`` (do not delete it), ``no ACT``; none for what is not understood."""
    found: dict[str, None] = {}
    clauses = [clause for sentence in sentences for clause in sentence.clauses if not _negation(clause)]
    named = [path for clause in clauses for path in objects(clause.words) if is_path(path)]
    for sentence in sentences:
        before: list[str] = []
        for clause in sentence.clauses:
            limit = [] if _asks(sentence) else _limits(clause, named)
            if not limit and before and clause.joined in ("and", "or", ","):
                limit = _carried(clause, before)
            found.update(dict.fromkeys(limit))
            before = limit
    if any(limit.startswith("only ") for limit in found):
        found.update(dict.fromkeys([f"only {path}" for clause in clauses if not ADDS.isdisjoint(clause.words) for path in objects(clause.words)]))
    return tuple(found)


def _asks(sentence: Sentence) -> bool:
    return sentence.end in "?\uff1f" and sentence.clauses[0].words[0] in ASKING


def _limits(clause: Clause, named: Sequence[str]) -> list[str]:
    words = clause.words
    if words[0] in SUBORDINATE:
        return []
    if _begins(words, ("read", "only"), ("read-only",), ("readonly",)) and len(words) <= 4:
        return [f"no {WRITE}"]
    kept = _left_alone(words)
    if kept:
        return kept
    if not OUTSIDE.isdisjoint(words) and not _NOTHING.isdisjoint(words):
        return [f"only {path}" for path in objects(words)]
    negation = _negation(clause)
    if negation:
        return _forbidden(words, negation - 1, named)
    return [f"only {path}" for path in _only(words)]


def _begins(words: Sequence[str], *starts: tuple[str, ...]) -> bool:
    at = 0
    while at < len(words) - 1 and words[at] in FILLERS:
        at += 1
    return any(tuple(words[at : at + len(start)]) == start for start in starts)


# -- objects ---------------------------------------------------------------------------------------


def objects(words: Sequence[str]) -> list[str]:
    """Return the paths and groups of files that words name."""
    found: list[str] = []
    for at, word in enumerate(words):
        if word in STOPS:
            break
        bare = word.removeprefix(QUOTED).strip("*") if word.endswith("/**") else word.removeprefix(QUOTED)
        beside = [words[near] for near in (at - 1, at + 1) if 0 <= near < len(words)]
        if bare in _CATEGORIES and not _is_path_part(beside):
            found.append(_CATEGORIES[bare])
        elif is_path(bare) or (bare.startswith(".") and len(bare) > 2):
            found.append(bare.rstrip("/") or bare)
        elif FOLDERS.intersection(words[at + 1 : at + 2]) and bare not in FILLERS | _ANY:
            found.append(bare)
    return list(dict.fromkeys(found))


def _is_path_part(beside: Sequence[str]) -> bool:
    """Tell whether a word beside says that this one is no group of files: ``the test database``."""
    return not {"database", "db", "environment", "server", "user", "users", "command", "runner", "mode"}.isdisjoint(beside[-1:])


def _is_everything(words: Sequence[str]) -> bool:
    """Tell whether the object is the whole project and not a part of it that was not understood (``code in the parser``)."""
    at = next((at for at, word in enumerate(words) if word in EVERYTHING), -1)
    rest = [word for word in words[at + 1 :] if word not in FILLERS and word not in EVERYTHING]
    return at >= 0 and (not rest or rest[0] in ("yet", "at", "here", "noch", "encore", "todavia") or rest[0] in STOPS or not rest[0].isascii())


# -- what is forbidden -----------------------------------------------------------------------------


def _negation(clause: Clause) -> int:
    """Return where the ``not`` of a clause stands, counted from 1, or 0: one that tells what is not so is none."""
    words = clause.words
    for at, word in enumerate(words):
        if word not in NEGATORS:
            continue
        if word in WITHOUT:
            return at + 1
        if any(rest in POSITIVE for rest in [tuple(words[at + 1 : at + 2]), tuple(words[at + 2 : at + 3])]):
            return 0
        if all(before in FILLERS or before in LEADS for before in words[:at]):
            return at + 1
        if word in AFTERWARDS and (_is_edit(words[0]) or _acts(words[:1]) or words[0] in LEAVE or at == len(words) - 2):
            return at + 1
        return 0
    return 0


def _forbidden(words: Sequence[str], at: int, named: Sequence[str]) -> list[str]:
    """Return what a clause with a ``not`` forbids."""
    before, after = words[:at] if words[at] in AFTERWARDS or words[at] in WITHOUT else (), words[at + 1 :]
    spoken = [*after, *(before if words[at] in AFTERWARDS else ())]
    edit = next((number for number, word in enumerate(spoken) if _is_edit(word)), -1)
    act = next((number for number, word in enumerate(spoken) if _acts([word])), -1)
    if act >= 0 and (edit < 0 or act < edit or _acts([spoken[act]]) == ["install"] or _acts([spoken[act]]) == ["database"]):
        return _forbidden_acts(spoken, act)
    if edit < 0 or edit > 4:
        return []
    rest = [word for number, word in enumerate(spoken) if number != edit]
    if "else" in rest:
        return [f"only {path}" for path in named]
    return [f"not {path}" for path in objects(rest)] or ([f"no {WRITE}"] if _is_everything(rest) or (words[at] == "no" and edit <= 1) else [])


def _forbidden_acts(words: Sequence[str], at: int) -> list[str]:
    acts = _acts(words)
    if acts == ["delete"]:
        paths = objects(words[at + 1 :])
        if paths or not _is_everything(words):
            return [f"keep {path}" for path in paths]
    return [f"no {act}" for act in acts]


def _is_edit(word: str) -> bool:
    return word in EDITS


def _acts(words: Sequence[str]) -> list[str]:
    return [act for act, exact, begins in _ACTS if any(word in exact or (begins and word.startswith(begins)) for word in words)]


def _left_alone(words: Sequence[str]) -> list[str]:
    """Read ``leave X alone``, ``keep X as it is``, ``hands off X``."""
    if LEAVE.isdisjoint(words) or ALONE.isdisjoint(words):
        return []
    return [f"not {path}" for path in objects(words)]


def _carried(clause: Clause, before: Sequence[str]) -> list[str]:
    """Return what a clause that only names more objects or acts adds to the limit before it: ``src/a, src/b and the docs``, ``or push``."""
    words = [word for word in clause.words if word not in FILLERS and word not in ("the", "any", "anything", "my", "yet", "die", "den", "les", "los")]
    kind = before[-1].partition(" ")[0]
    if kind == "no":
        return [f"no {act}" for act in _acts(words)] if clause.joined != "," and len(words) <= 2 else []
    paths = objects(words)
    return [f"{kind} {path}" for path in paths] if len(paths) == len(words) else []


# -- what changes are limited to -------------------------------------------------------------------


def _only(words: Sequence[str]) -> list[str]:
    """Read ``only touch X``, ``change only X``, ``stay inside X``, ``limit yourself to X``."""
    if not ONLY.isdisjoint(words):
        at = next(number for number, word in enumerate(words) if word in ONLY)
        near = words[max(0, at - 2) : at + 3]
        if any(_is_edit(word) for word in near) or not INSIDE.isdisjoint(words[at + 1 : at + 2]) or (words[at + 1 : at + 2] == ("work",)):
            return objects(words)
    if not STAY.isdisjoint(words) and not INSIDE.isdisjoint(words):
        return objects(words)
    return []


# -- what takes limits back ------------------------------------------------------------------------


def lifted(sentences: Sequence[Sentence], names: Sequence[str]) -> tuple[str, ...]:
    """Return the acts and paths that a prompt asks for itself, so that earlier limits on them end; ``*`` for all of them."""
    text = " ".join([word for sentence in sentences for clause in sentence.clauses for word in clause.words if not _negation(clause)])
    if any(phrase in text for phrase in FREELY):
        return ("*",)
    found = [act for act, by in LIFTED_BY.items() if not set(by.split()).isdisjoint(names)]
    if WRITE in found or "test" in names:
        for sentence in sentences:
            for clause in sentence.clauses:
                if not _negation(clause) and not _runs(clause):
                    found += objects(clause.words)
    return tuple(dict.fromkeys(found))


def _runs(clause: Clause) -> bool:
    """Tell whether a clause only has something run: who has the tests run does not have them changed."""
    return not {"run", "rerun", "execute", "pass", "passes", "passing", "lass", "fuhre", "lance", "ejecuta", "运", "跑"}.isdisjoint(clause.words)
