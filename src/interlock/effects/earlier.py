"""What earlier calls of the session, and the repository, say of the effects of this one; and what this call leaves for later ones.

A file that this session made may go; what git can bring back is not lost; a process that this session started may be stopped.
After a secret was read, what goes to an unknown host counts more. All of it by facts: where they are unknown nothing is loosened.
"""

from __future__ import annotations

from interlock.effects.context import MOUNTING
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
    ChangesMode,
    Connects,
    ControlsSystem,
    Deletes,
    Executes,
    KillsProcess,
    Place,
    Reads,
    Sends,
    Writes,
)
from interlock.model.facts import ALL, FILE, FILES, FOLDER, MISSING, SPECIAL, Loss, Stat, Unknown
from interlock.shell.value import OWN_PROCESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.effects.context import Context
    from interlock.model.effect import Effect, Kind
    from interlock.shell.value import Flow

KINDS: frozenset[Kind] = frozenset({Writes, Deletes, ChangesMode, KillsProcess, Sends, Connects, Executes})
"""Effects that anything is to be said of."""
MAX_ABOVE = 8
"""Missing folders above a new file that are looked for."""
MAX_PIDS = 16
_MANY = frozenset({"recursive", "found", "all-of"})
_UNTOLD = frozenset({"unknown-target", "unknown-folder", "some-of", "if-cd-fails"})
"""Traits of effects whose target does not tell which files are meant."""
_NOT_NEW = frozenset({"link", "moved-to", "append", "in-place"})
_UNSEEN = frozenset({"source", ".", "cp", "mv", "install", "docker", "podman", "test", "["})
"""Programs that take a project's secrets in without showing them."""
_LANGUAGES = frozenset({"sh", "python", "perl", "ruby", "php"})
"""Languages whose scripts are written by hand; what a bundler made for others may be long."""
_OPEN = frozenset({SECRET, PROJECT_SECRET, SENSITIVE_NAME})
_KEEPING = frozenset({Reads, Connects, Deletes})
"""Kinds of effects after which a work tree holds nothing that it did not hold before; and what discards nothing."""


def settle(context: Context) -> None:
    """Add to the effects gathered what facts about earlier calls and the repository say of them."""
    for number, effect in enumerate(context.effects):
        if effect.kind in KINDS and (effect.place is None or effect.place.where == HERE):
            context.effects[number] = _settled(context, effect, number)


def _settled(context: Context, effect: Effect, number: int) -> Effect:
    if effect.kind is Deletes:
        effect = _deleted(context, effect, number)
    if effect.kind in (Writes, Deletes, ChangesMode):
        return _own_code(context, effect)
    if effect.kind is KillsProcess:
        return _killed(context, effect, number)
    if effect.kind is Executes:
        _unreadable(context, effect)
    if effect.host == UNKNOWN_HOST and (effect.kind is Sends or "query" in effect.traits) and "secret-read" in context.facts.labels(""):
        # what was written after a secret was seen may hold it, in whatever form
        return effect.replace(traits=effect.traits | {"after-secret", "unknown-data" if effect.kind is Sends else "unknown-word"})
    return effect


def _unreadable(context: Context, effect: Effect) -> None:
    """Say of a script that is there, but too long or no text, that nobody read it: a shell runs what comes before and after a zero byte."""
    path = effect.target
    if effect.traits.isdisjoint(_LANGUAGES) or "script" not in effect.traits or path in context.changed or path.startswith(("/dev/", "/proc/")):
        return
    stat = context.facts.stat(path) if isinstance(context.facts.text(path), Unknown) else None
    if isinstance(stat, Stat) and stat.kind in (FILE, SPECIAL):
        context.opaque("a script that is too long to be read, or no text", effect.span, "too-much")


# -- deleting what nobody loses ----------------------------------------------------------------------


def _deleted(context: Context, effect: Effect, number: int) -> Effect:
    traits, place = effect.traits, effect.place
    path = _searched(context, effect, number) or effect.target
    if "made-here" in traits and _moved_in(context, effect, number):
        return effect.replace(traits=traits - {"made-here"})
    untold = not traits.isdisjoint(_UNTOLD) and path == effect.target
    if place is None or place.location not in (WORKSPACE, TEMP) or untold or "made-here" in traits or context.linked:
        return effect
    if GENERATED in place.natures or "moved" in traits or context.facts.real(path) != path:
        return effect
    if context.place(path).natures.isdisjoint({ROOT_OF, WORKSPACE_ROOT}) and context.facts.made(path):
        return effect.replace(traits=traits | {"made-here"})
    if place.location == WORKSPACE and not traits.isdisjoint(_MANY) and _nothing_else(context):
        kept = _kept(context, path, FILES if traits.isdisjoint({"recursive", "found"}) else ALL)
        return effect.replace(traits=traits | {kept}) if kept else effect
    return effect


def _searched(context: Context, effect: Effect, number: int) -> str:
    """Return the folder below which a search deletes (``find FOLDER -name '*.o' -delete``): its target is only a name that would fit."""
    if not {"found", "some-of"} <= effect.traits or not effect.traits.isdisjoint(_UNTOLD - {"some-of"}):
        return ""
    folders = [other.target for other in context.effects[:number] if other.kind is Reads and "listed" in other.traits and other.by == effect.by]
    return next((folder for folder in folders if folder == effect.target.rpartition("/")[0]), "")


