"""Whether a call is proven harmless: all of it is known, and every effect lies within what was lent
to the agent.

A proof is a property of a reading. Whatever is not named here as harmless is not. What was lent is
one of three scopes, each wider than the one before: to read (``read-only``), to edit, build and
test in the workspace (``workspace``), and to read from hosts that the policy allows as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from interlock.engine.explain import describe
from interlock.model.effect import (
    ALLOWED_HOST,
    ELSEWHERE,
    GENERATED,
    HERE,
    LOCAL,
    ONLY_LOOKS,
    ROOT_OF,
    SINK,
    SYSTEM,
    TEMP,
    WORKSPACE,
    WORKSPACE_ROOT,
    ChangesMode,
    Connects,
    ControlsContainer,
    Deletes,
    Effect,
    Executes,
    Installs,
    KillsProcess,
    Kind,
    Listens,
    Reading,
    Reads,
    RunsCode,
    Sends,
    Writes,
)
from interlock.model.policy import IN_WORKSPACE, READ_ONLY, WITH_NETWORK
from interlock.model.record import Record

_MILD = frozenset({GENERATED, SINK, WORKSPACE_ROOT})
"""What a place may be beside where it is."""
_OF_PROJECT = frozenset({"package-script", "tests", "build-output", "own-command", "module"})
_OPEN = ("from-", "unknown-", "unread", "unseen")
"""What traits begin with of what nobody read, or what came from elsewhere."""
_DOCUMENTS = tuple(
    f".{ending}"
    for ending in (
        "md markdown rst adoc txt text log out err json jsonl yaml yml toml xml html htm csv tsv"
        " pdf doc docx eml diff patch ini cfg conf env"
    ).split()
)
"""How the names of files end that hold text for people or data."""
_COPIES = (".bak", ".orig", ".swp", "~")
"""How the names end of what was kept of a file before it was changed."""
_FOLLOWED = frozenset(
    {"sh", "bash", "zsh", "dash", "ksh", "python", "powershell", "cmd", "awk", "sed"}
)
_REQUEST = frozenset({"get", "post", "inline-data", "query", "lookup", "load"})
"""What a request to this machine's own servers may be: no loss, no bare connection."""
IN_CONTAINER = "container "
"""Where a command of ``docker exec`` acts."""
_LOOKED = frozenset({"listed", "recursive", "found", "all-of", "some-of"})
"""How much of what lies outside the workspace may be looked at."""
_WELL_KNOWN = frozenset({"exec", "known"})
"""A tool that everybody knows is started through its package manager (``npx eslint``), which
fetches it where the project has none.
"""
_ENVIRONMENT = ".env"
_OWN = frozenset({"made-here", "own"})
"""Of a process: this session started it, or this very command did."""
_LOOKING = frozenset({"get", "configured-remote", "fetch", "clone"})
"""What a connection may be that only reads."""


class Doubt(Record):
    """Why a call is not proven harmless, as a sentence, and the effect it is about, if any."""

    why: str
    effect: Effect | None = None


def doubts(reading: Reading) -> tuple[str, ...]:
    """Return sentences on why a call is not proven harmless in its workspace, if it is not."""
    return tuple([doubt.why for doubt in unproven(reading, reading.effects)])


def unproven(
    reading: Reading, effects: Iterable[Effect], scope: str = IN_WORKSPACE
) -> tuple[Doubt, ...]:
    """Return what speaks against a proof in a scope; nothing where the call is proven. ``effects``:
    the reading's own, as the policy knows them.
    """
    harmless = _SCOPES[scope]
    found = {why: Doubt(why) for why in reading.doubts if not _is_lent(why, scope)}
    if reading.coverage != "full":
        found[_PARTIAL] = Doubt(_PARTIAL)
    for effect in effects:
        why = _why(effect, harmless)
        if why:
            found.setdefault(why, Doubt(why, effect))
    return tuple(found.values())


def _is_lent(doubt: str, scope: str) -> bool:
    """Whether a doubt is none in a scope: what the user's own tools are signed in to may be looked
    at wherever more than reading files was lent.
    """
    return scope != READ_ONLY and doubt.endswith(ONLY_LOOKS)


_PARTIAL = "not all of it could be read"


def _why(effect: Effect, harmless: Mapping[Kind, Callable[[Effect], bool]]) -> str:
    """Return why an effect is no harmless one, or ``""``."""
    test = harmless.get(effect.kind)
    words = [trait.replace("-", " ") for trait in sorted(_unread_traits(effect))]
    if effect.certain and not words and test is not None and test(effect):
        return ""
    named = f"it {describe(effect.replace(traits=frozenset()), loss=False)}"
    return ", ".join([named, *[word for word in words if word not in named]])


def _unread_traits(effect: Effect) -> list[str]:
    """Return the traits of an effect that say that it was unread or came from elsewhere."""
    found = [trait for trait in effect.traits if trait.startswith(_OPEN)]
    if found == ["from-script"] and "known-text" in effect.traits:
        return []  # this very call wrote it, and its text was read
    return found


def _is_within(effect: Effect) -> bool:
    place = effect.place
    return (
        place is not None
        and place.where == HERE
        and place.location in (WORKSPACE, TEMP)
        and place.natures <= _MILD
    )


