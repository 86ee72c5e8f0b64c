"""The stage before anybody is asked: what a call would take away, found out by facts. It informs,
and changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock.engine.explain import one_line
from interlock.guard.failures import Failure, attempt
from interlock.model.decision import Decision
from interlock.model.effect import (
    DEVICE,
    HERE,
    SINK,
    UNKNOWN_PLACE,
    ChangesDatabase,
    ChangesInfrastructure,
    ControlsContainer,
    Deletes,
    DiscardsWork,
    Effect,
    Place,
    Pushes,
    RewritesHistory,
    Writes,
)
from interlock.model.facts import FOLDER, Facts, Repository, Stat
from interlock.model.radius import (
    ALL,
    BRANCH_MOVES,
    BRANCHES,
    CHANGED,
    HISTORY,
    IGNORED,
    NAMED,
    NOT_TRACKED,
    REFLOG,
    REMOTE,
    STASHES,
    TAGS,
    UNTRACKED,
    Radius,
    Stake,
)

Found = Iterator[Stake | str]
"""Things to ask of, and words for what cannot be asked: ``what the database holds``."""

MAX_WRITES = 64
"""Files that a call writes of which is asked what they were."""
MAX_WORDS = 80
_MORE = Effect(Writes, place=Place(UNKNOWN_PLACE), by="the rest of the call")
_NOT_LOST = frozenset(
    {"moved", "made-here", "held", "own-code", "nothing-lost", "committed", "stale-lock"}
)
"""Traits of deletions that take nothing away, or are told with another one."""
_NOT_OVERWRITTEN = frozenset(
    {"append", "create", "no-clobber", "made-here", "held", "own-code", "link", "repository"}
)
_UNTOLD = frozenset({"unknown-target", "unknown-folder"})
_PATTERNED = frozenset({"some-of", "found", "all-of"})
_MANY = frozenset({"recursive", "found", "all-of"})
_OVER_THERE = frozenset({"force", "force-with-lease", "delete", "mirror"})
_GLOBS = "*?["


def with_radius(decision: Decision, effects: Iterable[Effect], facts: Facts) -> Decision:
    """Return the decision with what would be lost, or as it is where the call takes nothing away.
    Total: what fails is said, not raised.
    """
    found = attempt("blast radius", lambda: radius(effects, facts), (Radius, type(None)))
    if isinstance(found, Failure):
        found = Radius(unknown=(f"what would be lost: {found.why}",))
    return decision.replace(radius=found)


def radius(effects: Iterable[Effect], facts: Facts) -> Radius | None:
    """Return what these effects take away together; None where none of them takes anything."""
    stakes, unknown = at_stake(effects, facts)
    if not stakes:
        return Radius().plus(Radius(unknown=unknown)) if unknown else None
    return facts.radius(stakes).plus(Radius(unknown=unknown))


def at_stake(effects: Iterable[Effect], facts: Facts) -> tuple[tuple[Stake, ...], tuple[str, ...]]:
    """Return what these effects take away, as things to ask, and in words the rest."""
    some = _limit_writes(tuple(effects))
    found = [item for effect in some for item in _find_losses(effect, some, facts)]
    return _join_stakes([item for item in found if isinstance(item, Stake)]), tuple(
        [_words(item) for item in found if isinstance(item, str)]
    )


def _limit_writes(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Leave out writes beyond the files asked of; an effect without a target stands for it."""
    writes = [number for number, effect in enumerate(effects) if effect.kind is Writes]
    if len(writes) <= MAX_WRITES:
        return effects
    return (
        *effects[: writes[MAX_WRITES]],
        *[effect for effect in effects[writes[MAX_WRITES] :] if effect.kind is not Writes],
        _MORE,
    )


