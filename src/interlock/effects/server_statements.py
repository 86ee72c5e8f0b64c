r"""Texts that a program nobody described is given: statements of a database, told by their first
words, and lines of a protocol.

``dbtool -q "DROP TABLE x"``, ``echo "MATCH (n) DETACH DELETE n" | graphcli``, ``printf
'FLUSHALL\r\n' | nc host 6379``. What a text means where it is only shown, searched for or formatted
is nothing.
"""

from __future__ import annotations

from interlock.data.words import texts, values, words
from interlock.effects.raising import goes_out
from interlock.effects.run import Run
from interlock.effects.verb_words import STRONGLY, parts
from interlock.effects.verbs import parse_order
from interlock.model.effect import ChangesDatabase, ChangesInfrastructure, Sends, Writes
from interlock.shell.value import Value

_FIRST: dict[str, str] = texts("spoken", "first")
_TEXTS = frozenset(words("spoken", "texts"))
_SHOWS = tuple(
    "fmt lint format pars glot grep highlight pygment glow test diff print view explain expect doc"
    " copy".split()
)
"""Parts of the name of a program that shows or checks what it is given."""
_CLIENTS = words("spoken", "clients")


def statements(run: Run) -> None:
    """Read words, and what comes in, as statements of a database where they begin like one."""
    if any(part in run.name.lower() for part in _SHOWS):
        return
    before = ""
    for word in run.arguments:
        option, equals, rest = word.text.partition("=")
        named = option if equals and option[:1] == "-" else before
        text = rest if named == option and equals else word.text
        if " " in text and named not in _TEXTS:
            _read(run, text, word)
        if (
            named in _ORDERING
            or (named == "-e" and _takes_orders(run))
            or (" " in text and named[:1] != "-" and goes_out(run.arguments))
        ):
            _order(run, text.lstrip("/"), word)
        if named not in _TEXTS:
            _read_calls(run, text, word)
        before = word.text
    fed = run.stdin.text if run.stdin is not None else None
    first = next((value.text for value in run.arguments if value.text[:1] != "-"), "")
    if fed and (first in _CONSOLES or any(part in run.name.lower() for part in _CLIENTS)):
        _read(run, fed, None)
        _read_calls(run, fed, None)
    if fed and (first in _CONSOLES or _takes_orders(run) or _are_orders(fed)):
        _order(run, fed, None)


def _are_orders(text: str) -> bool:
    """Whether each line of a text ends as orders to a server do, or is empty."""
    lines = [line.strip() for line in text.split("\n")]
    return all(line.endswith(";") for line in lines if line) and any(lines)


_CONSOLES = frozenset("sql shell console query cql repl cli connect".split())
"""Subcommands by which a client reads what is typed: ``surreal sql``, ``hbase shell``."""


def _takes_orders(run: Run) -> bool:
    return run.name.lower().endswith(_TAKES_ORDERS)


def _read_calls(run: Run, text: str, word: Value | None) -> None:
    """Read the calls of a text: a function of a client that is called after the loss of a whole
    thing (``db._drop("orders")``, ``r.dbDrop("shop")``, ``box.space.users:truncate()``).
    """
    for piece in text.split("(") if "(" in text else ():
        name = piece.replace("\n", " ").replace(";", " ").rpartition(" ")[2]
        said = parts(name.replace(":", "."))
        whole = said[-1:] == ["truncate"] or (
            not _DROPS.isdisjoint(said) and not _WHOLE.isdisjoint(said)
        )
        if name.rpartition(".")[2].lower() in _PAYS and "." in name:
            run.effect(ChangesInfrastructure, name, "modify", value=word)
            return
        if whole and name.replace("_", "").replace(".", "").replace(":", "").isalnum():
            run.effect(ChangesDatabase, name, "drop", value=word)
            return


