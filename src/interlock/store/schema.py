"""The database's tables, step by step, and the few writes there are.

A write is data (a name and its values), so that one that failed can wait in the spool and be done
later. Every write may be done twice without harm, since a process may die between the commit and
the emptying of the spool.
"""

from __future__ import annotations

Value = str | int | float | None
Write = tuple[str, tuple[Value, ...]]

AUDIT_COLUMNS = (
    "timestamp", "action", "parameters", "result", "validation_result", "rule_id", "duration_ms",
    "session_id",
    "decision_id", "verdict", "strictest", "status", "findings", "obligations", "checks", "effects",
    "facts", "coverage", "observed",
    "policy_hash", "profile", "agent", "agent_id", "call_id", "cwd", "roots", "intent",
    "prompt_hash", "call", "judged_us", "schema", "radius",
    "commands", "proof", "doubts",
)  # fmt: skip
"""The first eight are S3's fields; ``id`` and ``created_at`` are given when the row is written. A
later one may be null and comes last.
"""
SETTLED_COLUMNS = ("status", "result", "duration_ms")
"""What an outcome fills; the others never change."""

VERSION = 10
"""How many steps ``migrations.sql`` has."""
CHAINED = 3
"""The version from which on the audit is a chain."""

RECOVERED = {
    "audit_event": "",
    "guardrail_audit_log": "",
    "session": "",
    "label": (
        "label NOT IN ('made', 'starting', 'pid-file', 'named', 'joined') AND label NOT LIKE"
        " 'started%' AND label NOT LIKE 'agreed%'"
    ),
    "agent_process": "",
    **dict.fromkeys(("rate", "hold", "spending", "stopped", "agent", "transcript", "mcp_pin"), ""),
}
"""What is copied out of a damaged file, with a condition on its rows: records, and what only
tightens. What loosens (a grant, a mark of a file that the session made) stays behind, for what took
it back may be among what could not be read.
"""
AFTER_RECOVERY = (
    # what a session did before is not known any more, wholly: ledger.FORGOTTEN, for each and for
    # those that were lost
    (
        "INSERT OR IGNORE INTO label (session_id, subject, label, since) SELECT id, '',"
        " 'forgotten', ? FROM session"
    ),
    (
        "INSERT OR IGNORE INTO label (session_id, subject, label, since) VALUES ('', '',"
        " 'forgotten', ?)"
    ),
    "UPDATE session SET marks = marks + 1",
)
"""Done after that; a question mark is the time."""

WRITES = {
    # what the audit writes is a chain, not a statement: ``chain.STEPS``
    # values: id, started, roots
    "session": "INSERT OR IGNORE INTO session (id, started, roots) VALUES (?, ?, ?)",
    # values: id, started, roots, digest of the call
    "call": (
        """INSERT INTO session (id, started, roots, digest, repeats) VALUES (?, ?, ?, ?, 1)
        ON CONFLICT (id) DO UPDATE SET repeats = CASE digest WHEN excluded.digest THEN repeats + 1
        ELSE 1 END, digest = excluded.digest"""
    ),
    # values: session, started, roots, prompt hash, intent, scope, prompt
    "prompt": (
        """INSERT INTO session (id, started, roots, prompt_hash, intent, scope, prompt) VALUES (?,
            ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            prompt_hash = excluded.prompt_hash, intent = excluded.intent, scope = excluded.scope,
            prompt = excluded.prompt"""
    ),
    # values: session, subject, label, since
    "label": "INSERT OR IGNORE INTO label (session_id, subject, label, since) VALUES (?, ?, ?, ?)",
    # values: session, subject, label, since, the call it waits for or ""; one that counts already
    # goes on counting
    "mark": (
        """INSERT INTO label (session_id, subject, label, since, call) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (session_id, subject, label) DO UPDATE SET since = excluded.since, call = CASE
        call WHEN '' THEN '' ELSE excluded.call END"""
    ),
    # values: session, call
    "confirmed": "UPDATE label SET call = '' WHERE session_id = ? AND call = ? AND call != ''",
    # values: call, session, session, call; before "confirmed": a project that the person's yes to
    # this very call made part of the workspace
    "joined": (
        """UPDATE session SET roots = (SELECT json_group_array(value) FROM (SELECT value FROM
            json_each(roots)
            UNION SELECT subject FROM label WHERE session_id = session.id AND call = ? AND label =
            'joined'))
        WHERE id = ? AND EXISTS (SELECT 1 FROM label WHERE session_id = ? AND call = ? AND call !=
        '' AND label = 'joined')"""
    ),
    # values: session, call; of what a call that failed may have done before
    "confirmed-commit": (
        "UPDATE label SET call = '' WHERE session_id = ? AND call = ? AND call != '' AND label LIKE"
        " 'committed-secret %'"
    ),
    # values: how many marks, refused or not, session
    "marked": "UPDATE session SET marks = marks + ?, refusals = refusals + ? WHERE id = ?",
    # values: pid, ticks, boot, session, name, Unix seconds
    "agent-process": (
        "INSERT OR IGNORE INTO agent_process (pid, ticks, boot, session_id, name, since) VALUES (?,"
        " ?, ?, ?, ?, ?)"
    ),
    # values: the time before which marks go
    "expired": "DELETE FROM label WHERE since < ?",
}
