"""Laws of settling, with made-up decisions: an approval settles what asks, and nothing else,
whatever it is.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interlock.approvals.grant_scope import Cover, covers_of, fits
from interlock.approvals.service import settle_decision
from interlock.approvals.terms import asking
from interlock.facts import Recorded
from interlock.model.action import ALLOW, ASK, DENY, REVIEW, THROTTLE, VERDICT_ALLOW, WARN, Action
from interlock.model.codec import decode, encode
from interlock.model.decision import Decision, Finding, Obligation, Settled
from interlock.model.effect import GUARD, KINDS, Effect, Opaque, Place, TampersWithGuard
from interlock.model.policy import Policy
from interlock.model.rule import Rule, on

TARGETS = st.sampled_from(["/srv/a", "/srv/a/b", "/srv/ab", "", "?", "origin", "/srv/*"])
NATURES = st.sampled_from([frozenset[str](), frozenset({GUARD})])
PLACES = st.none() | st.builds(
    Place, st.just("elsewhere"), NATURES, st.sampled_from(["here", "container x"])
)
EFFECTS = st.builds(
    Effect,
    st.sampled_from(KINDS),
    TARGETS,
    PLACES,
    certain=st.booleans(),
    traits=st.frozensets(st.sampled_from("ab")),
)
ACTIONS = st.integers(0, 5).map(Action)
RULES = st.sampled_from(["r.one", "r.two", "session.refused-goal"])
STAGES, SETTLED = (
    st.sampled_from(["policy", "intent"]),
    st.none() | st.builds(Settled, ACTIONS, st.just("x")),
)
FINDINGS = st.builds(Finding, RULES, ACTIONS, STAGES, effect=st.none() | EFFECTS, settled=SETTLED)
DUTIES = st.sampled_from(
    [
        (),
        (Obligation("approver", "lead"),),
        (Obligation("sandbox"),),
        (Obligation("notify"), Obligation("redact", met="us")),
    ]
)
DECISIONS = st.builds(Decision, st.just("d-1"), st.lists(FINDINGS, max_size=5).map(tuple), DUTIES)
FACTS = Recorded("/home/user", reals={path: path for path in ("/srv/a", "/srv/a/b", "/srv/ab")})


def policy(floor: Action = ALLOW) -> Policy:
    """Return a policy that knows the made-up rules."""
    return Policy(
        tuple([Rule(name, "t", "w", "i", on(), ASK, floor) for name in ("r.one", "r.two")])
    )


@given(DECISIONS)
def test_settling_loosens_what_asks_and_nothing_else(decision: Decision) -> None:
    """Findings stay, in their order; those that ask become allowed, all others are as they were;
    what was asked about is met.
    """
    after = settle_decision(decision, "ann")
    assert len(after.findings) == len(decision.findings)
    for was, now in zip(decision.findings, after.findings, strict=True):
        assert now.replace(settled=was.settled) == was
        assert now.effective == (ALLOW if was.effective in (REVIEW, ASK) else was.effective)
    denied = any(finding.effective in (DENY, THROTTLE) for finding in decision.findings)
    assert (after.verdict == VERDICT_ALLOW) is not denied
    assert [duty.met for duty in after.obligations] == [
        duty.met or ("" if duty.name == "notify" else "ann") for duty in decision.obligations
    ]


@given(DECISIONS)
def test_a_grant_covers_the_very_call_it_was_given_for(decision: Decision) -> None:
    """What a grant of a call would cover settles each finding of it that asks, but for the
    session's own word; and comes back from data.
    """
    covers, why = covers_of(decision, policy(), FACTS)
    assert bool(covers) is not bool(why)
    for finding in asking(decision) if covers else ():
        assert finding.rule == "session.refused-goal" or any(
            fits(cover, finding, policy(), FACTS) for cover in covers
        )
    assert all(decode_cover(cover) == cover for cover in covers)


def decode_cover(cover: Cover) -> Cover:
    """Return a cover that went through plain data."""
    from interlock.approvals.service import cover_of

    return cover_of(encode(cover))


@given(DECISIONS, st.lists(FINDINGS, max_size=4), ACTIONS)
def test_a_grant_never_reaches_further(
    decision: Decision, others: list[Finding], floor: Action
) -> None:
    """What it settles asks, is certain, is of its rule, kind and target, is neither opaque nor the
    guard's, and its floor did not rise.
    """
    covers, _ = covers_of(decision, policy(), FACTS)
    for finding in others:
        for cover in covers:
            if not fits(cover, finding, policy(floor), FACTS):
                continue
            effect = finding.effect
            assert effect is not None
            assert finding.effective in (REVIEW, ASK)
            assert finding.action not in (DENY, THROTTLE)
            assert (finding.rule, effect.kind, effect.target) == (
                cover.rule,
                cover.kind,
                cover.target,
            )
            assert effect.certain
            assert effect.kind not in (Opaque, TampersWithGuard)
            assert effect.place is None or GUARD not in effect.place.natures
            assert floor == ALLOW or cover.rule == "session.refused-goal"


@given(FINDINGS)
def test_a_settled_finding_is_not_settled_again(finding: Finding) -> None:
    """What does not ask any more is not asked about."""
    decision = Decision("d-1", (finding,))
    assert bool(asking(decision)) == (finding.effective in (REVIEW, ASK))
    assert asking(settle_decision(decision, "ann")) == ()
    assert settle_decision(decision, "ann").action in (ALLOW, WARN, THROTTLE, DENY)


def test_an_approval_keeps_its_roles() -> None:
    """An approval with its roles survives the way to plain data."""
    from interlock.model.decision import Approval

    made = Approval("d-1", "ann", roles=frozenset({"lead"}))
    assert decode(Approval, encode(made)) == made
