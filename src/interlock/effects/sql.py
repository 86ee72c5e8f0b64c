"""SQL to effects: statements told apart (quotes, comments and dollar quotes kept together), each judged by its first words.

Enough of SQL:2023 and of what PostgreSQL, MySQL, SQLite, Oracle and SQL Server add to see what is lost, opened up or run;
what a statement selects does not matter.
"""

from __future__ import annotations

from interlock.model.effect import ChangesDatabase, Reads, RunsCode, Writes
from interlock.shell.value import HOLE, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.context import Context
    from interlock.model.effect import Span

MAX_STATEMENTS = 400
MAX_DEPTH = 4
"""How deep a ``DO`` block may hold another."""
_MYSQL = frozenset("mysql mariadb mycli tidb mysqlsh mysqladmin".split())
"""Clients of servers where ``#`` begins a comment, ``--`` only before a blank, and a backslash keeps the next character."""
_ESCAPING = _MYSQL | frozenset("clickhouse-client clickhouse clickhouse-local bq hive beeline impala-shell snowsql".split())
"""Clients of servers where a backslash in a literal keeps the next character; in standard SQL it is a character like others."""

_WRITING = frozenset({"INSERT", "UPSERT", "MERGE", "REPLACE", "COPY", "LOAD", "IMPORT", "CALL", "EXEC", "EXECUTE", "DO", "PUT"})
_ALTERING = frozenset({"ALTER", "RENAME", "VACUUM", "REINDEX", "CLUSTER", "DETACH", "ATTACH"})
_ENDING = frozenset({"SHUTDOWN", "FLUSH", "RESET", "PURGE", "KILL", "UNLOAD"})
_REPLICATION = frozenset({"SLAVE", "REPLICA", "MASTER", "REPLICATION", "GROUP_REPLICATION"})
_GRANTING = frozenset({"GRANT", "REVOKE", "DENY"})
_SHELLS = (
    "XP_CMDSHELL",
    "SYS_EXEC(",
    "SYS_EVAL(",
    "DBMS_SCHEDULER",
    "FROM PROGRAM",
    "TO PROGRAM",
    "LANGUAGE PLPYTHONU",
    "LANGUAGE PLPERLU",
    "LOAD_EXTENSION(",
    "SP_OACREATE",
)
_CALLS = {
    "PG_TERMINATE_BACKEND(": "flush", "PG_CANCEL_BACKEND(": "flush", "PG_DROP_REPLICATION_SLOT(": "drop", "LO_UNLINK(": "delete",
    "DBLINK_EXEC(": "unread", "SP_EXECUTESQL": "unread", "EXECUTE IMMEDIATE": "unread", "QUERY_TO_XML(": "unread", "SP_CONFIGURE": "alter",
    "SETVAL(": "write",
}  # fmt: skip
"""Functions and procedures that change something, whatever statement they stand in."""
_FILES_READ = ("LOAD_FILE(", "PG_READ_FILE(", "PG_READ_BINARY_FILE(", "LOAD DATA", "READFILE(", "PG_LS_DIR(")
_FILES_WRITTEN = ("INTO OUTFILE", "INTO DUMPFILE", "WRITEFILE(", "LO_EXPORT(")


def read_text(context: Context, text: str, by: str, span: Span | None = None, depth: int = 0) -> None:
    """Add the effects of every statement of a text, in the dialect of the client it is given to."""
    found = statements(text, by)
    for statement in found[:MAX_STATEMENTS]:
        _statement(context, statement, by, span)
    block = _block(text) if depth < MAX_DEPTH and any(statement.split()[:1] == ["DO"] for statement in [one.upper() for one in found]) else ""
    if block:
        read_text(context, block, by, span, depth + 1)
    if len(found) > MAX_STATEMENTS or (text.strip(HOLE + " ;\n") == "" and HOLE in text):
        _change(context, "", by, span, "unread")


def _block(text: str) -> str:
    """Return the code between the first pair of dollar quotes: ``DO $$ BEGIN .. END $$``."""
    tag = text.partition("$")[2].partition("$")[0]
    code = text.partition(f"${tag}$")[2].partition(f"${tag}$")[0]
    return code.replace("BEGIN", ";", 1).replace("begin", ";", 1).replace("LOOP", ";").replace("THEN", ";")


def _change(context: Context, target: str, by: str, span: Span | None, *traits: str) -> None:
    context.add(ChangesDatabase, target, traits=frozenset(traits), by=by, span=span)


def _statement(context: Context, statement: str, by: str, span: Span | None) -> None:
    words = statement.replace("(", " ( ").replace(HOLE, " ? ").split()
    if not words:
        return
    first, upper = words[0].upper(), " ".join(words).upper()
    if first in ("WITH", "EXPLAIN", "BEGIN", "ANALYZE"):
        first = (
            next((word for word in upper.split() if word in ("INSERT", "UPDATE", "DELETE", "MERGE")), first)
            if "ANALYZE" in upper or first != "EXPLAIN"
            else first
        )
    traits = _traits(first, upper, words)
    if traits:
        _change(context, _target(words), by, span, *traits)
    elif first == "?":
        _change(context, "", by, span, "unread")
    _outside(context, upper, by, span)


def _traits(first: str, upper: str, words: list[str]) -> tuple[str, ...]:
    """Return what a statement does to the database, or nothing."""
    if first == "DROP":
        return ("drop",)
    if first == "TRUNCATE":
        return ("truncate",)
    if first == "DELETE":
        return ("delete",) if " WHERE " in f" {upper} " and not _always(upper) else ("delete", "delete-all")
    if first == "UPDATE":
        return ("write",) if " WHERE " in f" {upper} " and not _always(upper) else ("write", "update-all")
    if first in _ALTERING:
        return ("alter", "drop") if " DROP " in f" {upper} " and len(words) > 3 else (("alter",) if first in ("ALTER", "RENAME") else ())
    if first in _GRANTING:
        return ("grant",)
    if first == "CREATE" and len(words) > 1 and words[1].upper() in ("USER", "ROLE", "LOGIN"):
        return ("grant",)
    if first in _ENDING:
        return ("flush",)
    return _rarer(first, words)


