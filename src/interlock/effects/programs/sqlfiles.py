r"""Files that clients of databases are told to read and write: by commands of their own (``\copy``,
``.import``), by functions and clauses of SQL.

A database without a server (SQLite, DuckDB) opens them itself. What a server opens lies on its
machine, which may be this one where no other is named.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects.connecting import to_url
from interlock.effects.hosts import host_of
from interlock.effects.programs.sending import flow_carries, read_labels, send
from interlock.effects.run import Run
from interlock.effects.sql import word_at
from interlock.effects.sql_text import EMBEDDED, literals
from interlock.model.effect import ChangesDatabase, Executes, Kind, Reads, Writes
from interlock.shell.value import HOLE, Flow, Value

LOCAL = ("", "localhost", "127.0.0.1", "::1")
_CLICKHOUSE = frozenset({"clickhouse-client", "clickhouse", "clickhouse-local"})
_CLIENTS = EMBEDDED | _CLICKHOUSE
"""Clients that open the files of clauses themselves."""
_READING = frozenset(
    (
        "READFILE FSDIR READ_CSV READ_CSV_AUTO READ_JSON READ_JSON_AUTO READ_JSON_OBJECTS READ_NDJSON READ_NDJSON_AUTO READ_TEXT READ_BLOB READ_XLSX "
        "READ_PARQUET PARQUET_SCAN SNIFF_CSV ST_READ PG_READ_FILE PG_READ_BINARY_FILE LOAD_FILE LO_IMPORT"
    ).split()
)
"""Functions whose first word is a file that they read."""
_WRITING = {"WRITEFILE": ("(",), "LO_EXPORT": (",",)}
"""Functions that write the file named behind one of these marks."""
_CLAUSES: dict[str, Kind] = {"OUTFILE": Writes, "DUMPFILE": Writes, "INFILE": Reads}
_OF_COPY: dict[str, Kind] = {"FROM": Reads, "TO": Writes}
_OF_EXPORT: dict[str, Kind] = {"EXPORT": Writes, "IMPORT": Reads}
_TABLES = frozenset({"FROM", "JOIN"})
"""Words behind which a file stands for a table (DuckDB)."""


# -- statements ------------------------------------------------------------------------------------


def touch_files(run: Run, text: str, value: Value) -> None:
    """Add the files that statements name. Of a server of this machine it is possible; what another
    one has is not to be known.
    """
    for kind, path, local in _find_file_uses(text, run.name):
        if kind is Executes or path.rstrip().endswith("|"):  # DuckDB's shellfs
            pipe(run, path.rstrip("| "), value)
        elif "://" in path:
            _fetch(run, kind, path, value)
        elif local and run.name not in _CLIENTS:
            load(run, path, value)
        elif local or run.name in _CLIENTS:
            run.path(kind, _word(path, value))
        elif not _elsewhere(run):
            run.possible(kind, _word(path, value))


def _find_file_uses(text: str, by: str) -> Iterator[tuple[Kind, str, bool]]:
    """Yield what statements do to the files they name, and whether the client itself opens them
    (``LOAD DATA LOCAL INFILE``).
    """
    for statement, texts in literals(text, by):
        words = _words(statement)
        upper = [
            (texts[int(word.strip("'"))] if word[:1] == "'" and after == "(" else word).upper()
            for word, after in zip(words, [*words[1:], ""], strict=True)
        ]
        for at, word in enumerate(words):
            kind = _kind(upper, at, by) if word[:1] == "'" and at else None
            if kind is not None:
                yield kind, _concat_literals(words, at, texts), "LOCAL" in upper[:at]


def _concat_literals(words: list[str], at: int, texts: list[str]) -> str:
    """Return what a literal says together with those that are joined to it (``'/etc/' ||
    'passwd'``), and a hole for what is none.
    """
    found = texts[int(words[at].strip("'"))]
    while words[at + 1 : at + 2] == ["||"]:
        at += 2
        found += (
            texts[int(words[at].strip("'"))]
            if words[at : at + 1] and words[at][:1] == "'"
            else HOLE
        )
    return found


def _words(statement: str) -> list[str]:
    for mark in "()[],=":
        statement = statement.replace(mark, f" {mark} ")
    return statement.replace("||", " || ").split()


def _kind(upper: list[str], at: int, by: str) -> Kind | None:
    """Return what is done to a literal's file: by the function around it or the clause before."""
    before = upper[at - 1]
    if before in ("(", "[", ","):
        called = _function(upper, at)
        if called == "EDIT" and before == "," and by in EMBEDDED:
            return Executes
        if called == "FILE" and by in _CLICKHOUSE and before == "(":
            return Writes if "FUNCTION" in upper[:at] else Reads
        reads = called in _READING and (before == "(" or "[" in upper[:at])
        return Reads if reads else Writes if before in _WRITING.get(called, ()) else None
    if upper[0] == "COPY" and before in _OF_COPY:
        return _OF_COPY[before]
    if before == "DATABASE" and upper[0] in _OF_EXPORT and by in EMBEDDED:
        return _OF_EXPORT[upper[0]]
    return _CLAUSES.get(before) or (Reads if before in _TABLES and by == "duckdb" else None)


