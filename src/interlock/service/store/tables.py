"""The service's tables in SQLite, step by step; a step that was released is never changed."""

from __future__ import annotations

STEPS = (
    (
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE machine (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, platform TEXT NOT NULL, version TEXT NOT NULL,
            secret TEXT NOT NULL UNIQUE, enrolled TEXT NOT NULL, seen TEXT NOT NULL,
            retired TEXT NOT NULL, head INTEGER NOT NULL
        )""",
        """CREATE TABLE machine_check (
            machine TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, rows TEXT NOT NULL,
            PRIMARY KEY (machine, kind)
        ) WITHOUT ROWID""",
        """CREATE TABLE enrolment (
            secret TEXT PRIMARY KEY, uses INTEGER NOT NULL CHECK (uses >= 0), expires TEXT NOT NULL
        ) WITHOUT ROWID""",
        """CREATE TABLE chain (
            id TEXT PRIMARY KEY, machine TEXT NOT NULL, first INTEGER NOT NULL, base TEXT NOT NULL,
            continues TEXT NOT NULL
        )""",
        """CREATE TABLE branch (
            chain TEXT NOT NULL, number INTEGER NOT NULL, parent INTEGER NOT NULL,
            "left" INTEGER NOT NULL, base TEXT NOT NULL, seq INTEGER NOT NULL,
            hash TEXT NOT NULL, kind TEXT NOT NULL, since TEXT NOT NULL, grown TEXT NOT NULL,
            PRIMARY KEY (chain, number)
        ) WITHOUT ROWID""",
        # as it was hashed; row: the values of the judgement or of the outcome, as JSON
        """CREATE TABLE chain_event (
            id INTEGER PRIMARY KEY, chain TEXT NOT NULL, branch INTEGER NOT NULL,
            seq INTEGER NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
            session TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
            row TEXT
        )""",
        "CREATE UNIQUE INDEX chain_event_at ON chain_event(chain, seq, branch)",
        "CREATE INDEX chain_event_session ON chain_event(session, id)",
        # what of a judgement is looked for; the whole of it is its event's
        """CREATE TABLE decision (
            id INTEGER PRIMARY KEY, chain TEXT NOT NULL, name TEXT NOT NULL, at TEXT NOT NULL,
            session TEXT NOT NULL, action TEXT NOT NULL, verdict TEXT NOT NULL,
            strictest TEXT NOT NULL, rule TEXT NOT NULL, cwd TEXT NOT NULL, agent TEXT NOT NULL,
            text TEXT NOT NULL
        )""",
        "CREATE INDEX decision_name ON decision(chain, name)",
        "CREATE INDEX decision_at ON decision(at)",
        """CREATE TABLE outcome (
            id INTEGER PRIMARY KEY, chain TEXT NOT NULL, name TEXT NOT NULL, at TEXT NOT NULL,
            status TEXT, result TEXT, duration_ms INTEGER
        )""",
        "CREATE INDEX outcome_name ON outcome(chain, name)",
        """CREATE TABLE problem (
            chain TEXT NOT NULL, branch INTEGER NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
            said TEXT NOT NULL, at TEXT NOT NULL,
            PRIMARY KEY (chain, branch, seq, kind)
        ) WITHOUT ROWID""",
        """CREATE TABLE root (
            minute TEXT PRIMARY KEY, hash TEXT NOT NULL, heads TEXT NOT NULL
        ) WITHOUT ROWID""",
        "CREATE TABLE link (token TEXT PRIMARY KEY, expires TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE visit (
            token TEXT PRIMARY KEY, proof TEXT NOT NULL, person TEXT NOT NULL, made TEXT NOT NULL,
            expires TEXT NOT NULL
        ) WITHOUT ROWID""",
        # the service's own chain, as every store of interlock has one
        """CREATE TABLE audit_event (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, at TEXT NOT NULL,
            kind TEXT NOT NULL, session TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
            hash TEXT NOT NULL
        )""",
        "CREATE UNIQUE INDEX audit_event_key ON audit_event(key)",
    ),
    (
        """CREATE TABLE person (
            name TEXT PRIMARY KEY, shown TEXT NOT NULL, made TEXT NOT NULL,
            ended TEXT NOT NULL, subject TEXT NOT NULL
        ) WITHOUT ROWID""",
        "CREATE UNIQUE INDEX person_subject ON person(subject) WHERE subject != ''",
        """CREATE TABLE membership (
            person TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, "by" TEXT NOT NULL,
            at TEXT NOT NULL, PRIMARY KEY (person, role, name)
        ) WITHOUT ROWID""",
        """CREATE TABLE credential (
            person TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, made TEXT NOT NULL,
            last INTEGER NOT NULL, PRIMARY KEY (person, kind)
        ) WITHOUT ROWID""",
        """CREATE TABLE api_token (
            id TEXT PRIMARY KEY, secret TEXT NOT NULL UNIQUE, person TEXT NOT NULL,
            role TEXT NOT NULL, said TEXT NOT NULL, made TEXT NOT NULL, expires TEXT NOT NULL,
            ended TEXT NOT NULL
        ) WITHOUT ROWID""",
        # links live ten minutes and visits twelve hours: none is carried over
        "DROP TABLE link",
        """CREATE TABLE link (
            token TEXT PRIMARY KEY, person TEXT NOT NULL, kind TEXT NOT NULL, expires TEXT NOT NULL
        ) WITHOUT ROWID""",
        "DROP TABLE visit",
        """CREATE TABLE web_session (
            token TEXT PRIMARY KEY, proof TEXT NOT NULL, person TEXT NOT NULL, made TEXT NOT NULL,
            expires TEXT NOT NULL, seen TEXT NOT NULL, strength TEXT NOT NULL, proved TEXT NOT NULL
        ) WITHOUT ROWID""",
        "CREATE INDEX web_session_person ON web_session(person)",
    ),
    (
        "ALTER TABLE machine ADD COLUMN team TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE enrolment ADD COLUMN team TEXT NOT NULL DEFAULT ''",
        # as it was signed; lifted: the epoch of its resumption, 0 while it stands
        """CREATE TABLE stop (
            epoch INTEGER PRIMARY KEY, place TEXT NOT NULL, scope TEXT NOT NULL, why TEXT NOT NULL,
            "by" TEXT NOT NULL, at TEXT NOT NULL, signature TEXT NOT NULL,
            lifted INTEGER NOT NULL, lifted_by TEXT NOT NULL, lifted_at TEXT NOT NULL,
            lifted_signature TEXT NOT NULL
        )""",
        """CREATE TABLE stop_seen (
            epoch INTEGER NOT NULL, machine TEXT NOT NULL, at TEXT NOT NULL, done INTEGER NOT NULL,
            ended INTEGER NOT NULL, survivors TEXT NOT NULL, problems TEXT NOT NULL,
            freed TEXT NOT NULL,
            PRIMARY KEY (epoch, machine)
        ) WITHOUT ROWID""",
        # who wants a stop of the whole fleet resumed: it takes two
        """CREATE TABLE stop_voice (
            epoch INTEGER NOT NULL, person TEXT NOT NULL, at TEXT NOT NULL,
            PRIMARY KEY (epoch, person)
        ) WITHOUT ROWID""",
    ),
    (
        "ALTER TABLE machine ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE enrolment ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE request (
            machine TEXT NOT NULL, id TEXT NOT NULL, chain TEXT NOT NULL, digest TEXT NOT NULL,
            decision TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL,
            requester TEXT NOT NULL, agent TEXT NOT NULL, shown TEXT NOT NULL, roles TEXT NOT NULL,
            quorum INTEGER NOT NULL, second_person INTEGER NOT NULL, seconds INTEGER NOT NULL,
            at TEXT NOT NULL, expires TEXT NOT NULL, state TEXT NOT NULL, "by" TEXT NOT NULL,
            settled TEXT NOT NULL, reason TEXT NOT NULL, reminded INTEGER NOT NULL,
            PRIMARY KEY (machine, id)
        )""",
        "CREATE INDEX request_at ON request(at)",
        "CREATE INDEX request_open ON request(expires) WHERE state = 'pending'",
        """CREATE TABLE vote (
            machine TEXT NOT NULL, request TEXT NOT NULL, person TEXT NOT NULL,
            roles TEXT NOT NULL, yes INTEGER NOT NULL, at TEXT NOT NULL,
            PRIMARY KEY (machine, request, person)
        ) WITHOUT ROWID""",
        "CREATE INDEX vote_at ON vote(at)",
        # one yes, one row: the chain that has it, empty while none has
        """CREATE TABLE claim (
            machine TEXT NOT NULL, request TEXT NOT NULL, "by" TEXT NOT NULL,
            expires TEXT NOT NULL, chain TEXT NOT NULL, holder TEXT NOT NULL, at TEXT NOT NULL,
            PRIMARY KEY (machine, request)
        ) WITHOUT ROWID""",
        """CREATE TABLE hook (
            id TEXT PRIMARY KEY, url TEXT NOT NULL, private INTEGER NOT NULL, made TEXT NOT NULL,
            ended TEXT NOT NULL
        ) WITHOUT ROWID""",
        """CREATE TABLE delivery (
            id TEXT PRIMARY KEY, hook TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
            at TEXT NOT NULL, due TEXT NOT NULL, tries INTEGER NOT NULL, state TEXT NOT NULL,
            said TEXT NOT NULL
        ) WITHOUT ROWID""",
        "CREATE INDEX delivery_due ON delivery(due) WHERE state = 'due'",
    ),
    (
        # the same call on every machine, where a yes may be used on another one
        "ALTER TABLE request ADD COLUMN fleet TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX request_fleet ON request(fleet) WHERE fleet != ''",
    ),
    (
        # limits that machines share: what was used of each, and what is lent to machines
        """CREATE TABLE shared_use (
            scope TEXT NOT NULL, what TEXT NOT NULL, kind TEXT NOT NULL, most INTEGER NOT NULL,
            each INTEGER NOT NULL, every INTEGER NOT NULL, since INTEGER NOT NULL,
            used INTEGER NOT NULL, paid INTEGER NOT NULL, seen INTEGER NOT NULL,
            PRIMARY KEY (scope, what)
        ) WITHOUT ROWID""",
        """CREATE TABLE lease (
            machine TEXT NOT NULL, id TEXT NOT NULL, scope TEXT NOT NULL, what TEXT NOT NULL,
            amount INTEGER NOT NULL, used INTEGER NOT NULL, until INTEGER NOT NULL,
            gone INTEGER NOT NULL, hold INTEGER NOT NULL, PRIMARY KEY (machine, id)
        ) WITHOUT ROWID""",
        "CREATE INDEX lease_out ON lease(scope, what) WHERE used = -1",
        "CREATE INDEX lease_gone ON lease(gone)",
    ),
    (
        "CREATE TABLE policy_document (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE bundle (
            number INTEGER PRIMARY KEY, hash TEXT NOT NULL, content TEXT NOT NULL,
            cases TEXT NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL, published TEXT NOT NULL
        )""",
        "CREATE INDEX bundle_hash ON bundle(hash)",
        """CREATE TABLE trial (
            hash TEXT PRIMARY KEY, cases TEXT NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL,
            report TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        # where the record goes, and how far it is there, by numbers of arrival
        """CREATE TABLE destination (
            id TEXT PRIMARY KEY, kind TEXT NOT NULL, url TEXT NOT NULL, private INTEGER NOT NULL,
            sealed TEXT NOT NULL, authority TEXT NOT NULL, made TEXT NOT NULL, ended TEXT NOT NULL
        ) WITHOUT ROWID""",
        """CREATE TABLE export_cursor (
            destination TEXT PRIMARY KEY, position INTEGER NOT NULL, through INTEGER NOT NULL,
            sent INTEGER NOT NULL, taken TEXT NOT NULL, tries INTEGER NOT NULL, said TEXT NOT NULL,
            failing TEXT NOT NULL, due TEXT NOT NULL, holder TEXT NOT NULL, until TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        # a yes that counts several times, on all machines together
        "ALTER TABLE vote ADD COLUMN uses INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE claim ADD COLUMN giver TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE use_grant (
            machine TEXT NOT NULL, request TEXT NOT NULL, fleet TEXT NOT NULL,
            uses INTEGER NOT NULL, spare INTEGER NOT NULL CHECK (spare >= 0), "by" TEXT NOT NULL,
            expires TEXT NOT NULL, PRIMARY KEY (machine, request)
        ) WITHOUT ROWID""",
        "CREATE INDEX use_grant_fleet ON use_grant(fleet) WHERE spare > 0",
        "CREATE INDEX claim_giver ON claim(giver) WHERE giver != ''",
    ),
    (
        # what was asked about is a small part of all, and counted over months
        "CREATE INDEX decision_asked ON decision(at) WHERE verdict = 'ask'",
    ),
)
VERSION = len(STEPS)
