"""Layers to one policy. Pure.

A layer may always tighten. It may loosen only where it may (``Layer.loosens``), never below a
rule's floor, and never what a layer above it tightened, unless that one says ``tunable``. What a
layer may not do is left out and noted, with its place.
"""

from __future__ import annotations

from typing import Any

from interlock.engine.candidates import index
from interlock.model.action import ALLOW, Action
from interlock.model.limits import Limits
from interlock.model.policy import Policy, Stopping
from interlock.model.record import Record
from interlock.model.rule import Match, Rule
from interlock.policy.compile import make_not_allowed, speaks_of
from interlock.policy.layer import Exemption, Layer, Setting, Tune
from interlock.policy.schema import ABOVE, LAYERS, PROJECT, PUBLISHED, TENANT, USER
from interlock.policy.settings import ALLOWED, LOOSENING, ONE, OPENS, ROWS

TOP = len(LAYERS)


class Origin(Record):
    """A value's origin: ``what`` (``git.force-push.action``), the value in words, ``file:line``."""

    what: str
    value: str
    at: str


class MergedPolicy(Record):
    """A merged policy, the origin of each value not built in, what was left out, and why."""

    policy: Policy
    origins: tuple[Origin, ...] = ()
    notes: tuple[str, ...] = ()


def merge(base: Policy, layers: tuple[Layer, ...], today: str = "") -> MergedPolicy:
    """Return the policy of these layers, the highest first. ``today`` (``2026-11-21``) ends
    exceptions that ran out.
    """
    state = _LayerMerger(base, today)
    for layer in layers:
        state.add(layer)
    return state.merged(layers)


