"""The machine below its services: firmware, boot variables, kernel programs, messages on buses,
snapshots, virtual machines (their manuals).
"""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.run import Run
from interlock.model.effect import ChangesInfrastructure, ControlsSystem, Exhausts, Reads, Writes
from interlock.shell.value import UNREAD, Flow, Value

_ASKS = tuple(
    (
        "introspect get getall ping getid listnames getnameowner getunit listunits getmachineid"
    ).split()
)
"""Members of a bus interface that only tell something."""


def _bus(run: Run) -> Flow:
    """``busctl call``, ``dbus-send``, ``gdbus call``: a message may make a service of the machine
    do anything it can.
    """
    words = [value.text for value in run.operands]
    if run.name == "busctl" and words[:1] not in (["call"], ["set-property"], ["emit"]):
        return UNREAD
    if run.name == "gdbus" and words[:1] not in (["call"], ["emit"]):
        return UNREAD
    member = next(
        (value.text for name, value in run.parsed.options if name == "--method"),
        words[-1] if words else "",
    )
    names = [word.rpartition(".")[2].lower() for word in [*words, member]]
    if any(name in _ASKS for name in names):
        return UNREAD
    run.effect(
        ControlsSystem,
        member.rpartition(".")[2] or run.name,
        "power"
        if any(name in ("poweroff", "reboot", "suspend", "halt") for name in names)
        else "service",
    )
    return UNREAD


def _pci(run: Run) -> Flow:
    """``setpci -s SLOT REGISTER=VALUE`` writes, without a value it tells."""
    if any("=" in value.text for value in run.operands):
        run.effect(ControlsSystem, run.name, "kernel")
    return UNREAD


def _of(run: Run) -> Flow:
    """``dcfldd if=.. of=..``, as ``dd``."""
    for value in run.arguments:
        name, equals, text = value.text.partition("=")
        if equals and name in ("if", "of", "hof", "hofs"):
            run.path(
                Reads if name == "if" else Writes,
                Value(text, value.start, value.end, value.why, value.pattern),
                *(["raw"] if name != "if" else []),
            )
    return UNREAD


_ESX_CHANGES = frozenset(
    "set add remove kill delete create unmount mount format enable disable install update vib unload reload unmap reboot shutdown".split()
)


def _esx(run: Run) -> Flow:
    """``esxcli NAMESPACE.. COMMAND``: the last word of the command says what it does."""
    words = [value.text for value in run.operands]
    changes = [word for word in words if word in _ESX_CHANGES]
    if changes:
        run.effect(
            ChangesInfrastructure,
            " ".join(words[:4]),
            "delete" if changes[-1] in ("kill", "remove", "delete", "format") else "modify",
        )
    return UNREAD


def _stress(run: Run) -> Flow:
    """Programs made to take all there is of a machine; with a bound on the time they end, and 0 is
    none.
    """
    bounded = any(
        word.text in ("-t", "--timeout") and after.text.strip("0smhdy")
        for word, after in zip(run.arguments, run.arguments[1:], strict=False)
    ) or any(word.text.startswith("--timeout=") for word in run.arguments)
    if not bounded and not run.has("--help", "--version", "--dry-run"):
        run.effect(Exhausts, run.name, certain=False)
    return UNREAD


_IPMI = doing(
    "nothing = sel+list sel+elist sdr sensor fru chassis+status power+status mc+info lan+print user+list session",
    "power = chassis power",
    "plain = *",
)


def _ipmi(run: Run) -> Flow:
    """``ipmitool chassis power status`` looks, ``chassis power off`` does not."""
    return (
        UNREAD
        if [value.text for value in run.operands[2:3]] in (["status"], ["identify"])
        else _IPMI(run) or UNREAD
    )


_TRACES = doing("nothing = -l -V --info", "kernel = *")


def _bpftrace(run: Run) -> Flow:
    """``bpftrace -c COMMAND``: a command that is started to be watched (bpftrace(8))."""
    for value in run.parsed.values("-c"):
        run.code(value)
    return _TRACES(run) or UNREAD


def _locate(run: Run) -> Flow:
    """``locate PATTERN``: prints the paths of the whole machine that hold it, or that it fits as a
    whole where there are globs in it (locate(1)).
    """
    flow = Flow(None)
    flow.listing = [
        Value(_locate_pattern(value.text), value.start, value.end, value.why, pattern=True)
        for value in run.operands
    ]
    return flow


def _locate_pattern(text: str) -> str:
    if not any(mark in text for mark in "*?["):
        return f"/**/*{text}*"
    return text if text[:1] == "/" else f"/**/{text.removeprefix('*/')}"