def _join_stakes(stakes: Iterable[Stake]) -> tuple[Stake, ...]:
    """Branches and tags go together: what only two of them hold is lost as well."""
    found: dict[object, Stake] = {}
    for stake in stakes:
        together = stake.what in (BRANCHES, TAGS, STASHES) and bool(stake.names)
        key: object = (stake.path, stake.what) if together else stake
        before = found.get(key)
        names = dict.fromkeys((*before.names, *stake.names)) if before is not None else stake.names
        found[key] = stake.replace(names=tuple(names)) if together else stake
    return tuple(found.values())


def _find_losses(effect: Effect, effects: tuple[Effect, ...], facts: Facts) -> Found:
    where = effect.place.where if effect.place is not None else HERE
    if where != HERE:
        if effect.kind in (Deletes, DiscardsWork) and effect.traits.isdisjoint(_NOT_LOST):
            yield f"what {effect.target or 'it'} holds in {where}"
    elif effect.kind in _FACTS:
        yield from _FACTS[effect.kind](effect, facts)
    elif effect.kind is ChangesDatabase:
        yield from _database(effect, effects)
    elif effect.kind in _LOOKED:
        yield from _LOOKED[effect.kind](effect)


# -- files -----------------------------------------------------------------------------------------


def _find_deleted(effect: Effect, _: Facts) -> Found:
    traits, place = effect.traits, effect.place
    if not traits.isdisjoint(_NOT_LOST) or (place is not None and SINK in place.natures):
        return
    if place is not None and place.location == DEVICE:
        yield f"what is on {effect.target}"
    elif not traits.isdisjoint(_UNTOLD) or not _absolute(effect.target):
        yield f"what {effect.by or 'it'} deletes, before it runs"
    elif not traits.isdisjoint(_PATTERNED) and effect.only:
        yield from _find_by_pattern(effect, deep="recursive" in traits)
    elif not traits.isdisjoint({"some-of", "found"}):
        yield f"which files below {effect.target.rpartition('/')[0] or '/'} are deleted"
    elif "tracked" in traits:
        yield Stake(effect.target, CHANGED, most=not effect.certain)  # git rm leaves the others
    else:
        yield Stake(effect.target, ALL, deep=not traits.isdisjoint(_MANY), most=not effect.certain)


def _find_by_pattern(effect: Effect, *, deep: bool) -> Found:
    """``src/*.py`` begins to match below ``src``. A search leaves out some of what it finds."""
    for pattern in effect.only:
        first = min(
            [pattern.find(mark) for mark in _GLOBS if mark in pattern], default=len(pattern)
        )
        folder = pattern[:first].rpartition("/")[0]
        yield Stake(
            folder or "/",
            NAMED,
            (pattern,),
            deep,
            most="found" in effect.traits or not effect.certain,
        )


def _find_overwritten(effect: Effect, facts: Facts) -> Found:
    place = effect.place
    if not effect.traits.isdisjoint(_NOT_OVERWRITTEN) or place is None or SINK in place.natures:
        return
    if place.location == DEVICE:
        yield f"what is on {effect.target}"
    elif not effect.traits.isdisjoint(_UNTOLD) or not _absolute(effect.target):
        yield f"what {effect.by or 'it'} overwrites, before it runs"
    elif not effect.traits.isdisjoint(_PATTERNED) and effect.only:
        yield from _find_by_pattern(effect, deep=False)
    else:
        real = facts.real(effect.target)
        path = real if isinstance(real, str) else effect.target
        stat = facts.stat(path)
        if isinstance(stat, Stat) and stat.kind == FOLDER:
            yield f"what is overwritten in {effect.target.rpartition('/')[2] or '/'}"
        else:
            yield Stake(path, ALL, deep=False, most=not effect.certain)


# -- repositories ----------------------------------------------------------------------------------


