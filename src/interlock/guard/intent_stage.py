"""The stage of intent: what prompts say is kept with the session, and each call held against it."""

from __future__ import annotations

from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts
from interlock.intent.request import PromptIntent
from interlock.model.action import ASK
from interlock.model.call import ToolCall
from interlock.model.decision import Finding
from interlock.model.effect import Kind, Reading

_QUIET: frozenset[Kind | str] = frozenset({"reads", "runs-code", "opaque", "calls", "listens"})
"""Effects that fit every intent and break no limit, so most calls need no table."""


def misfits(call: ToolCall, reading: Reading, level: str) -> tuple[Finding, ...]:
    """Return the findings about a call that does not fit what was asked for. A failure asks: a
    limit may be broken unseen.
    """
    if (
        level == "off"
        or not (call.intent or call.scope)
        or not [effect for effect in reading.effects if effect.kind not in _QUIET]
    ):
        return ()
    from interlock.intent.judge import findings

    found = attempt("intent", lambda: findings(call, reading, level), tuple)
    if isinstance(found, Failure):
        return (
            Finding(
                "intent.failed",
                ASK,
                "intent",
                f"This call could not be held against what the user asked for: {found.why}",
            ),
        )
    return found


def current_request(
    guard: GuardParts, call: ToolCall, words: str
) -> tuple[str, str, tuple[str, ...]]:
    """Return the intent and the scope of a session after one more prompt, and sentences about what
    failed.

    Where the prompt cannot be understood nothing is asked for, and the limits that were set stand.
    """
    from interlock.intent.classify import classify
    from interlock.intent.prompt_history import after
    from interlock.intent.request import PromptIntent, SessionIntent, parse_asked
    from interlock.ledger.sessions import SessionState

    ledger, audit = guard.ledger, guard.audit
    remembered = attempt(
        "ledger", lambda: ledger.session(call.session) if ledger is not None else None, SessionState
    )
    if isinstance(remembered, Failure):
        stood, again = SessionIntent(unsure=True), False
    else:
        stood, again = (
            parse_asked(remembered.intent, remembered.scope),
            audit is not None and remembered.prompt_hash == audit.redactor.digest(words),
        )
    # a limit is kept in small letters, in which no token is known
    plain = words if audit is None else audit.redactor.text(words, len(words))
    request = attempt("intent", lambda: classify(plain), PromptIntent)
    if isinstance(request, Failure):
        return (
            "",
            stood.replace(names=(), before=()).scope,
            (f"What was asked for could not be understood: {request.why}",),
        )
    request, failed = _ask_classifier(guard, plain, request)
    stands = stood if again else after(stood, request)  # some clients tell of a prompt twice
    return stands.intent, stands.scope, failed


def _ask_classifier(
    guard: GuardParts, words: str, request: PromptIntent
) -> tuple[PromptIntent, tuple[str, ...]]:
    """Return the request as the embedder's classifier has it, if there is one; where it fails the
    table of cues decides alone.
    """
    classifier = guard.classifier
    if classifier is None:
        return request, ()
    from interlock.intent.classifier import apply_classifier
    from interlock.intent.request import PromptIntent

    answer = attempt(
        "classifier", lambda: apply_classifier(classifier, words, request), PromptIntent
    )
    if isinstance(answer, Failure):
        return request, (
            f"The classifier of prompts failed, so the table of cues decides alone: {answer.why}",
        )
    return answer, ()
