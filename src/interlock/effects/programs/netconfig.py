"""The machine's own network: firewalls, addresses, routes, interfaces, names."""

from __future__ import annotations

from interlock.effects.programs.acting import effects, one
from interlock.effects.rows import Reader
from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem, EscalatesPrivilege, Reads
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

_IP_CHANGES = tuple(
    "add append attach change chg delete down flush prepend replace restore set up".split()
)


def _among(left: str, changes: str, *, after: str = "0", unless: str = "") -> Reader:
    """Return a reader for programs that change something where one of these words stands anywhere
    after the first ``after``.
    """
    words = frozenset(changes.split())
    looks = unless.split()

    def read(run: Run) -> Flow:
        given = {value.text.lower() for value in run.operands[int(after) :]}
        if (given & words or any(HOLE in word for word in given)) and not run.has(*looks):
            return one(run, effects(left), run.operands)
        return UNREAD

    return read


def _nft(run: Run) -> Flow:
    """``nft COMMAND``, as words or as one text with several commands; ``-f FILE`` loads a file."""
    if run.has("-c", "--check"):
        return UNREAD
    for value in run.parsed.values("-f", "--file"):
        if value.text != "-":
            run.path(Reads, value)
        run.effect(ControlsSystem, run.name, "firewall", value=value)
    text = " ".join([value.text for value in run.operands])
    for command in text.split(";"):
        words = command.split()
        if words and words[0] not in ("list", "describe", "monitor", "export"):
            run.effect(
                ControlsSystem,
                run.name,
                "firewall",
                *(["firewall-off"] if words[0] in ("flush", "delete", "destroy") else []),
            )
    return NOTHING


def _ip(run: Run) -> Flow:
    """``ip OBJECT COMMAND``; both may be cut short. In another namespace any command can run."""
    words = [value.text for value in run.operands]
    if run.has("-b", "-batch") or run.has("-help", "-Version", "-V"):
        return one(run, effects("network-config"), []) if run.has("-b", "-batch") else UNREAD
    if words[:1] == ["addrlabel"] or len(words) < 2:
        return UNREAD
    if "exec" in words[1:2]:
        run.effect(EscalatesPrivilege, run.name)
        return run.command(run.operands[3:])
    verb = words[2] if words[0] == "xfrm" and len(words) > 2 else words[1]
    changes = HOLE in verb or any(word.startswith(verb) for word in _IP_CHANGES)
    if changes and (verb != "s" or words[0].startswith("l")):
        return one(run, effects("network-config"), run.operands[2:])
    return UNREAD


def _ifconfig(run: Run) -> Flow:
    """``ifconfig NAME`` tells, with more words it changes."""
    if len(run.operands) > 2 or (
        len(run.operands) > 1 and run.operands[1].text not in ("inet", "inet6", "ether", "media")
    ):
        run.effect(ControlsSystem, run.operands[0].text, "network-config")
    return UNREAD


_NMCLI = _among(
    "network-config",
    "up u down add a modify mod m delete del connect c disconnect reapply edit import clone reload on off hostname hotspot set",
    after="1",
)


def _nmcli(run: Run) -> Flow:
    """nmcli: ``-s`` shows passwords as well."""
    if run.has("-s", "--show-secrets"):
        run.path(Reads, Value("/etc/NetworkManager/system-connections"))
        return Flow(None, frozenset({"secret"}))
    return _NMCLI(run) or NOTHING
