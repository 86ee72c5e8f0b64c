"""The database's tables, step by step, and the few writes there are.

A write is data (a name and its values), so that one that failed can wait in the spool and be done later.
Every write may be done twice without harm, since a process may die between the commit and the emptying of the spool.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Value = str | int | float | None
    Write = tuple[str, tuple[Value, ...]]

AUDIT_COLUMNS = (
    "timestamp", "action", "parameters", "result", "validation_result", "rule_id", "duration_ms", "session_id",
    "decision_id", "verdict", "strictest", "status", "findings", "obligations", "checks", "effects", "facts", "coverage", "observed",
    "policy_hash", "profile", "agent", "agent_id", "call_id", "cwd", "roots", "intent", "prompt_hash", "call", "judged_us", "schema",
)  # fmt: skip
"""The first eight are S3's fields; ``id`` and ``created_at`` are given when the row is written."""
SETTLED_COLUMNS = ("status", "result", "duration_ms")
"""What an outcome fills; the others never change."""

MIGRATIONS = (
    (
        """CREATE TABLE guardrail_audit_log (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            timestamp TEXT NOT NULL,
            action TEXT NOT NULL,
            parameters TEXT,
            result TEXT,
            validation_result TEXT NOT NULL CHECK (validation_result IN ('allowed', 'blocked', 'requires_confirmation', 'throttled')),
            rule_id TEXT,
            duration_ms INTEGER,
            session_id TEXT NOT NULL,
            created_at TEXT DEFAULT (datetime('now')),
            decision_id TEXT NOT NULL UNIQUE,
            verdict TEXT NOT NULL,
            strictest TEXT NOT NULL,
            status TEXT,
            findings TEXT NOT NULL,
            obligations TEXT NOT NULL,
            checks TEXT NOT NULL,
            effects TEXT NOT NULL,
            facts TEXT NOT NULL,
            coverage TEXT NOT NULL,
            observed INTEGER NOT NULL,
            policy_hash TEXT NOT NULL,
            profile TEXT NOT NULL,
            agent TEXT NOT NULL,
            agent_id TEXT NOT NULL,
            call_id TEXT NOT NULL,
            cwd TEXT NOT NULL,
            roots TEXT NOT NULL,
            intent TEXT NOT NULL,
            prompt_hash TEXT NOT NULL,
            call TEXT NOT NULL,
            judged_us INTEGER NOT NULL,
            schema INTEGER NOT NULL
        )""",
        "CREATE INDEX idx_guardrail_session ON guardrail_audit_log(session_id)",
        "CREATE INDEX idx_guardrail_timestamp ON guardrail_audit_log(timestamp)",
        "CREATE INDEX idx_guardrail_rule ON guardrail_audit_log(rule_id)",
        "CREATE INDEX idx_guardrail_open ON guardrail_audit_log(session_id, call_id) WHERE status IS NULL",
        """CREATE TABLE session (
            id TEXT PRIMARY KEY,
            started TEXT NOT NULL,
            roots TEXT NOT NULL,
            prompt_hash TEXT NOT NULL DEFAULT '',
            intent TEXT NOT NULL DEFAULT '',
            scope TEXT NOT NULL DEFAULT '',
            prompt TEXT NOT NULL DEFAULT ''
        )""",
        """CREATE TABLE label (
            session_id TEXT NOT NULL,
            subject TEXT NOT NULL,
            label TEXT NOT NULL,
            since TEXT NOT NULL,
            PRIMARY KEY (session_id, subject, label)
        ) WITHOUT ROWID""",
    ),
    (
        # a mark with a call counts when that call is known to have run
        "ALTER TABLE label ADD COLUMN call TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX idx_label_call ON label(session_id, call) WHERE call != ''",
        "ALTER TABLE session ADD COLUMN marks INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE session ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE session ADD COLUMN digest TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE session ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0",
        "UPDATE session SET marks = (SELECT count(*) FROM label WHERE session_id = id)",
    ),
    (
        # -- audit: what it holds by now is older than the chain, whose first event says how many rows those are
        """CREATE TABLE audit_event (
            seq INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            at TEXT NOT NULL,
            kind TEXT NOT NULL,
            session TEXT NOT NULL,
            subject TEXT NOT NULL,
            body TEXT NOT NULL,
            hash TEXT NOT NULL
        )""",
        "CREATE TABLE audit_head (seq INTEGER NOT NULL, hash TEXT NOT NULL)",
        "INSERT INTO audit_head VALUES (0, printf('%064d', 0))",
    ),
)
"""Step ``n`` brings a file from version ``n`` to ``n + 1``. A step that was released is never changed."""

VERSION = len(MIGRATIONS)
CHAINED = 3
"""The version from which on the audit is a chain."""

WRITES = {
    # what the audit writes is a chain, not a statement: ``chain.STEPS``
    # values: id, started, roots
    "session": "INSERT OR IGNORE INTO session (id, started, roots) VALUES (?, ?, ?)",
    # values: id, started, roots, digest of the call
    "call": """INSERT INTO session (id, started, roots, digest, repeats) VALUES (?, ?, ?, ?, 1)
        ON CONFLICT (id) DO UPDATE SET repeats = CASE digest WHEN excluded.digest THEN repeats + 1 ELSE 1 END, digest = excluded.digest""",
    # values: session, started, roots, prompt hash, intent, scope, prompt
    "prompt": """INSERT INTO session (id, started, roots, prompt_hash, intent, scope, prompt) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            prompt_hash = excluded.prompt_hash, intent = excluded.intent, scope = excluded.scope, prompt = excluded.prompt""",
    # values: session, subject, label, since
    "label": "INSERT OR IGNORE INTO label (session_id, subject, label, since) VALUES (?, ?, ?, ?)",
    # values: session, subject, label, since, the call it waits for or ""; one that counts already goes on counting
    "mark": """INSERT INTO label (session_id, subject, label, since, call) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (session_id, subject, label) DO UPDATE SET since = excluded.since, call = CASE call WHEN '' THEN '' ELSE excluded.call END""",
    # values: session, call
    "confirmed": "UPDATE label SET call = '' WHERE session_id = ? AND call = ? AND call != ''",
    # values: how many marks, refused or not, session
    "marked": "UPDATE session SET marks = marks + ?, refusals = refusals + ? WHERE id = ?",
    # values: the time before which marks go
    "expired": "DELETE FROM label WHERE since < ?",
}
