"""Actions, verdicts and decisions: the laws by which findings combine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model.action import ALLOW, ASK, DENY, REVIEW, THROTTLE, WARN, Action, Verdict
from interlock.model.decision import Decision, Finding, Settled, make_refusal

ACTIONS = (ALLOW, WARN, REVIEW, ASK, THROTTLE, DENY)
actions = st.sampled_from(ACTIONS)
findings = st.builds(
    Finding,
    st.text(max_size=5),
    actions,
    settled=st.none() | st.builds(Settled, actions, st.just("someone")),
)
decisions = st.lists(findings, max_size=6).map(lambda some: Decision("d", tuple(some)))


@pytest.mark.parametrize(
    ("action", "verdict"),
    [
        (ALLOW, "allow"),
        (WARN, "allow"),
        (REVIEW, "ask"),
        (ASK, "ask"),
        (THROTTLE, "deny"),
        (DENY, "deny"),
    ],
    ids=str,
)
def test_every_action_has_a_verdict(action: Action, verdict: str) -> None:
    """The mapping from actions to verdicts is total, and nothing above a warning is an allow."""
    assert str(Verdict.of(action)) == verdict
    assert Decision("d", (Finding("r", action),)).verdict == Verdict.of(action)


def test_actions_are_ordered_and_named() -> None:
    """The order is that of the names, and a name leads back to its action."""
    assert sorted(ACTIONS) == list(ACTIONS)
    assert [Action.of(action.name) for action in ACTIONS] == list(ACTIONS)
    with pytest.raises(ValueError, match="not in tuple"):
        Action.of("permit")


@given(decisions, st.lists(findings, max_size=4))
def test_more_findings_never_loosen(decision: Decision, more: list[Finding]) -> None:
    """Adding findings makes a decision as strict or stricter."""
    after = decision.with_findings(*more)
    assert after.action >= decision.action
    assert after.verdict >= decision.verdict


@given(decisions)
def test_the_strictest_finding_decides(decision: Decision) -> None:
    """The verdict is that of the strictest finding, in any order; without findings it is an
    allow.
    """
    expected = max((finding.effective for finding in decision.findings), default=ALLOW)
    assert decision.action == expected
    assert decision.replace(findings=decision.findings[::-1]).verdict == decision.verdict
    assert {finding.effective for finding in decision.deciding} <= {expected}
    assert bool(decision.deciding) is bool(decision.findings)


@given(findings)
def test_a_denial_is_never_settled(finding: Finding) -> None:
    """DENY and THROTTLE stand whoever settled them; anything below takes the settled action."""
    if finding.action >= THROTTLE or finding.settled is None:
        assert finding.effective == finding.action
    else:
        assert finding.effective == finding.settled.action


@given(decisions)
def test_observing_changes_the_answer_only(decision: Decision) -> None:
    """An observing policy answers allow and says what it would have answered."""
    observed = decision.replace(observed=True)
    assert str(observed.verdict) == "allow"
    assert observed.would == decision.verdict
    assert observed.findings == decision.findings


def test_what_could_not_be_judged_is_refused() -> None:
    """A refusal denies and says that it read only part."""
    decision = make_refusal("d", "guard.failed", "it broke")
    assert (str(decision.verdict), decision.coverage) == ("deny", "partial")
    assert make_refusal("d", "guard.failed", "it broke", ASK).verdict == Verdict.of(ASK)
