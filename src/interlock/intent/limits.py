"""The limits of a prompt: what is not to be done, and where nothing is to be changed."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.intent.bounds import (
    ACT_OBJECTS,
    ACTS,
    ADDS,
    AFTERWARDS,
    ALONE,
    ASKING,
    CHANGES,
    CONFINE,
    EDITS,
    ELSE,
    EVERYTHING,
    EXCEPT,
    FOLDERS,
    FREELY,
    INSIDE,
    LEADS,
    LEAVE,
    LIFTED_BY,
    LINKING,
    MAIN_REMOTES,
    NOTHING,
    ONLY,
    OUTSIDE,
    POSITIVE,
    STAY,
    STOPS,
    WITHOUT,
)
from interlock.intent.groups import GROUPS
from interlock.intent.phrases import is_path
from interlock.intent.vocabulary import DECLARATIVE, FILLERS, NEGATORS, SUBORDINATE
from interlock.intent.words import QUOTED, Clause, Sentence

_ACTS = [
    (
        act,
        frozenset(words.split()),
        tuple([word[:-1] for word in words.split() if word.endswith("*")]),
    )
    for act, words in ACTS.items()
]
_GROUPS = {word: name for name, (words, _) in GROUPS.items() for word in words.split()}
_NO_NAME = frozenset("this that the same any current whole entire new other temp temporary".split())
_NO_GROUP = frozenset("database db environment server user users command runner mode data".split())
"""After the name of a group of files these make it something else: ``the test database``."""
MOST_LIMITS, LONGEST = 20, 200
"""Limits of one prompt, and characters of one: they stand in every row of the audit."""
WRITE = "write"
"""The act of changing anything."""


def limits(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Return the limits of a prompt: ``only PATH``, ``not PATH``, ``keep PATH`` (do not delete it),
    ``no ACT``; none for what is not understood.
    """
    found: dict[str, None] = {}
    clauses = [
        clause
        for sentence in sentences
        for clause in sentence.clauses
        if not _negation(clause.words)
    ]
    named = [path for clause in clauses for path in objects(clause.words) if is_path(path)]
    for sentence in sentences:
        before: list[str] = []
        for clause in sentence.clauses:
            limit = [] if _asks(sentence) else _limits(clause.words, named)
            if not limit and before and clause.joined in ("and", "or", ","):
                limit = _carry_over(clause, before)
            found.update(dict.fromkeys(limit))
            before = limit
    if any(limit.startswith("only ") for limit in found):
        found.update(
            dict.fromkeys(
                [
                    f"only {path}"
                    for clause in clauses
                    if not ADDS.isdisjoint(clause.words)
                    for path in objects(clause.words)
                ]
            )
        )
    return tuple(
        [limit for limit in found if len(limit) <= LONGEST and ";" not in limit][:MOST_LIMITS]
    )


def _asks(sentence: Sentence) -> bool:
    return sentence.end in "?\uff1f" and sentence.clauses[0].words[0] in ASKING


def _limits(words: Sequence[str], named: Sequence[str]) -> list[str]:
    if words[0] in SUBORDINATE:
        return []
    if _begins(words, ("read", "only"), ("read-only",), ("readonly",)) and len(words) <= 4:
        return [f"no {WRITE}"]
    negation = _negation(words)
    if not OUTSIDE.isdisjoint(words) and (
        negation or _begins(words, *[(word,) for word in NOTHING])
    ):
        return [f"only {path}" for path in objects(words)]
    if _begins(words, *[(word,) for word in NOTHING]) and not ELSE.isdisjoint(words):
        return [f"only {path}" for path in named]
    if (
        not EXCEPT.isdisjoint(words)
        and not EDITS.isdisjoint(words)
        and not EVERYTHING.isdisjoint(words)
    ):
        at = next(number for number, word in enumerate(words) if word in EXCEPT)
        return [f"not {path}" for path in objects(words[at + 1 :])]
    if not LEAVE.isdisjoint(words) and not ALONE.isdisjoint(words):
        return [f"not {path}" for path in objects(words)]
    return (
        _forbidden(words, negation - 1, named)
        if negation
        else [f"only {path}" for path in _only(words)]
    )


def _begins(words: Sequence[str], *starts: tuple[str, ...]) -> bool:
    at = 0
    while at < len(words) - 1 and words[at] in FILLERS:
        at += 1
    return any(tuple(words[at : at + len(start)]) == start for start in starts)


