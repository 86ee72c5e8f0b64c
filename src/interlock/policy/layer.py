"""One layer of policy, as records: what a file says, before it is merged with the others."""

from __future__ import annotations

from interlock.model.action import Action
from interlock.model.record import Record
from interlock.model.rule import Match, Rule


class Written(Record):
    """A rule of a file's own, and where it stands (``file:line``)."""

    rule: Rule
    at: str


class Tune(Record):
    """Another action, floor or approver for rules by id (``git.*`` for a family) or tag.
    ``at_least``: a stricter action stands.
    """

    rules: tuple[str, ...]
    tags: tuple[str, ...]
    at: str
    action: Action | None = None
    floor: Action | None = None
    tunable: bool = False
    approver: str = ""
    at_least: bool = False


class Exemption(Record):
    """What some rules are not to speak of. ``until``: the last day on which it counts
    (``2026-12-31``), or ``""``.
    """

    rules: tuple[str, ...]
    match: Match
    at: str
    because: str = ""
    until: str = ""


class Setting(Record):
    """One value by the name of a row of ``interlock.policy.settings``."""

    name: str
    value: object
    at: str


class Layer(Record):
    """What one file says. ``loosens``: it may do so; a project's may not, unless its user trusted
    this very content.

    ``guard``: the id of a plugin's guard, where the file is one. ``base``: a profile of the
    person's own choice, which what they say or trust elsewhere may loosen again.
    """

    name: str
    path: str
    loosens: bool = False
    profile: str = ""
    rules: tuple[Written, ...] = ()
    tunes: tuple[Tune, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    settings: tuple[Setting, ...] = ()
    guard: str = ""
    base: bool = False
