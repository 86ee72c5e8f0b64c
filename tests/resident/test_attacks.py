"""What is done to the resident guard costs time and never loosens: each call is answered by it, or
in a process of its own, and recorded.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from operator import sub
from typing import TYPE_CHECKING

import pytest

from interlock.audit.verify import verify_store
from interlock.facts import processes
from interlock.resident.relay_protocol import TAKEN
from interlock.resident.socket_place import holder
from interlock.resident.supervisor import WORKERS
from interlock.stop.processes import is_gone
from interlock.store.database import Store
from tests.resident.house import PACKAGE, House, call, until
from tests.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a resident guard runs on Linux only"),
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler is installed"
    ),
]


@pytest.fixture(name="house")
def resident(tmp_path: Path) -> Iterator[House]:
    """A home with a resident guard."""
    made = House(tmp_path)
    made.start()
    yield made
    made.close()


def guards(house: House) -> bool:
    """Whether what is dangerous is denied, and what is not passes."""
    return [house.ask(call(command, house.work)).verdict for command in ("rm -rf /", "ls")] == [
        "deny",
        "allow",
    ]


@contextmanager
def listening(house: House, answer: bytes, *, drops: bool = False) -> Iterator[None]:
    """Listen in the guard's place with an answer of another's choice; ``drops``: and a letter each
    second after it.
    """
    house.end()
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(house.state)
    server.bind(house.place.name)
    os.chmod(house.place.name, 0o600)
    os.chdir(here)
    server.listen(8)
    pool = ThreadPoolExecutor(1)

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(1 << 20)
                connection.sendall(answer)
                until = time.monotonic() + (100 if drops else 0 if answer else 1.5)
                with suppress(OSError):
                    while time.monotonic() < until:
                        time.sleep(1)
                        connection.sendall(b"1" if drops else b"")

    pool.submit(serve)
    try:
        yield
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        pool.shutdown()


def open_connection(house: House) -> socket.socket:
    """Connect to the resident guard."""
    connection = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(house.state)
    try:
        connection.connect(house.place.name)
    finally:
        os.chdir(here)
    return connection


def test_it_starts_by_itself_and_again_when_it_was_killed(house: House) -> None:
    """The call that finds nobody is judged in its own process, and the next ones are answered by a
    new one.
    """
    first = house.waited()
    os.kill(first, signal.SIGKILL)
    for _ in range(8):  # those that it had started answer one call each, and go
        # it began a while ago: what ends at once is not started again and again
        os.utime(house.state / "resident.log", (0, 0))
        assert guards(house)
    assert house.waited() != first


def test_one_that_does_not_stay_is_not_started_with_every_call(house: House) -> None:
    """Within half a minute there is one start."""
    os.kill(house.waited(), signal.SIGKILL)
    for _ in range(4):
        assert guards(house)
    assert holder(house.place) is None


def test_an_upgrade_replaces_it(tmp_path: Path) -> None:
    """When a file of its installation is another one it ends, and what is started next is the new
    one.
    """
    package = tmp_path / "lib/interlock"
    shutil.copytree(PACKAGE, package)
    house = House(tmp_path, package)
    try:
        before = house.start()
        with (package / "model/action.py").open("a", encoding="utf-8") as file:
            file.write("\n")
        until(lambda: holder(house.place) is None)
        os.utime(house.state / "resident.log", (0, 0))
        assert house.start() != before
    finally:
        house.close()


@pytest.mark.parametrize("whom", ["above", "workers", "all"])
def test_it_is_halted(house: House, whom: str) -> None:
    """SIGSTOP: a relay waits no longer than it has to."""
    pids = ([house.waited()] if whom != "workers" else []) + (
        house.workers() if whom != "above" else []
    )
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert guards(house)
    finally:
        for pid in pids:
            with _gone_is_fine():
                os.kill(pid, signal.SIGCONT)


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    try:
        yield
    except ProcessLookupError:
        return


def test_processes_that_were_halted_are_replaced(house: House) -> None:
    """The one above notices: a call waits for them once, and not for ever."""
    before = house.workers()
    for pid in before:
        os.kill(pid, signal.SIGSTOP)
    until(lambda: not set(before) & set(house.workers()))
    assert guards(house)


def test_one_that_is_halted_whole_leaves_nothing_behind(house: House) -> None:
    """What is started in its stead ends it, with all that it had started."""
    above = house.waited()
    until(lambda: len(house.workers()) >= WORKERS)  # one that is left at work would answer
    all_of_it = [
        process
        for pid in [above, *house.workers()]
        if (process := processes.running(pid)) is not None
    ]
    for process in all_of_it:
        os.kill(process.pid, signal.SIGSTOP)
    os.utime(house.state / "resident.log", (0, 0))
    assert guards(house)
    house.waited()
    # what was ended needs its turn to end
    until(lambda: all(is_gone(process.pid, process.ticks) for process in all_of_it))


@pytest.mark.e2e  # it waits for as long as a relay does
@pytest.mark.parametrize("way", ["relay", pytest.param("python", marks=pytest.mark.long)])
def test_an_answer_in_drops_is_not_waited_for(house: House, way: str) -> None:
    """A client waits a minute for its hook; who says a letter each second does not use that up."""
    with listening(house, TAKEN, drops=True):
        begun = time.monotonic()
        assert (
            house.ask(call("rm -rf /", house.work), way, INTERLOCK_RESIDENT="off").verdict == "deny"
        )
        assert time.monotonic() - begun < 45


def test_a_request_in_drops_is_cut_off(house: House) -> None:
    """Within a second or so, however often it says a little."""
    crowd = [open_connection(house) for _ in range(3)]
    assert say_in_drops(crowd) < 10
    for one in crowd:
        one.close()
    assert guards(house)


def say_in_drops(crowd: list[socket.socket]) -> float:
    """Say a letter now and then; return after how many seconds nobody listens any more, or a
    dozen.
    """
    begun = time.monotonic()
    with suppress(OSError):
        while time.monotonic() - begun < 12:
            for one in crowd:
                one.sendall(b"i")
            time.sleep(0.3)
    return time.monotonic() - begun


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"interlock 1",
        b"interlock 1 claude-code check 10 10\n",
        b"x" * 400,
        b"interlock 9 a b 0 0\n",
        b"interlock 1 a b -1 99\n",
    ],
    ids=repr,
)
def test_many_connect_and_say_nothing_or_nonsense(house: House, said: bytes) -> None:
    """More than there are processes to answer."""
    crowd = [open_connection(house) for _ in range(12)]
    for one in crowd:
        one.sendall(said)
    assert guards(house)
    for one in crowd:
        one.close()
    assert guards(house)


def test_what_never_ends_is_cut_off(house: House) -> None:
    """A request that says it is longer than may be, and one that goes on."""
    for head in (
        b"interlock 1 claude-code check 9999999999 0\n",
        b"interlock 1 claude-code check 0 10\n",
    ):
        with open_connection(house) as one:
            one.settimeout(10)
            with pytest.raises(OSError, match=r"pipe|reset"):
                one.sendall(head + b"x" * (100 << 20))
    assert guards(house)


@pytest.mark.parametrize(
    "answer",
    [b"", TAKEN, TAKEN + b"100 0", TAKEN + b"100 5 0\nabc", TAKEN + b"100 0 0\nmore", TAKEN + b"999 0 0\n", TAKEN + b"-1 0 0\n",
     b"interlock 2\n100 0 0\n", TAKEN + b"100 0 0 0\n", TAKEN + b"x" * (2 << 20), b"100 0 0\n"],
    ids=lambda answer: repr(answer)[:40],
)  # fmt: skip
def test_who_answers_nonsense_decides_nothing(house: House, answer: bytes) -> None:
    """Half an answer, one too long, one of another version: the call is judged in its own
    process.
    """
    with listening(house, answer):
        assert house.ask(call("rm -rf /", house.work), INTERLOCK_RESIDENT="off").verdict == "deny"
        assert (
            house.ask(call("rm -rf /", house.work), "python", INTERLOCK_RESIDENT="off").verdict
            == "deny"
        )


def socket_is_a_link(house: House) -> None:
    """Lead elsewhere."""
    socket_of = house.state / house.place.name
    socket_of.unlink()
    socket_of.symlink_to("/dev/null")


def folder_is_a_link(house: House) -> None:
    """Lead to a copy with the socket in it."""
    house.state.rename(house.state.parent / "moved")
    house.state.symlink_to("moved")


def folder_is_open_to_all(house: House) -> None:
    """Anybody could put a socket there."""
    house.state.chmod(0o777)


def socket_is_gone(house: House) -> None:
    """Nobody is found."""
    (house.state / house.place.name).unlink()


def folder_is_gone(house: House) -> None:
    """With the audit and all."""
    shutil.rmtree(house.home)
    house.home.mkdir()


@pytest.mark.parametrize(
    "attack",
    [socket_is_a_link, folder_is_a_link, folder_is_open_to_all, socket_is_gone, folder_is_gone],
)
def test_its_place_is_tampered_with(house: House, attack: Callable[[House], None]) -> None:
    """Who decides is still the guard."""
    shutil.copy(house.relay, house.work / "relay")
    house.relay = str(house.work / "relay")
    attack(house)
    assert guards(house)


def test_another_user_and_another_place_get_no_answer(house: House) -> None:
    """One who sees another disk is not answered, for this guard would look at other files."""
    if os.getuid() or not shutil.which("unshare"):
        pytest.skip("needs root and unshare")
    before = house.rows("SELECT count(*) FROM guardrail_audit_log")
    done = subprocess.run(
        ["unshare", "-m", *house.words("relay", "claude-code", "check")], input=call("rm -rf /", house.work), capture_output=True, check=False,
        env=house.variables | {"INTERLOCK_RESIDENT": "off"}, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"deny" in done.stdout
    assert house.rows("SELECT count(*) FROM guardrail_audit_log") == [(before[0][0] + 1,)]


def test_one_hostile_call_delays_nobody(house: House) -> None:
    """While one process works through 250 KiB of brackets, others answer."""
    words = house.words("relay", "claude-code", "check")
    hostile = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=house.variables,
    )
    assert hostile.stdin is not None
    hostile.stdin.write(call("$((" * 80_000, house.work))
    hostile.stdin.close()
    assert guards(house)
    assert hostile.wait(60) == 100


def test_two_hundred_clients_at_once(house: House) -> None:
    """All are answered and on record; whoever finds no place in the queue is judged in a process of
    its own.
    """
    with ThreadPoolExecutor(200) as pool:
        said = list(
            pool.map(
                lambda at: house.ask(call("rm -rf /" if at % 2 else "ls", house.work, f"s{at}")),
                range(200),
            )
        )
    assert [one.verdict for one in said] == ["allow", "deny"] * 100
    assert house.rows("SELECT count(DISTINCT session_id) FROM guardrail_audit_log") == [(200,)]


def test_it_ends_when_there_is_nothing_to_do(house: House) -> None:
    """Half an hour without a call; here a second or two."""
    house.end()
    program = (
        f"import sys; sys.path.append({str(PACKAGE.parent)!r}); from interlock.resident import supervisor; supervisor.IDLE = 2.0; "
        "from interlock.cli.resident import serve; sys.exit(serve())"
    )
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", program], env=house.variables)
    house.waited()
    asked = [time.monotonic()]
    while asked[-1] < asked[0] + 3:  # calls keep it
        assert (
            house.ask(call("rm -rf /", house.work), "relay", INTERLOCK_RESIDENT="off").verdict
            == "deny"
        )
        asked.append(time.monotonic())
    # a busy machine may leave it without a call for as long
    assert process.poll() is None or max(map(sub, asked[1:], asked)) > 1
    assert process.wait(PATIENCE) == 0
    assert not os.path.lexists(house.place.socket)


def test_what_was_acknowledged_is_on_record_whoever_is_killed(house: House) -> None:
    """Processes are killed at random under load: no answer that was given is missing, and the chain
    is whole.
    """
    ended = False

    def kill() -> int:
        count = 0
        while not ended:
            process = holder(house.place)
            for pid in (
                house.workers()[:1]
                if process is not None and count % 4
                else [process.pid]
                if process is not None
                else []
            ):
                with _gone_is_fine():
                    os.kill(pid, signal.SIGKILL)
            count += 1
            time.sleep(0.05)
        return count

    with ThreadPoolExecutor(4) as pool:
        killer = pool.submit(kill)
        answers = list(
            pool.map(lambda at: house.ask(call("rm -rf /", house.work, f"k{at}")), range(60))
        )
        ended = True
        assert killer.result() > 3
    assert {one.verdict for one in answers} == {"deny"}
    recorded = {session for (session,) in house.rows("SELECT session_id FROM guardrail_audit_log")}
    assert recorded == {f"k{at}" for at in range(60)}
    assert not verify_store(Store(str(house.state)), ()).problems


def test_a_locked_store_is_as_ever(house: House) -> None:
    """What cannot be recorded is said with the answer, as in a process of its own."""
    other = Store(str(house.state))
    assert guards(house)

    def held(_connection: object) -> str:
        return house.ask(call("rm -rf /", house.work)).verdict

    assert other.transact(held) == "deny"
