"""``interlock resident``: show, start or stop the background guard, which saves starting Python for
every call.

It starts by itself with the first call and ends when there was none for half an hour. Nothing needs
it: without it every call is judged in a process of its own, with the same answer.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from interlock.cli import build, hook
from interlock.cli.build import StoreError, state_folder
from interlock.cli.colors import complain
from interlock.cli.resident_command import answer_command
from interlock.resident.fast_records import hasten
from interlock.resident.message import HookRequest, HookResponse
from interlock.resident.relay_protocol import COMMAND, is_private
from interlock.resident.socket_place import BusyError, SocketPlace, hold, holder, place_of
from interlock.resident.start import end, is_wanted, start

NAME = "resident"
SUMMARY = "show, start or stop the resident guard"
ROOMS = (
    "model shell facts store effects rules engine policy audit ledger guard integrations presence"
    " resident".split()
)
"""What is loaded before the first call, once for all processes that answer. Adapters of frameworks
are not: they need what may not be there.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what is to be done."""
    parser.add_argument(
        "what",
        nargs="?",
        choices=["status", "start", "stop"],
        default="status",
        help="what to do (default: status)",
    )


def run(options: Namespace) -> int:
    """Show, start or stop the resident guard. 0 done, 1 where there is no place for one."""
    try:
        place = here(state_folder(os.environ))
    except StoreError as problem:
        complain(f"interlock resident: {problem}\n")
        return 1
    if options.what == "stop":
        print("stopped; the next call starts another" if end(place) else "no resident guard runs")
        return 0
    if options.what == "start":
        print("started" if start(place, package(), os.environ) else describe_guard(place))
        return 0
    print(describe_guard(place))
    return 0


def describe_guard(place: SocketPlace) -> str:
    """Return a sentence about the resident guard."""
    process = holder(place)
    if process is not None:
        return f"the resident guard runs as process {process.pid}"
    if not is_wanted(os.environ):
        return "no resident guard runs here, so each call is judged in a process of its own"
    said = _last_words(f"{place.folder}/resident.log")
    return (
        f"no resident guard runs{f' (the last one said: {said})' if said else ''}; the next call of"
        " an agent starts one"
    )


def _last_words(log: str) -> str:
    try:
        return "".join(Path(log).read_text(encoding="utf-8", errors="replace").splitlines()[-1:])
    except OSError:
        return ""


def package() -> str:
    """Return the folder of this package."""
    return str(Path(__file__).resolve().parent.parent)


def here(state: str) -> SocketPlace:
    """Return the place of this installation's resident guard."""
    return place_of(state, os.path.abspath(sys.executable), package())


def serve() -> int:
    """Be the resident guard. Returns an exit code: 0 also where another one is there already."""
    from interlock.cli import sidecar  # it brings HTTP along, which no answer needs
    from interlock.resident import supervisor

    state = state_folder(os.environ)
    place = here(state)
    if not is_private(state):
        complain(f"{state}: expected a folder that is its owner's alone (chmod 700)\n")
        return 1
    try:
        lock = hold(place)
        # as they are before they are loaded
        sources = supervisor.Sources(supervisor.files_of(package()))
        load()
        with contextlib.suppress(StoreError, OSError):  # said by `interlock status`
            sidecar.start_where_enrolled(state)
        sources.keep(supervisor.module_files(package()))
        supervisor.Supervisor(
            place,
            lock,
            supervisor.Duties(handle_request, lambda: has_changed(state), notice_losses),
            sources,
        ).run()
    except BusyError:
        return 0
    except OSError as problem:
        # a file system without sockets, a full disk: each call goes on in a process of its own
        complain(f"{problem.filename or place.socket}: {problem.strerror}\n")
        return 1
    return 0


def load() -> None:
    """Import what calls need."""
    for name in _modules():
        importlib.import_module(name)
    hasten()
    build.stay()


def _modules() -> Iterator[str]:
    top = Path(package())
    for room in ROOMS:
        for file in sorted((top / room).rglob("*.py")):
            words = file.relative_to(top.parent).with_suffix("").parts
            if "frameworks" not in words and not any(
                word.startswith(("windows", "__")) for word in words[1:]
            ):
                yield ".".join(words)


def handle_request(request: HookRequest, send: Callable[[HookResponse], bool]) -> None:
    """Answer one request as the hook does in a process of its own."""
    if request.client == COMMAND.decode():
        answer_command(request, send)
        return
    from interlock.integrations.clients import CLIENTS, DOCUMENTED

    if request.client not in CLIENTS and request.client not in DOCUMENTED:
        return

    def sink(code: int, out: str, err: str) -> bool:
        return send(
            HookResponse(
                code,
                out.encode("utf-8", "backslashreplace"),
                err.encode("utf-8", "backslashreplace"),
            )
        )

    hook.answer_for([request.client, request.mode], request.body, sink)
    build.tidy()


def has_changed(state: str) -> bool:
    """Whether something of what was installed is not as it was last seen."""
    from interlock.presence import file_state

    return os.path.exists(f"{state}/installed") and file_state.has_changed(state)


def notice_losses() -> None:
    """Tell the person what is gone of what was installed, and put it back if asked."""
    environment = dict(os.environ)
    build.report_losses(environment, build.store(environment), "")
