"""Programs that reach another machine's shell or files: ssh, scp, sftp, rsync and kin (OpenSSH 9
and rsync 3.3 manuals).
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.programs.bringing import bring_remote, bring_trees
from interlock.effects.programs.sending import (
    NETWORK_FLOW,
    base,
    download,
    flow_carries,
    leaks,
    read_labels,
    send,
)
from interlock.effects.read_selection import ReadSelection
from interlock.effects.run import Run
from interlock.effects.written_files import WrittenFiles
from interlock.model.effect import (
    ChangesInfrastructure,
    Connects,
    Deletes,
    Executes,
    Persists,
    Reads,
    RunsCode,
    Writes,
)
from interlock.model.facts import FILE as IS_FILE
from interlock.shell.value import FILE, HOLE, NOTHING, UNREAD, Flow, Value

_COMMAND_SETTINGS = (
    "proxycommand",
    "localcommand",
    "knownhostscommand",
    "authorizedkeyscommand",
    "xauthlocation",
    "pkcs11provider",
    "securitykeyprovider",
    "match exec",
)


def option_command(run: Run, value: Value, name: str) -> None:
    """Add an option whose value is run as a command, and read it."""
    run.effect(RunsCode, name, "option-command", value=value, detail=f"{name} is run as a command")
    run.code(value)


def _settings(run: Run) -> None:
    """``-o ProxyCommand=..`` and its kin run a command on this machine (ssh_config(5))."""
    for value in run.parsed.values("-o"):
        name, mark, text = value.text.replace("=", " ", 1).strip().partition(" ")
        if (
            mark
            and name.lower() in _COMMAND_SETTINGS
            and text.strip().strip('"').lower() not in ("none", "")
        ):
            option_command(
                run, Value(text.strip().strip('"'), value.start, value.end, value.why), name
            )
    for value in run.parsed.values("-I"):
        run.effect(Executes, value.text, "loads", "option-command", value=value)


def _settings_file(run: Run) -> None:
    """``-F FILE``: its ``ProxyCommand`` and kin run here; what cannot be read may hold them."""
    for value in run.parsed.values("-F"):
        if value.text in ("none", "/dev/null") or "/.ssh/" in value.text or value.hollow:
            continue
        text = run.text_of(value)
        if text is None:
            run.unknown_code(FILE, value=value)
        for line in (text or "").split("\n"):
            name, _, command = line.strip().replace("=", " ", 1).partition(" ")
            if name.lower() in _COMMAND_SETTINGS and command.strip().lower() not in ("none", ""):
                option_command(run, Value(command.strip().strip('"'), value.start, value.end), name)


# -- ssh -------------------------------------------------------------------------------------------


def _ssh(run: Run) -> Flow:
    """A shell, a command or a tunnel on another host; the command is read as running there."""
    if run.has("-V", "-Q", "-G") or not run.operands:
        return UNREAD
    _settings(run)
    _settings_file(run)
    target, words = run.operands[0], run.operands[1:]
    host = hosts.host_of(target.text.removeprefix("ssh://"))
    traits = ["tunnel"] if run.has("-L", "-R", "-D", "-w", "-W") else []
    for value in run.parsed.values("-J"):
        for jump in value.text.split(","):
            _host(run, hosts.host_of(jump), "jump", value=value)
    if words:
        return _remote_command(run, target, words, host, traits)
    if run.has("-N", "-f", "-W"):
        _host(run, host, *(traits or ["tunnel"]), value=target)
        return UNREAD
    # a server of git tells who is there, and gives no shell
    _host(
        run,
        host,
        *traits,
        "get" if run.has("-T") and target.text.startswith("git@") else "remote-shell",
        value=target,
    )
    if run.stdin is not None:
        _remotely(run, host, None)
    return NETWORK_FLOW


def _host(run: Run, host: str, *traits: str, value: Value | None = None) -> None:
    """Add a connection; a host with a hole is unknown."""
    unknown = ["unknown-host"] if HOLE in host or not host else []
    to_host(run.context, Connects, host, run.span(value), frozenset({*traits, *unknown}), run.name)
    leaks(run, host)


def _remote_command(
    run: Run, target: Value, words: list[Value], host: str, traits: list[str]
) -> Flow:
    _host(run, host, *traits, "remote-command", value=target)
    stdin = run.stdin
    if stdin is not None and (
        stdin.text is None or stdin.labels & {"secret", "workspace", "outside", "environment"}
    ):
        send(run, host, {"upload", *flow_carries(stdin)})
    why = next((word.why for word in words if word.hollow), "")
    text = " ".join([word.text for word in words])
    if any(
        line.split()[:2] and _configures(line.lower().split())
        for line in text.replace("\n", ";").split(";")
    ):
        run.effect(
            ChangesInfrastructure,
            host,
            "modify",
            value=words[0],
            detail="a device of the network is configured",
        )
    _remotely(run, host, Value(text, words[0].start, words[-1].end, why))
    return NETWORK_FLOW


_GEAR = frozenset(
    "configure+terminal configure+t conf+t config+t config+system configure+replace write+erase erase+startup-config delete+flash: erase+nvram: "
    "request+system copy+running-config commit+confirmed commit+and-quit configure+exclusive configure+private set+cli delete+security".split()
)


def _configures(words: list[str]) -> bool:
    """Whether a line is one that a router, switch or firewall takes: ``configure terminal``,
    ``write erase``, ``no router bgp 1``.
    """
    if "+".join(words[:2]) in _GEAR or words == ["configure"]:
        return True
    return (words[0] == "no" and len(words) > 1 and words[1].isalpha()) or (
        words[0] == "reload" and words[1:2] in (["in"], ["at"], [])
    )


def _remotely(run: Run, host: str, code: Value | None) -> None:
    """Read code (or standard input) as running on ``host``: paths are that machine's."""
    context = run.context
    stdin = run.stdin
    if stdin is not None and stdin.text is None and stdin.path:
        run.execution.stdin = Flow(run.reader.find_text(stdin), stdin.labels)
    before, context.where, cwd, run.cwd = (
        context.where,
        f"remote {host.replace(HOLE, '?') or '?'}",
        run.cwd,
        None,
    )
    held, run.reader.written = run.reader.written, WrittenFiles()
    try:
        if code is not None:
            run.code(code)
        elif run.stdin is not None:
            run.input_as_code()
    finally:
        context.where, run.cwd, run.reader.written = before, cwd, held


