"""Operations of a running program, their effects known: judged as calls are, and recorded only
where somebody has to know.
"""

from __future__ import annotations

from interlock.facts.recorded import Recorded
from interlock.guard.check import Guard
from interlock.model.action import ASK
from interlock.model.call import PYTHON, ToolCall
from interlock.model.decision import Approval, Decision
from interlock.model.effect import HOME, SECRET, WORKSPACE, Deletes, Effect, Place, Reads, Writes
from interlock.policy.builtin import builtin

CALL = ToolCall(PYTHON, "execute_python", {"code": ""}, cwd="/home/u/p", roots=("/home/u/p",))
INSIDE = Effect(Writes, "/home/u/p/a", Place(WORKSPACE))
KEY = Effect(Reads, "/home/u/.ssh/id_rsa", Place(HOME, frozenset({SECRET})))
TREE = Effect(Deletes, "/home/u/old", Place(HOME), traits=frozenset({"recursive"}))


def guard(**parts: object) -> Guard:
    """Return a guard with frozen facts."""
    return Guard(builtin(), facts=Recorded("/home/u"), **parts)  # type: ignore[arg-type]


def test_an_operation_is_judged_by_its_effects() -> None:
    """What the policy allows is allowed; what it asks about is denied where nobody can be asked."""
    assert str(guard().check_effects(CALL, (INSIDE,)).verdict) == "allow"
    assert str(guard().check_effects(CALL, (KEY,)).verdict) == "deny"


def test_a_person_may_approve_an_operation() -> None:
    """A person is asked about the operation, and a yes lets it be done."""
    asked: list[str] = []

    def yes(decision: Decision, call: ToolCall, reading: object) -> Approval:
        del call, reading
        asked.append(decision.id)
        return Approval(decision.id, by="alice")

    assert str(guard(ask=yes).check_effects(CALL, (TREE,)).verdict) == "allow"
    assert len(asked) == 1


def test_an_embedders_rule_is_asked_too() -> None:
    """Rules of an embedder's own add findings to operations; without one the same operation is
    allowed.
    """
    assert (
        str(guard(rules=[lambda _call, _reading: ASK]).check_effects(CALL, (INSIDE,)).verdict)
        == "deny"
    )


def test_a_failure_is_a_denial() -> None:
    """What cannot be judged is not done."""
    assert str(guard().check_effects(CALL, (None,)).verdict) == "deny"  # type: ignore[arg-type]
