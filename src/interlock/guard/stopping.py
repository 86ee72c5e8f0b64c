"""The emergency stop, in its order: flag, freeze, checkpoint, kill, verify, audit, notification.

The flag comes first: from then on every process of interlock refuses what belongs to the scope.
Each later step may fail; what failed is said, and the steps after it are done all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter, sleep, time

from interlock.audit.log import Audit
from interlock.checkpoint.service import Checkpoints
from interlock.guard.failures import Failure, attempt
from interlock.guard.persistence import keep
from interlock.model.record import Record
from interlock.stop.flags import Flag, engage
from interlock.stop.kill import HaltedProcesses, KillResult
from interlock.stop.processes import CALL_TAG, CALL_TAGS, SessionProcesses, running, tags_of
from interlock.stop.sessions import AgentSession, call_of, sessions_of

MOST_FOLDERS = 8
"""Workspaces of which a checkpoint is taken."""
GRACE = 0.15
"""Seconds in which calls that were being judged get their answer, so that no hook is ended that
owes one and what was just allowed has begun.
"""
UNMARKED = (
    "Nothing that runs bears this call's mark. What interlock itself runs does, and what Codex and"
    " OpenCode run; of another client only the whole session can be ended (interlock stop --session"
    " ID)."
)
CHECKPOINT_SECONDS = 0.25
CHECKPOINT_BYTES = 64 * 1024 * 1024


class StopCommand(Record):
    """What is to be stopped, and who said so. ``flagged``: a service's flag stands already."""

    scope: str
    why: str
    by: str
    flagged: bool = False


class StopContext(Record):
    """What a stop needs.

    ``notify``: tells people, and never waits for it; ``grouped``: control groups are used where
    they can be; ``kills``: processes are ended.
    """

    audit: Audit
    checkpoints: Callable[[], Checkpoints]
    notify: Callable[[str, str], tuple[str, ...]]
    grouped: bool = True
    kills: bool = True


class StopResult(Record):
    """What a stop did. ``flagged``, ``ended``: seconds since its beginning; ``checkpoints``: their
    ids; ``problems``: what failed, in sentences.
    """

    scope: str
    why: str
    sessions: tuple[str, ...] = ()
    killed: KillResult = KillResult()
    checkpoints: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    flagged: float = 0.0
    ended: float = 0.0


def stop(desk: StopContext, order: StopCommand, *, call: str = "") -> StopResult:
    """Stop a scope. Raises ``StopError`` where the flag could not be set; ``call``: a decision, of
    which only the processes are ended.
    """
    scope, why, by = order.scope, order.why, order.by
    began, problems = perf_counter(), []
    if not call and not order.flagged:
        lost = engage(desk.audit.store.folder, Flag(scope, why, by, time()))
        problems += [f"{lost[0].upper()}{lost[1:]}."] if lost else []
    stood = perf_counter() - began
    if desk.kills and not call:
        sleep(GRACE)
    sessions, belonging = (
        _of_call(desk, call, problems) if call else _of_scope(desk, scope, problems)
    )
    killed, taken = _end(desk, belonging, sessions, problems) if desk.kills else (KillResult(), ())
    if call and not killed.count:
        problems.append(UNMARKED)
    done = StopResult(
        scope,
        why,
        tuple([session.id for session in sessions]),
        killed,
        taken,
        tuple(problems),
        stood,
        perf_counter() - began,
    )
    return _report_stop(desk, done, by, call)


def _of_scope(
    desk: StopContext, scope: str, problems: list[str]
) -> tuple[list[AgentSession], SessionProcesses]:
    """Return the sessions of a scope, and whose processes are meant."""
    sessions = _sessions(desk, scope, problems)
    if desk.kills and not running():
        problems.append(
            "On this system processes cannot be seen: its calls are denied, and nothing was ended."
        )
    elif desk.kills and not any(session.agents for session in sessions):
        problems.append(
            "No running agent matches, so only processes with its tag could be looked for."
        )
    kind, _, name = scope.partition(":")
    meant = dict.fromkeys(
        [*([name] if kind == "session" else []), *[session.id for session in sessions]]
    )
    beside = [other for session in sessions for other in session.beside if other not in meant]
    return sessions, SessionProcesses(
        [agent for session in sessions for agent in session.agents],
        tags_of(meant),
        beside=tags_of(beside),
    )


