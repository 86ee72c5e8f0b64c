"""What is done to a path that a word names: known, a pattern, or partly unknown."""

from __future__ import annotations

from interlock.effects import guard_files, places, secret_reads
from interlock.effects.context import CallContext
from interlock.effects.keys import WHOLE, may_hold
from interlock.effects.path_actions import PathAction
from interlock.model.effect import (
    ACCESS,
    GENERATED,
    GUARD,
    HERE,
    LOG,
    PERSISTENCE,
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    SENSITIVE_NAME,
    UNKNOWN_PLACE,
    VCS_INTERNAL,
    WORKSPACE,
    WORKSPACE_ROOT,
    Deletes,
    Effect,
    Kind,
    Place,
    Reads,
    Writes,
)
from interlock.model.facts import MISSING, Stat
from interlock.model.kinds import meaning
from interlock.shell import builtins
from interlock.shell.value import HOLE, Value

_MEANT = meaning("path")
"""Kinds of effects that keep the pattern their target stands for: for what may be lost, and for
paths that a policy names.
"""
_WITH_ALL = frozenset({"recursive", "moved", "moved-to", "extracted", "link"})
"""Traits of an effect on a folder that reaches what it holds."""
_REACH_HELD = (
    (Deletes, {"recursive"}),
    (Deletes, {"moved"}),
    (Writes, {"extracted"}),
    (Writes, {"downloaded", "recursive"}),
)
"""Effects on a folder that reach what it holds already. (What local copies bring is looked at
there; ``git rm`` reaches what is ``tracked``.)
"""
MAX_HELD = 4
"""Files behind a pattern, or in a folder, that are named."""
_UNKNOWN = Place(UNKNOWN_PLACE)
_TOLD_BY_TAIL = frozenset({SECRET, PROJECT_SECRET, PERSISTENCE, ACCESS, GUARD, LOG, VCS_INTERNAL})
_WITH_NOTHING_BEFORE = frozenset({SECRET, ACCESS})
"""What counts if the unknown part is empty: ``$ROOT/etc/shadow``."""
MIN_TAIL = 3
"""The least that must follow an unknown part of a path to tell anything of it."""
_GLOBS = "*?["


def act_on(context: CallContext, act: PathAction, value: Value, cwd: str | None) -> Effect:
    """Add what an act on the path that a word names does; return the effect on the path itself."""
    text = value.text
    if HOLE in text:
        return _on_partly_known(context, act, value, cwd)
    if value.pattern:
        path = context.normal(text, cwd)
        _add_held(context, act, path, pattern=True)
        act = _behind(context, act, path) if act.kind is Reads else act
        text, traits = _match_generated(context, text, cwd) or _beneath(text)
        act = act.having(*traits).replace(only=_target_patterns(context, act.kind, value.text, cwd))
    return _on_known(context, act, text, cwd)


def _target_patterns(
    context: CallContext, kind: Kind, pattern: str, cwd: str | None
) -> tuple[str, ...]:
    """Return the pattern that a target stands for, where that matters."""
    known = kind in _MEANT and context.call.platform != "windows"
    meant = builtins.folder(cwd, pattern) if known else None
    return () if meant is None else (meant,)


def _on_known(context: CallContext, act: PathAction, text: str, cwd: str | None) -> Effect:
    path = context.normal(text, cwd)
    if path is None:
        act = act.having("unknown-folder")
        return _add(context, act, text, _UNKNOWN, certain=act.kind is Deletes)
    if not _WITH_ALL.isdisjoint(act.traits) and act.kind is not Reads:
        _add_held(context, act, path, pattern=False)
        _add_guarded(context, act, path)
    real = context.through(path)
    if real != path:
        _add_at_path(context, act.replace(only=()), path)
        removed = (
            act.kind is Deletes
            and path in context.files.linked
            and "all-of" not in act.traits
            and not text.endswith(("/", "."))
        )
        path = path if removed else real
    return _add_at_path(context, act, path)


def _add_at_path(context: CallContext, act: PathAction, path: str) -> Effect:
    place = context.place(path)
    if context.files.is_made(path) or (
        act.kind is Writes and _is_fresh_secret(context, path, place)
    ):
        act = act.having("made-here")
    elif (
        act.kind is Reads
        and context.where == HERE
        and (not WHOLE.isdisjoint(act.traits) or may_hold(path.rpartition("/")[2]))
    ):
        place, traits = secret_reads.add_secrets(context, act, path, place)
        act = act.having(*traits)
    return _add(context, act, path, place)


def _add(
    context: CallContext, act: PathAction, path: str, place: Place, *, certain: bool = True
) -> Effect:
    return context.add(
        act.kind,
        path,
        place=place,
        span=act.span,
        traits=act.traits,
        by=act.by,
        certain=certain,
        only=act.only,
    )


def _is_fresh_secret(context: CallContext, path: str, place: Place) -> bool:
    """Whether a file of the workspace that is named like a secret is known not to be there: nobody
    is locked out by a new one.
    """
    return (
        place.location == WORKSPACE
        and not place.natures.isdisjoint({PROJECT_SECRET, SENSITIVE_NAME})
        and context.is_kind(path, MISSING)
    )


# -- what a path holds -----------------------------------------------------------------------------