_PAYS = frozenset(
    verb for verb in STRONGLY if verb.startswith(("send", "broadcast")) and verb != "send"
)
"""Of a call's name: that money goes (``eth.sendTransaction({..})``)."""
_DROPS = frozenset("drop truncate wipe purge".split())
_WHOLE = frozenset("db database table collection schema keyspace index bucket graph".split())
"""Of a call's name: what is lost, and of what."""


def _order(run: Run, text: str, word: Value | None) -> None:
    found = parse_order(run.name, text)
    if found is not None:
        run.effect(
            ChangesInfrastructure,
            f"{run.name} {text[:60]}",
            "delete",
            value=word,
            detail=f"{found.verb}, by a program nobody described",
        )


_ORDERING = frozenset(
    "-c -x -rx -cmd --command --cmd --exec --execute -exec -execute --run".split()
)
"""Options whose value is an order to a server."""
_TAKES_ORDERS = words("spoken", "takes orders")


def _read(run: Run, text: str, word: Value | None) -> None:
    if begins(text):
        from interlock.effects.sql import read_text

        read_text(run.context, text, run.name, run.span(word))


def read_statement(run: Run, word: Value) -> None:
    """Read a word that is handed to a script as statements, where it begins like one that loses
    something: ``bin/console doctrine:query:sql 'DELETE FROM t'``.
    """
    if word.known and begins(word.text):
        run.context.possibly(lambda: _read(run, word.text, word))


def begins(text: str) -> bool:
    """Whether one of the statements of a text begins like one that loses or opens something."""
    for piece in text.replace("\n", ";").split(";"):
        words = piece.lower().replace("(", " ").split()
        if len(words) > 1 and _loses(words):
            return True
    return False


def _loses(words: list[str]) -> bool:
    first, second = words[0], words[1]
    if first == "update" and "set" in words[2:5] and any("=" in word for word in words[4:]):
        return True
    if first == "match" and ("delete" in words or "remove" in words):
        return True
    return second in _FIRST.get(first, "").split() or (
        first == "truncate"
        and second.rstrip(";").replace(".", "").isidentifier()
        and len(words) == len(("truncate", "name"))
    )


# -- lines of a protocol ---------------------------------------------------------------------------

MAX_LINES = 4000
_LINES: dict[str, str] = values("spoken", "lines")
_PAIRS = values("spoken", "pairs")
_HTTP = ("delete /", "put /", "patch /")


def protocol(run: Run, text: str) -> None:
    """Read lines that go through a bare socket: commands of Redis and memcached, mail that is
    handed over, requests of HTTP that change something.
    """
    lines = [
        line.strip()
        for line in (text.replace("\r", "\n").replace("\\r", "\n").replace("\\n", "\n").split("\n"))
    ]
    for line in run.context.limit(lines, MAX_LINES, "lines of a protocol"):
        words = line.lower().split()
        trait = _PAIRS.get(" ".join(words[:2])) or (_LINES.get(words[0]) if words else None)
        if trait:
            run.effect(ChangesDatabase, " ".join(words[:2]), trait)
        elif line.lower().startswith("rcpt to:"):
            run.effect(Sends, line[len("rcpt to:") :].strip(" <>"), "message", host="unknown")
        elif line.lower().startswith(_HTTP) and " http/" in line.lower():
            run.effect(ChangesInfrastructure, line, "delete" if words[0] == "delete" else "modify")
    add_redis_save(run, lines)


def add_redis_save(run: Run, lines: list[str]) -> None:
    """``CONFIG SET dir /root/.ssh`` and ``CONFIG SET dbfilename NAME``: where Redis writes what it
    holds (redis.io, Persistence).
    """
    commands = [line.split() for line in lines]
    given = {
        words[2].lower(): words[3].strip("\"'")
        for words in commands
        if len(words) == 4 and " ".join(words[:2]).lower() == "config set"
    }
    if "dir" in given:
        folder = given["dir"].rstrip("/") or "/"
        run.path(
            Writes, Value(f"{folder}/{given.get('dbfilename', 'dump.rdb')}"), "database-server"
        )
