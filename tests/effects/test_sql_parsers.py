"""Our reader of SQL against sqlglot, a parser of whole dialects: what its trees say is lost, ours
says too, and a question is a question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from interlock.effects.read import read
from interlock.facts.recorded import Recorded
from interlock.model.call import SHELL, ToolCall
from interlock.model.effect import ChangesDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENTS = {
    "postgres": "psql -c",
    "mysql": "mysql -e",
    "sqlite": "sqlite3 app.db",
    "tsql": "sqlcmd -Q",
    "snowflake": "snowsql -q",
    "clickhouse": "clickhouse-client -q",
    "bigquery": "bq query",
    "hive": "hive -e",
}
"""Each server's dialect, and the client that sends it an argument."""

STATEMENTS = """
DROP TABLE users
DROP TABLE IF EXISTS app.users
DROP TABLE users CASCADE
DROP DATABASE prod
DROP SCHEMA public CASCADE
DROP VIEW v
DROP INDEX i
TRUNCATE TABLE users
DELETE FROM users
DELETE FROM users WHERE id = 3
DELETE FROM users WHERE 1 = 1
DELETE FROM users WHERE TRUE
DELETE FROM users WHERE name IN (SELECT name FROM old WHERE x = 2)
UPDATE users SET a = 1
UPDATE users SET a = 1 WHERE id = 3
UPDATE users SET a = (SELECT max(b) FROM c WHERE d = 1)
INSERT INTO users (a) VALUES (1)
INSERT INTO users SELECT * FROM old
ALTER TABLE users DROP COLUMN a
ALTER TABLE users ADD COLUMN a INT
CREATE OR REPLACE TABLE users AS SELECT 1 AS a
WITH a AS (SELECT 1 AS b) SELECT * FROM a
WITH a AS (SELECT id FROM b WHERE c = 1) DELETE FROM users WHERE id IN (SELECT id FROM a)
WITH gone AS (DELETE FROM users RETURNING id) SELECT * FROM gone
WITH gone AS (DELETE FROM users WHERE a = 1 RETURNING id) SELECT * FROM gone
WITH new AS (UPDATE users SET a = 1 RETURNING id) SELECT count(*) FROM new
SELECT 1
SELECT * FROM users WHERE a = 'DROP TABLE users'
SELECT "drop", "delete" FROM t
SELECT 'it''s; DELETE FROM users' AS a
SELECT a FROM t WHERE b LIKE '%;%' ORDER BY c LIMIT 3
SELECT count(*) FROM deleted_items
SELECT x.truncate FROM x
SELECT a INTO b FROM c
SELECT 1; DROP TABLE users
SELECT 1; SELECT 2
EXPLAIN SELECT * FROM users
EXPLAIN DELETE FROM users
SELECT ';' || 'DROP TABLE users'
(SELECT 1) UNION ALL (SELECT 2)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE
DELETE FROM users USING old WHERE users.id = old.id
DELETE FROM users ORDER BY id LIMIT 5
UPDATE users AS u SET a = 1 FROM old AS o WHERE u.id = o.id
DELETE FROM users WHERE 2 > 1
DELETE FROM users WHERE NOT FALSE
DELETE FROM users WHERE 'a' = 'a'
DELETE FROM users WHERE id = 1 OR 1 = 1
DELETE FROM users WHERE (1 = 1) AND TRUE
DELETE FROM users WHERE 1 <> 2
DELETE FROM users WHERE 5 BETWEEN 1 AND 10
DELETE FROM users WHERE id > 0 AND kind = 'x'
DELETE FROM users WHERE true_name = 'x'
DELETE FROM users WHERE EXISTS (SELECT 1 FROM old WHERE old.id = users.id)
DELETE FROM a USING (SELECT id FROM b WHERE c = 1) AS d
UPDATE users SET a = CASE WHEN b = 1 THEN 2 ELSE 3 END
UPDATE users SET note = 'where x = 1'
UPDATE users SET "where" = 1
CREATE TABLE copy AS SELECT * FROM users WHERE a = 1
CREATE TABLE t (a INT)
CREATE OR REPLACE VIEW v AS SELECT 1 AS a
CREATE INDEX i ON t (a)
INSERT OVERWRITE TABLE users SELECT * FROM old
ALTER TABLE users RENAME TO people
ALTER TABLE users ALTER COLUMN a SET DEFAULT 1
WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < 5) SELECT a FROM n
SELECT a AS "DROP", b AS "where" FROM t
SELECT * FROM (SELECT * FROM users WHERE a = 1) AS updated
SELECT * FROM information_schema.tables WHERE table_name = 'users'
SELECT date_trunc('day', a) FROM t
SELECT replace(a, 'x', 'y') FROM t
SELECT 1 AS insert_count, 2 AS update_count
SELECT * FROM t FOR UPDATE
WITH a AS (SELECT 1 AS b) SELECT b FROM a FOR UPDATE
WITH a AS (INSERT INTO log VALUES (1) RETURNING id) DELETE FROM users
WITH a AS (DELETE FROM users RETURNING id) INSERT INTO old SELECT id FROM a WHERE id = 1
""".strip().splitlines()
DECORATED = (
    "{0}",
    "  {0} ;  ",
    "/* a; comment */ {0}",
    "\n-- where\n{0}",
    "{0} -- WHERE id = 1",
    "{0} /* WHERE id = 1 */",
    "SELECT 'a;b'; {0}",
    "{0}; SELECT 1",
    "BEGIN; {0}; COMMIT",
)


