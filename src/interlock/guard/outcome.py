"""What the guard hears before or after the walk: what a person asked, what became of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.guard.persistence import keep
from interlock.guard.services import NATIVE
from interlock.guard.workspace import roots
from interlock.ledger.sessions import Ledger
from interlock.model.call import Outcome, ToolCall
from interlock.model.facts import UNKNOWN, Process, Unknown
from interlock.store.schema import Write

T = TypeVar("T")


def record_outcome(guard: GuardParts, outcome: Outcome) -> tuple[str, ...]:
    """Match the outcome to its decision in the audit: by the call's id, else the oldest open one of
    the same tool and input.

    What the call made and started is then this session's own.
    """
    audit, ledger = guard.audit, guard.ledger

    granted = attempt("approvals", lambda: _grant_writes(guard, outcome), list)
    began = attempt(
        "ledger", lambda: _find_started(guard, ledger, outcome) if ledger is not None else [], list
    )

    def writes() -> Sequence[Write]:
        found = [*_list_or_empty(granted), audit.outcome(outcome)] if audit is not None else []
        return found + (ledger.ran(outcome, _list_or_empty(began)) if ledger is not None else [])

    said = _record(guard, writes) + _complete_checkpoint(guard, outcome) + _report_losses(guard)
    said += tuple(
        [
            f"What else this call left could not be found out: {one.why}"
            for one in (granted, began)
            if isinstance(one, Failure)
        ]
    )
    if guard.limits is None or not guard.limited:
        return said
    from interlock.guard.limit_stage import settle_outcome

    return said + settle_outcome(guard, outcome)


def was_approved(guard: GuardParts, call: ToolCall) -> bool:
    """Tell whether the last decision on this very call answers the client's own question; no where
    that cannot be found out.
    """
    from interlock.audit.shared_decision import is_approved

    audit = guard.audit
    found = attempt(
        "audit", lambda: audit is not None and is_approved(audit.store, audit.redactor, call), bool
    )
    return found is True


def _list_or_empty(found: list[T] | Failure) -> list[T]:
    """Return what was found out; nothing if that failed: the outcome is recorded all the same."""
    return [] if isinstance(found, Failure) else found


def _complete_checkpoint(guard: GuardParts, outcome: Outcome) -> tuple[str, ...]:
    """Note what a call changed before which a checkpoint was taken, so that its undo leaves what
    others change later.
    """
    if guard.checkpoints is None or guard.store is None or not outcome.call.call_id:
        return ()
    from interlock.checkpoint.pending import waits

    if not waits(guard.store.folder, outcome.call.session, outcome.call.call_id):
        return ()
    make = guard.checkpoints
    failed = attempt("checkpoint", lambda: make().ended(outcome), type(None))
    return (
        (f"What this call changed could not be noted for its undo: {failed.why}",)
        if isinstance(failed, Failure)
        else ()
    )


def _grant_writes(guard: GuardParts, outcome: Outcome) -> list[Write]:
    """Return the write that says that a person granted the call at the client's own prompt."""
    if guard.ask is not NATIVE or guard.audit is None:
        return []
    from interlock.approvals.client_answers import build_grant_writes

    return build_grant_writes(guard.audit.store, outcome)


def record_session(guard: GuardParts, call: ToolCall) -> tuple[str, ...]:
    """Note whose process a session is: nothing that this process starts may approve its calls."""
    make = guard.approvals
    return _report_losses(guard) + (
        _record(guard, lambda: make().agent(call.session))
        if make is not None and call.session
        else ()
    )


def _report_losses(guard: GuardParts) -> tuple[str, ...]:
    """Tell the person what of the guard itself is gone."""
    if guard.presence is None:
        return ()
    from interlock.guard.missing_stage import PERSON, report_losses

    return report_losses(guard, PERSON)


MOST_PIDS = 8


def _find_started(guard: GuardParts, ledger: Ledger, outcome: Outcome) -> list[tuple[str, Process]]:
    """Return the processes whose numbers a call printed or put into a file (``server & echo $!``),
    if they began while it ran, not before.
    """
    if "$!" not in str(outcome.call.input.get("command", "")) or outcome.status != "ran":
        return []
    judged, files = ledger.began(outcome.call)
    texts = (
        [
            outcome.excerpt,
            *[text for text in map(guard.facts.text, files[:MOST_PIDS]) if isinstance(text, str)],
        ]
        if judged
        else []
    )
    words = "".join([char if char.isdigit() else " " for char in " ".join(texts)]).split()
    found = []
    for pid in list(dict.fromkeys(words))[:MOST_PIDS]:
        process = guard.facts.process(pid) if len(pid) < 9 else UNKNOWN
        if not isinstance(process, Unknown) and process.began >= judged - 1:
            found.append((pid, process))
    return found


def record_prompt(guard: GuardParts, call: ToolCall, words: str) -> tuple[str, ...]:
    """Remember a prompt as a keyed hash, and what it asks for; its words, free of secrets, only
    where the policy says ``prompts_full``.
    """
    audit, ledger = guard.audit, guard.ledger
    if audit is None or ledger is None:
        return ()
    from interlock.guard.intent_stage import current_request

    intent, scope, failed = current_request(guard, call, words)

    def writes() -> Sequence[Write]:
        from interlock.ledger.session_grants import folders_in
        from interlock.ledger.sessions import PromptRecord

        kept = audit.redactor.text(words) if guard.policy.prompts_full else ""
        folders = tuple(folders_in(words, guard.facts.home()))
        prompt = PromptRecord(
            audit.redactor.digest(words), intent, audit.redactor.text(scope), kept, folders
        )
        told = audit.event(
            "prompt", prompt.digest, {"intent": intent, "scope": scope}, call.session
        )
        return [
            *ledger.asked(
                call.session, roots(call, guard.facts, whole=guard.ask is NATIVE), prompt
            ),
            told,
        ]

    return failed + _record(guard, writes) + _report_losses(guard)


def _record(guard: GuardParts, writes: Callable[[], Sequence[Write]]) -> tuple[str, ...]:
    store = guard.store
    if store is None:
        return ()
    made = attempt("audit", writes, list)
    if isinstance(made, Failure):
        return (f"This event could not be recorded: {made.why}",)
    known: list[Write] = made
    kept = keep(store, lambda: known)
    return (kept.sentence("This event"),) if kept.failed else kept.notices
