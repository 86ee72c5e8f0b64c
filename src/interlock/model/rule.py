"""``Rule``: one row of data; ``Match``: which effects it speaks of, as data too."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.model import glob
from interlock.model.action import ALLOW, Action
from interlock.model.effect import Effect, Kind
from interlock.model.record import Record


class Call(Record):
    """An example that is not a shell command: a tool and its input, as pairs to be hashed."""

    tool: str
    input: tuple[tuple[str, str], ...]


def call(tool: str, **fields: str) -> Call:
    """Write an example call: ``call("write", file_path="~/.bashrc")``."""
    return Call(tool, tuple(fields.items()))


class Match(Record):
    """Which effects a rule speaks of. An empty set asks nothing.

    ``kinds``: any of. ``location``, ``host``, ``target``: any of. ``nature``: any of;
    ``no_nature``: none of. ``has``: all of these traits; ``any``: at least one; ``lacks``: none.
    ``remote``: True/False/None for effects on another machine. ``path``, ``not_path``: patterns of
    paths (``interlock.model.glob``), of which one has to fit, or none may; a link fits where it
    lies and where it leads. ``holding``: folders that hold such paths fit too, where all below them
    is meant. ``like``: patterns of targets that are no paths. ``ref``: patterns of branches and
    tags, which every ref of a push has to fit. ``by``: the programs or tools that do it. Without
    kinds a match asks for no effect but for the call's own words (``interlock.engine.text_rules``):
    ``text``, words that stand one after the other; ``commands``, that one of these is run;
    ``outside``, that a shell command is run that is none of these; ``pattern``, an automaton
    (``interlock.engine.automaton``) that finds something in the text, where ``fold`` says that case
    means nothing. ``tools``: calls of these tools only, by any of their names. ``fold``: case means
    nothing, and the patterns are in lower case.
    """

    kinds: tuple[Kind, ...]
    location: frozenset[str] = frozenset()
    nature: frozenset[str] = frozenset()
    no_nature: frozenset[str] = frozenset()
    host: frozenset[str] = frozenset()
    target: frozenset[str] = frozenset()
    has: frozenset[str] = frozenset()
    any: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    remote: bool | None = None
    path: tuple[str, ...] = ()
    not_path: tuple[str, ...] = ()
    like: tuple[str, ...] = ()
    ref: tuple[str, ...] = ()
    by: frozenset[str] = frozenset()
    text: tuple[str, ...] = ()
    tools: frozenset[str] = frozenset()
    holding: bool = False
    fold: bool = False
    commands: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    pattern: tuple[object, ...] = ()

    def __call__(self, effect: Effect) -> bool:
        """Tell whether the effect is one of those. The kind is looked up by the engine first."""
        traits = effect.traits
        if (
            not self.has <= traits
            or (self.lacks and not self.lacks.isdisjoint(traits))
            or (self.any and self.any.isdisjoint(traits))
            or (self.host and effect.host not in self.host)
            or (self.target and effect.target not in self.target)
        ):
            return False
        return self._fits_place(effect) and self._fits_names(effect)

    def _fits_names(self, effect: Effect) -> bool:
        if not (self.path or self.not_path or self.like or self.ref or self.by):
            return True
        return glob.fits(self, effect)

    def _fits_place(self, effect: Effect) -> bool:
        place = effect.place
        if place is None:
            return not (self.location or self.nature) and self.remote is not True
        return not (
            (self.location and place.location not in self.location)
            or (self.nature and self.nature.isdisjoint(place.natures))
            or (self.no_nature and not self.no_nature.isdisjoint(place.natures))
            or (self.remote is not None and self.remote != (place.where != "here"))
        )


def on(*kinds: Kind, remote: bool | None = None, **sets: Iterable[str]) -> Match:
    """Build a match: ``on(Deletes, location={HOME}, has={"recursive"})``."""
    return Match(kinds, remote=remote, **{name: frozenset(values) for name, values in sets.items()})  # type: ignore[arg-type]


class Rule(Record):
    """One row of the catalogue.

    ``id`` is ``family.verb-object``; ``title`` completes "This call ..."; ``instead`` is a safer
    way, said to the agent. ``floor``: no policy layer may go below. ``possible``: the action where
    the effect is only possible (None: one name lower). ``catches`` and ``passes`` are examples that
    tests run.
    ``approver``: the role whose approval is demanded ("block without approval"), or ``""``.
    ``quorum``: so many people of it.
    ``second_person``: none of them may be the one on whose behalf the agent acts. ``seconds``: a
    request waits so long, 0 as the policy says.
    ``excepts``: what a policy allows: effects that are certain, have a target and fit one of these,
    the rule does not speak of.
    ``recoverable``: a checkpoint of the workspace brings back what it speaks of, so that where one
    was taken nobody has to be asked.
    ``anywhere``: a yes of the team may be used by the same call on another machine, once in all.
    """

    id: str
    title: str
    why: str
    instead: str
    match: Match
    action: Action
    floor: Action = ALLOW
    possible: Action | None = None
    tags: frozenset[str] = frozenset()
    catches: tuple[str | Call, ...] = ()
    passes: tuple[str | Call, ...] = ()
    approver: str = ""
    stage: str = "policy"
    quorum: int = 1
    second_person: bool = False
    seconds: int = 0
    excepts: tuple[Match, ...] = ()
    recoverable: bool = False
    anywhere: bool = False