def parsed(dialect: str, text: str) -> list[exp.Expr] | None:
    """Return sqlglot's trees, or None where that dialect has no such statement."""
    try:
        trees = [tree for tree in sqlglot.parse(text, read=dialect) if tree is not None]
    except sqlglot.errors.SqlglotError:
        return None
    return None if any(isinstance(tree, exp.Command) for tree in trees) else trees


def losses(trees: list[exp.Expr]) -> Iterator[str]:
    """Name what the trees lose."""
    for tree in trees:
        if isinstance(tree, exp.Describe):
            continue
        if any(tree.find_all(exp.Drop)):
            yield "drop"
        if any(tree.find_all(exp.TruncateTable)):
            yield "truncate"
        for kind, word, of_all in (
            (exp.Delete, "delete", "delete-all"),
            (exp.Update, "write", "update-all"),
        ):
            for node in tree.find_all(kind):
                yield word
                if _all(node):
                    yield of_all
        if any(tree.find_all(exp.Insert, exp.Merge)):
            yield "write"


def _all(node: exp.Expr) -> bool:
    """Whether a deletion or change is of every row: no condition, or one that always holds."""
    where = node.args.get("where")
    if where is None:
        return node.args.get("limit") is None and node.args.get("using") is None
    simple = simplify(where.this.copy())
    return bool(simple == exp.true())


def traits(client: str, text: str) -> frozenset[str]:
    """Return the traits of every change of a database that we read."""
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": f"{client} {_quoted(text)}"},
        cwd="/home/user/project",
        roots=("/home/user/project",),
    )
    found = [
        effect.traits for effect in read(call, Recorded()).effects if effect.kind == ChangesDatabase
    ]
    return frozenset().union(*found)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


CASES = [
    (dialect, decoration.format(statement))
    for dialect in CLIENTS
    for statement in STATEMENTS
    for decoration in DECORATED
]


@pytest.mark.parametrize("dialect", CLIENTS)
def test_what_a_parser_sees_lost_is_read(dialect: str) -> None:
    """Every loss that sqlglot's tree of a statement holds is an effect of ours, whatever stands
    around the statement.
    """
    wrong, seen = [], 0
    for name, text in CASES:
        trees = parsed(dialect, text) if name == dialect else None
        if trees is None:
            continue
        lost = set(losses(trees))
        seen += bool(lost)
        missing = lost - traits(CLIENTS[dialect], text)
        if missing:
            wrong.append(f"{sorted(missing)}: {text!r}")
    assert not wrong, "\n".join(wrong)
    assert seen > 100


@pytest.mark.parametrize("dialect", CLIENTS)
def test_a_question_changes_nothing(dialect: str) -> None:
    """A statement whose tree only selects is read as changing nothing, whatever words its literals,
    names and comments hold.
    """
    wrong, seen = [], 0
    for name, text in CASES:
        trees = parsed(dialect, text) if name == dialect else None
        if trees is None or not all(
            isinstance(tree, (exp.Query, exp.Describe, exp.Transaction, exp.Commit))
            for tree in trees
        ):
            continue
        if set(losses(trees)) or any(tree.find(exp.Into) for tree in trees):
            continue
        seen += 1
        found = traits(CLIENTS[dialect], text)
        if found:
            wrong.append(f"{sorted(found)}: {text!r}")
    assert not wrong, "\n".join(wrong)
    assert seen > 50
