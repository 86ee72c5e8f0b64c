"""Sockets, names, mail, tunnels, remote storage, and the tools of security work."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host, to_url
from interlock.effects.programs.netshell import remote_part, transfer_commands
from interlock.effects.programs.sending import (
    NETWORK_FLOW,
    download,
    file_carries,
    flow_carries,
    send,
    tunnel,
    word_carries,
)
from interlock.effects.run import Run
from interlock.effects.server_statements import protocol
from interlock.model.effect import (
    GUARD,
    LOCAL,
    SINK,
    ChangesInfrastructure,
    Connects,
    ControlsContainer,
    ControlsSystem,
    Deletes,
    Executes,
    Listens,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

# -- sockets ---------------------------------------------------------------------------------------


def is_joined_by_pipe(run: Run) -> bool:
    """Whether what comes out of the socket goes into a file that this call reads back (``mkfifo f;
    cat f | sh | nc .. > f``).
    """
    for redirect in run.execution.redirects:
        if redirect.operator[:1] != ">" or redirect.target.hollow or redirect.fd not in ("", "1"):
            continue
        path = run.context.normal(redirect.target.text, run.cwd)
        if path is not None and SINK in run.context.place(path).natures:
            continue
        if path is not None and (path in run.context.past.read or path in run.context.past.pipes):
            return True
    return False


def _nc(run: Run) -> Flow:
    """Netcat's three dialects: ``-e``, ``-c``, ``--sh-exec`` join a program, ``-l`` listens."""
    if run.has("-h", "--help", "--version"):
        return NOTHING
    programs = run.parsed.values("-e", "--exec", "-c", "--sh-exec", "--lua-exec")
    operands = [value for value in run.operands if value.text]
    shell = bool(programs) or is_joined_by_pipe(run)
    if run.has("-l", "--listen") or run.has("-L"):
        port = run.parsed.value("-p") or (operands[-1] if operands else None)
        _listens(run, port.text if port is not None else "", shell=shell)
    elif run.has("-U"):
        for value in operands[:1]:
            _unix_socket(run, value)
    elif operands:
        _connects(run, operands, shell=shell)
    for value in programs:
        run.code(value)
    return NETWORK_FLOW


def reach_socket(run: Run, value: Value) -> None:
    """Who is joined to the guard's own socket can tell it of events that no client saw."""
    path = run.context.normal(value.text, run.cwd) if value.known else None
    if path is not None and GUARD in run.context.place(path).natures:
        run.path(Writes, value, "socket")


def _unix_socket(run: Run, value: Value) -> None:
    reach_socket(run, value)
    if value.text.endswith(("docker.sock", "containerd.sock", "podman.sock")):
        run.effect(ControlsContainer, value.text, "socket", value=value)


def _listens(run: Run, port: str, *, shell: bool) -> None:
    serves = run.stdin is not None and run.stdin.labels & {
        "secret",
        "workspace",
        "outside",
        "environment",
    }
    inward = any(
        hosts.classify(value.text) == LOCAL for value in [*run.parsed.values("-s"), *run.operands]
    )
    public = ["public"] if not shell and not inward else []
    run.effect(
        Listens,
        port,
        *(["shell"] if shell else []),
        *public,
        *(["serves-files", *flow_carries(run.stdin)] if serves else []),
    )


def _connects(run: Run, operands: list[Value], *, shell: bool) -> None:
    host = operands[0]
    ports = operands[1].text if len(operands) > 1 else ""
    scan = run.has("-z") and "-" in ports
    traits = ["socket", "shell"] if shell else ["scan"] if scan else ["get", "socket"]
    if HOLE in host.text:
        traits.append("unknown-host")
    to_host(run.context, Connects, host.text, run.span(host), frozenset(traits), run.name)
    if run.stdin is not None and not shell and not run.has("-z"):
        if run.stdin.text:
            protocol(run, run.stdin.text)
        send(run, host.text, {"upload", *flow_carries(run.stdin)}, host)


_SOCAT_NETWORK = ("tcp", "udp", "openssl", "ssl", "sctp", "socks", "proxy", "dccp", "ip")
_SOCAT_PROGRAMS = ("exec", "system", "shell")
_SOCAT_FILES = ("file", "open", "gopen", "create")