class _Row:
    """A rule on its way. ``pins``: what each rank made it at least, which no lower one may undo."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.pins: dict[int, Action] = {}

    def strictest_pin(self, rank: int) -> tuple[Action, int]:
        """Return the strictest pin of the ranks above one, and whose it is."""
        return max([(pin, by) for by, pin in self.pins.items() if by < rank], default=(ALLOW, TOP))


class _LayerMerger:
    def __init__(self, base: Policy, today: str) -> None:
        self.base = base
        self.today = today
        self.rows: dict[str, _Row] = {rule.id: _Row(rule) for rule in base.rules}
        self.values: dict[str, Any] = {
            name: row.start for name, row in ROWS.items() if row.kind == ONE
        }
        self.lists: dict[str, list[Any]] = {
            name: [] for name, row in ROWS.items() if row.kind != ONE
        }
        self.set_by: dict[str, list[tuple[int, Any]]] = {}
        self.allowed_by = TOP
        self.origins: list[Origin] = []
        self.notes: list[str] = []
        self.layer: Layer
        self.rank = TOP

    def add(self, layer: Layer) -> None:
        """Take in a layer below all that were taken in before."""
        self.layer = layer
        self.rank = LAYERS.index(layer.name) if layer.name in LAYERS else TOP
        for written in layer.rules:
            self._write(written.rule, written.at)
        for tune in layer.tunes:
            for row in self.rows.values():
                if speaks_of(tune.rules, tune.tags, row.rule):
                    self._tune(row, tune)
        for exemption in layer.exemptions:
            self._except(exemption)
        for setting in layer.settings:
            self._set(setting)

    def note(self, at: str, message: str) -> None:
        """Note what is left out."""
        self.notes.append(f"{at}: {message}")

    def came(self, what: str, value: object, at: str) -> None:
        """Note where a value came from."""
        self.origins.append(Origin(what, str(value), at))

    # -- rules -------------------------------------------------------------------------------------

    def _write(self, rule: Rule, at: str) -> None:
        name, number = rule.id, 1
        while name in self.rows:
            number += 1
            name = f"{rule.id}-{self.layer.name}" if number == 2 else f"{rule.id}-{number}"
        row = self.rows[name] = _Row(rule.replace(id=name))
        if not self.layer.base:
            row.pins[self.rank] = rule.action
        self.came(name, rule.action, at)

    def _tune(self, row: _Row, tune: Tune) -> None:
        rule = row.rule
        if tune.floor is not None and tune.floor > rule.floor:
            row.rule = rule = rule.replace(floor=tune.floor, action=max(rule.action, tune.floor))
            self.came(f"{rule.id}.floor", tune.floor, tune.at)
        if tune.approver and tune.approver != rule.approver:
            row.rule = rule = self._apply_approver(rule, tune)
        if tune.tunable and self.layer.loosens:
            row.pins.pop(self.rank, None)
        if tune.action is None:
            return
        action = self._resolve_action(row, tune)
        if action != rule.action:
            row.rule = rule.replace(action=action)
            self.came(f"{rule.id}.action", action, tune.at)
        if tune.action >= rule.action and not tune.tunable and not self.layer.base:
            row.pins[self.rank] = tune.action

    def _apply_approver(self, rule: Rule, tune: Tune) -> Rule:
        """Return a rule with the role that a tune demands. One that is demanded already is not
        taken away by a file below the tenant's.
        """
        if rule.approver and self.layer.name not in ABOVE:
            self.note(
                tune.at,
                f"{rule.id} takes the approval of {rule.approver} already, and not of"
                f" {tune.approver}",
            )
            return rule
        self.came(f"{rule.id}.approver", tune.approver, tune.at)
        return rule.replace(approver=tune.approver)

    def _resolve_action(self, row: _Row, tune: Tune) -> Action:
        """Return the action that a tune brings a rule to, and note if it is held back."""
        rule, wanted = row.rule, tune.action
        if wanted is None or wanted >= rule.action or tune.at_least:
            return max(wanted or ALLOW, rule.action)
        if not self.layer.loosens:
            self.note(
                tune.at,
                f"{rule.id} stays {rule.action}: a file of the {self.layer.name} only"
                f" tightens{_trust(self.layer)}",
            )
            return rule.action
        pin, by = row.strictest_pin(self.rank)
        low = max(rule.floor, pin)
        if wanted < low:
            why = "its floor" if low == rule.floor else f"the {LAYERS[by]} says so"
            self.note(tune.at, f"{rule.id} becomes {low} and not {wanted}: {why}")
        return max(wanted, low)

    def _except(self, exemption: Exemption) -> None:
        for name in exemption.rules:
            row = self.rows.get(name)
            why = (
                "there is no such rule" if row is None else self._unexceptable(row, exemption.match)
            )
            if exemption.until and self.today > exemption.until:
                why = f"it ended on {exemption.until}"
            if why or row is None:
                self.note(exemption.at, f"nothing is excepted from {name}: {why}")
                continue
            row.rule = _excepting(row.rule, exemption.match)
            self.came(f"{name}.except", exemption.because, exemption.at)

    def _unexceptable(self, row: _Row, match: Match) -> str:
        if match.commands and not row.rule.match.outside:
            return "it has no list of commands"
        if not self.layer.loosens:
            return f"a file of the {self.layer.name} only tightens{_trust(self.layer)}"
        if row.rule.floor > ALLOW:
            return f"its floor is {row.rule.floor}"
        pin, by = row.strictest_pin(self.rank)
        return f"the {LAYERS[by]} says so" if pin > ALLOW else ""

    # -- settings ----------------------------------------------------------------------------------

    def _set(self, setting: Setting) -> None:
        row = ROWS[setting.name]
        if row.kind == ONE:
            self._set_one(setting)
        elif row.kind == OPENS and not self.layer.loosens:
            self.note(
                setting.at,
                f"{setting.name} is left out: a file of the {self.layer.name} only"
                f" tightens{_trust(self.layer)}",
            )
        elif row.kind == ALLOWED:
            self._allow(setting)
        else:
            value = self._tightening(setting) if setting.name == "places" else setting.value
            self.lists[setting.name].append(value)
            self.came(setting.name, _words(value), setting.at)

    def _set_one(self, setting: Setting) -> None:
        name, now, wanted = setting.name, self.values[setting.name], setting.value
        stricter = ROWS[name].stricter
        loosens = self.layer.loosens and not (ROWS[name].people and self.layer.name == PROJECT)
        above = [
            (by, value)
            for by, value in self.set_by.get(name, ())
            if by < self.rank and stricter(value, wanted) != wanted
        ]
        if (
            self.layer.name != PROJECT
        ):  # what a broken file said when it was well bounds the layers below it still
            self.set_by.setdefault(name, []).append((self.rank, wanted))
        if stricter(now, wanted) == wanted or (loosens and not above):
            self.values[name] = wanted
            self.came(name, wanted, setting.at)
        else:
            why = (
                f"the {LAYERS[above[0][0]]} says so"
                if loosens
                else f"a file of the {self.layer.name} only tightens"
            )
            self.note(
                setting.at,
                f"{name} stays {now}: {why}{'' if ROWS[name].people else _trust(self.layer)}",
            )

    def _tightening(self, setting: Setting) -> Any:
        place: Any = setting.value
        if self.layer.loosens or place.natures.isdisjoint(LOOSENING):
            return place
        self.note(
            setting.at,
            f"{', '.join(sorted(place.natures & LOOSENING))} is left out: a file of the"
            f" {self.layer.name} only tightens",
        )
        return place.replace(natures=place.natures - LOOSENING)

    def _allow(self, setting: Setting) -> None:
        """Each layer's allowed paths hold together; a tenant's join the organisation's."""
        groups = self.lists["allowed"]
        above = self.allowed_by < TOP and LAYERS[self.allowed_by] in PUBLISHED
        if self.layer.name == TENANT and groups and above:
            groups[-1] = groups[-1] + setting.value
        else:
            groups.append(setting.value)
            self.allowed_by = self.rank
        self.came("files.allow", _words(setting.value), setting.at)

    # -- the whole ---------------------------------------------------------------------------------

    def merged(self, layers: tuple[Layer, ...]) -> MergedPolicy:
        """Return the policy of all that was taken in."""
        rules = tuple([row.rule for row in self.rows.values()])
        for number, paths in enumerate(self.lists["allowed"], 1):
            rule = make_not_allowed(paths)
            rules += (rule if number == 1 else rule.replace(id=f"{rule.id}-{number}"),)
        profile = next((layer.profile for layer in layers if layer.profile), self.base.profile)
        policy = self.base.replace(
            rules=rules,
            by_kind=index(rules),
            profile=profile,
            hosts=self.base.hosts.union(*self.lists["hosts"]),
            roles=self._roles(),
            limits=self._limits(),
            approving=self.base.approving.replace(**self._part("approving.")),
            checkpointing=self.base.checkpointing.replace(**self._part("checkpointing.")),
            stopping=self._stopping(),
            notify=tuple(dict.fromkeys([way for ways in self.lists["notify"] for way in ways])),
            places=tuple(self.lists["places"]),
            roots=tuple(dict.fromkeys([root for roots in self.lists["roots"] for root in roots])),
            duties=tuple(self.lists["duties"]),
            programs=tuple(dict([one for some in self.lists["programs"] for one in some]).items()),
            redacted=tuple(dict.fromkeys(self.lists["redacted"])),
            bound=bool(self.lists["places"]) or any(_by_name(rule) for rule in rules),
            **{name: value for name, value in self.values.items() if "." not in name},
        )
        return MergedPolicy(policy, tuple(self.origins), tuple(self.notes))

    def _stopping(self) -> Stopping | None:
        """Return when a session is stopped by itself; ``kill`` alone stops nothing."""
        found: dict[str, Any] = {
            name: tuple(dict.fromkeys(self.lists[f"stopping.{name}"]))
            for name in ("denials", "calls")
        }
        found.update(
            {name: frozenset().union(*self.lists[f"stopping.{name}"]) for name in ("rules", "tags")}
        )
        single = self._part("stopping.")
        return (
            Stopping(**single, **found)
            if any(found.values()) or single["repeats"] or single["refused_goals"]
            else self.base.stopping
        )

    def _part(self, start: str) -> dict[str, Any]:
        return {
            name[len(start) :]: value
            for name, value in self.values.items()
            if name.startswith(start)
        }

    def _roles(self) -> dict[str, frozenset[str]] | None:
        held: dict[str, frozenset[str]] = {}
        for table in self.lists["roles"]:
            for role, people in table:
                held[role] = held.get(role, frozenset()) | people
        for role, several in self.lists["any_of"]:
            people = frozenset().union(*[held.get(one, frozenset()) for one in several])
            held.update({role: people} if people else {})
        return held or None

    def _limits(self) -> Limits | None:
        parts = {
            name.partition(".")[2]: tuple(found)
            for name, found in self.lists.items()
            if name.startswith("limits.") and found
        }
        set_here = parts or "limits.lease" in self.set_by
        return (
            Limits().replace(**parts, lease=self.values["limits.lease"])
            if set_here
            else self.base.limits
        )


def _excepting(rule: Rule, match: Match) -> Rule:
    """Return a rule that does not speak of what matches: commands join those that may run."""
    if match.commands:
        return rule.replace(match=rule.match.replace(outside=rule.match.outside + match.commands))
    return rule.replace(excepts=(*rule.excepts, match))


def _by_name(rule: Rule) -> bool:
    return bool(rule.match.path or rule.match.not_path or rule.excepts)


def _trust(layer: Layer) -> str:
    """Return why a layer that often may loosen does not: nobody trusted it, or the home is only
    what HOME says (files.is_own_home).
    """
    if layer.loosens:
        return ""
    why = {
        PROJECT: " until its user trusts it (`interlock trust`)",
        USER: " where HOME is not the home that this account has",
    }
    return why.get(layer.name, "")


def _words(value: object) -> str:
    if (
        isinstance(value, tuple)
        and value
        and all(isinstance(one, tuple) and len(one) == 2 for one in value)
    ):  # roles, and who holds each
        return "; ".join([f"{name}: {_words(held)}" for name, held in value])
    if isinstance(value, (tuple, frozenset)):
        return ", ".join(sorted(map(str, value)))
    return str(value)
