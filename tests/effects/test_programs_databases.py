"""Databases: what statements do, however a client is given them, and their harmless twins."""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.effects.sql_text import statements
from interlock.engine.proof import doubts
from interlock.facts import Recorded
from tests.effects.reading import effects_of
from tests.judging import judged, shell

ROWS: list[tuple[str, set[str]]] = [
    ("python manage.py flush --noinput", {"flush"}),
    ("./manage.py reset_db", {"drop"}),
    ("python3 manage.py runserver", set()),
    ("python manage.py shell -c 'print(1)'", set()),
    ("php artisan db:wipe", {"drop"}),
    ("php artisan route:list", set()),
    ("influx bucket delete --id x", {"drop"}),
    ("influx bucket list", set()),
    ("influx -execute 'DROP DATABASE x'", {"drop"}),
    ('psql -c "DROP TABLE users"', {"drop"}),
    ('psql -c "SELECT 1"', set()),
    ("psql -c \"SELECT 'DROP TABLE users'\"", set()),
    ('psql -c "SELECT 1 -- ; DROP TABLE users"', set()),
    ('psql -c "SELECT 1; drop database prod"', {"drop"}),
    ('psql --command="TRUNCATE orders"', {"truncate"}),
    ('psql -c "DELETE FROM t"', {"delete", "delete-all"}),
    ('psql -c "DELETE FROM t WHERE id = 1"', {"delete"}),
    ('psql -c "DELETE FROM t WHERE 1=1"', {"delete", "delete-all"}),
    ('psql -c "UPDATE t SET a = 1"', {"write", "update-all"}),
    ('psql -c "UPDATE t SET a = 1 WHERE id = 2"', {"write"}),
    ('psql -c "ALTER TABLE t ADD COLUMN c int"', {"write"}),
    ('psql -c "ALTER TABLE t ALTER COLUMN c TYPE int"', {"alter"}),
    ('psql -c "ALTER TABLE t DROP COLUMN c"', {"alter", "drop"}),
    ('psql -c "GRANT ALL ON t TO public"', {"grant"}),
    ("psql -c '\\! id'", {"runs-shell"}),
    ("psql -c \"COPY t TO PROGRAM 'id'\"", {"write", "runs-shell"}),
    ("psql -f missing.sql", {"write", "unread-file"}),
    ("psql <<'EOF'\nDROP TABLE users;\nEOF", {"drop"}),
    ("echo 'DROP TABLE users' | psql app", {"drop"}),
    ("echo 'DROP TABLE users'", set()),
    ("echo 'DROP TABLE t;' > x.sql && psql -f x.sql", {"drop"}),
    ('mysql -e "TRUNCATE orders"', {"truncate"}),
    ("mysql -e '/*!50000 DROP TABLE t */'", {"drop"}),
    ("mysql -e 'SHOW TABLES'", set()),
    ('sqlite3 app.db "DROP TABLE t"', {"drop"}),
    ('sqlite3 app.db ".tables"', set()),
    ("sqlite3 app.db '.shell id'", {"runs-shell"}),
    ("redis-cli FLUSHALL", {"flush"}),
    ("redis-cli -n 1 get a", set()),
    ("mongosh --eval 'db.dropDatabase()'", {"drop"}),
    ("mongosh --eval 'db.users.find()'", set()),
    ("dropdb prod", {"drop"}),
    ("pg_dump app", set()),
    ("mysqladmin drop app", {"drop"}),
    ("prisma migrate reset", {"drop"}),
    ("rails db:migrate", {"write"}),
    # servers that need no semicolon between statements
    ("sqlcmd -Q 'USE prod DROP TABLE users'", {"drop"}),
    ("sqlcmd -Q 'SELECT 1\nDELETE FROM users\nGO'", {"delete", "delete-all"}),
    ("sqlcmd -Q 'IF 1=1 BEGIN TRUNCATE TABLE users END'", {"truncate"}),
    ("sqlcmd -Q 'CREATE TABLE a (b INT REFERENCES c ON DELETE CASCADE)'", set()),
    ("sqlcmd -Q 'GRANT SELECT, DELETE ON a TO b'", {"grant"}),
    ("sqlcmd -Q 'SELECT deleted FROM updates WHERE a = 1'", set()),
    # what is prepared, and what will run by itself
    ("psql -c 'PREPARE a AS DELETE FROM users'", {"delete", "delete-all"}),
    ("psql -c 'PREPARE a AS SELECT 1'", set()),
    ("mysql -e 'PREPARE s FROM @x'", {"unread"}),
    (
        "mysql -e 'CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t'",
        {"delete", "delete-all"},
    ),
    ("psql -c 'CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING'", set()),
    ("bq query 'CREATE OR REPLACE TABLE d.t AS SELECT 1'", {"drop"}),
    ("bq query 'CREATE OR REPLACE VIEW d.v AS SELECT 1'", set()),
    ("hive -e 'INSERT OVERWRITE TABLE t SELECT * FROM s'", {"write", "delete-all"}),
    ("hive -e 'INSERT INTO t SELECT * FROM s'", {"write"}),
    # a condition in brackets is not the statement's own
    ("psql -c 'UPDATE t SET a = (SELECT 1 FROM s WHERE b = 2)'", {"write", "update-all"}),
    ("psql -c 'UPDATE t SET a = (SELECT 1 FROM s) WHERE b = 2'", {"write"}),
    (
        "psql -c 'WITH n AS (INSERT INTO log VALUES (1)) DELETE FROM t'",
        {"write", "delete", "delete-all"},
    ),
    # statements as words, without an option
    ("sqlcmd query 'DROP TABLE users'", {"drop"}),
    ("sqlcmd query --query 'TRUNCATE TABLE users'", {"truncate"}),
    ("sqlcmd query 'SELECT 1'", set()),
    ("bq query --use_legacy_sql=false 'DROP TABLE d.t'", {"drop"}),
    ("bq query 'SELECT 1'", set()),
    ("bq query --dry_run 'DROP TABLE d.t'", set()),
    ("bq rm -r -f d", {"drop"}),
    ("bq ls", set()),
    ("snowsql -q 'DROP DATABASE d'", {"drop"}),
    ("snow sql -q 'SELECT 1'", set()),
    ("cockroach sql -e 'DROP TABLE t'", {"drop"}),
    ("cqlsh -e 'DROP KEYSPACE k'", {"drop"}),
    ("clickhouse-client --query='TRUNCATE TABLE t'", {"truncate"}),
    ("duckdb a.db -c 'DROP TABLE t'", {"drop"}),
    ("duckdb a.db -c 'SELECT 1'", set()),
    ("influx delete --bucket b", {"delete-all"}),
    # what one server takes for a comment or an escape is text to another
    ('psql -c "SELECT 1 # 2; DROP TABLE users"', {"drop"}),
    ('mysql -e "SELECT 1 # 2; DROP TABLE users"', set()),
    ("psql -c \"SELECT '\\'; DROP TABLE users; --'\"", {"drop"}),
    ("mysql -e \"SELECT '\\'; DROP TABLE users; --'\"", set()),
    ("psql -c \"SELECT E'\\'; DROP TABLE users; --'\"", set()),
    ('mysql -e "SELECT 1--1; DROP TABLE users"', {"drop"}),
    ('mysql -e "SELECT 1 -- 1; DROP TABLE users"', set()),
    # text that is run as SQL, code in blocks, procedures
    ("psql -c \"SELECT 'DROP TABLE t' \\gexec\"", {"unread"}),
    ("psql -c 'SELECT 1 \\g | sh'", {"runs-shell"}),
    ("psql -c 'DO $$ BEGIN DROP TABLE users; END $$'", {"write", "drop"}),
    ("psql -c 'DO $$ BEGIN PERFORM 1; END $$'", {"write"}),
    ("psql -c 'SELECT pg_terminate_backend(7)'", {"flush"}),
    ("psql -c 'SELECT pg_size_pretty(7)'", set()),
    ("sqlcmd -Q \"EXEC sp_executesql N'DROP TABLE t'\"", {"write", "unread"}),
    ("sqlcmd -Q \"EXEC ('DROP TABLE t')\"", {"unread"}),
    ("sqlcmd -Q 'EXEC sp_who'", {"write"}),
    ("sqlcmd -Q \"RESTORE DATABASE d FROM DISK='x'\"", {"restore"}),
    ("mysql -e 'STOP SLAVE'", {"alter"}),
    ("mysql -e \"SET PASSWORD FOR bob = 'x'\"", {"grant"}),
    ("mysql -e 'SET NAMES utf8'", set()),
    ('psql -c "DELETE FROM t WHERE a = 1 OR 1=1"', {"delete", "delete-all"}),
    # other stores
    ("mongosh --eval 'db.x.deleteMany({}, {w: 1})'", {"delete", "delete-all"}),
    ("echo 'db.dropDatabase()' | mongosh", {"drop"}),
    ("echo 'db.x.find()' | mongosh", set()),
    ("redis-cli config get dir", set()),
    ("redis-cli config set dir /x", {"alter"}),
    ("redis-cli cluster info", set()),
    ("redis-cli cluster reset", {"alter"}),
    ("redis-cli script flush", {"flush"}),
    ("redis-cli client list", set()),
    ("redis-cli client kill 1", {"flush"}),
    ("redis-cli --scan --pattern 'x:*' | xargs redis-cli del", {"delete-all"}),
    ("redis-cli del a b", {"write"}),
    # migrations: one step back is work, all the way is a loss
    ("alembic downgrade -1", {"write"}),
    ("alembic downgrade base", {"alter"}),
    ("rails db:rollback", {"write"}),
    ("rails db:rollback STEP=1", {"write"}),
    ("rails db:rollback STEP=20", {"alter"}),
    ("rails db:migrate:status", set()),
    ("npx prisma migrate reset --force", {"drop"}),
    ("npx prisma db push", {"write"}),
    ("npx prisma db push --accept-data-loss", {"drop"}),
    ("npx prisma generate", set()),
    ("npx drizzle-kit generate", set()),
    ("sqlx database drop -y", {"drop"}),
    ("sqlx migrate info", set()),
    ("diesel database reset", {"drop"}),
    ("goose status", set()),
    ("goose reset", {"drop"}),
    ("migrate -path db -database postgres://localhost/y down", {"alter"}),
    ("migrate -path db -database postgres://localhost/y down 1", {"write"}),
    ("knex migrate:rollback --all", {"alter"}),
    ("php artisan migrate --pretend", set()),
    ("rails runner 'User.delete_all'", {"delete-all"}),
    ("rails runner 'puts User.count'", set()),
    ("python manage.py shell -c 'User.objects.all().delete()'", {"delete-all"}),
    ("pg_dropcluster 15 main", {"drop"}),
    ("vacuumdb app", set()),
]