def _moved_in(context: Context, effect: Effect, number: int) -> bool:
    """Whether this call moved something there that it did not make itself."""
    before = context.effects[:number]
    moved = any(other.kind is Writes and "moved-to" in other.traits and below(other.target, effect.target) for other in before)
    return moved and any(other.kind is Deletes and "moved" in other.traits and "made-here" not in other.traits for other in before)


def _nothing_else(context: Context) -> bool:
    """Whether nothing in this call may have put something into the work tree or changed it."""
    gone = {effect.target for effect in context.effects if effect.kind is Deletes}
    return (
        context.call.tool == SHELL
        and context.changed <= gone
        and all(effect.kind in _KEEPING or "nothing-lost" in effect.traits for effect in context.effects)
    )


def _kept(context: Context, path: str, of: str) -> str:
    """Return why nothing is lost: all that is there is ``committed``, or ``ignored``; else ``""``."""
    loss = context.facts.loss(path, of)
    if not isinstance(loss, Loss) or loss.modified or loss.untracked:
        return ""
    if loss.ignored == (path,):
        return "ignored"
    worthless = all(GENERATED in natures and natures.isdisjoint(_OPEN) for natures in [context.place(one).natures for one in loss.ignored])
    return "committed" if worthless else ""


# -- the guard's own code ------------------------------------------------------------------------------


def _own_code(context: Context, effect: Effect) -> Effect:
    """The code of the running guard, wherever it was installed from: a guard file. In the workspace its sources may be the work itself: possible."""
    for folder in context.facts.own_code():
        reaches = below(folder, effect.target) and (effect.kind is Deletes or "recursive" in effect.traits)
        if not effect.target or not (reaches or below(effect.target, folder)):
            continue
        place = effect.place or Place(WORKSPACE)
        ours = Place(place.location, place.natures | {GUARD}, place.where)
        certain = effect.certain and place.location != WORKSPACE and below(effect.target, folder)
        return effect.replace(place=ours, certain=certain, traits=effect.traits | {"own-code"})
    return effect


# -- stopping what this session started ----------------------------------------------------------------


def _killed(context: Context, effect: Effect, number: int) -> Effect:
    if "by-pid" not in effect.traits:
        return effect
    pids = [effect.target.removeprefix("-")] if effect.target != "?" else _pids(context, effect, number)
    own = pids and len(pids) <= MAX_PIDS and all(pid.isdigit() and len(pid) < 9 and context.facts.started(pid) for pid in pids)
    return effect.replace(traits=effect.traits - {"by-pid"} | {"own"}) if own else effect


def _pids(context: Context, effect: Effect, number: int) -> list[str]:
    """Return the numbers in the file that the words of ``kill`` come from: ``kill $(cat server.pid)``."""
    before = context.effects[number - 1] if number else None
    if before is None or before.kind is not Reads or "from-file" not in effect.traits or before.target in context.changed:
        return []
    text = context.facts.text(before.target)
    return text.split() if isinstance(text, str) else []


# -- what later calls should know ------------------------------------------------------------------------


def marks(context: Context, written: Mapping[str, Flow], text: str) -> tuple[tuple[str, str], ...]:
    """Return what this call leaves for later ones. ``written``: what it put into files; ``text``: its input."""
    found: dict[tuple[str, str], None] = {}
    for effect in context.effects:
        if effect.place is not None and effect.place.where == HERE and effect.kind in (Reads, Writes):
            found.update(dict.fromkeys(_marks(context, effect)))
    for path, flow in written.items():
        if not flow.labels.isdisjoint({"network", "downloaded"}):
            found[path, "downloaded"] = None
        if "secret" in flow.labels:
            found[path, "secret"] = None
        if OWN_PROCESS in flow.labels:
            found[path, "pid-file"] = None
    if "$!" in text:
        found["$!", "starting"] = None
    if any((effect.kind is ControlsSystem and "mount" in effect.traits) or effect.by in MOUNTING for effect in context.effects):
        found["", "mounted"] = None
    return tuple(found)


def _marks(context: Context, effect: Effect) -> list[tuple[str, str]]:
    """Return ``(subject, label)`` of what an effect leaves behind. A possible effect marks too, where marking tightens."""
    traits, place = effect.traits, effect.place
    if place is None or not effect.target:
        return []
    if effect.kind is Reads:
        shown = SECRET in place.natures or (PROJECT_SECRET in place.natures and effect.by not in _UNSEEN)
        return [("", "secret-read")] if shown and traits.isdisjoint({"listed", "linked"}) else []
    found = [(effect.target, "secret")] if "carries-secret" in traits else []
    if "downloaded" in traits:
        spread = not traits.isdisjoint({"extracted", "unknown-target"}) and not place.natures.isdisjoint({ROOT_OF, WORKSPACE_ROOT})
        found.append((effect.target, "unpacked" if spread else "downloaded"))
    if "moved-to" in traits:
        found.append((effect.target, "moved-in"))
    if effect.certain and place.location in (WORKSPACE, TEMP) and traits.isdisjoint(_NOT_NEW | _UNTOLD):
        found += _made(context, effect)
    return found


def _made(context: Context, effect: Effect) -> list[tuple[str, str]]:
    """Return the mark of what is new: the file, or the first folder above it that is not there yet."""
    path, new = effect.target, ""
    for _ in range(MAX_ABOVE):
        stat = context.facts.stat(path)
        if not isinstance(stat, Stat) or stat.kind != MISSING:
            break
        path, new = path.rpartition("/")[0], path
    else:
        return []
    known = isinstance(stat, Stat) and stat.kind == FOLDER
    return [(new, "made")] if new and known and context.facts.real(new) == new else []
