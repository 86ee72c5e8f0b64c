"""What a client that asks by itself tells afterwards: a call that was asked about and then ran was
granted at its prompt.
"""

from __future__ import annotations

from interlock.model.call import Outcome
from interlock.store.chain import event
from interlock.store.protocol import Storage
from interlock.store.schema import Write

_ASKED = """SELECT decision_id FROM guardrail_audit_log
    WHERE session_id = ? AND call_id = ? AND status IS NULL AND verdict = 'ask' ORDER BY id LIMIT
    1"""


def build_grant_writes(store: Storage, outcome: Outcome) -> list[Write]:
    """Return the write that says so, to be done before the outcome's own; nothing where the call
    was not asked about. Raises ``StoreError``.

    The event is named after the decision, so a call that is told of twice was granted once. A call
    without an id is not matched.
    """
    call = outcome.call
    if not call.call_id or outcome.status not in ("ran", "failed"):
        return []
    rows = store.query(_ASKED, (call.session, call.call_id))
    if not rows:
        return []
    decision = str(rows[0][0])
    name, values = event(
        "approval-granted",
        decision,
        {"at": "the client's prompt", "decision": decision, "scope": "once"},
        call.session,
    )
    return [(name, (f"granted {decision}", *values[1:]))]
