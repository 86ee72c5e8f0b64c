-- The tables of the database, step by step: step ``n`` brings a file from version ``n - 1`` to ``n``.
-- A step that was released is never changed. A line that ends with a semicolon ends a statement.

-- step 1

CREATE TABLE guardrail_audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    action TEXT NOT NULL,
    parameters TEXT,
    result TEXT,
    validation_result TEXT NOT NULL CHECK (validation_result IN ('allowed', 'blocked',
    'requires_confirmation', 'throttled')),
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
);

CREATE INDEX idx_guardrail_session ON guardrail_audit_log(session_id);

CREATE INDEX idx_guardrail_timestamp ON guardrail_audit_log(timestamp);

CREATE INDEX idx_guardrail_rule ON guardrail_audit_log(rule_id);

CREATE INDEX idx_guardrail_open ON guardrail_audit_log(session_id, call_id) WHERE status IS NULL;

CREATE TABLE session (
    id TEXT PRIMARY KEY,
    started TEXT NOT NULL,
    roots TEXT NOT NULL,
    prompt_hash TEXT NOT NULL DEFAULT '',
    intent TEXT NOT NULL DEFAULT '',
    scope TEXT NOT NULL DEFAULT '',
    prompt TEXT NOT NULL DEFAULT ''
);

CREATE TABLE label (
    session_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    label TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (session_id, subject, label)
) WITHOUT ROWID;

-- step 2

-- a mark with a call counts when that call is known to have run
ALTER TABLE label ADD COLUMN call TEXT NOT NULL DEFAULT '';

CREATE INDEX idx_label_call ON label(session_id, call) WHERE call != '';

ALTER TABLE session ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;

ALTER TABLE session ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;

ALTER TABLE session ADD COLUMN digest TEXT NOT NULL DEFAULT '';

ALTER TABLE session ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;

UPDATE session SET marks = (SELECT count(*) FROM label WHERE session_id = id);

-- step 3

-- audit: what it holds by now is older than the chain, whose first event says how many ro
CREATE TABLE audit_event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    session TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);

ALTER TABLE guardrail_audit_log ADD COLUMN radius TEXT;

-- a decision's key is its id, which its own table holds once: one page less to write for every
-- call
CREATE UNIQUE INDEX idx_audit_event_key ON audit_event(key) WHERE kind != 'decision';

-- approvals: created, changed, expires are Unix seconds; who may approve and what is show
CREATE TABLE approval (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'granted', 'refused', 'expired',
    'spent')),
    decision_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project TEXT NOT NULL,
    requester TEXT NOT NULL,
    agent TEXT NOT NULL,
    shown TEXT NOT NULL,
    roles TEXT NOT NULL,
    quorum INTEGER NOT NULL,
    second_person INTEGER NOT NULL,
    seconds INTEGER NOT NULL,
    covers TEXT NOT NULL,
    no_grant TEXT NOT NULL,
    created REAL NOT NULL,
    expires REAL NOT NULL,
    changed REAL,
    settled_by TEXT NOT NULL,
    reason TEXT NOT NULL
);

-- one open request for one call of a session, however often it comes
CREATE UNIQUE INDEX idx_approval_open ON approval(session_id, digest) WHERE state IN ('pending',
    'granted');

CREATE INDEX idx_approval_expires ON approval(expires) WHERE state IN ('pending', 'granted');

CREATE TABLE approval_vote (
    request TEXT NOT NULL, person TEXT NOT NULL, roles TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (request, person)
);

-- owner: a session, or the path of a project
CREATE TABLE approval_grant (
    id TEXT PRIMARY KEY,
    scope TEXT NOT NULL CHECK (scope IN ('session', 'project')),
    owner TEXT NOT NULL,
    covers TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    created REAL NOT NULL,
    expires REAL NOT NULL,
    uses INTEGER NOT NULL CHECK (uses >= 0),
    revoked INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX idx_approval_grant ON approval_grant(scope, owner);

CREATE TABLE approval_token (person TEXT PRIMARY KEY, salt TEXT NOT NULL, hash TEXT NOT NULL);

-- the processes of agents' sessions, that none of theirs approves: ticks since the machine's
-- start, and which start that was
CREATE TABLE agent_process (
    pid INTEGER NOT NULL, ticks INTEGER NOT NULL, boot TEXT NOT NULL, session_id TEXT NOT
    NULL, name TEXT NOT NULL, since REAL NOT NULL,
    PRIMARY KEY (boot, pid, ticks)
) WITHOUT ROWID;

-- limits: paid = microseconds since 1970 at which all that was taken is paid off
CREATE TABLE rate (scope TEXT NOT NULL, what TEXT NOT NULL, paid INTEGER NOT NULL, PRIMARY KEY
    (scope, what)) WITHOUT ROWID;

-- what a call without an outcome holds, until expires (Unix seconds)
CREATE TABLE hold (
    scope TEXT NOT NULL,
    what TEXT NOT NULL,
    id TEXT NOT NULL,
    amount INTEGER NOT NULL,
    expires REAL NOT NULL,
    session_id TEXT NOT NULL,
    call TEXT NOT NULL,
    PRIMARY KEY (scope, what, id)
) WITHOUT ROWID;

CREATE INDEX idx_hold_call ON hold(session_id, call);

CREATE INDEX idx_hold_expires ON hold(expires);

-- what a scope used up since its period began, and before (money in millionths of a dollar,
-- times in Unix seconds)
CREATE TABLE spending (
    scope TEXT NOT NULL,
    every INTEGER NOT NULL,
    since REAL NOT NULL,
    seen REAL NOT NULL,
    input INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0,
    cached INTEGER NOT NULL DEFAULT 0,
    written INTEGER NOT NULL DEFAULT 0,
    cost INTEGER NOT NULL DEFAULT 0,
    unpriced TEXT NOT NULL DEFAULT '',
    context INTEGER NOT NULL DEFAULT 0,
    reports INTEGER NOT NULL DEFAULT 0,
    tokens_before INTEGER NOT NULL DEFAULT 0,
    cost_before INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, every)
) WITHOUT ROWID;

