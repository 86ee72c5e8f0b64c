"""SQL to effects: each statement judged by its first words.

Enough of SQL:2023 and of what PostgreSQL, MySQL, SQLite, Oracle and SQL Server add to see what is
lost, opened up or run; what a statement selects does not matter.
"""

from __future__ import annotations

from interlock.data.words import values, words
from interlock.effects.context import CallContext
from interlock.effects.sql_text import EMBEDDED, statements
from interlock.model.effect import ChangesDatabase, Reads, RunsCode, Span, Writes
from interlock.shell.value import HOLE, Value

MAX_STATEMENTS = 400
MAX_DEPTH = 4
"""How deep a ``DO`` block may hold another."""
_WRITING = frozenset(
    "INSERT UPSERT MERGE REPLACE COPY LOAD IMPORT CALL EXEC EXECUTE DO PUT".split()
)
_ALTERING = frozenset({"ALTER", "RENAME", "VACUUM", "REINDEX", "CLUSTER", "DETACH", "ATTACH"})
_ENDING = frozenset({"SHUTDOWN", "FLUSH", "RESET", "PURGE", "KILL", "UNLOAD"})
_REPLICATION = frozenset({"SLAVE", "REPLICA", "MASTER", "REPLICATION", "GROUP_REPLICATION"})
_GRANTING = frozenset({"GRANT", "REVOKE", "DENY"})
_LEADING = frozenset({"WITH", "EXPLAIN", "BEGIN", "ANALYZE", "("})
"""Words after which the statement that counts still comes."""
_CHANGING = frozenset(
    {"INSERT", "UPDATE", "DELETE", "MERGE", "DROP", "TRUNCATE", "ALTER", "EXEC", "EXECUTE"}
)
_NO_VERB_AFTER = frozenset({
    "FOR", "ON", "THEN", "DO", "OF", "AS", ",", "BEFORE", "AFTER", "KEY", "FROM", "BY", "TABLE",
    "SELECT", "GRANT", "REVOKE",
    "DENY", "OPTION", "WITH"})  # fmt: skip
"""After these such words are part of clauses: ``FOR UPDATE``, ``ON DELETE``, ``THEN DELETE``."""
MAX_VERBS = 20
_UNENDED = frozenset("sqlcmd osql isql tsql bsqldb mssql-cli sqsh invoke-sqlcmd".split())
"""Clients of servers whose statements need no semicolon between them (Transact-SQL)."""
_LATER = frozenset({"EVENT", "RULE", "JOB", "TASK"})
"""What runs by itself after it was created."""
_HOLDING = frozenset({"TABLE", "DATABASE", "SCHEMA", "STAGE", "DICTIONARY"})
_AFTER_CONDITION = frozenset({"RETURNING", "ORDER", "LIMIT", "GROUP", "OUTPUT"})
_CONSTANTS = frozenset("TRUE FALSE NOT AND OR NULL IS BETWEEN IN LIKE XOR".split())
"""What a condition may say without naming a column."""
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
    " EXECUTABLE(",
)
_CALLS = values("sql", "calls")
"""Functions and procedures that change something, whatever statement they stand in."""
_FILES_READ = words("sql", "files read")
_FILES_WRITTEN = ("INTO OUTFILE", "INTO DUMPFILE", "WRITEFILE(", "LO_EXPORT(")


def read_text(
    context: CallContext, text: str, by: str, span: Span | None = None, depth: int = 0
) -> None:
    """Add the effects of every statement of a text, in the dialect of the client it is given to."""
    found = statements(text, by)
    for statement in found[:MAX_STATEMENTS]:
        _statement(context, statement, by, span)
    blocks = any(one.split()[:1] == ["DO"] for one in [one.upper() for one in found])
    block = _block(text) if blocks else ""
    if block and depth < MAX_DEPTH:
        read_text(context, block, by, span, depth + 1)
    cut = len(found) > MAX_STATEMENTS or (block and depth >= MAX_DEPTH)
    if cut or (text.strip(HOLE + " ;\n") == "" and HOLE in text):
        _change(context, "", by, span, "unread")