# -- files over ssh --------------------------------------------------------------------------------


def remote_part(text: str) -> tuple[str, str] | None:
    """Return host and path of ``host:path``, ``host::module`` or a URL; None for a path here."""
    if "://" in text:
        return hosts.host_of(text), text.partition("://")[2].partition("/")[2]
    head, colon, path = text.partition(":")
    if (
        not colon
        or "/" in head
        or head.startswith(".")
        or (len(head) == 1 and path.startswith("\\"))
    ):
        return None
    return hosts.host_of(head), path.lstrip(":")


def copy_files(run: Run) -> Flow:
    """``scp FROM.. TO`` and rsync: which ends are remote decides what is read, written and sent."""
    _settings(run)
    operands = run.operands
    if len(operands) < 2:
        if operands and remote_part(operands[0].text) is not None:
            _host(run, remote_part(operands[0].text)[0], "get", value=operands[0])  # type: ignore[index]
        return UNREAD
    *sources, target = operands
    there = remote_part(target.text)
    if there is not None:
        _upload(run, sources, there[0], target)
        return NOTHING
    deep = run.has("-r", "-a", "--recursive", "--archive")
    for value in sources:
        here = remote_part(value.text)
        if here is None and deep:
            run.read_picked(value, _picks(run), "recursive")
        elif here is None:
            run.path(Reads, value)
        else:
            _host(run, here[0], "get", "download", value=value)
    if all(remote_part(value.text) is None for value in sources):
        bring_trees(run, sources, target)
        flow = run.all_contents(sources)
        effect = run.path(
            Writes,
            target,
            "copied",
            "recursive",
            *sorted(f"carries-{label}" for label in flow.labels & {"secret"}),
        )
        for value in sources:
            run.reader.carry(
                run.context.normal(value.text, run.cwd), effect.target, run.contents(value)
            )
    else:
        for value in [value for value in sources if remote_part(value.text) is not None]:
            if deep:
                bring_remote(run, value, target)
            download(run, target, *(["recursive"] if deep else []), name=base(value.text))
    return NOTHING


