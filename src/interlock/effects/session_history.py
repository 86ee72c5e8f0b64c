"""What earlier calls of the session, and the repository, say of the effects of this one
(``session_marks``: what this one leaves).

A file that this session made may go; what git can bring back is not lost; a process that this
session started may be stopped. After a secret was read, what goes to an unknown host counts more.
All of it by facts: where they are unknown nothing is loosened.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects.context import CallContext
from interlock.effects.gathering import ReadResult
from interlock.effects.mounts import MOUNTING
from interlock.effects.places import below
from interlock.model.call import SHELL
from interlock.model.effect import (
    GENERATED,
    GUARD,
    HERE,
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    SENSITIVE_NAME,
    TEMP,
    UNKNOWN_HOST,
    WORKSPACE,
    WORKSPACE_ROOT,
    Connects,
    ControlsSystem,
    Deletes,
    Effect,
    Executes,
    KillsProcess,
    Place,
    Reads,
    Sends,
    Writes,
)
from interlock.model.facts import ALL, FILE, FILES, MISSING, SPECIAL, Loss, Stat, Unknown
from interlock.model.kinds import meaning

MAX_PIDS = 16
_CHANGING = meaning("path") - {Reads}
_MANY = frozenset({"recursive", "found", "all-of"})
_UNTOLD = frozenset({"unknown-target", "unknown-folder", "some-of", "if-cd-fails"})
"""Traits of effects whose target does not tell which files are meant."""
_LANGUAGES = frozenset({"sh", "python", "perl", "ruby", "php"})
"""Languages whose scripts are written by hand; what a bundler made for others may be long."""
_OPEN = frozenset({SECRET, PROJECT_SECRET, SENSITIVE_NAME})
_KEEPING = frozenset({Reads, Connects, Deletes})
"""Kinds of effects after which a work tree holds nothing new, or that discard nothing."""


MAX_ASKED = 64
"""Paths of a call of which is asked whether the session made them."""
MAX_LOSSES = 8


class _Call:
    """What is counted once for all effects of a call, so that the work stays linear."""

    def __init__(self, context: CallContext, effects: tuple[Effect, ...]) -> None:
        self.asked = MAX_ASKED
        self.losses = MAX_LOSSES
        self.moved_in = [
            effect.target
            for effect in effects
            if effect.kind is Writes and "moved-to" in effect.traits
        ]
        self.moved = any(
            effect.kind is Deletes and "moved" in effect.traits and "made-here" not in effect.traits
            for effect in effects
        )
        self.mounts = any(
            effect.by in MOUNTING or (effect.kind is ControlsSystem and "mount" in effect.traits)
            for effect in effects
        )
        self.searched = {
            (effect.by, effect.target)
            for effect in effects
            if effect.kind is Reads and "listed" in effect.traits
        }
        gone = {effect.target for effect in effects if effect.kind is Deletes}
        quiet = all(
            effect.kind in _KEEPING or "nothing-lost" in effect.traits for effect in effects
        )
        self.only_deletes = context.call.tool == SHELL and context.files.changed <= gone and quiet
        """Whether nothing in this call may have put something into the work tree or changed it."""


def settle(context: CallContext, read: ReadResult) -> ReadResult:
    """Return a reading with what earlier calls and the repository say of its effects."""
    settled: list[Effect] = []
    more = context.gather(lambda: settled.extend(_each(context, read.effects)))
    return read.of(settled).then(more)


def _each(context: CallContext, effects: tuple[Effect, ...]) -> Iterator[Effect]:
    own = context.facts.own_code()
    whole: _Call | None = None
    for number, effect in enumerate(effects):
        here = effect.place is None or effect.place.where == HERE
        if effect.kind not in meaning("past") or not here:
            yield effect
            continue
        if effect.kind is Deletes:
            whole = whole or _Call(context, effects)
            yield _settle_delete(context, effect, whole)
        else:
            yield _settle_one(context, effects, number)
        for folder in own if effect.kind in _CHANGING else ():
            _own_code(context, effect, folder)


def _settle_one(context: CallContext, effects: tuple[Effect, ...], number: int) -> Effect:
    effect = effects[number]
    if effect.kind is KillsProcess:
        return _settle_kill(context, effects, number)
    if effect.kind is Executes:
        _unreadable(context, effect)
    if (
        effect.host == UNKNOWN_HOST
        and (effect.kind is Sends or "query" in effect.traits)
        and "secret-read" in context.facts.labels("")
    ):
        # what was written after a secret was seen may hold it, in whatever form
        return effect.replace(
            traits=effect.traits
            | {"after-secret", "unknown-data" if effect.kind is Sends else "unknown-word"}
        )
    return effect


def _unreadable(context: CallContext, effect: Effect) -> None:
    """Say of a script that is there, but too long or no text, that nobody read it: a shell runs
    what comes before and after a zero byte.
    """
    path = effect.target
    if (
        effect.traits.isdisjoint(_LANGUAGES)
        or "script" not in effect.traits
        or path in context.files.changed
        or path.startswith(("/dev/", "/proc/"))
    ):
        return
    stat = context.facts.stat(path) if isinstance(context.facts.text(path), Unknown) else None
    if isinstance(stat, Stat) and stat.kind in (FILE, SPECIAL):
        context.opaque("a script that is too long to be read, or no text", effect.span, "too-much")


# -- deleting what nobody loses --------------------------------------------------------------------


def _settle_delete(context: CallContext, effect: Effect, whole: _Call) -> Effect:
    traits, place = effect.traits, effect.place
    if (
        "made-here" in traits
        and whole.moved
        and any(below(path, effect.target) for path in whole.moved_in)
    ):
        # something that was not made here was moved there
        return effect.replace(traits=traits - {"made-here"})
    path = _search_folder(effect, whole) or effect.target
    untold = not traits.isdisjoint(_UNTOLD) and path == effect.target
    if (
        place is None
        or place.location not in (WORKSPACE, TEMP)
        or untold
        or "made-here" in traits
        or context.files.linked
    ):
        return effect
    if (
        GENERATED in place.natures
        or "moved" in traits
        or whole.asked <= 0
        or context.facts.real(path) != path
    ):
        return effect
    whole.asked -= 1
    if context.place(path).natures.isdisjoint({ROOT_OF, WORKSPACE_ROOT}) and (
        context.facts.made(path) or _was_not_there(context, path, whole)
    ):
        return effect.replace(traits=traits | {"made-here"})
    if (
        place.location == WORKSPACE
        and not traits.isdisjoint(_MANY)
        and whole.only_deletes
        and whole.losses > 0
    ):
        whole.losses -= 1
        return _add_loss(
            context, effect, path, FILES if traits.isdisjoint({"recursive", "found"}) else ALL
        )
    return effect


def _was_not_there(context: CallContext, path: str, whole: _Call) -> bool:
    """Whether nothing was at a temporary path before the call, so that only the call can have put
    there what it deletes.
    """
    stat = context.facts.stat(path)
    missing = (
        context.place(path).location == TEMP and isinstance(stat, Stat) and stat.kind == MISSING
    )
    return missing and not whole.moved_in and not whole.mounts


def _search_folder(effect: Effect, whole: _Call) -> str:
    """Return the folder below which a search deletes (``find FOLDER -name '*.o' -delete``): its
    target is only a name that would fit.
    """
    if not {"found", "some-of"} <= effect.traits or not effect.traits.isdisjoint(
        _UNTOLD - {"some-of"}
    ):
        return ""
    folder = effect.target.rpartition("/")[0]
    return folder if (effect.by, folder) in whole.searched else ""


def _add_loss(context: CallContext, effect: Effect, path: str, of: str) -> Effect:
    """Return the effect with why nothing is lost: all that is there is ``committed``, or
    ``ignored``; else with what would be lost, in words.
    """
    loss = context.facts.loss(path, of)
    if not isinstance(loss, Loss):
        return effect
    if loss.modified or loss.untracked:
        return effect.replace(detail=_describe_loss(loss))
    if "found" in effect.traits and (loss.links or loss.ignored):
        return effect  # a search may be told to follow links (find -L)
    natures = [context.place(one).natures for one in loss.ignored]
    if loss.ignored == (path,):
        return effect.replace(traits=effect.traits | {"ignored"})
    if all(GENERATED in some and some.isdisjoint(_OPEN) for some in natures):
        return effect.replace(traits=effect.traits | {"committed"})
    return effect.replace(detail=f"{len(natures)} ignored files or folders are in no commit")


def _describe_loss(loss: Loss) -> str:
    if loss.modified:
        return (
            f"{loss.modified} of {max(loss.tracked, loss.modified)} tracked files are not as the"
            " last commit has them"
        )
    return f"{loss.untracked} file{'s are' if loss.untracked > 1 else ' is'} in no commit"


# -- the guard's own code --------------------------------------------------------------------------


def _own_code(context: CallContext, effect: Effect, folder: str) -> None:
    """The code of the running guard, wherever it was installed from, is a guard file: add that it
    is changed.

    In the workspace its sources may be the work itself, and a folder above it may be meant for
    something else: possible.
    """
    inside = below(effect.target, folder)
    if not inside and not (
        effect.target
        and below(folder, effect.target)
        and (effect.kind is Deletes or "recursive" in effect.traits)
    ):
        return
    place = effect.place or Place(WORKSPACE)
    context.say(
        effect.replace(
            target=effect.target if inside else folder,
            place=Place(place.location, frozenset({GUARD}), place.where),
            certain=effect.certain and place.location != WORKSPACE and inside,
            traits=frozenset({"own-code"}),
        )
    )


# -- stopping what this session started ------------------------------------------------------------


def _settle_kill(context: CallContext, effects: tuple[Effect, ...], number: int) -> Effect:
    effect = effects[number]
    if "by-pid" not in effect.traits:
        return effect
    pids = (
        [effect.target.removeprefix("-")]
        if effect.target != "?"
        else _pids(context, effects, number)
    )
    own = (
        pids
        and len(pids) <= MAX_PIDS
        and all(pid.isdigit() and len(pid) < 9 and context.facts.started(pid) for pid in pids)
    )
    return (
        effect.replace(traits=effect.traits - {"by-pid", "from-file"} | {"own"}) if own else effect
    )


def _pids(context: CallContext, effects: tuple[Effect, ...], number: int) -> list[str]:
    """Return the numbers in a file of ``kill``'s words: ``kill $(cat server.pid)``."""
    before = effects[number - 1] if number else None
    if (
        before is None
        or before.kind is not Reads
        or "from-file" not in effects[number].traits
        or _may_hold_other(context, effects, before.target, number)
    ):
        return []
    text = context.facts.text(before.target)
    return text.split() if isinstance(text, str) else []


def _may_hold_other(
    context: CallContext, effects: tuple[Effect, ...], path: str, number: int
) -> bool:
    """Whether a call may have changed a file before it reads it for that effect; that it deletes it
    afterwards changes nothing.
    """
    after = [
        effect.kind
        for effect in effects[number + 1 :]
        if effect.target == path and effect.kind is not Reads
    ]
    before = [
        effect.kind
        for effect in effects[:number]
        if effect.target == path and effect.kind is not Reads
    ]
    return path in context.files.changed and (
        bool(before) or not after or any(kind is not Deletes for kind in after)
    )