def _add_held(context: CallContext, act: PathAction, path: str | None, *, pattern: bool) -> None:
    """Add what a pattern may match, or a folder may hold, of the files that matter most: it may not
    be there.
    """
    kind = act.kind
    if path is None or context.where != HERE or (kind is Reads and "listed" in act.traits):
        return
    sure = kind is Deletes and not pattern and path.rpartition("/")[2] in places.CLIENT_FOLDERS
    found = places.guard_files_in(path, context.call.roots, context.home, pattern=pattern)
    there = [
        held
        for held in found
        if kind is not Reads
        or held in context.files.changed
        or context.facts.stat(held) != Stat(MISSING)
    ]
    act = act.replace(traits=act.traits - {"recursive"} | {"held"}, only=())
    for held in there[:MAX_HELD]:
        if kind is Reads:
            context.secrets.told.add((act.by, held))
        _add(context, act, held, context.place(held), certain=sure)


def _add_guarded(context: CallContext, act: PathAction, path: str) -> None:
    """Add what is done to the guard's files in a folder, perhaps among other things."""
    if context.where != HERE or not act.traits.isdisjoint({"known-members", "tracked"}):
        return
    if not any(act.kind is kind and marks <= act.traits for kind, marks in _REACH_HELD):
        return
    act = act.replace(traits=act.traits - {"recursive"} | {"held"}, only=())
    for held in guard_files.beneath(context, path):
        _add(context, act, held, context.place(held), certain=False)


def _behind(context: CallContext, act: PathAction, pattern: str | None) -> PathAction:
    """Add the secrets that a pattern names; return the act, with traits if there are any."""
    if pattern is None or context.where != HERE:
        return act

    return act.having(secret_reads.LABEL) if secret_reads.behind(context, act, pattern) else act


# -- patterns --------------------------------------------------------------------------------------


def _match_generated(
    context: CallContext, text: str, cwd: str | None
) -> tuple[str, tuple[str, ...]] | None:
    """``packages/*/dist``: what can be built again in some folders, not all of what is in them;
    None for any other pattern.
    """
    folder, _, last = text.rpartition("/")
    if (
        not any(mark in folder for mark in _GLOBS)
        or any(mark in last for mark in _GLOBS.replace("*", ""))
        or "**" in text
    ):
        return None
    path = context.normal(_sample(text if last.strip("*") else folder), cwd)
    if path is None or not context.workspace(path):
        return None
    return (_sample(text), ("some-of",)) if GENERATED in context.place(path).natures else None


def _beneath(text: str) -> tuple[str, tuple[str, ...]]:
    """Of a pattern, return the path that stands for what it may match, and traits that say so.

    ``dir/*`` is everything in ``dir``; ``dir/*.o`` is some files in it.
    """
    found: tuple[str, ...] = ()
    if "**/" in text:
        text, found = text.replace("**/", ""), ("found",)
    first = min([text.find(mark) for mark in _GLOBS if mark in text], default=-1)
    folder, slash, name = text[:first].rpartition("/")
    rest = text[len(folder) + len(slash) :]
    everything = rest.strip("*.?{},!") == "" or rest.partition("/")[0].strip("*.?") == ""
    if everything:
        return (folder or (slash or ".")), (*found, "all-of")
    return f"{folder}{slash}{name}{_sample(rest[len(name) :])}", (*found, "some-of")


def _sample(rest: str) -> str:
    """A name that a pattern could match, so that ``*.o`` is seen as an object file and ``*.py[co]``
    as a compiled one.
    """
    out, inside = [], False
    for index, char in enumerate(rest):
        if not inside:
            out.append("x" if char in "*?" else "" if char == "[" else char)
        elif rest[index - 1] == "[" and char not in "!^":
            out.append(char)
        inside = char == "[" or (inside and char != "]")
    return "".join(out)


# -- partly known ----------------------------------------------------------------------------------


def _on_partly_known(
    context: CallContext, act: PathAction, value: Value, cwd: str | None
) -> Effect:
    """A path with a hole: the folder before the hole tells where, if the text has one."""
    head = value.text.partition(HOLE)[0]
    folder = head.rpartition("/")[0] if "/" in head else ""
    known = _by_tail(context, value.text)
    act = act.having("unknown-target", *([f"from-{value.why}"] if value.why else []))
    if folder or head.startswith("/"):
        path = context.normal(folder or "/", cwd)
        if path is not None and path != "/":
            place = context.place(path)
            natures = (place.natures - {ROOT_OF, WORKSPACE_ROOT}) | known
            there = Place(place.location, natures, place.where)
            return _add(context, act, path, there, certain=False)
    rest = value.text[len(head) :].strip(HOLE)
    if head and not rest.startswith("/") and "/" not in value.text and cwd is not None:
        place = context.place(cwd)
        there = Place(place.location, known, place.where)
        return _add(context, act, cwd, there, certain=False)
    place = Place(UNKNOWN_PLACE, known) if known else _UNKNOWN
    return _add(context, act, "", place, certain=False)


def _by_tail(context: CallContext, text: str) -> frozenset[str]:
    """Return what a path with a hole is by what follows the hole: ``$DIR/.ssh/id_rsa`` is a key in
    whatever home, ``/proc/$PID/mem`` a memory.
    """
    tail, home = text.rpartition(HOLE)[2], context.home
    if len(tail) < MIN_TAIL:
        return frozenset()
    whole = context.normal(text.replace(HOLE, "0") if text[:1] == "/" else home + tail, None)
    found = places.by_tail(tail)
    if whole:
        found |= places.natures(whole, (), home) & _TOLD_BY_TAIL
    if text[:1] == HOLE and tail[:1] == "/":
        found |= places.natures(tail, (), home) & _WITH_NOTHING_BEFORE
    return found
