"""What a grant covers: a kind of effect by one rule, on a resolved target, somewhere. Never what
was not seen for certain.

What has no target that bounds it is covered for the call as it stands, word for word
(``approvals.exact_calls``), and for a session only.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.approvals.exact_calls import VERBATIM, ExactCall, floor_of, may_stand
from interlock.approvals.projects import project_of
from interlock.approvals.terms import asking
from interlock.engine.explain import SHOWN
from interlock.model.action import ALLOW, ASK, REVIEW, Action
from interlock.model.decision import Decision, Finding
from interlock.model.effect import (
    GUARD,
    HERE,
    ROOT_OF,
    WORKSPACE_ROOT,
    Effect,
)
from interlock.model.facts import Facts, Unknown
from interlock.model.kinds import meaning
from interlock.model.policy import Policy
from interlock.model.record import Record

SESSION, PROJECT, ONCE = "session", "project", "once"
SCOPES = (ONCE, SESSION, PROJECT)
EVERYWHERE = "*"
"""The owner of a pause: the grant of a person who wants no question for some minutes."""
BELOW = "/**"
"""The end of a target that stands for everything below a folder."""
UNBOUNDED = meaning("none") | meaning("call")
"""Kinds whose target does not say what would happen: who grants ``sudo`` grants everything, tables
of one name stand in many databases, containers of one name on many machines, and what is to be
started later may be changed until then.
"""
UNSAID = frozenset({"other-index"})
"""Traits that the target does not say: a package of one name is another one in another index."""
PLACES = meaning("path")
_TOPS = frozenset({ROOT_OF, WORKSPACE_ROOT})
REFUSED_GOAL = "session.refused-goal"
"""The session's own finding that a goal was refused before; a grant of that goal answers it."""


class Cover(Record):
    """One thing that a grant covers.

    ``rule`` is the rule it settles and ``floor`` the floor that rule had. ``target`` is one target,
    or with ``/**`` at its end all below a folder; ``real`` the same with links followed, for a
    path. ``where``: the machine. ``traits``, ``folder`` and ``only`` are what else the person saw
    of the effect: another one has to be the same in them. Of a call as it stands ``target`` is its
    text, ``folder`` where it is made, and ``only`` the digest of its effects.
    """

    rule: str
    kind: str
    target: str
    real: str = ""
    where: str = "here"
    traits: tuple[str, ...] = ()
    folder: str = ""
    only: tuple[str, ...] = ()
    floor: Action = ALLOW
    stage: str = "policy"

    def told(self) -> str:
        """Say in one line what is covered."""
        if self.kind == VERBATIM:
            return (
                f"this very call, word for word, in {self.folder or 'its folder'}: {self.target}"
                f" [{self.rule}]"
            )
        below = self.target.endswith(BELOW)
        target = f"everything below {self.target.removesuffix(BELOW)}" if below else self.target
        words = [self.kind.replace("-", " "), target, *[f"({one})" for one in self.only]]
        words += [f"in {self.folder}"] if self.folder else []
        words += [f"on {self.where}"] if self.where != "here" else []
        traits = dict.fromkeys([SHOWN.get(one, one) for one in self.traits])
        return ", ".join([" ".join(words), *traits]) + f" [{self.rule}]"


def covers_of(
    decision: Decision, policy: Policy, facts: Facts, call: ExactCall | None = None
) -> tuple[tuple[Cover, ...], str]:
    """Return what a grant of this call would cover, else nothing and why there can be none, as the
    end of "No grant: ...".

    ``call``: the call as it stands, for what has no target; None where that cannot be told.
    """
    found: dict[Cover, None] = {}
    asked = asking(decision)
    others = [finding.effect for finding in asked if finding.rule != REFUSED_GOAL]
    for finding in asked:
        if finding.rule == REFUSED_GOAL and finding.effect is not None and finding.effect in others:
            continue  # whoever grants that effect has answered it
        why = _never(finding)
        cover = (
            _standing(finding, policy, call)
            if why
            else _cover(finding, floor_of(finding, policy) or ALLOW, facts)
        )
        if cover is None:
            return (), _why(finding, policy, why, call)
        if finding.rule != REFUSED_GOAL:
            found[cover] = None
    if any(duty.name == "approver" and not duty.met for duty in decision.obligations):
        return (), "it needs an approver's role each time"
    return tuple(found), "" if found else "nothing in it has a target"