def _sessions(desk: StopContext, scope: str, problems: list[str]) -> list[AgentSession]:
    found = attempt("sessions", lambda: sessions_of(desk.audit.store, scope), list)
    if isinstance(found, Failure):
        problems.append(f"Whose processes to end could not be found out: {found.why}")
        return []
    return found


def _of_call(
    desk: StopContext, call: str, problems: list[str]
) -> tuple[list[AgentSession], SessionProcesses]:
    """Return a call's session, and what is meant of it: what bears its tag and the session's."""
    found = attempt("call", lambda: call_of(desk.audit.store, call), tuple)
    if isinstance(found, Failure):
        problems.append(f"What the client calls it could not be found out: {found.why}")
    session, name = ("", "") if isinstance(found, Failure) else found
    ours, theirs = f"{CALL_TAG}={call}", [f"{tag}={name}" for tag in CALL_TAGS if name]
    return _sessions(desk, f"session:{session}", problems), SessionProcesses(
        (), [ours, *tags_of([session] if session else [])], [ours, *theirs]
    )


def _end(
    desk: StopContext,
    belonging: SessionProcesses,
    sessions: list[AgentSession],
    problems: list[str],
) -> tuple[KillResult, tuple[str, ...]]:
    """Freeze, take checkpoints, kill and verify."""
    hold = attempt(
        "freeze", lambda: HaltedProcesses(belonging, grouped=desk.grouped), HaltedProcesses
    )
    taken = _checkpoints(desk, sessions, problems)
    if isinstance(hold, Failure):
        problems.append(f"The processes could not be held: {hold.why}")
        return KillResult(), taken
    killed = attempt("kill", hold.kill, KillResult)
    if isinstance(killed, Failure):
        problems.append(f"The processes could not be ended: {killed.why}")
        return KillResult(), taken
    if killed.survivors:
        names = ", ".join([f"{name} ({pid})" for pid, name in killed.survivors[:10]])
        problems.append(f"{len(killed.survivors)} of its processes still live: {names}.")
    return killed, taken


def _checkpoints(
    desk: StopContext, sessions: Iterable[AgentSession], problems: list[str]
) -> tuple[str, ...]:
    """Take a checkpoint of each workspace with a running agent, as far as that is quick."""
    found = []
    folders = dict.fromkeys(
        [(session.roots, session.id) for session in sessions if session.roots and session.agents]
    )
    for roots, session in list(folders)[:MOST_FOLDERS]:
        said = attempt("checkpoint", lambda: _checkpoint(desk, roots, session), str)  # noqa: B023 - done before the next one
        if isinstance(said, Failure):
            problems.append(f"No checkpoint of {roots[0]} was taken: {said.why}")
        else:
            found.append(said)
    return tuple(found)


def _checkpoint(desk: StopContext, roots: tuple[str, ...], session: str) -> str:
    return (
        desk.checkpoints()
        .of(roots, "taken by a stop", session, CHECKPOINT_SECONDS, CHECKPOINT_BYTES)
        .id
    )


def _report_stop(desk: StopContext, done: StopResult, by: str, call: str) -> StopResult:
    """Record a stop and tell people."""
    body: dict[str, object] = {
        "by": by, "why": done.why, "sessions": list(done.sessions), "ended": done.killed.count,
        "how": done.killed.how,
        "checkpoints": list(done.checkpoints),
        "survivors": [f"{name} ({pid})" for pid, name in done.killed.survivors],
        "problems": list(done.problems),
    }  # fmt: skip
    problems = list(done.problems)
    store = desk.audit.store
    session = done.scope.partition(":")[2] if done.scope.startswith("session:") else ""
    kept = keep(store, lambda: [desk.audit.event("stop", call or done.scope, body, session)])
    problems += [kept.sentence("The stop")] if kept.failed else []
    text = desk.audit.redactor.text(
        f"{done.why} ({done.killed.count} processes ended, {len(done.killed.survivors)} survived;"
        f" by {by})"
    )
    told = attempt(
        "notification", lambda: desk.notify(f"interlock stopped {call or done.scope}", text), tuple
    )
    problems += [f"Nobody could be told: {told.why}"] if isinstance(told, Failure) else list(told)
    return done.replace(problems=tuple(problems))
