"""Who is stopped: one small file for each scope, in ``flags/`` of the state folder. No database is
asked; where nobody is stopped there is no folder.

==================  ====================================================================
scope               whom it stops
==================  ====================================================================
``all``             every agent
``session:ID``      a session with its sub-agents
``agent:NAME``      every session of a client, or (``SESSION/AGENT``) one sub-agent
``project:PATH``    whoever works in that folder or below it
``tenant:NAME``     whoever works for that tenant
``user:NAME``       whoever works for that user
==================  ====================================================================

A team's service stops by flags of their own, one for each of its stops (``epoch``): what a person
resumes here lifts none of those, and what the service resumes lifts none of this machine's.
"""

from __future__ import annotations

import json
import os
import time
from hashlib import blake2b

from interlock.model.action import DENY
from interlock.model.call import ToolCall
from interlock.model.decision import Finding
from interlock.model.record import Record
from interlock.stop import StopError

ALL = "all"
KINDS = ("session", "agent", "project", "tenant", "user")
PREFIX = "stop."
FLEET = f"{PREFIX}fleet-"
INSTEAD = "Stop here and tell the user; nothing you do lifts it."


class Flag(Record):
    """One scope that is stopped: why, by whom, since when (Unix seconds). ``epoch``: of the stop of
    a team's service, 0 of one that was made here.
    """

    scope: str
    why: str
    by: str
    since: float
    epoch: int = 0


def folder(state: str) -> str:
    """Return where flags lie. The folder stays once it is there: one that came and went could go
    just when a flag is put into it.
    """
    return f"{state}/flags"


def engage(state: str, flag: Flag) -> str:
    """Stop a scope from now on; raises ``StopError``. The first reason stands; of the stop of a
    team's service there is only one, and a file of it that was damaged is written anew.

    Where the disk has room for the flag's name and not for its words it stops everything: then this
    returns why, else ``""``.
    """
    path = f"{folder(state)}/{_name(flag)}"
    said = {name: getattr(flag, name) for name in Flag.fields if name != "epoch" or flag.epoch}
    try:
        os.makedirs(folder(state), mode=0o700, exist_ok=True)
        fresh = f"{path}.{os.urandom(6).hex()}.new"  # threads of one process stop, too
        lost = _write_flag(fresh, json.dumps(said).encode("ascii"))
        if os.path.exists(path) and not flag.epoch:
            os.unlink(fresh)
            return ""
        os.replace(fresh, path)
    except OSError as error:
        raise StopError(f"{path} cannot be written: {error.strerror}") from error
    return (
        f"the flag could not be written whole ({lost}), so every agent is stopped until `interlock"
        " resume --all`"
        if lost
        else ""
    )


def _write_flag(path: str, data: bytes) -> str:
    """Write a flag's words; return why they are not whole, or ``""``. Raises ``OSError`` where
    there is not even a file.
    """
    with open(path, "wb", buffering=0) as file:
        try:
            if file.write(data) < len(data):
                return "there is no more room"
            os.fsync(file.fileno())
        except OSError as error:
            return error.strerror or type(error).__name__
    return ""


def lift(state: str, scope: str) -> bool:
    """Let a scope go on, as far as it was stopped here; tell whether it was. Raises ``StopError``.
    With ``all`` goes what cannot be read, for it stops all.
    """
    paths = [
        f"{folder(state)}/{_name(Flag(scope, '', '', 0.0))}",
        *[
            path
            for path in _paths(state)
            if scope == ALL and not _of_fleet(path) and _read(path).scope == ALL
        ],
    ]
    return bool([path for path in dict.fromkeys(paths) if _remove_flag(path)])


def lift_fleet(state: str, epoch: int) -> bool:
    """Let go what one stop of a team's service stopped; tell whether it was. Raises
    ``StopError``.
    """
    return _remove_flag(f"{folder(state)}/{FLEET}{epoch}")


def of_fleet(state: str) -> list[int]:
    """Return the epochs of the flags of a team's service, readable or not."""
    return sorted(epoch for path in _paths(state) if (epoch := _epoch(path)))


def _of_fleet(path: str) -> bool:
    return os.path.basename(path).startswith(FLEET)


def _remove_flag(path: str) -> bool:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StopError(f"{path} cannot be taken away: {error.strerror}") from error
    return True


def read_flags(state: str) -> list[Flag]:
    """Return all that is stopped, the oldest first. A file that cannot be read stops everything."""
    return sorted([_read(path) for path in _paths(state)], key=lambda flag: flag.since)


def _paths(state: str) -> list[str]:
    """Return where the flags lie that stand."""
    try:
        return sorted(
            [
                f"{folder(state)}/{name}"
                for name in os.listdir(folder(state))
                if name.startswith(PREFIX) and not name.endswith(".new")
            ]
        )
    except (FileNotFoundError, NotADirectoryError):
        return []


def _read(path: str) -> Flag:
    try:
        with open(path, encoding="ascii") as file:
            return Flag(**json.load(file))
    except FileNotFoundError:
        return Flag("", "", "", 0.0)
    except (OSError, ValueError, TypeError):
        why = f"{path} cannot be read, and may stop anything"
        return Flag(ALL, why, "interlock", 0.0, _epoch(path))


def _epoch(path: str) -> int:
    """Return the epoch in a flag's name, 0 where it is none of a team's service."""
    number = path.rpartition("-")[2] if _of_fleet(path) else ""
    return int(number) if number.isdecimal() else 0


def findings(state: str, call: ToolCall) -> tuple[Finding, ...]:
    """Return the refusal of a call that belongs to something that is stopped."""
    return tuple([refusal(flag) for flag in read_flags(state) if covers(flag.scope, call)])


def refusal(flag: Flag) -> Finding:
    """Say that nothing runs any more, why, and who can change that."""
    whose = "every agent" if flag.scope == ALL else f"this {flag.scope.partition(':')[0]}"
    since = time.strftime("%Y-%m-%d %H:%M", time.localtime(flag.since))
    message = f"Stopped since {since}: {whose} runs nothing until {until(flag)}. Reason: {flag.why}"
    return Finding("stop.engaged", DENY, "stop", message, INSTEAD, tags=frozenset({"stop"}))


def until(flag: Flag) -> str:
    """Say who lifts a flag, and how."""
    if flag.epoch:
        return "somebody of your team resumes it at the team's service"
    return f"a person runs `interlock resume{argument(flag.scope)}`"


def argument(scope: str) -> str:
    """Return how a scope is named on the command line."""
    kind, _, name = scope.partition(":")
    return " --all" if scope == ALL else f" --{kind} {name}"


def covers(scope: str, call: ToolCall) -> bool:
    """Tell whether a call belongs to a scope."""
    kind, _, name = scope.partition(":")
    if scope == ALL:
        return True
    if kind == "project":
        top = name.rstrip("/")
        return any(path == top or path.startswith(top + "/") for path in (call.cwd, *call.roots))
    if kind == "agent":
        return name in (call.agent, f"{call.session}/{call.agent_id}")
    return bool(name) and name == {
        "session": call.session,
        "tenant": call.tenant,
        "user": call.user,
    }.get(kind)


def _name(flag: Flag) -> str:
    if flag.epoch:
        return f"{FLEET}{flag.epoch}"
    name = flag.scope.encode("utf-8", "surrogatepass")
    return PREFIX + blake2b(name, digest_size=12).hexdigest()
