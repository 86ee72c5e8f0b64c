"""Tools that change a database by steps kept in the project, and the commands of frameworks that
do: rails, artisan, ``manage.py``.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.programs.databases import of_tests
from interlock.effects.programs.metacommands import read_statements
from interlock.effects.run import Run
from interlock.effects.scopes import in_production
from interlock.effects.server_statements import begins
from interlock.effects.settingstext import find_quoted
from interlock.effects.sql import read_text
from interlock.model.effect import ChangesDatabase, Executes
from interlock.shell.value import UNREAD, Flow, Value

_ALL_ROWS = words("migrations", "all rows")

_MIGRATIONS: dict[str, dict[str, str]] = {
    "prisma": {"migrate reset": "drop", "db push": "write", "migrate deploy": "alter",
        "migrate dev": "write", "db execute": "unread", "db seed": "write"},
    "flask": {"db downgrade": "alter", "db upgrade": "write", "db stamp": "write"},
    "alembic": {"downgrade": "alter", "upgrade": "write", "stamp": "write"},
    "flyway": {"clean": "drop", "migrate": "write", "undo": "alter", "repair": "write"},
    "liquibase": {"drop-all": "drop", "dropAll": "drop", "update": "write", "rollback": "alter",
        "rollback-count": "alter"},
    "sequelize": {"db:drop": "drop", "db:migrate": "write", "db:migrate:undo": "write",
        "db:migrate:undo:all": "drop"},
    "sequelize-cli": {"db:drop": "drop", "db:migrate": "write", "db:migrate:undo": "write",
        "db:migrate:undo:all": "drop", "db:seed:undo:all": "delete-all"},
    "typeorm": {"schema:drop": "drop", "schema:sync": "alter", "migration:run": "write",
        "migration:revert": "write", "query": "unread"},
    "knex": {"migrate:rollback": "write", "migrate:latest": "write"},
    "rails": {"db:drop": "drop", "db:reset": "drop", "db:schema:load": "drop", "db:purge": "drop",
        "db:truncate_all": "truncate", "db:rollback": "alter", "db:migrate": "write",
        "db:migrate:reset": "drop", "db:migrate:down": "write", "db:migrate:redo": "write"},
    "rake": {"db:drop": "drop", "db:reset": "drop", "db:schema:load": "drop", "db:purge": "drop",
        "db:rollback": "alter", "db:migrate": "write", "db:migrate:down": "write",
        "db:migrate:reset": "drop"},
    "artisan": {"migrate:fresh": "drop", "migrate:reset": "drop", "migrate:refresh": "drop",
        "db:wipe": "drop", "migrate": "write", "queue:clear": "flush", "queue:flush": "flush"},
    "dbmate": {"drop": "drop", "up": "write", "down": "write", "rollback": "write"},
    "drizzle-kit": {"push": "write", "drop": "alter", "migrate": "write"},
    "sqlx": {"database drop": "drop", "database reset": "drop", "database create": "write",
        "migrate run": "write", "migrate revert": "alter"},
    "diesel": {"database reset": "drop", "database drop": "drop", "migration revert": "write",
        "migration redo": "write", "migration run": "write"},
    "goose": {"down": "write", "down-to": "alter", "reset": "drop", "redo": "write", "up": "write"},
    "atlas": {"schema clean": "drop", "schema apply": "alter", "migrate apply": "write",
        "migrate down": "alter"},
    "dbt": {"run": "write", "seed": "write", "snapshot": "write", "run-operation": "unread"},
    "hasura": {"migrate apply": "alter", "metadata apply": "alter", "metadata clear": "drop",
        "deploy": "alter", "metadata drop": "drop"},
    "phinx": {"rollback": "write", "migrate": "write", "seed:run": "write"},
    "migrate": {"down": "alter", "drop": "drop", "force": "alter", "up": "write"},
    "manage.py": {"flush": "flush", "reset_db": "drop", "sqlflush": "", "migrate": "write",
        "loaddata": "write", "dbshell": "unread", "clearsessions": "delete"},
}  # fmt: skip


def _one_step(run: Run, words: list[str]) -> bool:
    """Whether a migration is taken back by one step: ``downgrade -1``, ``flask db downgrade``,
    ``db:rollback STEP=1``, ``down 1``.
    """
    last = run.arguments[-1].text
    plain = words == ["db", "downgrade"] or (
        words[:1] == ["db:rollback"] and not any(word.startswith("STEP=") for word in words)
    )
    return plain or (last in ("-1", "STEP=1", "1") and words[:1] != ["force"])


def _look_up(table: dict[str, str], words: list[str], count: int) -> str:
    """Return what a table says of the command's words: the first few, or (behind a database URL)
    those after ``-database URL``.
    """
    return table.get(" ".join(words[:count]), "") or (
        table.get(" ".join(words[-count:]), "")
        if count == 1 and words[0:1] and "://" in words[0]
        else ""
    )


_DRIVERS = frozenset(
    "postgres mysql sqlite3 mssql redshift tidb clickhouse vertica ydb turso spanner".split()
)


def migration(run: Run) -> Flow:
    """A migration tool: the words of the command, two at most, in its table."""
    words = [value.text for value in run.operands]
    if words[:1] in (["runner"], ["r"]) or words[:1] in _CONSOLES:
        _run_given(run)
        read_console_code(run, _console_input(run, words[1:]))
    told = run.stdin.text if run.stdin is not None and words[:1] in _DATABASE_SHELLS else None
    if told is not None:
        read_statements(run, Value(told))
    if run.name == "goose" and words[:1] and words[0] in _DRIVERS:
        words = words[2:]  # goose DRIVER DBSTRING COMMAND
    table = _MIGRATIONS[run.name]
    trait = next(
        (trait for trait in [_look_up(table, words, count) for count in (3, 2, 1)] if trait), ""
    )
    if trait == "unread" and told is not None:
        trait = ""  # what is typed was read
    if (trait == "write" and run.has("--force-reset", "--accept-data-loss")) or (
        run.name == "drizzle-kit" and run.has("--force")
    ):
        trait = "drop"
    if trait == "alter" and _one_step(run, words):
        trait = "write"
    if trait == "write" and (run.has("--all") or words[-1] == "zero" or in_production(run)):
        trait = "alter"
    named = run.parsed.value("--database")
    if trait and of_tests(run, named.text if named is not None else ""):
        trait = "write"
    if run.has("--help", "-h", "--status", "--pretend", "--dry-run"):
        trait = ""
    if trait:
        run.effect(ChangesDatabase, f"{run.name} {' '.join(words[:2])}", trait)
    else:
        run.effect(Executes, run.name, "package-script")
    looks = any(word in _LOOKS for word in words[:1] and words[0].split(":")[-1:] + words[1:2])
    if not looks and not trait and words and words[0].startswith(_ABOUT):
        run.context.doubt(f"what {run.name} {words[0]} does to a database is not known")
    return UNREAD


_DATABASE_SHELLS = (["dbconsole"], ["dbshell"], ["db"])
_CONSOLES = (["tinker"], ["shell"], ["shell_plus"], ["console"], ["c"])
"""Commands that start a language with all that the project has, to be typed at."""
_LANGUAGES = {"rails": "ruby", "artisan": "php", "manage.py": "python", "flask": "python"}
_ASKED = ("-c", "--command", "--execute")


_LOOKS = frozenset("status list version validate history pending sqlmigrate sqlflush".split())
_ABOUT = ("db", "migrat", "schema", "sql")
"""What the words begin with that are about a database."""


def _console_input(run: Run, words: list[str]) -> str:
    """Return all that is typed at a console, or given to it to run."""
    fed = (run.stdin.text or "") if run.stdin is not None else ""
    return " ".join([*words, *[value.text for value in run.parsed.values(*_ASKED)], fed])


def read_console_code(run: Run, code: str) -> None:
    """Add what code of a framework does to its database: rows that are deleted all together, and
    statements that stand in it as texts.
    """
    narrowed = any(mark in code for mark in _NARROWED)
    if any(mark in code for mark in _ALL_ROWS) and not narrowed:
        run.effect(ChangesDatabase, run.name, "delete-all")
    for text in find_quoted(code):
        if begins(text):
            read_text(run.context, text, run.name, run.span())


_NARROWED = (".where(", "::where(", "->where(", ".find_by(", ".limit(", ".filter(")


def _run_given(run: Run) -> None:
    """``rails runner CODE``, ``rails runner FILE``, ``artisan tinker --execute=CODE``, code on
    standard input of a console: it runs with all that the project has.
    """
    language = _LANGUAGES.get(run.name)
    if language is None:
        return
    for value in (*run.operands[1:], *run.parsed.values(*_ASKED)):
        if value.text.endswith((".rb", ".php")):
            run.script(value, language)
        else:
            run.code(value, language)
    if run.stdin is not None and (run.stdin.text or run.stdin.path):
        run.input_as_code(language)


def _rake(run: Run) -> Flow:
    """``rake -e CODE``, ``-p CODE``, ``-E CODE``: Ruby; else tasks, some of them migrations."""
    for value in run.parsed.values(
        "-e", "--execute", "-p", "--execute-print", "-E", "--execute-continue"
    ):
        run.code(value, "ruby")
    return migration(run)
