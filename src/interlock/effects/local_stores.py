"""Clients of databases and stores that only look at what runs on this machine, and the words by
which they look.

Speaking to this machine's own ports is lent to an agent; a question to a database of it is no more
than that. Where a client leads when no host is told is said by variables and files that nobody
reads here, so the host has to be told, and to be this machine.
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.run import Run
from interlock.model.effect import LOCAL

_KEYS = (
    "get mget exists type ttl pttl strlen getrange hget hgetall hkeys hvals hlen hmget lrange llen"
    " lindex smembers scard sismember srandmember zrange zcard zscore zcount scan hscan sscan zscan"
    " keys dbsize ping info time xrange xlen xinfo memory object lastsave randomkey"
)
_HERE = frozenset({"redis-cli", "valkey-cli"})
"""Clients that speak to 127.0.0.1 where no host is told, whatever is set around them."""
_HOSTS = ("-h", "--host")
_LOOKING: dict[str, tuple[str, str]] = {
    # name: (other options that say where it is, or take statements from or to files;
    #        options with statements, or words that look)
    **dict.fromkeys(("redis-cli", "valkey-cli"), (
        "-u --url --uri -s --eval --pipe --cluster --rdb --functions-rdb", _KEYS)),
    "psql": ("-f --file -o --output -L --log-file", "-c --command"),
    "mysql": (
        "-S --socket --login-path --defaults-file --init-command --delimiter", "-e --execute"),
    "mariadb": ("-S --socket --defaults-file --init-command --delimiter", "-e --execute"),
    "pg_isready": ("", ""), "pg_dump": ("-f --file", ""),
    "clickhouse-client": ("-C --config-file --queries-file", "-q --query"),
}  # fmt: skip
_LEADING = ("PGHOST", "PGSERVICE", "PGSYSCONFDIR", "PGOPTIONS", "MYSQL_", "MARIADB_", "CLICKHOUSE_")
"""What variables begin with that lead a client elsewhere, some of them past the host it is told."""


def looks_here(run: Run) -> bool:
    """Whether a client only looks at what runs on this machine."""
    known = _LOOKING.get(run.name)
    if known is None or run.has(*known[0].split()) or not _is_here(run):
        return False
    if known[1][:1] != "-":
        return not known[1] or (run.operands[:1] == [] and run.has("--scan")) or _begins(run, known)
    said = run.parsed.values(*known[1].split())
    return bool(said) and all(value.known and only_asks(value.text) for value in said)


def _is_here(run: Run) -> bool:
    """Whether the host that a client is told, or has without one, is this machine."""
    told = run.parsed.values(*_HOSTS)
    if not all(
        value.known and _is_bare(value.text) for value in run.parsed.values("-d", "--dbname")
    ):
        return False
    if run.name in _HERE:
        return all(hosts.classify(value.text) == LOCAL for value in told)
    given = {name for name, _ in (*run.execution.inherited, *run.execution.prefix)}
    addresses = [value.text for value in run.operands if "://" in value.text]
    named = [value.text for value in told] + [_host_of(text) for text in addresses]
    inside = run.context.where.startswith("container ")  # which has a database of its own
    return (
        (bool(named) or inside)
        and all(hosts.classify(text) == LOCAL for text in named)
        and not any(name.startswith(_LEADING) for name in given | set(run.walker.state.exported))
        and not any("=" in value.text for value in run.operands)
    )


def _host_of(address: str) -> str:
    """Return the host of the address of a database; none where it says more than host and name
    (``?host=..``), or several.
    """
    return "" if "?" in address or "," in address else hosts.host_of(address)


def _is_bare(text: str) -> bool:
    """Whether a text is the name of a database, and no address of one."""
    return text.replace("_", "").replace("-", "").isalnum()


def _begins(run: Run, known: tuple[str, str]) -> bool:
    return bool(run.operands) and run.operands[0].text.lower() in known[1].split()


# -- statements ------------------------------------------------------------------------------------

_STATEMENTS = ("select ", "show ", "describe ", "desc ", "explain ", "table ")
_DOING = (" into ", " for update ", " for share ", " for no key ", " for key ")
_FUNCTIONS = frozenset(
    "count sum min max avg lower upper length char_length trim ltrim rtrim substr substring concat"
    " replace round abs floor ceil coalesce nullif ifnull greatest least cast now date extract"
    " date_trunc date_part to_char age version current_database database schema current_schema"
    " string_agg array_agg group_concat json_agg row_number rank dense_rank lag lead"
    " pg_size_pretty pg_database_size pg_relation_size pg_total_relation_size".split()
)
"""Functions that only make a value of what they are given, or that the server knows of itself."""
_CLAUSES = frozenset(
    "in and or not where from select as values exists any all some on join by over filter using"
    " between then when else case distinct union except intersect having limit offset like is"
    " varchar char numeric decimal interval explain".split()
)
"""Words before a bracket that call nothing."""
_OPERATORS = ("", "(", ",", "=", "<", ">", "+", "-", "*", "|", "%", ":")


def only_asks(text: str) -> bool:
    """Whether a statement only looks: it is one, and calls no function that nobody named here; or
    it is one of psql's lists.
    """
    small = f"{' '.join(text.lower().rstrip('; ').split())} "
    if small[:1] == "\\":
        return _lists(small[1:])
    return (
        small.startswith(_STATEMENTS)
        and not any(mark in small for mark in (";", "\\", "`", "/*", "--", *_DOING))
        and all(map(_calls_nothing, small.split("(")[:-1]))
    )


def _lists(command: str) -> bool:
    r"""Whether a command of psql only lists: ``\dt``, ``\d+ NAME``, ``\l``."""
    name, _, rest = command.partition(" ")
    return (
        name[:1] in ("d", "l")
        and name.rstrip("+").isalpha()
        and all(char.isalnum() or char in '_.*?" ' for char in rest)
    )


def _calls_nothing(before: str) -> bool:
    """Whether what stands before a bracket is no call, or one of a function that is named here."""
    bare = before.rstrip()
    at = len(bare)
    while at and (bare[at - 1].isalnum() or bare[at - 1] in "_$"):
        at -= 1
    word = bare[at:]
    if not word:
        return bare[-1:] in _OPERATORS
    return bare[at - 1 : at] not in (".", '"') and (word in _FUNCTIONS or word in _CLAUSES)
