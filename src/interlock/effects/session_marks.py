"""What a call leaves for later ones of its session: marks on what it read, wrote, downloaded, made
and started.

What tightens is marked even where it is only possible; what loosens (``made``) only where it is
certain and the world says that it is new.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.effects.background import names
from interlock.effects.context import CallContext
from interlock.effects.mounts import MOUNTING
from interlock.effects.places import GIT_HOOKS
from interlock.model.effect import (
    HERE,
    PERSISTENCE,
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    SINK,
    TEMP,
    VCS_INTERNAL,
    WORKSPACE,
    WORKSPACE_ROOT,
    ControlsSystem,
    Deletes,
    Effect,
    Place,
    Reads,
    Writes,
)
from interlock.model.facts import FOLDER, MISSING, Stat
from interlock.shell.value import OWN_PROCESS, Flow

MAX_NEW = 64
"""Paths of a call of which is asked whether they are new."""
MAX_ABOVE = 8
"""Missing folders above a new file that are looked for."""
_NOT_NEW = frozenset(
    "link moved-to append in-place unknown-target unknown-folder some-of if-cd-fails".split()
)
_UNSEEN = frozenset({"source", ".", "cp", "mv", "install", "docker", "podman", "test", "["})
"""Programs that take a project's secrets in without showing them."""
_USING = frozenset(
    "curl wget http https xh ssh scp sftp rsync ssh-add ssh-keygen mosh kubectl helm psql mysql"
    " nginx".split()
)
"""Programs that prove with a key who asks, or send it, and show it to nobody here."""


def marks(
    context: CallContext, effects: tuple[Effect, ...], written: Mapping[str, Flow], text: str
) -> tuple[tuple[str, str], ...]:
    """Return what this call leaves for later ones that has these effects. ``written``: what it put
    into files; ``text``: its input.
    """
    found: dict[tuple[str, str], None] = {}
    asked = MAX_NEW
    for effect in effects:
        if (
            effect.place is not None
            and effect.place.where == HERE
            and effect.kind in (Reads, Writes)
        ):
            found.update(dict.fromkeys(_marks(context, effects, effect)))
            if asked > 0 and _may_be_new(effect):
                asked -= 1
                found.update(dict.fromkeys(_mark_new(context, effect.target)))
    for path in _find_temp_files(context, effects, text):
        found.update(dict.fromkeys(_mark_new(context, path)))
    for path, flow in written.items():
        if path.startswith("/dev/"):
            continue
        if not flow.labels.isdisjoint({"network", "downloaded"}):
            found[path, "downloaded"] = None
        if "secret" in flow.labels:
            found[path, "secret"] = None
        if OWN_PROCESS in flow.labels:
            found[path, "pid-file"] = None
    found.update(dict.fromkeys(context.git.marks()))
    found.update({(thing, "made"): None for thing in (*context.begun.things, *names(context))})
    if "$!" in text:
        found["$!", "starting"] = None
    if any(
        (effect.kind is ControlsSystem and "mount" in effect.traits) or effect.by in MOUNTING
        for effect in effects
    ):
        found["", "mounted"] = None
    return tuple(found)


def _marks(
    context: CallContext, effects: tuple[Effect, ...], effect: Effect
) -> list[tuple[str, str]]:
    """Return ``(subject, label)`` of what an effect leaves behind. A possible effect marks too,
    where marking tightens.
    """
    traits, place = effect.traits, effect.place
    if place is None or not effect.target or SINK in place.natures:
        return []
    if effect.kind is Reads:
        return [("", "secret-read")] if shows_secret(effect) else []
    found = [(effect.target, "secret")] if "carries-secret" in traits else []
    if (PERSISTENCE in place.natures and VCS_INTERNAL in place.natures) or _may_be_hook(
        effect.target
    ):
        found.append((effect.target, "changed-hook"))
    if "downloaded" in traits:
        among = not traits.isdisjoint({"extracted", "unknown-target"}) and _may_have_others(
            context, effect.target, place
        )
        found.append((effect.target, "unpacked" if among else "downloaded"))
    if "moved-to" in traits and not _moves_own(context, effects):
        found.append((effect.target, "moved-in"))
    return found