def _socat(run: Run) -> Flow:
    """``socat ADDRESS ADDRESS``: what the two ends are tells what flows where (socat(1))."""
    for value in run.parsed.values("-lf", "-r", "-R"):
        run.path(Writes, value)
    ends = [(value, *_address(value.text)) for value in run.operands[:2]]
    programs = [(value, rest) for value, kind, rest in ends if kind in _SOCAT_PROGRAMS]
    shell = bool(programs)
    listening = [
        rest for _, kind, rest in ends if "listen" in kind or kind.endswith(("-l", "recv"))
    ]
    for value, kind, rest in ends:
        if (
            kind.startswith(_SOCAT_NETWORK)
            and "listen" not in kind
            and not kind.endswith(("-l", "recv"))
        ):
            name = (
                rest.split(":")[1]
                if kind.startswith(("socks", "proxy")) and ":" in rest
                else rest.rpartition(":")[0] or rest
            )
            traits = (
                ["socket", "shell"] if shell else ["tunnel"] if listening else ["get", "socket"]
            )
            to_host(
                run.context,
                Connects,
                name.split(":")[0],
                run.span(value),
                frozenset(traits),
                run.name,
            )
            _socat_sends(run, name.split(":")[0], ends)
        elif "listen" in kind or kind.endswith("-l"):
            run.effect(
                Listens,
                rest.partition(",")[0],
                *(["shell"] if shell else []),
                *(["serves-files"] if _files(ends) else []),
                value=value,
            )
        elif kind.startswith("unix"):
            _unix_socket(run, Value(rest.partition(",")[0], value.start, value.end))
        elif kind in _SOCAT_FILES and kind == "create":
            download(run, Value(rest.partition(",")[0], value.start, value.end, value.why))
    for value, rest in programs:
        run.code(Value(rest.partition(",")[0].strip("'\""), value.start, value.end, value.why))
    return NETWORK_FLOW


def _address(text: str) -> tuple[str, str]:
    kind, _, rest = text.partition(":")
    return kind.lower().partition(",")[0], rest


def _files(ends: list[tuple[Value, str, str]]) -> list[Value]:
    found = [
        (value, rest.partition(",")[0])
        for value, kind, rest in ends
        if kind in _SOCAT_FILES and kind != "create"
    ]
    return [
        Value(path, value.start, value.end, value.why)
        for value, path in found
        if not path.startswith("/dev/tty")
    ]


def _socat_sends(run: Run, host: str, ends: list[tuple[Value, str, str]]) -> None:
    for value in _files(ends):
        send(run, host, {"upload", *file_carries(run, value)}, value)
    if run.stdin is not None and any(kind in ("-", "stdio", "stdin") for _, kind, _ in ends):
        send(run, host, {"upload", *flow_carries(run.stdin)})


def _telnet(run: Run) -> Flow:
    """``telnet HOST [PORT]``: a session, or a reverse shell through a named pipe."""
    if not run.operands:
        return UNREAD
    host = run.operands[0]
    traits = ["socket", "shell"] if is_joined_by_pipe(run) else ["get", "socket"]
    to_host(run.context, Connects, host.text, run.span(host), frozenset(traits), run.name)
    if run.stdin is not None and "shell" not in traits:
        send(run, host.text, {"post", *flow_carries(run.stdin)}, host)
    return NETWORK_FLOW


def _ftp(run: Run) -> Flow:
    """Ftp, lftp: commands as input or in ``-c``/``-e``; ``put`` sends, ``!`` runs one here."""
    host = hosts.host_of(run.operands[0].text) if run.operands else ""
    if run.name == "ftp" and run.has("-u") and len(run.operands) > 1:  # BSD: ftp -u URL FILE..
        for value in run.operands[1:]:
            send(run, host, {"upload", *file_carries(run, value)}, value)
    commands = run.parsed.values("-c", "-e")
    if run.name == "tftp" and commands:  # the rest of the line is the command
        words = [commands[0].text, *[value.text for value in run.operands[1:]]]
        commands = [Value(" ".join(words), commands[0].start, commands[0].end)]
    for value in run.parsed.values("-f"):
        commands = [*commands, Value(run.contents(value).text or HOLE, value.start, value.end)]
    if host or commands:
        bare = run.stdin is None and not commands and "://" not in run.operands[0].text
        traits = {"remote-shell" if bare else "get", *([] if host else ["unknown-host"])}
        to_host(run.context, Connects, host, run.span(), frozenset(traits), run.name)
    for value in commands:
        transfer_commands(run, host, Flow(value.text, frozenset({"script"})))
    if not commands and run.stdin is not None:
        transfer_commands(run, host, run.stdin)
    return NETWORK_FLOW