def _block(text: str) -> str:
    """Return the code between the first pair of dollar quotes: ``DO $$ BEGIN .. END $$``."""
    tag = text.partition("$")[2].partition("$")[0]
    code = text.partition(f"${tag}$")[2].partition(f"${tag}$")[0]
    return (
        code.replace("BEGIN", ";", 1)
        .replace("begin", ";", 1)
        .replace("LOOP", ";")
        .replace("THEN", ";")
    )


def _change(context: CallContext, target: str, by: str, span: Span | None, *traits: str) -> None:
    context.add(ChangesDatabase, target, traits=frozenset(traits), by=by, span=span)


def _statement(context: CallContext, statement: str, by: str, span: Span | None) -> None:
    words = statement.replace("(", " ( ").replace(")", " ) ").replace(HOLE, " ? ").split()
    if not words:
        return
    upper = [word.upper() for word in words]
    verbs = _verbs(upper, by)
    if len(verbs) > MAX_VERBS:
        _change(context, "", by, span, "unread")
    for at in verbs[:MAX_VERBS]:
        traits = _traits(upper[at:], words[at:])
        if traits:
            _change(context, _target(words[at:]), by, span, *traits)
    if upper[0] == "?":
        _change(context, "", by, span, "unread")
    _outside(context, " ".join(upper), by, span)


def _verbs(upper: list[str], by: str) -> list[int]:
    """Return where a statement says what it does: at its first word, or, where that one only leads
    in, at each that changes rows.
    """
    first = upper[0]
    if first == "EXPLAIN" and "ANALYZE" not in upper:
        return []
    if first == "PREPARE" and "AS" in upper:
        return [at for at in (upper.index("AS") + 1,) if at < len(upper)]
    if first == "CREATE" and not _LATER.isdisjoint(upper[1:4]):
        return [
            at
            for at in range(1, len(upper))
            if upper[at] in _CHANGING and upper[at - 1] in ("DO", "INSTEAD", "ALSO", "BEGIN", "(")
        ]
    if first not in _LEADING and by.lower() not in _UNENDED:
        return [0]
    changing = [
        at
        for at, word in enumerate(upper)
        if word in _CHANGING and not (at and _within(upper[at - 1]))
    ]
    return list(dict.fromkeys([*(() if first in _LEADING else (0,)), *changing]))


def _within(before: str) -> bool:
    return before in _NO_VERB_AFTER or before.endswith(",")


def _traits(upper: list[str], words: list[str]) -> tuple[str, ...]:
    """Return what a statement does to the database, or nothing."""
    first = upper[0]
    if first == "DROP":
        return ("drop",)
    if first == "TRUNCATE":
        return ("truncate",)
    if first == "DELETE":
        return ("delete", "delete-all") if _of_all(upper) else ("delete",)
    if first == "UPDATE":
        return ("write", "update-all") if _of_all(upper) else ("write",)
    if first in _ALTERING:
        if first == "ALTER" and _adds(upper):
            return ("write",)
        return (
            ("alter", "drop")
            if "DROP" in upper and len(words) > 3
            else (("alter",) if first in ("ALTER", "RENAME") else ())
        )
    if first in _GRANTING:
        return ("grant",)
    if first == "CREATE" and len(words) > 1:
        return _create_traits(upper)
    if first == "INSERT" and "OVERWRITE" in upper[1:3]:
        return ("write", "delete-all")
    if first in _ENDING:
        return ("flush",)
    if first == "MATCH" and ("DELETE" in upper or "REMOVE" in upper):
        return ("delete",) if "WHERE" in upper or "{" in upper else ("delete", "delete-all")
    return _rarer(first, words)


_ALTERS = frozenset(
    "ALTER CHANGE MODIFY RENAME DROP OWNER DISABLE ENABLE SET RESET ATTACH DETACH REPLACE TRUNCATE"
    " DISCARD EXCHANGE CONVERT ENGINE ? PARTITION INHERIT FORCE".split()
)


def _adds(upper: list[str]) -> bool:
    """``ALTER TABLE NAME ADD ..``: columns, keys, conditions come in, nothing goes or changes."""
    return upper[1:2] == ["TABLE"] and "ADD" in upper[3:7] and _ALTERS.isdisjoint(upper[1:])