def _find_discarded(effect: Effect, facts: Facts) -> Found:
    traits = effect.traits
    if "nothing-lost" in traits:
        return
    if not effect.folder:
        yield "what is thrown away in a folder that is known only when it runs"
    elif "?" in effect.target and not _absolute(effect.target):
        yield f"what {effect.by} throws away, before it runs"
    elif "branch" in traits or "tag" in traits:
        yield Stake(
            effect.folder,
            BRANCHES if "branch" in traits else TAGS,
            (effect.target,),
            most=not effect.certain,
        )
    elif "stash" in traits:
        yield Stake(effect.folder, STASHES, effect.only)
    elif "worktree" in traits:
        yield Stake(effect.target if _absolute(effect.target) else effect.folder, ALL)
    elif not traits.isdisjoint({"untracked", "ignored"}):
        what = (
            NOT_TRACKED
            if traits >= {"untracked", "ignored"}
            else UNTRACKED
            if "untracked" in traits
            else IGNORED
        )
        inside = _absolute(effect.target)
        yield Stake(
            effect.target if inside else effect.folder,
            what,
            deep="recursive" in traits,
            most=not inside or not effect.certain,
        )
    else:
        yield from _changes(effect, facts)


def _changes(effect: Effect, facts: Facts) -> Found:
    """Changes of tracked files are thrown away: of paths, or of the whole work tree, and then
    HEAD's branch may move too.
    """
    if not effect.traits.isdisjoint({"named", "all-of"}):
        inside = _absolute(effect.target)
        yield Stake(
            effect.target if inside else effect.folder,
            CHANGED,
            most=not inside or not effect.certain,
        )
        return
    found = facts.repository(effect.folder)
    yield Stake(
        found.root if isinstance(found, Repository) else effect.folder,
        CHANGED,
        most=not effect.certain,
    )
    if not _absolute(effect.target) and effect.target not in ("", "HEAD", "@"):
        yield Stake(effect.folder, BRANCH_MOVES, (effect.target,))


def _find_rewritten(effect: Effect) -> Found:
    if not effect.folder:
        yield "which commits are lost in a folder that is known only when it runs"
    elif "reflog" in effect.traits:
        yield Stake(effect.folder, REFLOG)
    elif "gc-prune" in effect.traits:
        yield "how many commits nothing names any more"
    else:
        yield Stake(effect.folder, HISTORY)


def _find_pushed(effect: Effect) -> Found:
    if effect.traits.isdisjoint(_OVER_THERE):
        return
    if (
        not effect.folder
        or "url-remote" in effect.traits
        or any("?" in name for name in (effect.target, *effect.only))
    ):
        yield f"what {effect.target} would lose"
    else:
        yield Stake(effect.folder, REMOTE, (effect.target, *effect.only))


# -- what no file tells ----------------------------------------------------------------------------


def _database(effect: Effect, effects: tuple[Effect, ...]) -> Found:
    """A database in a file is as large as the file; of a server's nobody asks."""
    if effect.traits.isdisjoint({"drop", "truncate", "flush", "delete-all", "delete"}):
        return
    files = [
        one.target
        for one in effects
        if one.kind is Writes
        and "database" in one.traits
        and one.by == effect.by
        and one.target[:1] == "/"
    ]
    for path in files:
        yield Stake(path, ALL, deep=False, most=True)
    if not files:
        yield f"how much {effect.target or 'the database'} holds"


def _elsewhere(effect: Effect) -> Found:
    if not effect.traits.isdisjoint({"remove", "prune", "delete"}):
        name = (
            effect.target if effect.target.startswith(effect.by) else f"{effect.by} {effect.target}"
        )
        yield f"how much {name.strip()} removes"


_FACTS = {Deletes: _find_deleted, Writes: _find_overwritten, DiscardsWork: _find_discarded}
_LOOKED = {
    RewritesHistory: _find_rewritten,
    Pushes: _find_pushed,
    ControlsContainer: _elsewhere,
    ChangesInfrastructure: _elsewhere,
}


def _absolute(path: str) -> bool:
    return path[:1] == "/" or path[1:2] == ":"


def _words(text: str) -> str:
    flat = one_line(text)
    return flat if len(flat) <= MAX_WORDS else flat[: MAX_WORDS - 3] + "..."