def _put(run: Run) -> Flow:
    """``ncftpput HOST DIR FILE..``, ``wput FILE.. URL``: files go to a host."""
    operands = run.operands
    at = next((index for index, value in enumerate(operands) if "://" in value.text), 0)
    if not operands or run.has("--help", "--version"):
        return UNREAD
    host = hosts.host_of(operands[at].text)
    to_host(run.context, Connects, host, run.span(operands[at]), frozenset({"get"}), run.name)
    files = (
        operands[2:]
        if run.name == "ncftpput"
        else [value for value in operands if value is not operands[at]]
    )
    for value in files:
        send(run, host, {"upload", *file_carries(run, value)}, value)
    return NETWORK_FLOW


# -- names -----------------------------------------------------------------------------------------

_RECORD_TYPES = frozenset(
    "A AAAA MX TXT NS SOA CNAME PTR SRV ANY CAA AXFR DS DNSKEY HTTPS SVCB NAPTR TLSA IN".split()
)


_RESOLVES = frozenset(
    "dns domain default-route llmnr mdns dnssec dnsovertls nta revert flush-caches reset-server-features log-level".split()
)
"""Commands of resolvectl that change how names are asked for."""


def _lookup(run: Run) -> Flow:
    """Asking for a name tells its server the name: an unknown piece in it carries data out."""
    if run.name in ("resolvectl", "systemd-resolve") and (
        run.has("--set-dns", "--set-domain", "--revert", "--flush-caches")
        or _RESOLVES & {value.text for value in run.operands[:1]}
    ):
        run.effect(ControlsSystem, run.name, "network-config")
        return UNREAD
    if run.name == "arping" and run.has("-U", "-A"):
        run.effect(
            Executes,
            run.name,
            "security-tool",
            detail="tells other machines that an address is here",
        )
    for value in run.operands:
        text = value.text
        if text[:1] in ("+", "-") or text.upper() in _RECORD_TYPES or text.isdigit():
            continue
        hollow = HOLE in text
        traits = {"get", "lookup"}
        if hollow:
            traits.add("unknown-word" if text.strip(HOLE).strip(".") else "unknown-host")
        to_host(
            run.context, Connects, text.lstrip("@"), run.span(value), frozenset(traits), run.name
        )
        if hollow and "carries-secret" in word_carries(run, value):
            send(run, text, {"carries-secret", "unknown-word"}, value)
    for value in run.parsed.values("-f", "-k", "-F"):
        run.path(Reads, value)
    pattern = run.parsed.value("-p")
    if run.name == "ping" and pattern is not None and pattern.hollow:
        send(
            run,
            run.operands[0].text if run.operands else "",
            {"unknown-word", *word_carries(run, pattern)},
            pattern,
        )
    return NETWORK_FLOW


# -- tunnels and remote storage --------------------------------------------------------------------


_TUNNEL_LOOKS = frozenset(
    "version help config authtoken update login user status list show ls info diagnose validate check completion credits api invite".split()
)
_WITH_COMMANDS = frozenset(
    {"ngrok", "cloudflared", "bore", "zrok", "inlets", "pagekite", "localxpose", "devtunnel"}
)
"""Tunnels that do nothing without a word."""


def _tunnel(run: Run) -> Flow:
    """Ngrok and kin: a port of this machine becomes reachable from everywhere."""
    words = [value.text for value in run.operands]
    if (
        run.has("--help", "--version", "-h", "-V")
        or not _TUNNEL_LOOKS.isdisjoint(words[:2])
        or (not words and run.name in _WITH_COMMANDS)
    ):
        return UNREAD
    return tunnel(run)


