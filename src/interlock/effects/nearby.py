"""Clients of databases and stores that speak to this machine where no other is named, and the words
by which they only look.

Speaking to this machine's own ports is lent to an agent; a question to a database of it is no more
than that. Whatever names a host, a URL or a service file is left to be doubted.
"""

from __future__ import annotations

from interlock.effects.run import Run

_KEYS = (
    "get mget exists type ttl pttl strlen getrange hget hgetall hkeys hvals hlen hmget lrange llen"
    " lindex smembers scard sismember srandmember zrange zcard zscore zcount scan hscan sscan zscan"
    " keys dbsize ping info time xrange xlen xinfo memory object lastsave randomkey"
)
_STATEMENTS = ("select ", "show ", "describe ", "desc ", "explain ", "\\d", "\\l", "table ")
_LOOKING: dict[str, tuple[str, str]] = {
    # name: (options that name where it is, options with statements or words that look)
    "redis-cli": ("-h -u --url -s --uri", _KEYS), "valkey-cli": ("-h -u --url -s", _KEYS),
    "psql": ("-h --host -d --dbname -f --file -o --output -L", "-c --command"),
    "mysql": ("-h --host -S --socket --login-path --defaults-file", "-e --execute"),
    "mariadb": ("-h --host -S --socket --defaults-file", "-e --execute"),
    "pg_isready": ("-h --host -d --dbname", ""),
    "clickhouse-client": ("-h --host -C --config-file", "-q --query"),
    "cqlsh": ("-f --file", "-e --execute"),
}  # fmt: skip


def looks_here(run: Run) -> bool:
    """Whether a client only looks at what runs on this machine."""
    known = _LOOKING.get(run.name)
    if known is None or run.has(*known[0].split()) or any(map(_leads_away, _texts(run))):
        return False
    if known[1][:1] != "-":
        return not known[1] or (run.operands[:1] == [] and run.has("--scan")) or _begins(run, known)
    said = run.parsed.values(*known[1].split())
    return bool(said) and all(
        value.known and ";" not in value.text.strip("; ") and _only_looks(value.text)
        for value in said
    )


def _begins(run: Run, known: tuple[str, str]) -> bool:
    return bool(run.operands) and run.operands[0].text.lower() in known[1].split()


def _texts(run: Run) -> list[str]:
    return [value.text for value in run.operands]


def _leads_away(text: str) -> bool:
    return "://" in text or "host=" in text or "@" in text or "service=" in text


def _only_looks(text: str) -> bool:
    """Whether a statement only looks: one that calls no function which does more."""
    small = f"{text.strip().lower()} "
    return small.startswith(_STATEMENTS) and not any(word in small for word in _DOING)


_DOING = (
    " into ",
    "pg_",
    "lo_",
    "dblink",
    "nextval",
    "setval",
    "file",
    "sleep",
    "exec",
    " for update",
)