def _picks(run: Run) -> ReadSelection:
    """Return what of its folders rsync takes: not what its options leave out."""
    rules = [value.text.partition(" ") for value in run.parsed.values("-f", "--filter")]
    left_out = [rest for sign, _, rest in rules if sign in ("-", "exclude")]
    return ReadSelection(
        without=tuple([value.text for value in run.parsed.values("--exclude")] + left_out)
    )


def _upload(run: Run, sources: list[Value], host: str, target: Value) -> None:
    _host(run, host, value=target)
    for value in sources:
        if remote_part(value.text) is not None:
            _host(run, remote_part(value.text)[0], "get", value=value)  # type: ignore[index]
            send(run, host, {"upload", "unknown-data"}, value)
        else:
            send(
                run,
                host,
                {"upload", *flow_carries(read_labels(run, value, "sent", picks=_picks(run)))},
                value,
            )


def _scp(run: Run) -> Flow:
    for value in run.parsed.values("-S"):
        if value.text.rpartition("/")[2] != "ssh":
            option_command(run, value, "-S")
    return copy_files(run)


def elsewhere(run: Run, host: str, path: Value) -> None:
    """Add a deletion on another host."""
    before, run.context.where, cwd, run.cwd = (
        run.context.where,
        f"remote {host or '?'}",
        run.cwd,
        None,
    )
    try:
        run.path(Deletes, path, "recursive", "all-of", "remote")
    finally:
        run.context.where, run.cwd = before, cwd


def _sftp(run: Run) -> Flow:
    """``sftp HOST``: commands on standard input or in a batch file; ``put`` sends, ``!`` runs a
    command here.
    """
    _settings(run)
    if not run.operands:
        return UNREAD
    host = hosts.host_of(
        run.operands[0].text.partition(":")[0]
        if "://" not in run.operands[0].text
        else run.operands[0].text
    )
    _host(
        run,
        host,
        "remote-shell" if run.stdin is None and not run.has("-b") else "get",
        value=run.operands[0],
    )
    batch = run.parsed.value("-b")
    flow = run.contents(batch) if batch is not None and batch.text != "-" else run.stdin
    transfer_commands(run, host, flow)
    return UNREAD


def transfer_commands(run: Run, host: str, flow: Flow | None) -> None:
    """Read the commands of an sftp or ftp session: ``put``, ``get``, ``!command``."""
    if flow is None:
        return
    if flow.text is None:
        send(run, host, {"upload", "unknown-data"})
        return
    for line in flow.text.replace(";", "\n").split("\n"):
        words = line.split()
        if not words:
            continue
        if words[0].startswith("!"):
            run.code(Value(line.strip()[1:]))
        elif words[0] in ("put", "mput", "reput", "send", "append", "mirror") and len(words) > 1:
            run.path(Reads, Value(words[-1] if words[0] == "mirror" else words[1]), "sent")
            send(run, host, {"upload", *flow_carries(run.contents(Value(words[1])))})
        elif (
            words[0] in ("rm", "mrm", "rmdir", "delete", "mdelete", "del", "rename")
            and len(words) > 1
        ):
            elsewhere(run, host, Value(words[-1]))
        elif words[0] in ("get", "mget", "reget", "recv") and len(words) > 1:
            download(run, Value(words[2] if len(words) > 2 else words[1].rpartition("/")[2]))


# -- keys ------------------------------------------------------------------------------------------


