"""The limits that a person set, held against an effect: the paths resolved against the workspace,
the acts against the kinds of effects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.intent.groups import GROUPS
from interlock.intent.unexpected_effects import KEPT, PASSING, script
from interlock.model.call import ToolCall
from interlock.model.effect import (
    ALLOWED_HOST,
    UNKNOWN_HOST,
    WORKSPACE_ROOT,
    ChangesDatabase,
    ChangesInfrastructure,
    ChangesMode,
    Connects,
    Deletes,
    DiscardsWork,
    Effect,
    Executes,
    Installs,
    Publishes,
    Pushes,
    RewritesHistory,
    Sends,
    Writes,
)
from interlock.model.rule import Match, on

_CHANGES = on(
    Writes,
    Deletes,
    ChangesMode,
    location=KEPT,
    no_nature=PASSING,
    lacks={"made-here"},
    remote=False,
)
_DELETES = on(Deletes, location=KEPT, no_nature=PASSING, lacks={"made-here", "moved"}, remote=False)
_LOSES = on(DiscardsWork, location=KEPT, lacks={"nothing-lost"})
_COMMITS = on(Executes, has={"commits"})
_PUSHES = on(Pushes)
_PUBLISHES = on(Publishes)
_ABROAD = frozenset({UNKNOWN_HOST, ALLOWED_HOST})
FORBIDDEN: dict[str, tuple[str, tuple[Match, ...]]] = {
    "push": ("pushes commits", (_PUSHES,)),
    "commit": ("makes a commit", (_COMMITS,)),
    "install": ("installs packages", (on(Installs, lacks={"in-container"}),)),
    "network": (
        "uses the network",
        (on(Connects, Sends, host=_ABROAD), on(Installs, lacks={"offline"}), _PUSHES, _PUBLISHES),
    ),
    "delete": ("deletes files", (_DELETES, _LOSES)),
    "deploy": (
        "changes servers, clusters or cloud resources",
        (on(ChangesInfrastructure, lacks={"soft"}), on(Publishes, has={"deploy"})),
    ),
    "publish": ("publishes something for everybody", (_PUBLISHES,)),
    "git": ("changes the repository", (_COMMITS, _PUSHES, _LOSES, on(RewritesHistory))),
    "database": ("changes a database", (on(ChangesDatabase),)),
    "write": (
        "changes something",
        (
            _CHANGES,
            _LOSES,
            _COMMITS,
            _PUSHES,
            on(RewritesHistory, ChangesDatabase),
            on(Installs, lacks={"manifest", "in-container"}),
        ),
    ),
}
"""Each act that a person may not want: what to say, and which effects it is."""
_SCRIPTS = {
    "deploy": frozenset({"deploy", "ship", "rollout"}),
    "publish": frozenset({"publish", "release"}),
}
_NO_WORDS = {
    "write": "nothing changed",
    "delete": "no deletions",
    "git": "no use of git",
    "database": "no change of the database",
}
_GROUPS = {name: tuple(patterns.split()) for name, (_, patterns) in GROUPS.items()}


def find_breaches(
    effect: Effect, limits: Sequence[str], call: ToolCall
) -> Iterator[tuple[str, bool]]:
    """Yield a sentence for each limit that an effect breaks, and whether it surely does."""
    only: list[str] = []
    for limit in limits:
        kind, _, what = limit.partition(" ")
        if kind == "no" and what in FORBIDDEN:
            title, matches = FORBIDDEN[what]
            if any(effect.kind in match.kinds and match(effect) for match in matches) or _is_script(
                effect, what
            ):
                yield f"{title}, although the user wants {_no(what)}", True
        elif kind == "only":
            only.append(what)
        elif kind in ("not", "keep") and _is(_CHANGES if kind == "not" else _DELETES, effect):
            hit = _touches(effect, what, call)
            if hit:
                verb = "deletes" if effect.kind == Deletes else "changes"
                yield (
                    (
                        f"{verb} {_display_target(effect, call)},"
                        f" although the user wants {what} left as it is"
                    ),
                    hit == _SURELY,
                )
    if only and _is(_CHANGES, effect):
        yield from _beyond(effect, only, call)


def _is(match: Match, effect: Effect) -> bool:
    return effect.kind in match.kinds and match(effect)


def _is_script(effect: Effect, act: str) -> bool:
    return effect.kind == Executes and act in _SCRIPTS and script(effect.target) in _SCRIPTS[act]


def _no(act: str) -> str:
    return _NO_WORDS.get(act, f"no {act}")


def _beyond(effect: Effect, only: Sequence[str], call: ToolCall) -> Iterator[tuple[str, bool]]:
    where = [_within(effect.target, path, call, lenient=True) for path in only]
    if _SURELY in where or (
        "create" in effect.traits and any(_holds(effect.target, path, call) for path in only)
    ):
        return
    whole = effect.place is not None and WORKSPACE_ROOT in effect.place.natures
    known = bool(effect.target) and effect.target != "?" and not whole and _MAYBE not in where
    yield (
        (
            f"changes {_display_target(effect, call)}, although the user limited changes to"
            f" {' and '.join(only)}"
        ),
        known,
    )


# -- paths -----------------------------------------------------------------------------------------

_SURELY, _MAYBE, _NO = "surely", "maybe", ""


def _touches(effect: Effect, what: str, call: ToolCall) -> str:
    """Return whether a change reaches what is to stay: it is there, or it may be below the folder
    that is changed as a whole.
    """
    hit = _within(effect.target, what, call, lenient=False)
    if hit == _SURELY:
        return hit
    whole = effect.place is not None and WORKSPACE_ROOT in effect.place.natures
    if whole or hit == _MAYBE or effect.target in ("", "?"):
        return _MAYBE
    return _SURELY if _holds(effect.target, what, call) and "create" not in effect.traits else _NO


def _within(target: str, what: str, call: ToolCall, *, lenient: bool) -> str:
    """Return whether a path is meant. ``lenient``: ``src/foo`` also means ``src/foo.py``."""
    parts = _parts(target, call)
    if what in _GROUPS:
        return (
            _SURELY
            if any(_like(part, pattern) for part in parts for pattern in _GROUPS[what])
            else _NO
        )
    wanted = _parts(what, call)
    if not wanted:
        return _SURELY
    lenient = lenient or len(wanted) > 1
    for begin in range(len(parts) - len(wanted) + 1):
        if all(
            _fits(part, want, lenient=lenient and number == len(wanted) - 1)
            for number, (part, want) in _pair_parts(parts[begin:], wanted)
        ):
            return _SURELY
    return (
        _MAYBE
        if any("*" in part for part in parts[: len(wanted)]) and not _GROUPS.get(what)
        else _NO
    )


def _pair_parts(parts: Sequence[str], wanted: Sequence[str]) -> list[tuple[int, tuple[str, str]]]:
    return list(enumerate(zip(parts, wanted, strict=False)))


def _holds(target: str, what: str, call: ToolCall) -> bool:
    """Tell whether a folder is one above what is meant."""
    if what in _GROUPS:
        return False
    parts, wanted = _parts(target, call), _parts(what, call)
    return (
        bool(parts)
        and len(wanted) > len(parts)
        and all(_like(part, want) for part, want in zip(parts, wanted, strict=False))
    )


def _parts(path: str, call: ToolCall) -> list[str]:
    """Return the names of a path below the workspace, or an outside one, in lower case."""
    path = path.replace("\\", "/")
    for root in call.roots:
        if path == root or path.startswith(root.rstrip("/") + "/"):
            path = path[len(root) :]
            break
    return [part for part in path.lower().split("/") if part not in ("", ".", "**")]


def _fits(part: str, want: str, *, lenient: bool) -> bool:
    return _like(part, want) or (lenient and part.startswith(want + "."))


def _like(part: str, pattern: str) -> bool:
    """Match a name with a pattern that has at most two stars."""
    if "*" not in pattern:
        return part == pattern
    first, *middle, last = pattern.split("*")
    if not (part.startswith(first) and part.endswith(last) and len(part) >= len(first) + len(last)):
        return False
    return all(piece in part[len(first) : len(part) - len(last) or None] for piece in middle)


def _display_target(effect: Effect, call: ToolCall) -> str:
    """Return a target as a person names it: below the workspace."""
    for root in call.roots:
        if effect.target.startswith(root + "/"):
            return effect.target[len(root) + 1 :]
    return effect.target or "something whose name is not known"