def _function(upper: list[str], at: int) -> str:
    """Return the name of the function in whose parentheses a word stands."""
    depth = 0
    for back in range(at - 1, 0, -1):
        depth += (upper[back] == ")") - (upper[back] == "(")
        if depth < 0:
            return upper[back - 1].rpartition(".")[2].strip('"`')
    return ""


def _fetch(run: Run, kind: Kind, path: str, value: Value) -> None:
    if kind is Writes:
        send(run, host_of(path), {"upload", *flow_carries(Flow(None, run.input_labels()))}, value)
    else:
        to_url(run.context, path, run.span(value), frozenset({"get"}), run.name)


def _word(path: str, value: Value) -> Value:
    found = word_at(path, value)
    found.pattern = not found.hollow and any(mark in path for mark in "*?[")
    return found


def _elsewhere(run: Run) -> bool:
    """Whether the server is known to be another machine."""
    host = run.parsed.value("-h", "--host", "-S", "--server", "-H")
    named = host.text if host is not None and host.text[:1] != "/" else ""
    addresses = [
        host_of(value.text)
        for value in [*run.operands, *run.parsed.values("-d", "--dbname", "--url")]
        if "://" in value.text
    ]
    return any(one not in LOCAL for one in [named, *addresses])


# -- commands of clients ---------------------------------------------------------------------------


def load(run: Run, path: str, value: Value) -> None:
    r"""Read a file of this machine that goes into a database (``\\copy FROM``, ``LOAD DATA LOCAL
    INFILE``); sent, where that is elsewhere.
    """
    host = run.parsed.value("-h", "--host")
    flow = read_labels(run, word_at(run.context.at_home(path), value), "sent")
    if host is not None and host.text not in LOCAL and host.text[:1] != "/":
        send(run, host.text, {"upload", *flow_carries(flow)}, value)


def first(text: str) -> str:
    """Return the first word of some that is no option, without its quotes."""
    words = text.split()
    while words and words[0][:1] == "-":
        words = words[2 if words[0] == "--skip" else 1 :]
    text = " ".join(words)
    return text[1:].partition(text[0])[0] if text[:1] in ("'", '"') else "".join(words[:1])


def pipe(run: Run, code: str, value: Value) -> None:
    """A program that a client is joined to."""
    run.effect(ChangesDatabase, "a shell", "runs-shell", value=value)
    run.code(word_at(code.strip(), value))


def output(run: Run, text: str, value: Value) -> None:
    r"""A file that a client's command writes, or a program that it pipes to: ``FILE``,
    ``|PROGRAM``, ``(format=csv) FILE``.
    """
    target = text.rstrip("; ")
    target = (target.partition(")")[2] if target[:1] == "(" else target).strip(" '\"")
    if target[:1] == "|":
        pipe(run, target[1:], value)
    elif target.lower() not in _STREAMS:
        run.path(Writes, word_at(run.context.at_home(target.split()[-1]), value))


_STREAMS = frozenset({"", "-", "stdin", "pstdin", "stdout", "pstdout", "stderr", "off", "on"})


def copy(run: Run, text: str, value: Value) -> None:
    r"""``\\copy TABLE FROM FILE``, ``\\copy TABLE TO FILE`` and ``\\copy (QUERY) TO FILE``, or to
    and from a ``PROGRAM``.
    """
    low = text.lower()
    at = max(low.rfind(f" {side} program ") for side in ("from", "to"))
    if at >= 0:
        given = text[at:].lower().partition(" program ")[2].strip()
        quote = "'" if given[:1] == "'" else "$$"
        code = text[at:].partition(quote)[2]
        pipe(run, (code.rpartition(quote)[0] or code).replace("''", "'"), value)
        return
    places = {
        mark: low.find(mark, low.rfind(" to ") if text[:1] == "(" else 0)
        for mark in (" from ", " to ")
    }
    found = sorted([(at, mark) for mark, at in places.items() if at >= 0])
    mark = found[0][1] if found else ""
    path = first(text[found[0][0] + len(mark) :]).rstrip(";") if found else ""
    if path.lower() in _STREAMS:
        return
    if mark == " from ":
        load(run, path, value)
    else:
        run.path(Writes, word_at(run.context.at_home(path), value))
