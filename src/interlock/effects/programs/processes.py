"""Programs that stop other processes: the session's own, one by its number, all of a name, all."""

from __future__ import annotations

from interlock.effects.background import is_own
from interlock.effects.run import Run
from interlock.model.effect import EscalatesPrivilege, KillsProcess, TampersWithGuard
from interlock.shell.value import (
    DEV_PORT,
    FILE,
    HOLE,
    NAME,
    NOTHING,
    NUMBER,
    OWN_PROCESS,
    UNREAD,
    Flow,
    Value,
)

_FIRST = frozenset({"init", "systemd", "launchd", "1"})
_KEPT_PORTS = frozenset({
    1433, 1521, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4222, 5432, 5433, 5671, 5672,
    5900, 5984, 6379, 6443, 7000, 7474, 7687, 8086,
    8200, 8500, 8529, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 26257, 27017, 27018, 28015,
    50000,
})  # fmt: skip
"""Ports of databases, brokers, clusters, remote desktops, which keep data or others' work."""
_ANYTHING = frozenset({"", ".", ".*", "*", "^", "$", ".+", "^.*$"})


def _kill(run: Run) -> Flow:
    """``kill [-SIGNAL | -s SIGNAL] PID..``: the first word may be a signal, later ones with a dash
    are process groups (POSIX kill).
    """
    words = run.arguments
    traits = []
    if (words and words[0].text[:2] in ("-l", "-L")) or (
        words and words[0].text in ("--list", "--table", "--help", "--version")
    ):
        return UNREAD
    while words and words[0].text[:1] == "-" and words[0].text != "--":
        text, words = words[0].text, words[1:]
        signal = text[1:]
        if text in ("-s", "-n", "--signal", "-q", "--queue") and words:
            signal, words = words[0].text, words[1:]
        signal = signal.removeprefix("-signal=").upper().removeprefix("SIG")
        if signal == "0":
            return UNREAD
        traits = ["force"] if signal in ("9", "KILL") else []
        if signal not in ("", "A", "P", "V") or text in ("-s", "-n"):
            break
    for value in words:
        if value.text != "--":
            from_file = ["from-file"] if value.why == FILE and value.text == HOLE else []
            run.effect(KillsProcess, value.text, *_whose(value), *traits, *from_file, value=value)
    return NOTHING


def _stops_the_guard(run: Run, value: Value) -> None:
    """Add that the guard itself is stopped where a name says so."""
    if "interlock" in value.text:
        run.effect(TampersWithGuard, value.text, "stops", value=value)


def _whose(value: Value) -> list[str]:
    """Whose process a word of ``kill`` names; ``0`` is the killer's own group (POSIX kill)."""
    text = value.text
    if (
        text in ("0", "-0")
        or text[:1] == "%"
        or (value.why == OWN_PROCESS and text.strip(HOLE + NAME) in ("", "-"))
    ):
        return ["own"]
    if value.why == DEV_PORT and text.strip(HOLE) == "":
        return ["by-port", "dev-port"]
    if text == "-1":
        return ["all"]
    if text.isdigit() and int(text) == 1:
        return ["init"]
    return ["by-pid"]


def attaches(run: Run, pids: list[Value]) -> None:
    """Add that a tracer or debugger looks into running processes, unless this call or its session
    started every one of them.
    """
    if any(
        value.text != HOLE or value.why != OWN_PROCESS
        for value in pids
        if not run.context.facts.started(value.text)
    ):
        run.effect(EscalatesPrivilege, run.name, "attaches", detail="attaches to a running process")


def _by_name(run: Run) -> Flow:
    """``pkill``, ``killall``: by a pattern, a user, a parent; the children of the session's own are
    its own.
    """
    if (
        run.has("-l", "--list", "-V", "--version", "--help")
        or run.has("-0")
        or "0" in [value.text for value in run.parsed.values("-s", "--signal")]
    ):
        return UNREAD
    force = ["force"] if run.has("-9", "-KILL", "-SIGKILL") else []
    parents = run.parsed.values("-P", "--parent")
    if parents and all(value.why in (OWN_PROCESS, NUMBER) for value in parents):
        run.effect(KillsProcess, run.name, "own", *force)
        return NOTHING
    everybody = run.parsed.values("-u", "--user", "-U", "--uid", "-G", "--group", "-g", "--euid")
    for value in run.operands:
        name = (
            "init"
            if value.text in _FIRST
            else "all"
            if value.text in _ANYTHING
            else "own"
            if is_own(run.context, value.text)
            else "by-name"
        )
        run.effect(KillsProcess, value.text, name, *force, value=value)
        _stops_the_guard(run, value)
    if not run.operands:
        for value in everybody or [Value(run.name)]:
            run.effect(
                KillsProcess,
                value.text,
                "all" if run.parsed.has("-u", "--user", "-U", "--uid", "--euid") else "by-name",
                *force,
                value=value,
            )
    return NOTHING


def _jobs(run: Run) -> Flow:
    """``jobs -p`` prints the numbers of processes that this shell started; ``jobs -x COMMAND`` runs
    one with them (bash manual 7.2).
    """
    if run.has("-x"):
        return run.command(run.operands)
    return Flow(
        HOLE + "\n" if run.has("-p") else None,
        frozenset({OWN_PROCESS}) if run.has("-p") else frozenset(),
    )


def _fuser(run: Run) -> Flow:
    """``fuser -k FILE`` or ``-k PORT/tcp``: kills whoever uses it."""
    if not run.has("-k", "--kill"):
        return UNREAD
    for value in run.operands:
        ports = run.has("-n", "--namespace") or value.text.endswith(("/tcp", "/udp"))
        run.effect(
            KillsProcess,
            value.text,
            *(_port_traits(value.text) if ports else ["by-name"]),
            value=value,
        )
    return NOTHING


def _lsof(run: Run) -> Flow:
    """``lsof -t -i:PORT`` prints the numbers of the processes that hold a port."""
    words = [
        *[value.text for value in run.parsed.values("-i")],
        *[value.text for value in run.operands if not value.text.startswith("/")],
    ]
    ports = [port for word in words if ":" in word for port in word.rpartition(":")[2].split(",")]
    held = run.has("-t") and bool(ports) and all(development_port(port) for port in ports)
    return Flow(HOLE + "\n", frozenset({DEV_PORT})) if held else UNREAD


def _kill_port(run: Run) -> Flow:
    for value in run.operands:
        run.effect(KillsProcess, value.text, *_port_traits(value.text), value=value)
    return NOTHING


def _port_traits(text: str) -> list[str]:
    port = text.partition("/")[0].lstrip(":")
    return ["by-port", "dev-port"] if development_port(port) else ["by-port"]


def development_port(text: str) -> bool:
    """Whether a port is one that a development server listens on: a number above the system's own
    (RFC 6335), and of no database or cluster.
    """
    return text.isdigit() and 1024 <= int(text) <= 65535 and int(text) not in _KEPT_PORTS


def _taskkill(run: Run) -> Flow:
    """``taskkill /IM NAME | /PID NUMBER [/F]`` (Windows); with ``/FI`` alone whatever fits."""
    words = [value.text for value in run.arguments]
    lower = [word.lower() for word in words]
    force = ["force"] if "/f" in lower else []
    for at, word in enumerate(lower[:-1]):
        if word in ("/im", "-im", "/pid", "-pid", "/fi", "-fi"):
            how = "all" if words[at + 1] == "*" else "by-pid" if word.endswith("pid") else "by-name"
            run.effect(KillsProcess, words[at + 1], how, *force, value=run.arguments[at + 1])
    return NOTHING
