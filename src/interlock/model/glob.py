"""Patterns of paths and of names, in bounded work.

``*`` stands for any part of one name, ``?`` for one character of it, ``**`` for any number of
folders; ``dir/**`` fits ``dir`` too. Of what is no path (a host, a program, a ref) ``*`` stands for
anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from interlock.model.effect import Effect

DEEP = "**"
DISCARDS = "discards-work"
SURROUNDINGS = ("context:", "account:", "namespace:", "workspace:", "environment:", "file:")
"""Before the name of what a program of clusters and clouds works in (``interlock.effects.scopes``):
no ref of a repository.
"""
WHOLE = frozenset({"recursive", "found", "all-of", "some-of", "archived"})
"""Traits of effects that reach below their target."""


class Named(Protocol):
    """What a match says of an effect by name."""

    @property
    def by(self) -> frozenset[str]:
        """Return the programs that it speaks of."""

    @property
    def path(self) -> tuple[str, ...]:
        """Return patterns of paths, of which one has to fit."""

    @property
    def not_path(self) -> tuple[str, ...]:
        """Return patterns of paths, of which none may fit."""

    @property
    def like(self) -> tuple[str, ...]:
        """Return patterns of targets."""

    @property
    def ref(self) -> tuple[str, ...]:
        """Return patterns of refs, contexts and accounts."""

    @property
    def holding(self) -> bool:
        """Whether a folder that holds such a path counts, too."""

    @property
    def fold(self) -> bool:
        """Whether case means nothing."""


def fits(match: Named, effect: Effect) -> bool:
    """Tell whether an effect's path, target, refs and program fit, or may fit, a match's names."""
    if match.by and effect.by not in match.by:
        return False
    target = effect.target.lower() if match.fold else effect.target
    if match.like and not any(name_fits(pattern, target) for pattern in match.like):
        return False
    if match.ref and not refs_fit(match.ref, effect) and not _refs_may_fit(match.ref, effect):
        return False
    return (
        not (match.path or match.not_path)
        or _at(match, effect)
        or (match.holding and _may_hold(match, effect))
    )


def sure(match: Named, effect: Effect) -> bool:
    """Tell whether what fits is sure to, and not only may: a ref that is named, a path that is
    written out or is below one that is.
    """
    if match.ref and not refs_fit(match.ref, effect):
        return False
    return not match.holding or (effect.kind != DISCARDS and _at(match, effect))


def _at(match: Named, effect: Effect) -> bool:
    place = effect.place
    if place is None or place.where != "here":
        return False
    paths = [effect.target, place.real] if place.real else [effect.target]
    if match.fold:
        paths = [path.lower() for path in paths]
    if match.path and not any(_one_fits(match, path, effect) for path in paths):
        return False
    return not match.not_path or not all(
        any(path_fits(pattern, path) for pattern in match.not_path) for path in paths
    )


def _one_fits(match: Named, path: str, effect: Effect) -> bool:
    if any(path_fits(pattern, path) for pattern in match.path):
        return True
    if match.holding and any(
        overlaps(meant.lower() if match.fold else meant, pattern)
        for meant in effect.only
        for pattern in match.path
    ):
        return True
    below = match.holding and "listed" not in effect.traits and not WHOLE.isdisjoint(effect.traits)
    return below and any(holds(path, pattern) for pattern in match.path)


def refs_fit(patterns: tuple[str, ...], effect: Effect) -> bool:
    """Tell whether one of the refs, contexts or accounts of an effect is sure to fit."""
    return any(_ref_fits(patterns, ref) for ref in effect.only)


def is_unknown_ref(ref: str) -> bool:
    """Tell whether nobody can say which ref of a push is meant: a part of it is unknown, or it is
    the current branch.
    """
    return "?" in ref or ref.rpartition(":")[2] in ("HEAD", "@", "*")


def _refs_may_fit(patterns: tuple[str, ...], effect: Effect) -> bool:
    """A push of what nobody can name may be one to any branch."""
    if effect.kind != "pushes":
        return False
    if not effect.only:
        return True
    there = [
        ref.rpartition(":")[2].removeprefix("refs/heads/")
        for ref in effect.only
        if is_unknown_ref(ref)
    ]
    return any(
        ref in ("HEAD", "@") or _begin_alike(ref, pattern) for ref in there for pattern in patterns
    )


def _begin_alike(one: str, other: str) -> bool:
    first, second = [text.replace("?", "*").partition("*")[0] for text in (one, other)]
    return first.startswith(second) or second.startswith(first)


def _may_hold(match: Named, effect: Effect) -> bool:
    """Tell whether a folder that goes, is moved or changes its mode may hold a path that a policy
    names: nobody knows what lies below.

    What is only written into it changes nothing that lies there, as far as anybody can say.
    """
    place = effect.place
    if place is None or place.where != "here" or "generated" in place.natures:
        return False
    if effect.kind in ("reads", "writes") or WHOLE.isdisjoint(effect.traits):
        return False
    meant = effect.only or tuple([f"{path}/**" for path in (effect.target, place.real) if path])
    return any(
        _may_meet(one.lower() if match.fold else one, pattern)
        for one in meant
        for pattern in match.path
    )


def _may_meet(meant: str, pattern: str) -> bool:
    """Tell whether one path may fit both patterns."""
    ours, theirs = plain(meant).rstrip("/").split("/"), pattern.rstrip("/").split("/")
    # whether what is left of theirs meets nothing more of ours, from the end
    after = [False] * len(theirs) + [True]
    for at in range(len(theirs) - 1, -1, -1):
        after[at] = theirs[at] == DEEP and after[at + 1]
    for one in reversed(ours):
        here = [False] * len(theirs) + [one == DEEP and after[-1]]
        for at in range(len(theirs) - 1, -1, -1):
            if DEEP in (one, theirs[at]):
                here[at] = here[at + 1] or after[at]
            else:
                here[at] = after[at + 1] and _names_may_meet(one, theirs[at])
        after = here
    return after[0]


def _names_may_meet(one: str, other: str) -> bool:
    """Tell whether one name may fit both patterns, as far as their beginnings and ends show."""
    if not any(sign in one for sign in "*?"):
        return name_fits(other, one)
    if not any(sign in other for sign in "*?"):
        return name_fits(one, other)
    first, second = [text.replace("?", "*").rpartition("*")[2] for text in (one, other)]
    return _begin_alike(one, other) and (first.endswith(second) or second.endswith(first))


def normalize_ref(ref: str) -> str:
    """Return the branch, tag or surroundings by which a ref is compared."""
    if ref.startswith(SURROUNDINGS):
        return ref
    there = ref.lstrip("+").rpartition(":")[2]
    return there.removeprefix("refs/heads/").removeprefix("refs/tags/")


def _ref_fits(patterns: tuple[str, ...], ref: str) -> bool:
    there = normalize_ref(ref)
    return bool(there) and any(name_fits(pattern, there) for pattern in patterns)


def path_fits(pattern: str, path: str) -> bool:
    """Tell whether a whole path fits a pattern."""
    return _matches(pattern.rstrip("/").split("/"), path.rstrip("/").split("/"), DEEP, name_fits)


def name_fits(pattern: str, name: str) -> bool:
    """Tell whether a whole name fits a pattern of ``*`` and ``?``."""
    if "*" not in pattern and "?" not in pattern:
        return pattern == name
    return _matches(pattern, name, "*", _same)


def holds(folder: str, pattern: str) -> bool:
    """Tell whether what a pattern speaks of lies below a folder, as far as it is written out."""
    parts = pattern.split("/")
    literal = next((at for at, part in enumerate(parts) if "*" in part or "?" in part), len(parts))
    above = folder.rstrip("/").split("/")
    return len(above) < literal and parts[: len(above)] == above


def overlaps(meant: str, pattern: str) -> bool:
    """Tell whether a pattern of a command may mean what a policy's pattern speaks of, as far as
    that is written out.
    """
    parts, asked = pattern.split("/"), plain(meant).rstrip("/").split("/")
    literal = next((at for at, part in enumerate(parts) if "*" in part or "?" in part), len(parts))
    until = asked.index(DEEP) if DEEP in asked else len(asked)
    reaches = until < len(asked) or len(asked) >= literal
    return (
        reaches
        and literal > 1
        and all(
            name_fits(one, part) for one, part in zip(asked[:until], parts[:literal], strict=False)
        )
    )


def plain(meant: str) -> str:
    """Return a shell's pattern without its sets of characters: each may be any one character."""
    while "[" in meant and "]" in meant[meant.index("[") + 1 :]:
        start = meant.index("[")
        meant = meant[:start] + "?" + meant[meant.index("]", start + 1) + 1 :]
    return meant


def _same(one: str, other: str) -> bool:
    return one in ("?", other)


def _matches(
    pattern: Sequence[str], items: Sequence[str], star: str, same: Callable[[str, str], bool]
) -> bool:
    """Match a sequence, one star at a time and never back beyond the last: no pattern takes more
    than their lengths multiplied.
    """
    at = spot = 0
    last = held = -1
    while spot < len(items):
        if at < len(pattern) and pattern[at] == star:
            last, held = at, spot
            at += 1
        elif at < len(pattern) and same(pattern[at], items[spot]):
            at += 1
            spot += 1
        elif last >= 0:
            held += 1
            at, spot = last + 1, held
        else:
            return False
    return all(part == star for part in pattern[at:])