# -- objects ---------------------------------------------------------------------------------------


def objects(words: Sequence[str]) -> list[str]:
    """Return the paths and groups of files that words name."""
    found = [_object(words, at) for at in range(_stop(words))]
    return list(dict.fromkeys([path for path in found if path]))


def _stop(words: Sequence[str]) -> int:
    return next((at for at, word in enumerate(words) if word in STOPS), len(words))


def _object(words: Sequence[str], at: int) -> str:
    """Return the path or group of files that a word names, or ``""``."""
    word = words[at].removeprefix(QUOTED)
    then = words[at + 1] if at + 1 < len(words) else ""
    if word in _GROUPS and then not in _NO_GROUP:
        return _GROUPS[word]
    if is_path(word) or (word.startswith(".") and len(word) > 2):
        return word.removesuffix("/**").rstrip("/") or word
    return word if then in FOLDERS and word not in FILLERS and word not in _NO_NAME else ""


def _direct_objects(words: Sequence[str]) -> list[str]:
    """Return the paths and groups that a verb's words name at once: none for ``the way tests are
    run``, where something else is meant.
    """
    found: list[str] = []
    for at in range(_stop(words)):
        path = _object(words, at)
        if path:
            found.append(path)
        elif (
            words[at] not in EDITS
            and words[at] not in LINKING
            and words[at] not in FILLERS
            and words[at] not in FOLDERS
        ):
            break
    return list(dict.fromkeys(found))


def _is_everything(words: Sequence[str]) -> bool:
    """Tell if the whole project is meant: not ``generated files`` or ``code in the parser``."""
    at = next((at for at, word in enumerate(words) if word in EVERYTHING), -1)
    if at < 0 or any(
        word not in EDITS and word not in LINKING and word not in FILLERS for word in words[:at]
    ):
        return False
    return _ends(
        [word for word in words[at + 1 :] if word not in EVERYTHING and word not in LINKING]
    )


def _ends(words: Sequence[str]) -> bool:
    """Tell whether words add nothing to the object before them: ``yet``, ``until ...``."""
    rest = [word for word in words if word not in FILLERS]
    return (
        not rest
        or rest[0] in ("yet", "at", "here", "noch", "encore", "todavia")
        or rest[0] in STOPS
        or not rest[0].isascii()
    )


# -- what is forbidden -----------------------------------------------------------------------------


def _negation(words: Sequence[str]) -> int:
    """Return where the ``not`` of a clause stands, counted from 1, or 0: one that tells what is not
    so is none.
    """
    for at, word in enumerate(words):
        if word not in NEGATORS:
            continue
        if word in WITHOUT:
            return at + 1 if words[0] not in DECLARATIVE else 0
        if any(
            rest in POSITIVE
            for rest in [tuple(words[at + 1 : at + 2]), tuple(words[at + 2 : at + 3])]
        ):
            return 0
        if all(before in FILLERS or before in LEADS for before in words[:at]):
            return at + 1
        if word in AFTERWARDS and (
            words[0] in EDITS or _acts(words[:1]) or words[0] in LEAVE or at == len(words) - 2
        ):
            return at + 1
        return 0
    return 0


def _forbidden(words: Sequence[str], at: int, named: Sequence[str]) -> list[str]:
    """Return what a clause with a ``not`` forbids."""
    spoken = [*words[at + 1 :], *(words[:at] if words[at] in AFTERWARDS else ())]
    edit = next((number for number, word in enumerate(spoken) if word in EDITS), -1)
    act = next((number for number, word in enumerate(spoken) if _acts([word])), -1)
    if act >= 0 and (edit < 0 or act < edit or _acts([spoken[act]])[0] in ("install", "database")):
        return _forbidden_acts(spoken, act)
    if edit < 0 or edit > 4:
        return []
    rest = (
        [*spoken[edit + 1 :], *spoken[:edit]]
        if words[at] not in AFTERWARDS and words[at] not in WITHOUT
        else spoken[:edit] + spoken[edit + 1 :]
    )
    if not ELSE.isdisjoint(rest):
        return [f"only {path}" for path in named]
    if rest[:1] in (["que"], ["qu"]):
        return [f"only {path}" for path in objects(rest)]
    paths = _direct_objects(rest)
    whole = (
        _is_everything(rest)
        or (spoken[edit] in CHANGES and _ends(spoken[edit + 1 :]))
        or (words[at] == "no" and edit <= 1 and not spoken[edit].endswith("ed"))
    )
    return [f"not {path}" for path in paths] or ([f"no {WRITE}"] if whole else [])