def _create_traits(upper: list[str]) -> tuple[str, ...]:
    """``CREATE OR REPLACE TABLE`` throws away what was there under that name (BigQuery, Snowflake,
    ClickHouse, MariaDB).
    """
    if upper[1] in ("USER", "ROLE", "LOGIN"):
        return ("grant",)
    return (
        ("drop",) if upper[1:3] == ["OR", "REPLACE"] and not _HOLDING.isdisjoint(upper[3:5]) else ()
    )


def _rarer(first: str, words: list[str]) -> tuple[str, ...]:
    """What a rarer statement does: passwords, replication, restored backups, text run as SQL."""
    second = words[1].upper() if len(words) > 1 else ""
    if first == "SET" and second == "PASSWORD":
        return ("grant",)
    if first in ("STOP", "CHANGE") and second in _REPLICATION:
        return ("alter",)
    if first == "RESTORE":
        return ("restore",)
    if first == "PREPARE":
        return ("unread",)
    if (
        first in ("EXEC", "EXECUTE")
        and (second[:1] in ("(", "'", "?") or second[:2] == "N'")
        and "'" in "".join(words[1:4])
    ):
        return ("unread",)
    return ("write",) if first in _WRITING else ()


def _of_all(upper: list[str]) -> bool:
    """Whether a deletion or change is of every row: no condition of its own, or one that holds
    without looking at the row.
    """
    depth = 0
    condition: list[str] | None = None
    for word in upper[1:]:
        depth += (word == "(") - (word == ")")
        if depth < 0 or (depth == 0 and word in _AFTER_CONDITION):
            break
        if condition is not None:
            condition.append(word)
        elif depth == 0 and word == "WHERE":
            condition = []
    return condition is None or _always(condition)


def _always(condition: list[str]) -> bool:
    """Whether one of the alternatives of a condition names no column: ``1=1``, ``id = 3 OR TRUE``,
    ``(2 > 1) AND NOT FALSE``.
    """
    if "".join(condition).rstrip(";") in ("IDISNOTNULL", "ID>0"):
        return True
    alternatives: list[list[str]] = [[]]
    depth = 0
    for word in condition:
        depth += (word == "(") - (word == ")")
        if word == "OR" and depth == 0:
            alternatives.append([])
        else:
            alternatives[-1].append(word)
    return any(_constant(alternative) for alternative in alternatives)


def _constant(words: list[str]) -> bool:
    plain = "".join(
        [char if char.isalnum() or char in '_?$@`"[' else " " for char in " ".join(words)]
    ).split()
    return all(word in _CONSTANTS or word[0].isdigit() for word in plain)


def _target(words: list[str]) -> str:
    """Return the kind and name of what a statement is about, in a few words."""
    plain = [
        word.strip('`"[];,')
        for word in words[:6]
        if word.upper() not in ("IF", "EXISTS", "FROM", "INTO", "ONLY", "(", "NOT")
    ]
    return " ".join(plain[1:3])


def _outside(context: CallContext, upper: str, by: str, span: Span | None) -> None:
    """What leaves the database: commands of the server's machine, and its files."""
    packed = "".join([char for char in upper.replace(" (", "(") if char not in '"`[]'])
    for mark, trait in _CALLS.items():
        if mark in packed:
            _change(context, mark.strip("("), by, span, trait)
    if any(mark in packed for mark in _SHELLS) or (by in EMBEDDED and " EDIT(" in packed):
        _change(context, "the server's shell", by, span, "runs-shell")
        context.add(
            RunsCode,
            "",
            traits=frozenset({"option-command"}),
            by=by,
            span=span,
            detail="SQL that runs a command",
        )
    if by in EMBEDDED:
        return  # its files lie here, and are read and written by their names
    if any(mark in packed for mark in _FILES_WRITTEN):
        context.add(
            Writes, "a file of the server", traits=frozenset({"database-server"}), by=by, span=span
        )
        _change(context, "a file of the server", by, span, "runs-shell")
    if any(mark in packed for mark in _FILES_READ):
        context.add(
            Reads, "a file of the server", traits=frozenset({"database-server"}), by=by, span=span
        )


def word_at(text: str, value: Value | None) -> Value:
    """Return text as a word that stands where another one does."""
    return Value(text, value.start if value else 0, value.end if value else 0)