def _reads(effect: Effect) -> bool:
    """What is nobody's own (no home, no other project) may be looked at, where it is no secret and
    none lies below.
    """
    place = effect.place
    if _may_be_secret(effect):
        return False
    if _is_within(effect) or _discards(effect) or _is_pipe(effect):
        return True
    if place is not None and place.where.startswith(IN_CONTAINER):
        # entering one is an effect of its own
        listed = place.natures == {ROOT_OF} and effect.traits == {"listed"}
        return listed or not place.natures
    return (
        place is not None
        and place.where == HERE
        and place.location in (SYSTEM, ELSEWHERE)
        and place.natures <= {ROOT_OF}
        and _is_look(effect)
    )


def _may_be_secret(effect: Effect) -> bool:
    """Whether a pattern, or a search, that begins like a file of secrets says what is read
    (``find -name '.env*' -exec cat``).
    """
    found = not effect.traits.isdisjoint({"found", "some-of", "all-of"})
    named = effect.target.rpartition("/")[2].startswith(_ENVIRONMENT)
    return found and named and "listed" not in effect.traits


def _is_pipe(effect: Effect) -> bool:
    """Whether a path is that of a pipe to a command of this very call: ``diff <(sort a) b``."""
    return effect.place is None and effect.traits == {"substitution"}


def _is_look(effect: Effect) -> bool:
    return effect.traits <= _LOOKED or (
        effect.place is not None and not effect.place.natures and effect.place.location == SYSTEM
    )


def _discards(effect: Effect) -> bool:
    return effect.place is not None and effect.place.where == HERE and SINK in effect.place.natures


def _deletes(effect: Effect) -> bool:
    """A thing that is moved is not gone: where it goes to is an effect of its own. A copy that
    somebody, or an editor, kept is not made again by a build, though a rule lets it go.
    """
    place = effect.place
    kept = effect.undoable is True or not effect.traits.isdisjoint({"made-here", "moved"})
    return (
        _is_within(effect)
        and place is not None
        and (
            (kept and WORKSPACE_ROOT not in place.natures)
            or (place.natures == {GENERATED} and not effect.target.endswith(_COPIES))
        )
    )


def _is_everything(effect: Effect) -> bool:
    """Whether all files of the workspace are meant, its secrets and what git keeps among them
    (``grep -rl x . | xargs sed -i ..``), or all of one.
    """
    natures = effect.place.natures if effect.place is not None else frozenset()
    return (WORKSPACE_ROOT in natures and "all-of" in effect.traits) or (
        "emptied" in effect.traits and GENERATED not in natures
    )


def _runs_program(effect: Effect) -> bool:
    return effect.place is None and not effect.traits


def _runs(effect: Effect) -> bool:
    """Whether code of the project is run. A document is none, whichever way an interpreter is given
    it (``cat notes.md | sh``): what it says may come from anywhere.
    """
    if effect.place is not None:
        document = "script" in effect.traits and effect.target.lower().endswith(_DOCUMENTS)
        return _is_within(effect) and not document
    return not effect.traits - _OF_PROJECT


def _mode(effect: Effect) -> bool:
    return _is_within(effect) and effect.traits.isdisjoint(
        {"world-writable", "setuid", "owner", "to-root"}
    )


def _is_read(effect: Effect) -> bool:
    """Whether code is of a language that is followed; of others only the words are looked at, and
    that proves nothing.
    """
    return effect.target in _FOLLOWED and effect.traits.isdisjoint({"decoded"})


def _looks_into(effect: Effect) -> bool:
    """Whether a command runs in a container that runs here; what it does there are effects of its
    own.
    """
    return effect.traits == {"exec"}


def _is_local(effect: Effect) -> bool:
    return effect.host == LOCAL and effect.traits <= _REQUEST


def _is_allowed(effect: Effect) -> bool:
    return _is_local(effect) or (effect.host == ALLOWED_HOST and effect.traits <= _LOOKING)


def _is_declared(effect: Effect) -> bool:
    """What the project itself asks for is installed (``npm ci``, ``uv sync``)."""
    return effect.traits in (_WELL_KNOWN, {"manifest"})


_READING: dict[Kind, Callable[[Effect], bool]] = {
    Reads: _reads,
    Writes: _discards,
    Executes: _runs_program,
    RunsCode: _is_read,
}
_WORKING: dict[Kind, Callable[[Effect], bool]] = {
    Reads: _reads,
    Writes: lambda effect: (
        (_is_within(effect) and not _is_everything(effect) and "extracted" not in effect.traits)
        or _discards(effect)
    ),
    Deletes: _deletes,
    ChangesMode: _mode,
    Executes: _runs,
    RunsCode: _is_read,
    Connects: _is_local,
    Listens: lambda effect: effect.host == LOCAL,
    KillsProcess: lambda effect: not effect.traits.isdisjoint(_OWN),
    Installs: lambda effect: effect.traits == _WELL_KNOWN,
    Sends: _is_local,
    ControlsContainer: _looks_into,
}
_SCOPES = {
    READ_ONLY: _READING,
    IN_WORKSPACE: _WORKING,
    WITH_NETWORK: {**_WORKING, Connects: _is_allowed, Installs: _is_declared},
}
