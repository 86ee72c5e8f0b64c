"""Goals that a session was refused, so that reaching for one of them by another way is seen: the
same effect on the same target.

A goal is kept as a keyed hash: targets may hold secrets, and nothing here needs to be read again.
"""

from __future__ import annotations

from interlock.ledger.history import SessionMarks
from interlock.ledger.sessions import Ledger
from interlock.model.action import ALLOW, ASK, DENY, WARN
from interlock.model.decision import Decision, Finding
from interlock.model.effect import (
    SINK,
    TEMP,
    WORKSPACE,
    ChangesMode,
    Deletes,
    Effect,
    Reading,
    Reads,
    Sends,
    Writes,
)
from interlock.model.kinds import meaning

REFUSED_ASK, REFUSED_DENY = "refused-ask", "refused-deny"
MOST_GOALS = 200
MAX_ABOVE = 16
REPEATED = 5
"""So many equal calls in a row are worth a word, and then each time their number has doubled."""
_ALIKE = {Deletes: Deletes, Writes: Deletes, ChangesMode: Deletes, Reads: Reads, Sends: Sends}
"""Kinds of effects that are goals by themselves: to overwrite a file and to delete it is the same
loss. Of others only what a rule said counts: who was refused a forced push may push.
"""


def find_repeats(ran: int) -> tuple[Finding, ...]:
    """Return the finding that a call came ``ran`` times in a row, this time included; at five, ten,
    twenty times and so on.
    """
    steps = ran // REPEATED
    if ran % REPEATED or steps & (steps - 1):
        return ()
    message = (
        f"The same call came {ran} times in a row. If it does not get further, try something else"
        " or tell the user."
    )
    return (Finding("session.repeated-call", WARN, "session", message),)


def refuse_stopped(why: str, session: str) -> tuple[Finding, ...]:
    """Return the refusal of every call of a session that a person has to set free first."""
    if not why:
        return ()
    message = (
        f"This session is stopped until a person runs `interlock limits resume {session}`: {why}."
    )
    return (
        Finding(
            "session.stopped",
            DENY,
            "session",
            message,
            "Stop here and tell the user; nothing you do lifts it.",
            tags=frozenset({"GR-006"}),
        ),
    )


def refusal_marks(decision: Decision, ledger: Ledger) -> list[tuple[str, str]]:
    """Return the marks of the goals that a decision refuses: each rule's, and each effect's."""
    found: dict[tuple[str, str], None] = {}
    for finding in decision.findings:
        effect = finding.effect
        if effect is not None and finding.effective >= ASK and _is_goal(effect):
            label = REFUSED_DENY if finding.effective == DENY else REFUSED_ASK
            if effect.kind in _ALIKE:
                found[ledger.goal(f"{_ALIKE[effect.kind]} {effect.target}"), label] = None
            found[ledger.goal(f"{finding.rule} {effect.target}"), label] = None
    return list(found)[:MOST_GOALS]


def find_retries(
    reading: Reading, decision: Decision, history: SessionMarks, ledger: Ledger
) -> tuple[Finding, ...]:
    """Return a finding for each goal of a call that was refused before: DENY where the same rule
    denied the same target, else ASK.
    """
    goals: dict[str, tuple[Effect, str]] = {}
    for effect in reading.effects:
        if effect.kind in _ALIKE and _is_goal(effect) and len(goals) < MOST_GOALS:
            for target in (effect.target, *_above(effect)):
                goals.setdefault(ledger.goal(f"{_ALIKE[effect.kind]} {target}"), (effect, ""))
    for finding in decision.findings:
        if (
            finding.effect is not None
            and finding.effect.target
            and finding.effective > ALLOW
            and len(goals) < MOST_GOALS
        ):
            goals[ledger.goal(f"{finding.rule} {finding.effect.target}")] = (
                finding.effect,
                finding.rule,
            )
    said: dict[str, Finding] = {}
    for goal, label in sorted(history.refused(list(goals))):
        effect, rule = goals[goal]
        denied = label == REFUSED_DENY and bool(rule)
        finding = Finding(
            "session.refused-goal",
            DENY if denied else ASK,
            "session",
            _MESSAGE,
            _INSTEAD,
            effect,
            tags=frozenset({"evasion"}),
        )
        if effect.target not in said or finding.action > said[effect.target].action:
            said[effect.target] = finding
    return tuple(said.values())


_MESSAGE = "reaches for a goal that this session was refused before, perhaps by another way"
_INSTEAD = "Tell the user what you want to do and why; only they can say yes."


_HARMLESS = frozenset({"listed", "committed", "ignored", "made-here", "nothing-lost"})
"""Traits of effects that lose and show nothing: the milder ways that refusals advise (``git rm -r
src``).
"""


def _is_goal(effect: Effect) -> bool:
    aimless = (
        effect.kind in meaning("way")
        or effect.target in ("", "?")
        or (effect.place is not None and SINK in effect.place.natures)
    )
    return not aimless and effect.traits.isdisjoint(_HARMLESS)


def _above(effect: Effect) -> list[str]:
    """Return the folders above a path outside the workspace: a refused folder is refused whole."""
    if effect.place is None or effect.place.location in (WORKSPACE, TEMP):
        return []
    found: list[str] = []
    path = effect.target.rpartition("/")[0]
    while path and len(found) < MAX_ABOVE:
        found.append(path)
        path = path.rpartition("/")[0]
    return found
