"""``interlock hook CLIENT``: read one event of an agent client on standard input, answer in the
client's protocol.

Clients start ``interlock/hook.py``, which calls ``main`` here. Everything on this path is cheap to
import, every failure is an answer, and every answer is written once and whole.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock, start_new_thread
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from time import sleep
from typing import Any, NoReturn

from interlock.integrations.clients import CLIENTS, DOCUMENTED, answers_of
from interlock.integrations.protocol import (
    CHECK,
    OTHER,
    OUTCOME,
    PERMISSION,
    PLATFORM,
    PROMPT,
    SESSION,
    ClientEvent,
    HookProtocol,
    Reply,
    UnreadableEventError,
)
from interlock.model.call import ToolCall
from interlock.model.jsontext import JsonError, loads
from interlock.resident import relay

if sys.platform == "win32":
    from nt import _exit as leave
    from nt import environ, read, write
else:
    from posix import _exit as leave
    from posix import environ, read, write


NAME = "hook"
SUMMARY = "answer one event of an agent client (clients call this)"

LIMIT = 8 * 1024 * 1024
"""Bytes of an event at most; a longer one is refused."""
DEADLINE = 15.0
"""Seconds after which there is an answer, whatever still runs: far inside the client's own time-out
of sixty.
"""
SPARE = 5.0
"""Seconds more after which a thread answers: a signal waits for the interpreter, and a call into
the system (a name looked up) may hold that up.
"""
NOTE = "note"
"""The mode for events that ask nothing: a failure there is said and blocks nobody."""
CHECKED = "check"
"""The mode of the installed line for calls: its exit code is an answer's, not a good end."""
BEGUN = "begun"
"""With this, the relay has read a part of the event, and passes it on beside the rest."""
ANSWERED = 100
"""With ``check``, what 0 becomes. The installed line makes it 0 again and everything else a
refusal, so an empty hook file allows nothing.
"""

RECORDING = 2.0
"""Seconds left for the record of a call that nobody judged in time, once its answer is out."""

_MARK = b"\xef\xbb\xbf"
"""A mark of the byte order, with which some clients begin on Windows."""


_judged: list[ToolCall] = []
"""The call that is being judged, for the handler of the deadline."""
_sink: list[Callable[[int, str, str], bool]] = []
"""Where an answer goes, exit code, output and errors, if not to this process's own streams; it
tells whether it went out whole.
"""
_turn = allocate_lock()
"""Whoever holds it answers, once: the way of a hook, the handler of the deadline, or its thread."""


class TooLongError(ValueError):
    """The event is longer than ``LIMIT``."""


# -- the command of people -------------------------------------------------------------------------


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the client's name and the word for events that ask nothing."""
    parser.add_argument(
        "client", choices=sorted((*CLIENTS, *DOCUMENTED)), help="the client that asks"
    )
    parser.add_argument(
        "mode",
        nargs="?",
        choices=[CHECKED, NOTE],
        help=f"{CHECKED}: exit {ANSWERED} instead of 0; {NOTE}: a failure blocks nobody",
    )


def run(options: Namespace) -> int:
    """Answer the event on standard input; the process ends here with the client's exit code."""
    main([options.client, *([options.mode] if options.mode else [])])


# -- the way of a hook -----------------------------------------------------------------------------


def main(arguments: list[str]) -> NoReturn:
    """Answer one event and end the process: 0 (or ``ANSWERED``), or 2 for a refusal."""
    adapter, note = answers_of(arguments[0]), NOTE in arguments[1:]
    _watch(_late(arguments[0], note=note), note=note)
    reply = answer(adapter, receive, variables(), note=note)
    # for good: where the deadline answers already, this process ends while it waits here
    _turn.acquire()
    code = deliver(reply, note=note)
    _stay(variables())
    # the interpreter's own end costs milliseconds
    leave(ANSWERED if code == 0 and CHECKED in arguments[1:] else code)


def _stay(environment: Mapping[str, str]) -> None:
    """Have a guard that stays answer the next calls, once this one's answer is out."""
    from interlock.resident.start import is_wanted

    if not is_wanted(environment):
        return
    from interlock.cli.build import StoreError, state_folder
    from interlock.resident.socket_place import place_of
    from interlock.resident.start import start

    package = __file__.rpartition("/cli/")[0]
    try:
        start(place_of(state_folder(environment), sys.executable, package), package, environment)
    except (OSError, StoreError) as problem:
        _write(2, f"interlock: the resident guard could not be started: {problem}\n")


