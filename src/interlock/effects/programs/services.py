"""What runs on the machine and when: power, services, schedules; the kernel, the start, the clock,
the host's name and its guards.
"""

from __future__ import annotations

from interlock.effects.path_actions import PathAction
from interlock.effects.path_words import act_on
from interlock.effects.programs.acting import Said, doing
from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem, EscalatesPrivilege, Persists, Reads
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

_WATCHING = frozenset(
    "auditd ufw firewalld nftables iptables apparmor rsyslog syslog syslog-ng systemd-journald fail2ban falco crowdsec osqueryd clamav-daemon "
    "falcon-sensor wazuh-agent sentinelone windefend mpssvc".split()
)
"""Services that watch over the machine: stopping one is switching security off."""
_FIELDS = 5


def _service(run: Run, said: Said, rest: list[Value]) -> Flow:
    """Say it of each service that is named; stopping a watching one is security off."""
    for kind, traits in said:
        for value in rest or [Value(run.name)]:
            name = value.text.lower().removesuffix(".service")
            off = ["security-off"] if "service-stop" in traits and name in _WATCHING else []
            run.effect(kind, value.text, *traits, *off, value=value)
    return NOTHING


# -- schedules -------------------------------------------------------------------------------------


def _crontab(run: Run) -> Flow:
    """``crontab [FILE | - | -r | -e | -l]``: what it will run is read where it can be."""
    if run.has("-l"):
        return Flow(HOLE + "\n")
    if run.has("-V", "-T", "--help"):
        return UNREAD
    run.effect(
        Persists,
        run.operands[0].text if run.operands else run.name,
        "cron",
        *(["remove"] if run.has("-r") else []),
    )
    if run.has("-r", "-e"):
        return NOTHING
    if run.operands and run.operands[0].text not in ("-", "/dev/stdin"):
        run.path(Reads, run.operands[0])
        _cron_lines(run, run.contents(run.operands[0]))
    elif run.stdin is not None:
        _cron_lines(run, run.stdin)
    return NOTHING


def _cron_lines(run: Run, flow: Flow) -> None:
    """Read the command of each line of a table (crontab(5)): after five fields, or ``@daily``."""
    for line in (run.reader.find_text(flow) or "").split("\n")[:64]:
        text = line.strip()
        count = 1 if text[:1] == "@" else _FIELDS
        fields = text.split(None, count)
        if text[:1] != "#" and len(fields) > count and HOLE not in "".join(fields[:count]):
            run.code(Value(fields[count]))


def _at(run: Run) -> Flow:
    """``at TIME``, ``batch``: commands come from standard input or ``-f FILE``."""
    if run.has("-l", "-c", "-V"):
        return UNREAD
    run.effect(
        Persists,
        run.operands[0].text if run.operands else run.name,
        "at",
        *(["remove"] if run.has("-r", "-d") else []),
    )
    file = run.parsed.value("-f")
    if file is not None:
        return run.script(file)
    return run.input_as_code() if run.stdin is not None and not run.has("-r", "-d") else NOTHING


def _logrotate(run: Run) -> Flow:
    """``logrotate [-f] CONFIG``: moves logs away and runs the commands of its configuration; ``-d``
    only tells.
    """
    if run.has("-d", "--debug", "--version", "--usage", "--help"):
        return UNREAD
    for value in run.operands:
        run.path(Reads, value)
    for value in run.parsed.values("-m", "--mail"):
        run.code(value)
    run.effect(ControlsSystem, run.name, "service")
    return NOTHING


# -- others ----------------------------------------------------------------------------------------


def _init(run: Run) -> Flow:
    """``init LEVEL``: 0 and 6 are power, others change what runs."""
    for value in run.operands[:1]:
        run.effect(
            ControlsSystem,
            value.text,
            "power" if value.text in ("0", "6", "1", "s", "S") or value.hollow else "service",
            value=value,
        )
    return UNREAD


def _sysctl(run: Run) -> Flow:
    """``sysctl NAME`` tells, ``NAME=VALUE`` sets; ``-p FILE`` sets all that is in a file."""
    load = run.has("-p", "--load", "--system")
    for value in run.operands:
        if load:
            run.path(Reads, value)
        elif "=" in value.text or run.has("-w", "--write"):
            run.effect(ControlsSystem, value.text.partition("=")[0], "sysctl", value=value)
    if load:
        run.effect(ControlsSystem, run.name, "sysctl")
    return UNREAD


def _insmod(run: Run) -> Flow:
    """``insmod FILE [OPTION...]``: where the module lies tells who may have made it."""
    for value in run.operands[:1]:
        run.path(Reads, value)
        act = PathAction(ControlsSystem, run.span(value), frozenset({"kernel"}), run.name)
        effect = act_on(run.context, act, value, run.cwd)
        if not effect.certain:
            run.effect(ControlsSystem, run.name, "kernel")
    return NOTHING


def _launchctl(run: Run) -> Flow:
    """``launchctl asuser UID COMMAND`` runs another, ``submit`` keeps one running; else by verb."""
    words = [value.text for value in run.operands[:1]]
    if words == ["submit"]:
        run.effect(
            Persists, run.name, "service", detail="a job that is started again whenever it ends"
        )
    if words == ["asuser"] and len(run.operands) > 2:
        run.effect(EscalatesPrivilege, run.operands[1].text)
    if words and words[0] in ("asuser", "bsexec", "submit") and len(run.operands) > 2:
        return run.command(run.operands[2:])
    return _LAUNCH(run) or NOTHING


def _label(run: Run) -> Flow:
    """``chcon CONTEXT FILE..``: what may be done with a file changes."""
    from interlock.model.effect import ChangesMode

    for value in run.operands[
        0 if run.name == "restorecon" or run.has("--reference", "-t", "-u", "-r") else 1 :
    ]:
        run.path(ChangesMode, value)
    return NOTHING


_HOST_NAME = doing("hostname = set* icon-name chassis deployment location hostname")


def _host_name(run: Run) -> Flow:
    """``hostnamectl hostname`` prints the name, ``hostnamectl hostname NAME`` sets it."""
    return (
        UNREAD
        if len(run.operands) == 1 and run.operands[0].text == "hostname"
        else _HOST_NAME(run) or NOTHING
    )


_LAUNCH = doing(
    "persists:service = load bootstrap enable submit",
    "service-stop = unload bootout disable remove stop kill",
    "service = start kickstart setenv unsetenv config debug attach", "power = reboot userspace",
    say=_service,
)  # fmt: skip
_ADDED = doing(
    "service-stop = del delete remove off --del disable",
    "persists:service = add on --add reset defaults enable",
    say=_service,
)
_OF_NAME = doing("service-stop = off disable", "persists:service = on reset", at=1, say=_service)


def _chkconfig(run: Run) -> Flow:
    return (_ADDED if run.has("--add", "--del") else _OF_NAME)(run) or NOTHING