@pytest.mark.parametrize(("command", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_what_is_done_to_a_database(command: str, expected: set[str]) -> None:
    """Statements are read from options, files, pipes and here-documents; words in data and comments
    are no statements.
    """
    assert {
        trait
        for effect in effects_of(command)
        if effect.kind == "changes-database"
        for trait in effect.traits
    } == expected


def test_statements_are_told_apart() -> None:
    """Literals are emptied, comments dropped; a semicolon in a literal ends nothing."""
    assert [
        " ".join(found.split()) for found in statements("a ';' b; /* ; */ c $x$ ; $x$ d -- ;\n; e")
    ] == ["a '' b", "c '' d", "e"]


@pytest.mark.parametrize(
    ("command", "kind", "natures"),
    [
        (
            "sqlite3 'file:/home/user/.config/google-chrome/Default/Login Data?mode=ro' 'SELECT * FROM logins'",
            "reads",
            {"secret"},
        ),
        ("sqlite3 /home/user/other.db 'SELECT 1'", "reads", set()),
        ("sqlite3 /home/user/other.db 'INSERT INTO t VALUES (1)'", "writes", set()),
        ("sqlite3 /home/user/other.db", "writes", set()),
        ("sqlite3 :memory: \"vacuum into '/home/user/copy.db'\"", "writes", set()),
        (
            "sqlite3 :memory: \"attach '/home/user/copy.db' as a; create table a.t (x)\"",
            "writes",
            set(),
        ),
    ],
)
def test_a_database_file_is_a_file(command: str, kind: str, natures: set[str]) -> None:
    """Only looking reads the file, whatever form its name has; everything else may write it."""
    found = {
        str(effect.kind): effect.place.natures
        for effect in effects_of(command)
        if effect.place is not None
    }
    assert set(found) == {kind}
    assert natures <= found[kind]


SHELLS = [
    # (a call with a place for shell code, whether the same with harmless code passes unasked)
    ("psql -c '\\d `{0}`'", True),
    ("psql -c '\\echo `{0}`'", True),
    ("psql -c '\\if `{0}`'", True),
    ("psql <<'E'\nselect 1 \\gset `{0}`\nE", True),
    ("psql <<'E'\n\\set x `{0}`\nselect :x;\nE", True),
    ("psql <<'E'\n\\set x `true\n{0}`\nE", True),
    ("echo '\\echo `{0}`' > x.sql && psql -f x.sql", True),
    ("echo '\\echo `{0}`' > x.sql && psql -c '\\i x.sql'", True),
    ("usql -c '\\echo `{0}`'", True),
    ("psql <<'E'\n\\setenv PAGER '{0}'\n\\dt\nE", True),
    ("psql -o '|{0}' -c 'select 1'", False),
    ("psql -c '\\o |{0}'", False),
    ("psql -c '\\o|{0}'", False),
    ("psql -c 'select 1 \\o |{0}'", False),
    ("psql -c '\\x \\o |{0}'", False),
    ("psql -c '\\timing \\\\ \\! {0}'", False),
    ("psql -c 'select 1 \\g (format=csv) |{0}'", False),
    ("psql -c \"\\copy t from program '{0}'\"", False),
    ("psql -c \"\\copy (select 1) to program '{0}' csv\"", False),
    ("psql <<'E'\n/* /* */ ' */\n\\o |{0}\nselect ' ';\nE", False),
    ("cockroach sql -e '\\| {0}'", False),
    ("mysql -e '\\! {0}'", False),
    ("mysql -e 'select 1; system {0}'", False),
    ("mysql -e 'pager {0}; select 1'", False),
    ("mysql -e '\\P {0}'", False),
    ("mysql -e 'SYSTEM {0}'", False),
    ("mysql -e 'select 1 \\! {0}'", False),
    ("sqlite3 a.db '.sh {0}'", False),
    ("sqlite3 a.db '.sy {0}'", False),
    ("sqlite3 a.db '.o |{0}'", False),
    ("sqlite3 a.db '.once |{0}'", False),
    ("sqlite3 a.db '.output \"|{0}\"'", False),
    ("sqlite3 a.db '.read \"|{0}\"'", False),
    ("sqlite3 a.db '.imp \"|{0}\" t'", False),
    ("sqlite3 a.db \"select edit('x', '{0}')\"", False),
    ("duckdb a.db -c \"from read_csv('{0} |')\"", False),
    ("sqlcmd -Q ':!! {0}'", False),
    ("beeline -e '!sh {0}'", False),
    ("snowsql -q '!system {0}'", False),
    ("sqlplus x/y <<'E'\nbegin null; end;\n/\nhost {0}\nE", False),
    ("mongosh --eval \"require('child_process').execSync('{0}')\"", False),
]


@pytest.mark.parametrize(("call", "quiet"), SHELLS, ids=[row[0] for row in SHELLS])
def test_shell_code_that_a_client_runs(call: str, quiet: bool) -> None:
    """It is read as shell code, wherever a client takes it: what loses the home folder is denied,
    what only looks is not.
    """
    assert str(judged(call.format("rm -rf ~")).verdict) == "deny"
    assert (str(judged(call.format("date")).verdict) == "allow") is quiet
    assert str(judged(call.format("date")).verdict) != "deny"


COMMANDS = [
    # (a call, its twin that is quiet)
    ("psql <<'E'\n\\x \\\\ drop table t;\nE", "psql <<'E'\n\\x \\\\ select 1;\nE"),
    ("psql -c '\\w /home/user/.bashrc'", "psql -c '\\w out.sql'"),
    (
        "psql <<'E'\n\\set f /home/user/.bashrc\n\\o :f\nE",
        "psql <<'E'\n\\set f out.txt\n\\o :f\nE",
    ),
    ("psql -v f=/home/user/.bashrc <<'E'\n\\o :'f'\nE", "psql -v f=out.txt <<'E'\n\\o :'f'\nE"),
    ("psql <<'E'\n\\set c 'rm -rf ~'\n\\echo `:c`\nE", "psql <<'E'\n\\set c date\n\\echo `:c`\nE"),
    ("psql <<'E'\n\\cd /home/user\n\\o .bashrc\nE", "psql <<'E'\n\\cd docs\n\\o .bashrc\nE"),
    ("psql <<'E'\n\\echo `:code`\nE", "psql <<'E'\n\\echo `date +%H:%M`\nE"),
    (
        "psql -c 'select 1 \\o /home/user/.bashrc'",
        "psql -c \"select 1 where a ~ '^\\w+ \\o /home/user/.bashrc'\"",
    ),
    (
        "psql <<'E'\nselect ` ;\ndrop table t;\nselect `;\nE",
        "psql <<'E'\nselect ' ;\ndrop table t;\nselect ';\nE",
    ),
    ("mysql -e 'select \"a\\\"\", 1; drop table t; select \"'", "mysql -e 'select \"a\\\"; drop table t\"'"),
    ("mysql -e 'select 1\\G drop table t\\G'", "mysql -e 'select 1\\G'"),
    ("mysql --delimiter='|' -e 'select 1| drop table t|'", "mysql -e 'select 1| 2'"),
    (
        "mysql <<'E'\ndelimiter |\nselect 1|\ndrop table t|\nE",
        "mysql <<'E'\ndelimiter |\nselect 1|\nE",
    ),
    ("mysql --init-command='drop table t' -e 'select 1'", "mysql --init-command='set names utf8' -e 'select 1'"),
    ("mysql -e '\\T /home/user/.bashrc'", "mysql -e '\\T out.txt'"),
    ("sqlite3 a.db '.trace /home/user/.bashrc'", "sqlite3 a.db '.trace off'"),
    ("sqlite3 a.db '.clone /home/user/.bashrc'", "sqlite3 a.db '.clone b.db'"),
    ("sqlite3 a.db '.cd /home/user' '.output .bashrc'", "sqlite3 a.db '.cd docs' '.output .bashrc'"),
    ("sqlite3 a.db '.archive -x -C /home/user'", "sqlite3 a.db '.archive -t'"),
    ("sqlite3 -Ax -f a.sqlar -C /home/user", "sqlite3 -At -f a.sqlar"),
    ("sqlite3 a.db '.restore b.db'", "sqlite3 a.db '.dump t'"),
    ("sqlite3 a.db 'select edit(a) from t'", "sqlite3 a.db 'select credit(a), (edit) from t'"),
    ("sqlite3 a.db 'select \"edit\"(a) from t'", "sqlite3 a.db 'select \"edit\" from t'"),
    (
        "sqlite3 a.db 'select \"readfile\"(\"/home/user/.ssh/id_rsa\")'",
        "sqlite3 a.db 'select \"readfile\"(\"a.txt\")'",
    ),
    ("sqlite3 a.db '.parameter set @a edit(1)'", "sqlite3 a.db '.parameter set @a 1'"),
    (
        "clickhouse-local -q \"select * from file('/home/user/.ssh/id_rsa')\"",
        "clickhouse-local -q \"select * from file('a.csv')\"",
    ),
    ("clickhouse-client -q \"select * from executable('x', 'TSV', 'a String')\"", "clickhouse-client -q 'select executable from t'"),
    ("cqlsh -e \"capture '/home/user/.bashrc'\"", "cqlsh -e \"capture 'out.txt'\""),
    ("sqlplus x/y <<'E'\nspool /home/user/.bashrc\nE", "sqlplus x/y <<'E'\nspool out.txt\nE"),
    ("echo 'drop table t;' > x.sql; sqlplus x/y @x.sql", "echo 'select 1;' > x.sql; sqlplus x/y @x.sql"),
    ("redis-cli --functions-rdb /home/user/.bashrc", "redis-cli --functions-rdb out.rdb"),
    ("redis-cli --cluster fix localhost:7000", "redis-cli --cluster check localhost:7000"),
    ("mongosh --eval 'load(\"x.js\")'", "mongosh --eval 'db.files.upload(\"x.js\")'"),
    ("mongosh --eval \"fs.rmSync('/home/user', {recursive: true})\"", "mongosh --eval 'db.refs.find()'"),
    ("mongo --eval \"runProgram('x')\"", "mongo --eval \"db.runCommand('ping')\""),
]  # fmt: skip


@pytest.mark.parametrize(("call", "twin"), COMMANDS, ids=[row[0] for row in COMMANDS])
def test_what_a_client_is_told_beside_sql(call: str, twin: str) -> None:
    """Its own commands and options reach files, other statements and what runs later; the twin of
    each only works here.
    """
    assert str(judged(call).verdict) != "allow"
    assert str(judged(twin).verdict) == "allow"


def test_a_file_that_names_itself_is_read_once() -> None:
    """So is one that another names many times; what is lost in it is found."""
    lines = "\\i x.sql\n" * 40
    found = judged(f"cat > x.sql <<'E'\n{lines}drop table t;\nE\npsql -f x.sql")
    assert str(found.verdict) == "ask"


@pytest.mark.parametrize(
    ("call", "proven"),
    [
        ("sqlite3 a.db '.frobnicate x'", False),
        ("sqlite3 a.db '.excel' 'select 1'", False),
        ("sqlite3 a.db '.once -e' 'select 1'", False),
        ("sqlite3 a.db '.once out.csv' 'select 1'", True),
        ("sqlite3 a.db '.mode csv' '.headers on' 'select 1'", True),
        ("sqlite3 a.db '.schema t'", True),
    ],
)
def test_a_command_that_nobody_described_is_not_proven(call: str, proven: bool) -> None:
    """Nor is one that opens a program of the desktop; those that show are."""
    assert (not doubts(read(shell(call), Recorded(home="/home/user")))) is proven
