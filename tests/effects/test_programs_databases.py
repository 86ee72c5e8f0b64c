"""Databases: what statements do, however a client is given them, and their harmless twins."""

from __future__ import annotations

import pytest

from interlock.effects.sql import statements
from tests.effects.reading import effects_of

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
    ('psql -c "ALTER TABLE t ADD COLUMN c int"', {"alter"}),
    ('psql -c "ALTER TABLE t DROP COLUMN c"', {"alter", "drop"}),
    ('psql -c "GRANT ALL ON t TO public"', {"grant"}),
    ("psql -c '\\! id'", {"runs-shell"}),
    ("psql -c \"COPY t TO PROGRAM 'id'\"", {"write", "runs-shell"}),
    ("psql -f missing.sql", set()),
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
]


@pytest.mark.parametrize(("command", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_what_is_done_to_a_database(command: str, expected: set[str]) -> None:
    """Statements are read from options, files, pipes and here-documents; words in data and comments are no statements."""
    assert {trait for effect in effects_of(command) if effect.kind == "changes-database" for trait in effect.traits} == expected


def test_statements_are_told_apart() -> None:
    """Literals are emptied, comments dropped; a semicolon in a literal ends nothing."""
    assert [" ".join(found.split()) for found in statements("a ';' b; /* ; */ c $x$ ; $x$ d -- ;\n; e")] == ["a '' b", "c '' d", "e"]


@pytest.mark.parametrize(
    ("command", "kind", "natures"),
    [
        ("sqlite3 'file:/home/user/.config/google-chrome/Default/Login Data?mode=ro' 'SELECT * FROM logins'", "reads", {"secret"}),
        ("sqlite3 /home/user/other.db 'SELECT 1'", "reads", set()),
        ("sqlite3 /home/user/other.db 'INSERT INTO t VALUES (1)'", "writes", set()),
        ("sqlite3 /home/user/other.db", "writes", set()),
    ],
)
def test_a_database_file_is_a_file(command: str, kind: str, natures: set[str]) -> None:
    """Only looking reads the file, whatever form its name has; everything else may write it."""
    found = {str(effect.kind): effect.place.natures for effect in effects_of(command) if effect.place is not None}
    assert set(found) == {kind}
    assert natures <= found[kind]