def _why(finding: Finding, policy: Policy, why: str, call: ExactCall | None) -> str:
    """Say why there is no cover for a finding."""
    if not why:
        return "it is not known where its target leads"
    standing = finding.effect is None or finding.effect.kind in meaning("call")
    if standing and call is None:
        return "what it runs cannot be told from its words beforehand"
    return (may_stand(finding, policy, call) if standing and call is not None else "") or why


def _standing(finding: Finding, policy: Policy, call: ExactCall | None) -> Cover | None:
    """Return the cover of a call as it stands, where a finding may be granted so."""
    if call is None or may_stand(finding, policy, call):
        return None
    floor = floor_of(finding, policy) or ALLOW
    return Cover(
        finding.rule,
        VERBATIM,
        call.text,
        folder=call.folder,
        only=(call.digest,),
        floor=floor,
        stage=finding.stage,
    )


def _never(finding: Finding) -> str:
    effect = finding.effect
    if effect is None or effect.target in ("", "?"):
        return f"what {finding.rule} asks about has no target"
    if effect.kind in UNBOUNDED or not effect.traits.isdisjoint(UNSAID):
        return f"{effect.kind} has no bounds"
    if not effect.certain:
        return "it is only possible, not certain, what it does"
    if (
        (effect.only and effect.kind in PLACES)
        or any(char in effect.target for char in "*?")
        or not effect.target.isprintable()
    ):
        return "its target is not one thing"
    natures = effect.place.natures if effect.place is not None else frozenset()
    if GUARD in natures or (effect.kind in PLACES and not _TOPS.isdisjoint(natures)):
        return "the guard's own files and the tops of places are asked about each time"
    return ""


def _cover(finding: Finding, floor: Action, facts: Facts) -> Cover | None:
    effect = finding.effect
    if effect is None:
        return None
    where = effect.place.where if effect.place is not None else HERE
    path = effect.target[:1] == "/" and effect.place is not None and where == HERE
    real = facts.real(effect.target) if path else ""
    if isinstance(real, Unknown):
        return None
    folder = project_of(effect.folder) if effect.folder else ""
    return Cover(
        finding.rule,
        effect.kind,
        effect.target,
        real,
        where,
        tuple(sorted(effect.traits)),
        folder,
        effect.only,
        floor,
        finding.stage,
    )


def lasting(covers: Iterable[Cover], scope: str) -> bool:
    """Tell whether these may be granted for so long: no call as it stands for a project, nor what
    another stage says of the present task.
    """
    return scope != PROJECT or all(
        cover.stage == "policy" and cover.kind != VERBATIM for cover in covers
    )


def widen_cover(cover: Cover, folder: str) -> Cover | None:
    """Return the cover for all below a folder. None where its target is no path in that folder, or
    one that a link leads away from.
    """
    folder = folder.rstrip("/")
    plain = (
        folder.startswith("/")
        and folder.count("/") > 1
        and not {"", ".", ".."} & set(folder.split("/")[1:])
        and "*" not in folder
    )
    if (
        not plain
        or cover.kind not in PLACES
        or cover.real != cover.target
        or not cover.target.startswith(f"{folder}/")
    ):
        return None
    return cover.replace(target=folder + BELOW, real=folder + BELOW)


def fits(
    cover: Cover, finding: Finding, policy: Policy, facts: Facts, call: ExactCall | None = None
) -> bool:
    """Tell whether a cover settles a finding. DENY, THROTTLE and what has no grant are not."""
    if finding.effective not in (REVIEW, ASK) or finding.rule != cover.rule:
        return False
    floor = floor_of(finding, policy) or ALLOW
    if cover.kind == VERBATIM:
        mine = (
            _standing(finding, policy, call) if _never(finding) and floor <= cover.floor else None
        )
        return mine is not None and mine.replace(floor=cover.floor) == cover
    if _never(finding):
        return False
    mine = _cover(finding, cover.floor, facts) if floor <= cover.floor else None
    if mine is None or mine.replace(target=cover.target, real=cover.real) != cover:
        return False
    return _within(mine.target, cover.target) and _within(mine.real, cover.real)


def _within(target: str, pattern: str) -> bool:
    if not pattern.endswith(BELOW):
        return target == pattern
    return target.startswith(pattern.removesuffix("**")) and not {"..", "."} & set(
        target.split("/")
    )


def is_granted_goal(finding: Finding, settled: Iterable[Effect]) -> bool:
    """Tell whether a finding is the session's own about a goal that is granted anyway."""
    return (
        finding.rule == REFUSED_GOAL
        and finding.effective == ASK
        and any(finding.effect == effect for effect in settled)
    )