def answer_for(arguments: list[str], body: bytes, sink: Callable[[int, str, str], bool]) -> None:
    """Answer a process's event in one that goes on; at the deadline that one ends, answered."""
    adapter, note = answers_of(arguments[0]), NOTE in arguments[1:]
    _judged.clear()
    _sink[:] = [
        lambda code, out, err: sink(
            ANSWERED if code == 0 and CHECKED in arguments[1:] else code, out, err
        )
    ]
    _set_timers(_late(arguments[0], note=note), note=note)
    reply = answer(adapter, lambda: body, variables(), note=note)
    with _turn:
        deliver(reply, note=note)


def answer(
    adapter: HookProtocol,
    source: Callable[[], bytes],
    environment: Mapping[str, str],
    *,
    note: bool = False,
) -> Reply:
    """Return the reply to one event. Total: whatever is read and whatever breaks, there is a reply
    of the client's protocol.
    """
    kind = OTHER if note else CHECK
    try:
        event = adapter.read(loads(source().removeprefix(_MARK)), environment, PLATFORM)
        if event.kind == CHECK and event.call is not None:
            kind = CHECK
            _judged[:] = [event.call]
        return _reply(adapter, event, environment)
    except (JsonError, UnreadableEventError, TooLongError) as error:
        return adapter.on_error(str(error), kind)
    except Exception as error:  # noqa: BLE001 - an answer is owed, whatever broke
        return adapter.on_error(f"{type(error).__name__}: {error}", kind)


def _reply(adapter: HookProtocol, event: ClientEvent, environment: Mapping[str, str]) -> Reply:
    if event.kind == SESSION:
        return _begin_session(adapter, event, environment)
    if event.kind not in (CHECK, PERMISSION, OUTCOME, PROMPT):
        return Reply()
    from interlock.cli import build

    guard = build.guard(
        environment,
        event.asks or adapter.asks,
        _folder(event),
        event.call.session if event.call is not None else event.session,
    )
    if event.kind == CHECK and event.call is not None:
        return adapter.write(guard.check(event.call), event)
    if event.kind == PERMISSION and event.call is not None:
        return adapter.permit(
            event, approved=guard.approved(event.call, judged=not adapter.asks_first)
        )
    if event.kind == OUTCOME and event.outcome is not None:
        said = guard.outcome(event.outcome)
    else:
        said = guard.prompted(
            ToolCall(OTHER, "", {}, cwd=event.cwd, roots=event.roots, session=event.session),
            event.prompt,
        )
    return adapter.on_error(" ".join(said), event.kind) if said else Reply()


def _folder(event: ClientEvent) -> str:
    """Return the folder whose own policy counts: the client's project, else where it works."""
    roots = event.call.roots if event.call is not None else event.roots
    cwd = event.call.cwd if event.call is not None else event.cwd
    return roots[0] if roots else cwd


def _begin_session(
    adapter: HookProtocol, event: ClientEvent, environment: Mapping[str, str]
) -> Reply:
    """Greet, and note whose process this session is; what could not be noted is said to the user,
    and stands in nobody's way.
    """
    from interlock.cli import build

    guard = build.guard(environment, adapter.asks, _folder(event))
    said = guard.began(
        ToolCall(OTHER, "", {}, cwd=event.cwd, roots=event.roots, session=event.session)
    )
    said += _write_tag(event.env_file, event.session)
    return adapter.greet(event).replace(
        stderr="".join([f"interlock: {sentence}\n" for sentence in said])
    )


def _write_tag(path: str, session: str) -> tuple[str, ...]:
    """Have the client give what it starts the session's tag, by which a stop finds it, where the
    client reads a file of variables for that.
    """
    if (
        not path
        or not session
        or not session.replace("-", "").replace("_", "").isalnum()
        or not session.isascii()
    ):
        return ()
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"export INTERLOCK_SESSION={session}\n")
    except OSError as error:
        return (
            (
                "What this session starts bears no tag, so `interlock stop` may miss some of it:"
                f" {error.strerror}"
            ),
        )
    return ()


# -- the process -----------------------------------------------------------------------------------


