"""Clients of databases: the statements they are given, the shells they open, and what tools around
them drop or restore.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from interlock.data.words import values
from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.labels import place_labels
from interlock.effects.programs.metacommands import archive, read_file, read_statements
from interlock.effects.programs.sending import leaks
from interlock.effects.programs.sqlfiles import LOCAL, pipe
from interlock.effects.programs.unreadsql import is_grave
from interlock.effects.run import Run
from interlock.effects.server_statements import add_redis_save
from interlock.effects.sql import word_at
from interlock.effects.sql_text import statements
from interlock.model.effect import ChangesDatabase, Connects, Reads, Writes
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value


def _client(code: str, files: str = "-f --file") -> Callable[[Run], Flow]:
    """Return a reader for a client that takes statements as an option, in files, as operands or on
    standard input.
    """

    def read(run: Run) -> Flow:
        given = [*run.parsed.values(*code.split()), *_query_words(run)]
        client = run
        for value in given:
            client = read_statements(client, value)
        scripts = [*run.parsed.values(*files.split()), *_scripts(run)]
        for value in scripts:
            read_file(run, value)
        for value in run.parsed.values("-o", "--output"):
            if value.text.lstrip()[:1] == "|":
                pipe(run, value.text.lstrip()[1:], value)
        flow = run.stdin
        if not given and not scripts and flow is not None:
            if flow.text is not None:
                read_statements(run, Value(flow.text))
            elif flow.path:
                read_file(run, Value(flow.path))
            else:
                run.effect(ChangesDatabase, "", "unread")
        _server(run)
        return UNREAD

    return read


def _scripts(run: Run) -> list[Value]:
    """Return the files of statements that words name: ``sqlplus NAME @FILE``."""
    return [word_at(value.text[1:], value) for value in run.operands if value.text[:1] == "@"]


def _server(run: Run) -> None:
    """Add the connection to a server elsewhere, named by an option or a URL."""
    host = run.parsed.value("-h", "--host", "-S", "--server", "-H")
    if host is not None and host.text not in LOCAL and host.text[:1] != "/":
        to_host(run.context, Connects, host.text, run.span(host), frozenset(), run.name)
        leaks(run, host.text)
    for value in [*run.operands, *run.parsed.values("-d", "--dbname", "-u", "--url")]:
        name = hosts.host_of(value.text) if "://" in value.text else ""
        if name and HOLE not in name and name not in LOCAL:
            to_host(run.context, Connects, name, run.span(value), frozenset(), run.name)


def _query_words(run: Run) -> list[Value]:
    """Return the statements given as words: ``sqlcmd query "SQL"``, ``snow sql "SQL"``, ``turso db
    shell NAME "SQL"``.
    """
    words = run.operands
    at = next(
        (index for index, value in enumerate(words[:2]) if value.text in ("query", "sql", "shell")),
        -1,
    )
    return [value for value in words[at + 1 :] if " " in value.text] if at >= 0 else []


_LOOKS = frozenset(
    "select explain .tables .schema .dump .databases .indexes .mode .headers .header .stats".split()
)


def _first_words(values: list[Value]) -> list[str]:
    """Return the word that each statement begins with."""
    return [
        (statement.split() or [""])[0].lower()
        for value in values
        for statement in statements(value.text)
    ]


def _sqlite(run: Run) -> Flow:
    """``sqlite3 [options] FILE [SQL..]``; FILE may be a URI (``file:PATH?mode=ro``)."""
    operands, labels = run.operands, frozenset[str]()
    packed = [at for at, value in enumerate(run.arguments) if value.text[:2] == "-A"]
    if packed:
        words = [value.text for value in run.arguments[packed[0] :]]
        archive(run, [*filter(None, [words[0][2:]]), *words[1:]], run.arguments[packed[0]])
        return UNREAD
    if operands and operands[0].text != ":memory:":
        file = operands[0]
        path = (
            file.text.removeprefix("file:").partition("?")[0]
            if file.text.startswith("file:")
            else file.text
        )
        given = [*operands[1:], *run.parsed.values("-c", "-s", "-cmd")]
        looks = bool(given) and _LOOKS.issuperset(_first_words(given))
        place = Value(path, file.start, file.end, file.why)
        labels = place_labels(
            run.path(Reads, place) if looks else run.path(Writes, place, "append", "database")
        )
    given = [*operands[1:], *run.parsed.values("-cmd", "-c", "-s")]
    read = run.context.gather(lambda: _statements(run, given))
    if operands and _passing(run, operands[0], given):
        read = read.of(
            [
                effect
                for effect in read.effects
                if effect.kind is not ChangesDatabase or "runs-shell" in effect.traits
            ]
        )
    run.context.take(read)
    for value in given:
        _add_other_files(run, value)
    for value in run.parsed.values("-init", "-f"):
        read_file(run, value)
    flow = run.stdin
    if not given and flow is not None:
        if flow.text is not None:
            read_statements(run, Value(flow.text))
            _add_other_files(run, Value(flow.text))
        elif flow.path:
            read_file(run, Value(flow.path))
    return Flow(None, labels | run.input_labels())


def _statements(run: Run, given: list[Value]) -> None:
    for value in given:
        run = read_statements(run, value)


def _passing(run: Run, file: Value, given: list[Value]) -> bool:
    """Whether all that statements change is gone with this call, or was made by it: a database in
    memory, or in a temporary file of its own.
    """
    path = run.context.normal(file.text, run.cwd) if file.known else None
    own = file.text == ":memory:" or (path is not None and run.context.files.is_made(path))
    return own and not any(
        value.hollow or mark in value.text.lower()
        for value in given
        for mark in ("attach", ".open", ".restore", ".read", ".shell")
    )


def _add_other_files(run: Run, value: Value) -> None:
    """``VACUUM INTO 'FILE'`` and ``ATTACH 'FILE' AS NAME``: other files that statements write."""
    lower = value.text.lower()
    for mark in ("vacuum into", "attach database", "attach '", 'attach "'):
        _, found, rest = lower.partition(mark)
        quoted = (
            value.text[len(value.text) - len(rest) - 1 :].replace('"', "'").split("'")
            if found
            else []
        )
        if len(quoted) > 1 and quoted[1] not in ("", ":memory:"):
            run.path(
                Writes,
                word_at(quoted[1].removeprefix("file:").partition("?")[0], value),
                "append",
                "database",
            )


_MONGO = {
    "dropDatabase": "drop", ".drop(": "drop", "dropUser": "drop", "dropRole": "drop",
    "dropIndex": "alter", "deleteMany({})": "delete-all", "remove({})": "delete-all",
    "deleteMany": "delete", "deleteOne": "delete", "remove(": "delete",
    "updateMany({}": "update-all", "update": "write", "insert": "write", "replaceOne": "write",
    "createUser": "grant",
    "grantRoles": "grant", "shutdownServer": "flush", "renameCollection": "alter",
    "bulkWrite": "write", "deleteMany({},": "delete-all",
    "findOneAndDelete": "delete", "dropAllUsers": "drop", "dropAllRoles": "drop", "{drop:": "drop",
    "shutdown:1": "flush", "child_process": "runs-shell",
    "dropConnections": "flush", "fsyncLock": "flush", "rs.reconfig": "alter", "sh.remove": "alter",
    'require("fs': "runs-shell", 'require("node:': "runs-shell", "process.mainModule": "runs-shell",
    "process.binding": "runs-shell",
}  # fmt: skip
_OF_MONGO = values("databases", "of mongo")
"""Functions of the shell itself; methods of those names are none of them."""


def _calls(text: str, name: str) -> bool:
    """Whether a function is called by its bare name."""
    return any(
        not (before[-1:].isalnum() or before[-1:] in (".", "_", "$"))
        for before in itertools.accumulate(text.split(name)[:-1], lambda one, two: one + name + two)
    )


def _javascript(run: Run, value: Value) -> None:
    """Add what code of a shell does beside what its database is asked for."""
    read = run.context.gather(lambda: run.code(value, "javascript"))
    run.context.take(read.of([one for one in read.effects if one.kind is not ChangesDatabase]))


def _mongo(run: Run) -> Flow:
    """``mongosh [URL] --eval JS`` or a script."""
    flow = run.stdin
    given = run.parsed.values("--eval")
    for value in [
        *given,
        *([Value(flow.text)] if flow is not None and flow.text is not None and not given else []),
    ]:
        text = value.text.replace(" ", "").replace("'", '"').replace('["', ".").replace('"]', "")
        _javascript(run, value)
        traits = [trait for mark, trait in _MONGO.items() if mark in text]
        traits += [trait for name, trait in _OF_MONGO.items() if _calls(text, name)]
        if traits:
            run.effect(ChangesDatabase, "mongodb", *traits, value=value)
        elif HOLE in text:
            run.effect(ChangesDatabase, "mongodb", "unread", value=value)
    for value in [*run.operands, *run.parsed.values("-f", "--file")]:
        if value.text.endswith((".js", ".mongodb")):
            run.script(value, "javascript")
            if run.contents(value).text is None and is_grave(run, value):
                run.effect(ChangesDatabase, value.text, "unread", value=value)
    if not given:
        _server(run)
    return UNREAD


_REDIS = {
    "flushall": "flush", "flushdb": "flush", "shutdown": "flush", "config": "alter",
    "debug": "flush", "slaveof": "alter", "replicaof": "alter", "migrate": "write",
    "restore": "restore",
    "acl": "grant", "function": "write", "client": "write", "module": "runs-shell",
    "evalsha": "unread", "fcall": "write", "bgrewriteaof": "", "save": "", "eval": "unread",
    "script": "write", "swapdb": "alter", "cluster": "alter", "failover": "alter",
    **dict.fromkeys("del unlink set mset setex hset hdel lpush rpush sadd srem zadd zrem expire rename incr decr append persist move copy getdel lpop rpop publish xadd".split(), "write"),
}  # fmt: skip


def _redis(run: Run) -> Flow:
    """``redis-cli [options] COMMAND ..`` or commands on standard input."""
    lines = [[value.text for value in run.operands]]
    flow = run.stdin
    if not run.operands and flow is not None and flow.text is not None:
        lines = [line.split() for line in flow.text.split("\n")]
    for words in lines:
        if not words:
            continue
        trait = _redis_trait([word.lower() for word in words])
        if trait:
            run.effect(ChangesDatabase, " ".join(words[:2]), trait)
    add_redis_save(run, [" ".join(words) for words in lines])
    if run.has("--pipe") and (flow is None or flow.text is None):
        run.effect(ChangesDatabase, run.name, "unread")
    for value in run.parsed.values("--rdb", "--functions-rdb"):
        run.path(Writes, value)
    for value in run.operands[: run.has("--cluster")]:
        if value.text not in _REDIS_ASKS:
            run.effect(ChangesDatabase, f"cluster {value.text}", "alter", value=value)
    _server(run)
    return UNREAD


_REDIS_ASKS = frozenset(
    "get list info help whoami getuser cat log users dump stats exists count keyslot slots nodes id getname usage doctor no-touch tracking check".split()
)


def _redis_trait(words: list[str]) -> str:
    """Return what a command does; of many a second word only asks (``config get``)."""
    if (
        words[0]
        in (
            "config",
            "acl",
            "cluster",
            "function",
            "client",
            "script",
            "module",
            "debug",
            "memory",
            "latency",
        )
        and words[1:2]
        and words[1] in _REDIS_ASKS
    ):
        return ""
    if words[0] in ("script", "function") and words[1:2] == ["flush"]:
        return "flush"
    if words[0] == "client" and words[1:2] == ["kill"]:
        return "flush"
    if words[0] in ("del", "unlink") and any(HOLE in word for word in words[1:]):
        return "delete-all"
    return _REDIS.get(words[0], "")


# -- bigquery --------------------------------------------------------------------------------------

_BQ = values("databases", "bq")


def _bq(run: Run) -> Flow:
    """``bq query SQL`` and ``bq VERB``; ``--dry_run`` only estimates."""
    words = run.operands
    if not words or run.has("--dry_run", "--help", "-n"):
        return UNREAD
    verb = words[0].text
    if verb == "query":
        for value in words[1:]:
            read_statements(run, value)
        if len(words) == 1 and run.stdin is not None:
            read_statements(run, Value(run.stdin.text or HOLE))
    elif _BQ.get(verb):
        run.effect(ChangesDatabase, " ".join([value.text for value in words[:2]]), _BQ[verb])
    return UNREAD


# -- tools around them -----------------------------------------------------------------------------


def _always(*traits: str) -> Callable[[Run], Flow]:
    """Return a reader for a tool that always does the same to a database."""

    def read(run: Run) -> Flow:
        if run.has("--help", "--version", "-V") or (
            run.name == "pg_restore" and run.has("-l", "--list")
        ):
            return NOTHING
        name = run.operands[-1].text if run.operands else run.name
        run.effect(ChangesDatabase, name, *(["write"] if of_tests(run, name) else traits))
        return UNREAD

    return read


def of_tests(run: Run, name: str = "") -> bool:
    """Whether a variable, an option or the name of a database on this machine says that it is the
    one for tests, which they make anew.
    """
    given = [
        value.text
        for variable, value in (*run.execution.inherited, *run.execution.prefix)
        if variable.endswith("_ENV")
    ]
    given += [value.text for value in run.parsed.values("--env", "-e", "--environment")]
    if any(text in ("test", "testing", "ci") for text in given):
        return True
    parts = name.lower().replace("-", "_").split("_")
    return not run.has("-h", "--host") and ("test" in parts or "tests" in parts)


def _dump(run: Run) -> Flow:
    """``pg_dump -f FILE``: what it prints is data of the database."""
    for value in run.parsed.values("-f", "--file", "-r", "--result-file", "--out", "-o"):
        run.path(Writes, value)
    return Flow(None, frozenset({"outside"}))


_ADMIN = values("databases", "admin")


def _admin(run: Run) -> Flow:
    """``mysqladmin drop NAME``."""
    for value in run.operands[:1]:
        trait = _ADMIN.get(value.text)
        if trait:
            run.effect(ChangesDatabase, " ".join([word.text for word in run.operands[:2]]), trait)
    return UNREAD


_INFLUX = values("databases", "influx")


def _influx(run: Run) -> Flow:
    """``influx -execute QUERY`` (1.x) and ``influx bucket delete`` (2.x)."""
    words = [value.text for value in run.operands]
    trait = _INFLUX.get(" ".join(words[:2])) or _INFLUX.get(words[0] if words else "")
    if trait and not run.has("--help", "-h"):
        run.effect(ChangesDatabase, f"influx {' '.join(words[:2])}", trait)
        return UNREAD
    return _client("-e --execute -q -execute")(run)
