"""One decision for one call: where a client's hook was asked about an MCP call, the proxy before
the server passes it on by that decision.

A decision counts once, for the very same arguments, in a session of the very client whose process
started the proxy, while nothing is known yet of what became of the call. That a decision was used
is an event of the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import gmtime, strftime, time

from interlock.audit.entry import parameters
from interlock.audit.redact import Redactor
from interlock.model.call import ToolCall
from interlock.model.decision import APPROVED
from interlock.model.jsontext import dumps, loads
from interlock.model.record import Record
from interlock.store.chain import STEPS, now
from interlock.store.protocol import Connection, Storage

SECONDS = 3600
"""How long before the call its decision may be: a person may think about a question."""
MOST_NAMES = 8
PASSED = "passed-on"


class SharedDecision(Record):
    """A decision that was used: its id (``""``: none) and its obligations by name."""

    id: str = ""
    duties: tuple[str, ...] = ()


def is_approved(store: Storage, redactor: Redactor, call: ToolCall) -> bool:
    """Tell whether the last decision on this very call in its session answers the client's own
    question with yes; raises ``StoreError``.

    Whatever else the client asks for with it (access to the network, to run it outside its walls)
    is another input, and not answered.
    """
    given = parameters(call, redactor)
    since = strftime("%Y-%m-%dT%H:%M:%S", gmtime(time() - SECONDS))
    sql = """SELECT parameters, proof, status FROM guardrail_audit_log WHERE session_id = ? AND
        action = ? AND cwd = ? AND timestamp > ?
        ORDER BY id DESC LIMIT 1"""
    found = store.query(sql, (call.session, call.name, redactor.text(call.cwd), since))
    return (
        "...[" not in given
        and '"..."' not in given
        and [tuple(row) for row in found] == [(given, APPROVED, None)]
    )


def take(
    store: Storage,
    redactor: Redactor,
    call: ToolCall,
    names: Sequence[str],
    *,
    granted: bool = False,
) -> SharedDecision:
    """Return the decision that a hook made on a call in its session, and use it up; an empty one
    where there is none that lets it run.

    ``names``: what clients call the tool. ``granted``: only a decision that a person was asked
    about counts. Raises ``StoreError``.
    """
    some = tuple(names)[:MOST_NAMES]
    since = strftime("%Y-%m-%dT%H:%M:%S", gmtime(time() - SECONDS))
    sql = f"""SELECT decision_id, verdict, status, obligations FROM guardrail_audit_log
        WHERE session_id = ? AND action IN ({", ".join("?" * len(some))}) AND parameters = ? AND
        timestamp > ? AND call_id NOT LIKE 'mcp-%'
        ORDER BY id DESC LIMIT 1"""  # noqa: S608 - question marks
    given = parameters(call, redactor)
    if (
        "...[" in given or '"..."' in given
    ):  # not all of the arguments is kept, so they cannot be told to be the same
        return SharedDecision()

    def work(connection: Connection) -> SharedDecision:
        row = connection.execute(sql, (call.session, *some, given, since)).fetchone()
        if (
            row is None
            or row[2] is not None
            or row[1] not in (("ask",) if granted else ("allow", "ask"))
        ):
            return SharedDecision()
        key = f"{PASSED} {row[0]}"
        if connection.execute("SELECT 1 FROM audit_event WHERE key = ?", (key,)).fetchone():
            return SharedDecision()
        STEPS["event"](
            connection, (key, now(), PASSED, call.session, row[0], dumps({"decision": row[0]}))
        )
        return SharedDecision(str(row[0]), tuple([str(duty["name"]) for duty in loads(row[3])]))

    return store.transact(work)
