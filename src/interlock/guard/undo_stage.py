"""The stage of undo: where a checkpoint brings back all that a call was asked about, it is taken,
the call runs, and the answer says how to undo it.

It speaks only where nothing else is to be asked: every question comes from a rule that is
``recoverable``, what goes is known by its path, lies in the workspace and is not the whole of it,
and the checkpoint was really taken. Else the question stands as it was.
"""

from __future__ import annotations

from interlock.checkpoint.vault import CheckpointHead
from interlock.engine.explain import one_line
from interlock.guard.blast_radius import at_stake
from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.walk import CallWalk
from interlock.model.action import ASK, REVIEW, WARN
from interlock.model.decision import CHECKPOINT_TAKEN, Decision, Finding, Settled
from interlock.model.effect import HERE, WORKSPACE, Deletes
from interlock.model.facts import FILE, FOLDER, Facts, Stat
from interlock.model.policy import RUN, Policy
from interlock.model.radius import (
    ALL,
    BRANCH_MOVES,
    CHANGED,
    IGNORED,
    NAMED,
    NOT_TRACKED,
    UNTRACKED,
    Stake,
)
from interlock.shell.pattern import matches

NOT_TAKEN, WOULD = "checkpoint.not-taken", "checkpoint.would-be-taken"
_KEPT = frozenset({ALL, NAMED, CHANGED, UNTRACKED, IGNORED, NOT_TRACKED, BRANCH_MOVES})
"""What a checkpoint brings back. Branches, tags, stashes and history it does not: git may have
thrown away what they named.
"""
_OBJECT = "0" * 38
"""A name such as git's objects have."""
MOST_NAMED = 3


def undoable(guard: GuardParts, walk: CallWalk) -> Decision:
    """Return the decision with its questions settled by a checkpoint, or as it was."""
    decision = walk.decision
    asking = find_questions(decision)
    kept = recoverable_stakes(walk, guard.policy) if guard.checkpoints is not None else ()
    if not kept:
        return decision
    besides = _besides(walk, kept, walk.facts)
    from interlock.checkpoint.vault import CheckpointHead  # only what can be undone needs it

    head = attempt(
        "checkpoint", lambda: take_checkpoint(guard, walk, (*kept, *besides)), CheckpointHead
    )
    if isinstance(head, Failure):
        why = f"No checkpoint could be taken, so this cannot be undone: {head.why}."
        return decision.with_findings(Finding(NOT_TAKEN, WARN, "checkpoint", why))
    return _settle_findings(decision, head, asking)


def find_questions(decision: Decision) -> list[Finding]:
    """Return the findings that somebody is asked about."""
    return [finding for finding in decision.findings if finding.effective >= REVIEW]


def recoverable_stakes(walk: CallWalk, policy: Policy) -> tuple[Stake, ...]:
    """Return what a checkpoint has to bring back so that nobody needs to be asked; nothing where it
    would not answer every question.
    """
    decision, asking = walk.decision, find_questions(walk.decision)
    if policy.checkpointing.loss != RUN or any(
        not duty.met and duty.name == "approver" for duty in decision.obligations
    ):
        return ()
    if not asking or not all(_recoverable(finding, policy) for finding in asking):
        return ()
    stakes, unknown = at_stake(
        [finding.effect for finding in asking if finding.effect is not None], walk.facts
    )
    return () if unknown else resolve_stakes(stakes, walk.call.roots, walk.facts)


def announce_undo(walk: CallWalk, policy: Policy) -> Decision:
    """Return the decision with a word that a checkpoint would answer it, for a mere judgement."""
    if not recoverable_stakes(walk, policy):
        return walk.decision
    message = (
        "When an agent makes this call, interlock takes a checkpoint first if it can. Then it runs"
        " without a question, and `interlock undo` brings this back."
    )
    return walk.decision.with_findings(Finding(WOULD, WARN, "checkpoint", message))


def take_checkpoint(guard: GuardParts, walk: CallWalk, stakes: tuple[Stake, ...]) -> CheckpointHead:
    """Take a checkpoint before a call; raises ``CheckpointError``."""
    if guard.checkpoints is None:
        raise RuntimeError("there is no place for checkpoints")
    said = one_line(
        str(walk.call.input.get("command") or walk.call.input.get("file_path") or walk.call.name)
    )
    shown = guard.audit.redactor.text(said) if guard.audit is not None else ""
    return guard.checkpoints().before(walk.call, stakes, walk.decision.id, shown)


def _settle_findings(decision: Decision, head: CheckpointHead, asking: list[Finding]) -> Decision:
    settled = Settled(WARN, f"checkpoint {head.id}")
    findings = [
        finding.replace(settled=settled) if finding in asking else finding
        for finding in decision.findings
    ]
    done = decision.replace(findings=tuple(findings)).with_findings(
        Finding(CHECKPOINT_TAKEN, WARN, "checkpoint", describe_undo(decision.id, head))
    )
    if done.action >= ASK:
        raise RuntimeError("a checkpoint settled less than it was taken for")
    return done