-- up to what cost of a period a person approved it, for each threshold; in millionths of a
-- dollar
CREATE TABLE cost_approval (
    scope TEXT NOT NULL, every INTEGER NOT NULL, threshold INTEGER NOT NULL, approved
    INTEGER NOT NULL, PRIMARY KEY (scope, every, threshold)
) WITHOUT ROWID;

-- what runs no more until a person says so
CREATE TABLE stopped (scope TEXT PRIMARY KEY, since TEXT NOT NULL, why TEXT NOT NULL, by TEXT
    NOT NULL);

CREATE TABLE agent (
    session_id TEXT NOT NULL, agent_id TEXT NOT NULL, parent_id TEXT NOT NULL, PRIMARY KEY
    (session_id, agent_id)
) WITHOUT ROWID;

-- how far a client's transcript was read; state is what tells a request that is noted twice
CREATE TABLE transcript (
    path TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    inode INTEGER NOT NULL,
    head TEXT NOT NULL,
    offset INTEGER NOT NULL,
    state TEXT NOT NULL,
    unread TEXT NOT NULL
);

CREATE INDEX idx_transcript_session ON transcript(session_id);

-- step 4

-- the commands that a policy's rules of words looked at
ALTER TABLE guardrail_audit_log ADD COLUMN commands TEXT;

-- step 5

-- what an MCP server said of a tool when it was first seen, and what it says by now where that
-- is something else ('': the same). source: a digest of the command or address, so that servers
-- of one name are told apart; a body that was too long is ''
CREATE TABLE mcp_pin (
    server TEXT NOT NULL,
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    digest TEXT NOT NULL,
    body TEXT NOT NULL,
    since TEXT NOT NULL,
    other TEXT NOT NULL DEFAULT '',
    other_body TEXT NOT NULL DEFAULT '',
    other_since TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (server, source, tool)
) WITHOUT ROWID;

-- step 6

-- what a guard agent answered: key is a keyed hash of all that the answer hung on, asked what it
-- was told on the way (JSON). It is not copied out of a damaged file: it only saves asking again
CREATE TABLE review (
    key TEXT PRIMARY KEY, made REAL NOT NULL, rule TEXT NOT NULL, action TEXT NOT NULL,
    message TEXT NOT NULL, asked TEXT NOT NULL
) WITHOUT ROWID;

-- step 7

-- one process may serve several sessions, at once or one after the other
ALTER TABLE agent_process RENAME TO agent_process_before;

CREATE TABLE agent_process (
    pid INTEGER NOT NULL, ticks INTEGER NOT NULL, boot TEXT NOT NULL, session_id TEXT NOT
    NULL, name TEXT NOT NULL, since REAL NOT NULL,
    PRIMARY KEY (boot, pid, ticks, session_id)
) WITHOUT ROWID;

INSERT INTO agent_process SELECT pid, ticks, boot, session_id, name, since FROM agent_process_before;

DROP TABLE agent_process_before;

-- step 8

-- whether a call was proven harmless, and whether the client's own question was answered for
-- that; what was not known of it though it was read
ALTER TABLE guardrail_audit_log ADD COLUMN proof TEXT;

ALTER TABLE guardrail_audit_log ADD COLUMN doubts TEXT;

-- step 9

-- what a call is on every machine, where a yes may be used on another one
ALTER TABLE approval ADD COLUMN fleet TEXT NOT NULL DEFAULT '';

-- step 10

-- limits that machines share: those that calls met here (terms: the limit as JSON; wanted: when one
-- did last; lacking: since when nothing was left and nobody said why, 0: not so; again: when there
-- may be something; left_there: what nobody had when it was asked), and what their service lends
-- this machine. Neither is copied out of a damaged file: what was lent counts as used up
CREATE TABLE shared_limit (
    scope TEXT NOT NULL, what TEXT NOT NULL, terms TEXT NOT NULL, wanted REAL NOT NULL,
    lacking REAL NOT NULL DEFAULT 0, again REAL NOT NULL DEFAULT 0,
    left_there INTEGER NOT NULL DEFAULT -1,
    PRIMARY KEY (scope, what)
) WITHOUT ROWID;

-- state: asked, open, ended; the start of the machine and the file it was lent to; from and until
-- when it holds, by the machine's time since its start and by its clock: both have to say so
CREATE TABLE lease (
    id TEXT PRIMARY KEY, scope TEXT NOT NULL, what TEXT NOT NULL, amount INTEGER NOT NULL,
    used INTEGER NOT NULL, state TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '',
    begins REAL NOT NULL DEFAULT 0, ends REAL NOT NULL DEFAULT 0,
    since REAL NOT NULL DEFAULT 0, until REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX lease_of ON lease(scope, what);