def _rarer(first: str, words: list[str]) -> tuple[str, ...]:
    """What a statement of a rarer kind does: passwords, replication, backups played back, text run as SQL."""
    second = words[1].upper() if len(words) > 1 else ""
    if first == "SET" and second == "PASSWORD":
        return ("grant",)
    if first in ("STOP", "CHANGE") and second in _REPLICATION:
        return ("alter",)
    if first == "RESTORE":
        return ("restore",)
    if first in ("EXEC", "EXECUTE") and (second[:1] in ("(", "'", "?") or second[:2] == "N'") and "'" in "".join(words[1:4]):
        return ("unread",)
    return ("write",) if first in _WRITING else ()


def _always(upper: str) -> bool:
    """Whether the condition is one that holds for every row: ``WHERE 1=1``, ``WHERE TRUE``."""
    condition = upper.partition(" WHERE ")[2].replace(" ", "").rstrip(";")
    if condition.endswith(("OR1=1", "ORTRUE", "OR''=''")):
        return True
    return condition in ("1=1", "TRUE", "1", "'1'='1'", "NOTFALSE", "0=0", "''=''", "1<2", "(1=1)", "IDISNOTNULL", "ID>0")


def _target(words: list[str]) -> str:
    """Return the kind and name of what a statement is about, in a few words."""
    plain = [word.strip('`"[];,') for word in words[:6] if word.upper() not in ("IF", "EXISTS", "FROM", "INTO", "ONLY", "(", "NOT")]
    return " ".join(plain[1:3])


def _outside(context: Context, upper: str, by: str, span: Span | None) -> None:
    """What leaves the database: commands of the server's machine, and its files."""
    packed = upper.replace(" (", "(")
    for mark, trait in _CALLS.items():
        if mark in packed:
            _change(context, mark.strip("("), by, span, trait)
    if any(mark in packed for mark in _SHELLS):
        _change(context, "the server's shell", by, span, "runs-shell")
        context.add(RunsCode, "", traits=frozenset({"option-command"}), by=by, span=span, detail="SQL that runs a command")
    if any(mark in packed for mark in _FILES_WRITTEN):
        context.add(Writes, "a file of the server", traits=frozenset({"database-server"}), by=by, span=span)
        _change(context, "a file of the server", by, span, "runs-shell")
    if any(mark in packed for mark in _FILES_READ):
        context.add(Reads, "a file of the server", traits=frozenset({"database-server"}), by=by, span=span)


class Dialect:
    """How a client's server reads literals and comments."""

    __slots__ = ("escapes", "mysql")

    def __init__(self, by: str) -> None:
        self.mysql = by in _MYSQL
        self.escapes = by in _ESCAPING


def statements(text: str, by: str = "") -> list[str]:
    """Return the statements of a text without comments and with literals emptied, so that no word in data counts."""
    dialect = Dialect(by)
    out: list[str] = []
    piece: list[str] = []
    at = 0
    while at < len(text):
        end, kept = _piece(text, at, dialect)
        if kept == ";":
            out.append("".join(piece))
            piece.clear()
        else:
            piece.append(kept)
        at = end
    out.append("".join(piece))
    return [statement for statement in out if statement.strip()]


def _piece(text: str, at: int, dialect: Dialect) -> tuple[int, str]:
    """Return where the piece at ``at`` ends and what stays of it: a literal, a comment, or a character."""
    char = text[at]
    if char == "'":
        # E'..' of PostgreSQL takes escapes, other literals there do not
        return _quoted(text, at, escapes=dialect.escapes or text[max(0, at - 1) : at] in ("E", "e")), "''"
    if char in '"`':
        end = _quoted(text, at, escapes=False)
        return end, text[at:end].replace(";", ",")
    if _comments(text, at, dialect):
        end = text.find("\n", at)
        return (len(text) if end < 0 else end), " "
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        end = len(text) if end < 0 else end + 2
        # MySQL runs what stands in /*! .. */
        return end, f" {text[at + 3 : end - 2].lstrip('0123456789')} " if text.startswith("/*!", at) else " "
    if char == "$":
        close = text.find("$", at + 1)
        tag = text[at : close + 1] if close > 0 else ""
        if (tag and tag[1:-1].replace("_", "a").isalnum()) or tag == "$$":
            end = text.find(tag, close + 1)
            return (len(text) if end < 0 else end + len(tag)), "''"
    return at + 1, char


def _comments(text: str, at: int, dialect: Dialect) -> bool:
    """Whether a comment to the end of the line begins: MySQL wants a blank after ``--`` and takes ``#`` as well."""
    if text.startswith("--", at):
        return not dialect.mysql or text[at + 2 : at + 3] in ("", " ", "\n", "\t")
    return text[at] == "#" and dialect.mysql


def _quoted(text: str, at: int, *, escapes: bool) -> int:
    """Return the end of a literal; a doubled quote is a quote, and a backslash keeps the next character where it escapes."""
    quote, end = text[at], at + 1
    while end < len(text):
        if text[end] == "\\" and escapes:
            end += 2
        elif text[end] == quote:
            if text[end + 1 : end + 2] != quote:
                return end + 1
            end += 2
        else:
            end += 1
    return len(text)


def placed(text: str, value: Value | None) -> Value:
    """Return text as a word that stands where another one does."""
    return Value(text, value.start if value else 0, value.end if value else 0)