def _keygen(run: Run) -> Flow:
    """ssh-keygen writes keys, or changes ``known_hosts`` (``-R``); ``-l``, ``-F``, ``-y`` read."""
    home = run.context.home or "~"
    named = run.parsed.value("-f")
    if run.has("-l", "-y", "-F", "-B", "-e"):
        run.path(Reads, named if named is not None else Value(f"{home}/.ssh/known_hosts"))
        return Flow(None, frozenset({"file"}))
    if run.has("-R"):
        run.path(
            Writes, named if named is not None else Value(f"{home}/.ssh/known_hosts"), "in-place"
        )
    elif not run.has("-Y", "-Q"):
        target = named if named is not None else Value(f"{home}/.ssh/id_ed25519")
        path = run.context.normal(target.text, run.cwd) if target.known else None
        fresh = (
            path is not None
            and not run.context.is_kind(path, IS_FILE)
            and not run.context.secret(path)
        )
        run.path(Writes, target, "create", *(["new-key"] if fresh else []))
    return UNREAD


def _copy_id(run: Run) -> Flow:
    """``ssh-copy-id HOST`` lets a key in over there."""
    for value in run.operands[:1]:
        host = hosts.host_of(value.text)
        _host(run, host, "remote-command", value=value)
        run.effect(Persists, host, "ssh-key", value=value)
    return UNREAD


def _add_key(run: Run) -> Flow:
    if not run.has("-l", "-L", "-D", "-d", "-x"):
        for value in run.operands or [Value(f"{run.context.home or '~'}/.ssh/id_ed25519")]:
            run.path(Reads, value, "agent")
    return UNREAD


def _agent(run: Run) -> Flow:
    """``ssh-agent -s`` prints assignments only; ``ssh-agent COMMAND`` runs it."""
    return run.command(run.operands) if run.operands else NOTHING


def _keyscan(run: Run) -> Flow:
    for value in run.parsed.values("-f"):
        run.path(Reads, value)
    for value in run.operands:
        _host(run, hosts.host_of(value.text), "get", "lookup", value=value)
    return NETWORK_FLOW


def _sshpass(run: Run) -> Flow:
    """``sshpass -p PASSWORD COMMAND``: logs in with a password that it is given, where a person
    would be asked.
    """
    for value in run.parsed.values("-f"):
        run.path(Reads, value)
    if run.operands:
        run.effect(Connects, run.name, "remote-shell", "password", host="unknown")
    return run.command(run.operands) if run.operands else UNREAD


def _mosh(run: Run) -> Flow:
    for value in run.parsed.values("--ssh", "--server"):
        if not value.text.startswith(("ssh", "mosh-server")):
            option_command(run, value, "--ssh")
    if len(run.operands) > 1:
        _host(run, hosts.host_of(run.operands[0].text), "remote-shell", value=run.operands[0])
    return _ssh(run)


def _tunnels(run: Run) -> Flow:
    """``sshuttle -r HOST NETWORK`` sends the traffic of this machine through another one."""
    for value in run.parsed.values("-e", "--ssh-cmd"):
        if value.text.split()[:1] and value.text.split()[0].rpartition("/")[2] != "ssh":
            option_command(run, value, "--ssh-cmd")
    if not run.has("--help", "-h", "--version", "-V"):
        target = run.parsed.value("-r", "--remote")
        _host(run, hosts.host_of(target.text) if target is not None else "", "tunnel", value=target)
    return UNREAD


def _teleport(run: Run) -> Flow:
    """``tsh ssh HOST [CMD]`` is ssh; ``tsh ls`` and kin look."""
    words = run.operands
    if words and words[0].text == "ssh" and len(words) > 1:
        _host(
            run,
            hosts.host_of(words[1].text),
            "remote-command" if len(words) > len(("ssh", "host")) else "remote-shell",
            value=words[1],
        )
        if len(words) > len(("ssh", "host")):
            _remotely(
                run,
                words[1].text,
                Value(
                    " ".join([word.text for word in words[2:]]),
                    words[2].start,
                    words[-1].end,
                    words[2].why,
                ),
            )
    return UNREAD


def _sshfs(run: Run) -> Flow:
    if run.operands:
        there = remote_part(run.operands[0].text)
        _host(run, there[0] if there else run.operands[0].text, "tunnel", value=run.operands[0])
    return UNREAD
