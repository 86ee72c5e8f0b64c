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

_WRITING = frozenset({"INSERT", "UPSERT", "MERGE", "REPLACE", "COPY", "LOAD", "IMPORT", "CALL", "EXEC", "EXECUTE", "DO"})
_ALTERING = frozenset({"ALTER", "RENAME", "VACUUM", "REINDEX", "CLUSTER", "DETACH", "ATTACH"})
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
_FILES_READ = ("LOAD_FILE(", "PG_READ_FILE(", "PG_READ_BINARY_FILE(", "LOAD DATA", "READFILE(", "PG_LS_DIR(")
_FILES_WRITTEN = ("INTO OUTFILE", "INTO DUMPFILE", "WRITEFILE(", "LO_EXPORT(")


def read_text(context: Context, text: str, by: str, span: Span | None = None) -> None:
    """Add the effects of every statement of a text."""
    found = statements(text)
    for statement in found[:MAX_STATEMENTS]:
        _statement(context, statement, by, span)
    if len(found) > MAX_STATEMENTS or (text.strip(HOLE + " ;\n") == "" and HOLE in text):
        _change(context, "", by, span, "unread")


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
    if first in ("SHUTDOWN", "FLUSH", "RESET", "PURGE", "KILL"):
        return ("flush",)
    return ("write",) if first in _WRITING else ()


def _always(upper: str) -> bool:
    """Whether the condition is one that holds for every row: ``WHERE 1=1``, ``WHERE TRUE``."""
    condition = upper.partition(" WHERE ")[2].replace(" ", "").rstrip(";")
    return condition in ("1=1", "TRUE", "1", "'1'='1'", "NOTFALSE", "0=0")


def _target(words: list[str]) -> str:
    """Return the kind and name of what a statement is about, in a few words."""
    plain = [word.strip('`"[];,') for word in words[:6] if word.upper() not in ("IF", "EXISTS", "FROM", "INTO", "ONLY", "(", "NOT")]
    return " ".join(plain[1:3])


def _outside(context: Context, upper: str, by: str, span: Span | None) -> None:
    """What leaves the database: commands of the server's machine, and its files."""
    if any(mark in upper for mark in _SHELLS):
        _change(context, "the server's shell", by, span, "runs-shell")
        context.add(RunsCode, "", traits=frozenset({"option-command"}), by=by, span=span, detail="SQL that runs a command")
    if any(mark in upper for mark in _FILES_WRITTEN):
        context.add(Writes, "a file of the server", traits=frozenset({"database-server"}), by=by, span=span)
        _change(context, "a file of the server", by, span, "runs-shell")
    if any(mark in upper for mark in _FILES_READ):
        context.add(Reads, "a file of the server", traits=frozenset({"database-server"}), by=by, span=span)


def statements(text: str) -> list[str]:
    """Return the statements of a text without comments and with literals emptied, so that no word in data counts."""
    out: list[str] = []
    piece: list[str] = []
    at = 0
    while at < len(text):
        end, kept = _piece(text, at)
        if kept == ";":
            out.append("".join(piece))
            piece.clear()
        else:
            piece.append(kept)
        at = end
    out.append("".join(piece))
    return [statement for statement in out if statement.strip()]


def _piece(text: str, at: int) -> tuple[int, str]:
    """Return where the piece at ``at`` ends and what stays of it: a literal, a comment, or a character."""
    char = text[at]
    if char == "'":
        return _quoted(text, at), "''"
    if char in '"`':
        end = _quoted(text, at)
        return end, text[at:end].replace(";", ",")
    if text.startswith("--", at) or char == "#":
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


def _quoted(text: str, at: int) -> int:
    """Return the end of a literal; a doubled quote is a quote, a backslash keeps the next character."""
    quote, end = text[at], at + 1
    while end < len(text):
        if text[end] == "\\" and quote == "'":
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