_COPIES = frozenset({"copy", "sync", "move", "copyto", "moveto", "bisync", "put", "cp", "mv"})
_REMOVES = frozenset(
    {"delete", "purge", "deletefile", "rmdir", "rmdirs", "del", "rm", "rb", "cleanup", "remove"}
)


def _storage(run: Run) -> Flow:
    """Rclone and s3cmd: ``name:path`` and ``s3://bucket`` are remote, all else is here."""
    operands = run.operands
    verb = operands[0].text if operands else ""
    rest = operands[1:]
    if run.has("--dry-run", "-n", "--help"):
        return UNREAD
    if [value.text for value in operands[:2]] in (
        ["config", "show"],
        ["config", "dump"],
        ["config", "userinfo"],
    ):
        run.effect(ChangesInfrastructure, f"{run.name} config", "secret-access")
        return Flow(None, frozenset({"secret"}))
    if verb == "copyurl" and len(rest) > 1:
        to_url(run.context, rest[0].text, run.span(rest[0]), frozenset({"get"}), run.name)
    if verb in _COPIES and len(rest) > 1:
        _store(run, verb, rest[:-1], rest[-1])
    elif verb in _REMOVES:
        for value in rest:
            if remote_part(value.text) is None:
                run.path(Deletes, value, "recursive")
            else:
                run.effect(ChangesInfrastructure, value.text, "delete", value=value)
    elif verb == "rcat" and rest:
        send(
            run,
            remote_part(rest[0].text)[0] if remote_part(rest[0].text) else "",  # type: ignore[index]
            {"upload", *flow_carries(run.stdin)},
            rest[0],
        )
    elif verb in ("serve", "rcd", "mount"):
        run.effect(Listens, verb, *(["serves-files"] if verb != "mount" else []))
    elif verb in ("setacl", "setpolicy", "mb", "link", "expire"):
        run.effect(
            ChangesInfrastructure,
            rest[-1].text if rest else "",
            "permission" if "set" in verb else "modify",
        )
    elif verb == "get" and rest:
        download(
            run,
            rest[1]
            if len(rest) > 1
            else Value(rest[0].text.rpartition("/")[2] or ".", rest[0].start, rest[0].end),
        )
    return Flow(None, frozenset({"network"}))


def _store(run: Run, verb: str, sources: list[Value], target: Value) -> None:
    there = remote_part(target.text)
    for value in sources:
        here = remote_part(value.text)
        if here is not None:
            to_host(
                run.context,
                Connects,
                here[0],
                run.span(value),
                frozenset({"get", "download"}),
                run.name,
            )
        else:
            run.path(Reads, value, *(["sent"] if there else []))
            if verb in ("move", "moveto", "mv"):
                run.path(Deletes, value, "moved", "recursive")
        if there is not None:
            send(
                run,
                there[0],
                {
                    "upload",
                    *(flow_carries(run.contents(value)) if here is None else {"unknown-data"}),
                },
                value,
            )
    if there is None:
        run.path(
            Writes, target, "downloaded", *([] if verb in ("copyto", "moveto") else ["recursive"])
        )
    if verb == "sync":
        if there is None:
            run.path(
                Deletes,
                Value(
                    target.text.rstrip("/") + "/*",
                    target.start,
                    target.end,
                    target.why,
                    pattern=True,
                ),
                "recursive",
            )
        else:
            run.effect(ChangesInfrastructure, target.text, "delete", value=target)


# -- security work ---------------------------------------------------------------------------------


def _security_tool(run: Run) -> Flow:
    """A tool made for attacking or watching others: named, and asked about."""
    if run.has("--version", "--help") or (
        run.name in ("tcpdump", "tshark") and run.has("-r", "-D")
    ):
        return UNREAD
    run.effect(Executes, run.name, "security-tool")
    for value in run.parsed.values("-w", "-oN", "-oA", "-oX", "-oG", "--out"):
        run.path(Writes, value)
    return NETWORK_FLOW


def _through(run: Run) -> Flow:
    """Proxychains and torsocks run another command through other people's machines."""
    run.effect(Executes, run.name, "security-tool")
    return run.command(run.operands) if run.operands else UNREAD