def variables() -> dict[str, str]:
    """Return the environment as texts, without importing ``os``."""
    return {_decode(key): _decode(value) for key, value in environ.items()}


def _decode(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def receive(descriptor: int = 0) -> bytes:
    """Read standard input to its end; raises ``TooLongError`` past ``LIMIT``, after reading on so
    that the writer is not cut off.

    What a relay has read already, because it asked the resident guard first, goes before.
    """
    chunks: list[bytes] = relay.read[:]
    size = sum(map(len, chunks))
    while chunk := (read(relay.BEGUN, 1 << 20) if BEGUN in sys.argv[2:] else b"") or read(
        descriptor, 1 << 20
    ):
        size += len(chunk)
        if size <= LIMIT:
            chunks.append(chunk)
        else:
            chunks.clear()
        if size > 16 * LIMIT:
            break
    if size > LIMIT:
        raise TooLongError(f"the event is longer than {LIMIT // (1024 * 1024)} MiB")
    return b"".join(chunks)


def deliver(reply: Reply, *, note: bool = False) -> int:
    """Write the reply and return the exit code. An answer not written whole is a refusal."""
    _unwatch()
    said = (
        _sink[0](reply.exit_code, reply.stdout, reply.stderr)
        if _sink
        else _write(1, reply.stdout) and _write(2, reply.stderr)
    )
    if said or (reply.exit_code == 2 and not note):
        return reply.exit_code
    return 1 if note else 2


def _write(descriptor: int, text: str) -> bool:
    rest = text.encode("utf-8", "backslashreplace")
    try:
        while rest:
            rest = rest[write(descriptor, rest) :]
    except OSError:
        return False
    return True


_lates: dict[tuple[str, bool], Reply] = {}
"""What each client is told of a call that nobody judged in time: made before it is needed."""


def _late(client: str, *, note: bool) -> Reply:
    if (client, note) not in _lates:
        said = f"it ran out of time after {DEADLINE:.0f} seconds"
        _lates[client, note] = answers_of(client).on_error(said, OTHER if note else CHECK)
    return _lates[client, note]


def _watch(late: Reply, *, note: bool) -> None:
    """See to an answer at the deadline: ``late``."""
    timed = _set_timers(late, note=note)
    start_new_thread(_watch_on, (DEADLINE + SPARE if timed else DEADLINE, late, note))


def _set_timers(late: Reply, *, note: bool) -> bool:
    """Have the handler of a signal write ``late``, so that no ``except`` in the way can swallow it;
    tell whether there are such signals.
    """
    timers = _timers()
    if timers is None:
        return False
    timers.signal(timers.SIGALRM, lambda _number, _frame: _too_late(late, note=note))
    timers.setitimer(timers.ITIMER_REAL, DEADLINE)
    # the kernel ends a process that computes on without coming back to the interpreter; the wrapper
    # makes that a refusal
    timers.setitimer(timers.ITIMER_VIRTUAL, DEADLINE + 4)
    return True


def _watch_on(seconds: float, late: Reply, note: bool) -> None:
    sleep(seconds)
    _too_late(late, note=note)


def _too_late(late: Reply, *, note: bool) -> None:
    """Answer first, then record what can be recorded within ``RECORDING``, then end; return where
    the answer is being written already.
    """
    if not _turn.acquire(blocking=False):
        return
    code = deliver(late, note=note)
    start_new_thread(_leave_in, (RECORDING, code))
    try:
        from interlock.cli import build

        for call in _judged:
            build.record_unjudged(
                variables(), call, f"It ran out of time after {DEADLINE:.0f} seconds."
            )
    except Exception as error:  # noqa: BLE001 - the answer is given already
        _write(2, f"interlock: this could not be recorded: {error}\n")
    finally:
        leave(code)


def _leave_in(seconds: float, code: int) -> None:
    sleep(seconds)
    leave(code)


def _timers() -> Any:
    """Return the C module of ``signal``, whose Python part imports ``enum``; None where there are
    no timer signals (Windows).
    """
    import _signal  # type: ignore[import-not-found]

    return _signal if hasattr(_signal, "setitimer") else None


def _unwatch() -> None:
    timers = _timers()
    if timers is not None:
        timers.setitimer(timers.ITIMER_REAL, 0)
        timers.setitimer(timers.ITIMER_VIRTUAL, 0)