def _may_be_hook(path: str) -> bool:
    """Whether a file, or a folder that is written as a whole, is named as hooks of git are: where
    git looks for them is asked when it does.
    """
    name = path.rpartition("/")[2]
    return name in GIT_HOOKS or name in _HOOK_FOLDERS


_HOOK_FOLDERS = frozenset({"hooks", "githooks", "git-hooks", ".githooks", ".git-hooks", ".husky"})


def shows_secret(effect: Effect) -> bool:
    """Tell whether reading something shows a secret, and not only that it is there."""
    place = effect.place
    if place is None or not effect.traits.isdisjoint({"listed", "linked", "staged"}):
        return False
    if SECRET in place.natures:
        return effect.certain or "searched" not in effect.traits
    unseen = effect.by in _UNSEEN or not effect.traits.isdisjoint({"archived", "sent", "staged"})
    return (PROJECT_SECRET in place.natures and not unseen) or (
        "holds-secret" in effect.traits and not unseen and effect.by not in _USING
    )


def _moves_own(context: CallContext, effects: tuple[Effect, ...]) -> bool:
    """Whether what is moved there was this session's (``mv /tmp/try/a /tmp/try/b``)."""
    sources = [
        one
        for one in effects
        if one.kind is Deletes and "moved" in one.traits and one.span is not None
    ]
    return bool(sources) and all(
        "made-here" in one.traits or (one.certain and context.facts.made(one.target))
        for one in sources
    )


def _may_have_others(context: CallContext, folder: str, place: Place) -> bool:
    """Whether a folder may hold other files besides those that this call puts there."""
    if not place.natures.isdisjoint({ROOT_OF, WORKSPACE_ROOT}):
        return True
    stat = context.facts.stat(folder)
    return isinstance(stat, Stat) and stat.kind == FOLDER and not context.facts.made(folder)


def _may_be_new(effect: Effect) -> bool:
    """Whether an effect may make a file or folder that was not there before, in a place that is the
    session's to clear.
    """
    place = effect.place
    if (
        effect.kind is not Writes
        or not effect.certain
        or place is None
        or place.location not in (WORKSPACE, TEMP)
    ):
        return False
    return bool(effect.target) and effect.traits.isdisjoint(_NOT_NEW)


MAX_NAMED = 16
_IN_NAMES = frozenset("._-+@%/")


def _find_temp_files(context: CallContext, effects: tuple[Effect, ...], text: str) -> list[str]:
    """Return the temporary files that a call names whole and is not known to read or delete.

    Many programs write what they are told by an option that nobody described (``--log /tmp/x``):
    what was not there before is theirs.
    """
    looked = {effect.target for effect in effects if effect.kind in (Reads, Deletes)}
    found: dict[str, None] = {}
    for temp in context.temps:
        at = text.find(f"{temp}/")
        while at >= 0 and len(found) < MAX_NAMED:
            end = at + len(temp) + 1
            while end < len(text) and (text[end].isalnum() or text[end] in _IN_NAMES):
                end += 1
            path = text[at:end]
            whole = (
                text[at - 1 : at] in _AROUND and text[end : end + 1] in _AROUND and ".." not in path
            )
            if whole and path not in looked and context.place(path).location == TEMP:
                found[path.rstrip("/")] = None
            at = text.find(f"{temp}/", end)
    return list(found)


_AROUND = frozenset(["", *" \t\n\"'=;)&|<>,"])


def _mark_new(context: CallContext, path: str) -> list[tuple[str, str]]:
    """Return the mark of what is new: the file, or the first folder above it not there yet."""
    new = ""
    for _ in range(MAX_ABOVE):
        stat = context.facts.stat(path)
        if not isinstance(stat, Stat) or stat.kind != MISSING:
            break
        path, new = path.rpartition("/")[0], path
    else:
        return []
    known = isinstance(stat, Stat) and stat.kind == FOLDER
    return [(new, "made")] if new and known and context.facts.real(new) == new else []
