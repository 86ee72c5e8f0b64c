"""Databases: what is dropped, emptied, opened up."""

from __future__ import annotations

from interlock.model.action import ASK, WARN
from interlock.model.effect import ChangesDatabase
from interlock.model.rule import Rule, on

RULES = (
    Rule(
        id="db.drop",
        title="drops or empties a table or a database",
        why="Only a backup brings it back.",
        instead="Take a dump first, and let a responsible person approve it.",
        match=on(ChangesDatabase, any={"drop", "truncate", "flush"}),
        action=ASK, possible=ASK, tags=frozenset({"GR-002", "data-loss"}), approver="lead",
        catches=("psql -c \"DROP TABLE users\"", "mysql -e \"TRUNCATE orders\"", "dropdb prod",
            "redis-cli FLUSHALL",),
        passes=("psql -c \"SELECT 1\"", "echo \"DROP TABLE users\"",),
    ),
    Rule(
        id="db.change-all",
        title="changes every row or the rights of a database",
        why="A statement without a condition reaches all rows.",
        instead="Add a WHERE, and run it in a transaction first.",
        match=on(ChangesDatabase,
            any={"delete-all", "update-all", "alter", "grant", "restore", "runs-shell", "unread"}),
        action=ASK, possible=ASK, tags=frozenset({"data-loss"}),
        catches=("psql -c \"DELETE FROM users\"", "mysql -e \"UPDATE t SET a=1\"",
            "psql -c \"GRANT ALL ON t TO public\"",),
        passes=("psql -c \"DELETE FROM users WHERE id=1\"", "psql -c \"SELECT * FROM t\"",),
    ),
    Rule(
        id="db.write",
        title="changes rows of a database",
        why="The data may be somebody's only copy.",
        instead="Try it on a copy first.",
        match=on(ChangesDatabase, any={"delete", "write"}),
        action=WARN, tags=frozenset({"data"}),
        catches=("psql -c \"INSERT INTO t VALUES (1)\"",
            "sqlite3 a.db \"DELETE FROM t WHERE id=1\"",),
        passes=("psql -c \"SELECT 1\"",),
    ),
)  # fmt: skip