def _forbidden_acts(words: Sequence[str], at: int) -> list[str]:
    """Return the acts that a clause forbids; none where only a part of one is meant."""
    acts, after = _acts(words), [word for word in words[at + 1 :] if not _acts([word])]
    if acts == ["delete"]:
        paths = _direct_objects(after)
        return (
            [f"keep {path}" for path in paths]
            if paths or not _is_everything(after)
            else ["no delete"]
        )
    if "force" in words[:at] or (
        after and after[0] not in ACT_OBJECTS and after[0] not in FILLERS and after[0].isascii()
    ):
        return []
    if acts == ["push"] and "to" in after and MAIN_REMOTES.isdisjoint(after):
        return []
    determined = (
        after[1:2] if after and after[0] in ("the", "my", "your", "our", "a", "any") else []
    )
    return [f"no {act}" for act in acts] if not determined or determined[0] in ACT_OBJECTS else []


def is_act(word: str) -> bool:
    """Tell whether a word alone names an act that may be forbidden: ``don't commit, push``."""
    return bool(_acts([word]))


def _acts(words: Sequence[str]) -> list[str]:
    return [
        act
        for act, exact, begins in _ACTS
        if any(word in exact or (begins and word.startswith(begins)) for word in words)
    ]


def _carry_over(clause: Clause, before: Sequence[str]) -> list[str]:
    """Return what a clause that only names more objects or acts adds to the limit before it:
    ``src/a, src/b and the docs``, ``or push``.
    """
    words = [
        word
        for word in clause.words
        if word not in FILLERS
        and word not in ("the", "any", "anything", "my", "yet", "die", "den", "les", "los")
    ]
    kind = before[-1].partition(" ")[0]
    if kind == "no":
        return (
            [f"no {act}" for act in _acts(words)]
            if len(words) <= (1 if clause.joined == "," else 2)
            else []
        )
    paths = objects(words)
    return [f"{kind} {path}" for path in paths] if len(paths) == len(words) else []


# -- what changes are limited to -------------------------------------------------------------------


def _only(words: Sequence[str]) -> list[str]:
    """Read ``only touch X``, ``change only X``, ``stay inside X``, ``limit your changes to X``."""
    edits = not EDITS.isdisjoint(words)
    at = next((number for number, word in enumerate(words) if word in ONLY), -1)
    if at > 0 and words[at - 1] in NEGATORS:  # not only
        return []
    if at >= 0:
        near = words[max(0, at - 2) : at + 3]
        beside = any(word in EDITS for word in near) or words[at + 1 : at + 2] == ("work",)
        if (
            beside
            or not INSIDE.isdisjoint(words[at + 1 : at + 2])
            or (at == 0 and edits)
            or (at == len(words) - 1 and "in" in words)
        ):
            return objects(words)
    stays = not STAY.isdisjoint(words) or (
        not CONFINE.isdisjoint(words)
        and (edits or not {"yourself", "work", "dich", "toi"}.isdisjoint(words))
    )
    return objects(words) if stays and not INSIDE.isdisjoint(words) else []


# -- what takes limits back ------------------------------------------------------------------------


def find_lifts(sentences: Sequence[Sentence], names: Sequence[str]) -> tuple[str, ...]:
    """Return the acts and paths that a prompt asks for itself, so that earlier limits on them end;
    ``*`` for all of them.
    """
    clauses = [
        clause.words
        for sentence in sentences
        for clause in sentence.clauses
        if not _negation(clause.words)
    ]
    text = " ".join([word for words in clauses for word in words])
    if any(phrase in text for phrase in FREELY):
        return ("*",)
    found = [act for act, by in LIFTED_BY.items() if not set(by.split()).isdisjoint(names)]
    if WRITE in found or "test" in names:
        found += [path for words in clauses if not _runs(words) for path in objects(words)]
    return tuple(dict.fromkeys(found))


def _runs(words: Sequence[str]) -> bool:
    """Tell whether a clause only has something run: running tests changes none."""
    return not {
        "run",
        "rerun",
        "execute",
        "pass",
        "passes",
        "passing",
        "lass",
        "fuhre",
        "lance",
        "ejecuta",
        "运",
        "跑",
    }.isdisjoint(words)
