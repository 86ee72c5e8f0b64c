"""The text of SQL told apart as servers do: quotes, comments and dollar quotes stay whole."""

from __future__ import annotations

MYSQL = frozenset("mysql mariadb mycli tidb mysqlsh mysqladmin".split())
"""Clients of servers where ``#`` begins a comment, ``--`` only before a blank, and a backslash
keeps the next character.
"""
_ESCAPING = MYSQL | frozenset(
    "clickhouse-client clickhouse clickhouse-local bq hive beeline impala-shell snowsql".split()
)
"""Clients of servers where a backslash in a literal keeps the next character; in standard SQL it is
a character like others.
"""

POSTGRES = frozenset("psql pgcli ysqlsh usql cockroach".split())
"""Clients of servers whose comments hold comments, and where a backquote quotes nothing."""
EMBEDDED = frozenset("sqlite3 sqlite duckdb litecli clickhouse-local".split())
"""Clients that are the database themselves: what files statements name they open here."""


class SqlDialect:
    """How a client's server reads literals and comments."""

    __slots__ = ("escapes", "mysql", "postgres")

    def __init__(self, by: str) -> None:
        self.postgres = by in POSTGRES
        self.mysql = by in MYSQL
        self.escapes = by in _ESCAPING


def statements(text: str, by: str = "") -> list[str]:
    """Return the statements of a text without comments and with literals emptied, so that no word
    in data counts.
    """
    dialect = SqlDialect(by)
    out: list[str] = []
    kept_so_far: list[str] = []
    at = 0
    while at < len(text):
        end, kept = piece(text, at, dialect)
        if kept == ";":
            out.append("".join(kept_so_far))
            kept_so_far.clear()
        else:
            kept_so_far.append(kept)
        at = end
    out.append("".join(kept_so_far))
    return [statement for statement in out if statement.strip()]


def literals(text: str, by: str = "") -> list[tuple[str, list[str]]]:
    """Return the statements of a text, each literal in them as its number in quotes, and what the
    literals say.
    """
    dialect = SqlDialect(by)
    found: list[tuple[list[str], list[str]]] = [([], [])]
    at = 0
    while at < len(text):
        end, kept = piece(text, at, dialect)
        pieces, said = found[-1]
        if kept == "''" or (
            kept[:1] == '"' and by in EMBEDDED
        ):  # SQLite takes a name that is none for a literal
            pieces.append(f" '{len(said)}' ")
            said.append(_unquote(text[at:end]))
        elif kept == ";":
            found.append(([], []))
        else:
            pieces.append(kept)
        at = end
    return [("".join(pieces), said) for pieces, said in found if said]


def _unquote(literal: str) -> str:
    """Return what a literal says: between its quotes, or between the marks that begin and end it
    (``$tag$..$tag$``).
    """
    mark = literal[: literal.find("$", 1) + 1] if literal[:1] == "$" else literal[:1]
    return literal.removeprefix(mark).removesuffix(mark).replace(mark * 2, mark)


def piece(text: str, at: int, dialect: SqlDialect) -> tuple[int, str]:
    """Return where the piece at ``at`` ends and what stays: a literal, comment or character."""
    char = text[at]
    if char == "'":
        # E'..' of PostgreSQL takes escapes, other literals there do not
        return (
            _literal_end(
                text, at, escapes=dialect.escapes or text[max(0, at - 1) : at] in ("E", "e")
            ),
            "''",
        )
    if char == '"' or (char == "`" and not dialect.postgres):
        end = _literal_end(text, at, escapes=dialect.escapes and char == '"')
        return end, text[at:end].replace(";", ",")
    if _comments(text, at, dialect):
        end = text.find("\n", at)
        return (len(text) if end < 0 else end), " "
    if text.startswith("/*", at):
        end = _comment(text, at, nested=dialect.postgres)
        # MySQL runs what stands in /*! .. */
        return end, (
            f" {text[at + 3 : end - 2].lstrip('0123456789')} "
            if text.startswith("/*!", at)
            else " "
        )
    if char == "$":
        close = text.find("$", at + 1)
        tag = text[at : close + 1] if close > 0 else ""
        if (tag and tag[1:-1].replace("_", "a").isalnum()) or tag == "$$":
            end = text.find(tag, close + 1)
            return (len(text) if end < 0 else end + len(tag)), "''"
    return at + 1, char


def _comments(text: str, at: int, dialect: SqlDialect) -> bool:
    """Whether a line comment begins: MySQL wants a blank after ``--``, or takes ``#``."""
    if text.startswith("--", at):
        return not dialect.mysql or text[at + 2 : at + 3] in ("", " ", "\n", "\t")
    return text[at] == "#" and dialect.mysql


def _comment(text: str, at: int, *, nested: bool) -> int:
    """Return the end of a comment; one that is never closed takes all that follows."""
    depth, at = 1, at + 2
    while depth and at < len(text):
        close = text.find("*/", at)
        opened = text.find("/*", at, close) if nested and close >= 0 else -1
        depth += 1 if opened >= 0 else -1
        at = len(text) if close < 0 else (opened if opened >= 0 else close) + 2
    return at


def _literal_end(text: str, at: int, *, escapes: bool) -> int:
    """Return the end of a literal; a doubled quote is a quote, and a backslash keeps the next
    character where it escapes.
    """
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