def describe_undo(decision_id: str, head: CheckpointHead) -> str:
    """Say how a call is undone, and what does not come back by it."""
    from interlock.checkpoint.service import find_left_out

    left = find_left_out(head)
    names = ", ".join([one_line(one.path.rpartition("/")[2]) for one in left[:MOST_NAMED]]) + (
        " and more" if len(left) > MOST_NAMED else ""
    )
    lacks = f" It does not hold {names}: {one_line(left[0].why)}." if left else ""
    return (
        f"A checkpoint was taken before this call: `interlock undo {decision_id}` brings back what"
        f" it takes away.{lacks}"
    )


def _recoverable(finding: Finding, policy: Policy) -> bool:
    """Tell whether a question is one that a checkpoint answers."""
    effect, place = finding.effect, finding.effect.place if finding.effect is not None else None
    if (
        finding.action != ASK
        or effect is None
        or place is None
        or place.where != HERE
        or place.location != WORKSPACE
        or "worktree" in effect.traits
    ):
        return False
    rules = policy.by_kind.get(effect.kind) if policy.by_kind is not None else ()
    return any(rule.id == finding.rule and rule.recoverable for rule in rules)


def resolve_stakes(
    stakes: tuple[Stake, ...], roots: tuple[str, ...], facts: Facts
) -> tuple[Stake, ...]:
    """Return the stakes by their real paths; nothing where one of them is not what a checkpoint of
    these folders brings back.
    """
    real_roots = [facts.real(root) for root in roots]
    tops = [root for root in real_roots if isinstance(root, str)]
    found = [_resolve_stake(stake, tops, facts) for stake in stakes]
    return tuple([stake for stake in found if stake is not None]) if None not in found else ()


def _besides(walk: CallWalk, kept: tuple[Stake, ...], facts: Facts) -> tuple[Stake, ...]:
    """Return what else the call deletes here, such as a folder that is in a commit: it comes back
    too, but for what a tool makes again.
    """
    deleted = [
        effect
        for effect in walk.reading.effects
        if effect.kind is Deletes and effect.target[:1] == "/"
    ]
    paths = dict.fromkeys(
        [
            effect.target
            for effect in deleted
            if effect.place is not None and effect.place.location == WORKSPACE
        ]
    )
    stakes = [Stake(path, NAMED) for path in paths if all(path != stake.path for stake in kept)]
    return tuple(
        [stake for one in stakes for stake in resolve_stakes((one,), walk.call.roots, facts)]
    )


def _resolve_stake(stake: Stake, tops: list[str], facts: Facts) -> Stake | None:
    real = facts.real(stake.path)
    if (
        stake.what not in _KEPT
        or not isinstance(real, str)
        or ".git" in real.split("/")
        or _is_link(stake, real, facts)
    ):
        return None
    inside = any(
        real.startswith(top.rstrip("/") + "/")
        or (real == top and not (stake.what == ALL and stake.deep))
        for top in tops
    )
    return stake.replace(path=real) if inside and not _reaches_objects(stake, real, facts) else None


def _is_link(stake: Stake, real: str, facts: Facts) -> bool:
    """Tell whether what goes is a link, or lies behind one: what it leads to may be meant."""
    above, _, name = stake.path.rpartition("/")
    real_above = facts.real(above or "/")
    return isinstance(real_above, str) and real != f"{real_above.rstrip('/')}/{name}"


def _reaches_objects(stake: Stake, real: str, facts: Facts) -> bool:
    """Tell whether a search may come upon objects of a repository, which no checkpoint holds."""
    if (
        stake.what != NAMED
        or not stake.deep
        or not any(matches(name.rpartition("/")[2], _OBJECT) for name in stake.names)
    ):
        return False
    found = facts.stat(f"{real}/.git")
    return not isinstance(found, Stat) or found.kind in (FILE, FOLDER)


# -- the obligation --------------------------------------------------------------------------------


def take_required(guard: GuardParts, walk: CallWalk) -> str:
    """Take the checkpoint that a policy obliges to; return what was done, or ``""`` where none
    could be taken.
    """
    if guard.checkpoints is None or not walk.call.roots:
        return ""
    stakes = resolve_stakes(
        at_stake(walk.reading.effects, guard.facts)[0], walk.call.roots, guard.facts
    )
    from interlock.checkpoint.vault import CheckpointHead

    head = attempt("checkpoint", lambda: take_checkpoint(guard, walk, stakes), CheckpointHead)
    return "" if isinstance(head, Failure) else f"checkpoint {head.id}"
