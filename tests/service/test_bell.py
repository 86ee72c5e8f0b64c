"""The bell says to all whom it is meant for what it says, encoded once, and waits for nobody."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import cast

from interlock.service.notifier import BEATS, STREAMS, Hint, Notifier
from interlock.service.open_stream import MOST_WAITING, OpenStream

STOP, HELLO, PACE = Hint("stop", {"epoch": 1}), Hint("hello", {}), Hint("pace", {"pace": 1})
SAID = b'event: stop\ndata: {"now":0,"epoch":1}\n\n'


class Line:
    """What a stream writes to. ``waits``: how many bytes of it nobody took."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self.waits, self.over = 0, ""

    def write(self, data: bytes) -> None:
        """Keep what is said."""
        assert not self.over
        self.said.append(data)

    def is_closing(self) -> bool:
        """Tell whether it has ended."""
        return bool(self.over)

    def get_write_buffer_size(self) -> int:
        """Return what waits."""
        return self.waits

    def close(self) -> None:
        """End it once all is taken."""
        self.over = "closed"

    def abort(self) -> None:
        """End it at once."""
        self.over = "cut"


def opened(bell: Notifier, name: str, *, chunked: bool = True) -> tuple[OpenStream, Line]:
    """Return a machine's stream that hears, and what it wrote to."""
    line = Line()
    made = OpenStream(name, "", cast("asyncio.Transport", line), chunked=chunked)
    bell.open(made, HELLO)
    return made, line


async def done() -> None:
    """Let the loop do what waits for it."""
    for _ in range(3):
        await asyncio.sleep(0)


def heard(line: Line) -> list[bytes]:
    """Return the events that were written after the greeting, by their first lines."""
    return [one.partition(b"event: ")[2].partition(b"\n")[0] for one in line.said[1:]]


def test_who_is_meant_hears_it_from_any_thread() -> None:
    """And nobody else does; all that hear it are handed one and the same text, as both kinds of
    HTTP have it.
    """

    async def work() -> None:
        bell = Notifier()
        (stream, one), (_, other), (_, old) = (
            opened(bell, "one"), opened(bell, "other"), opened(bell, "one", chunked=False)
        )  # fmt: skip
        _, twin = opened(bell, "one")
        assert bell.list_machines() == {"one", "other"}
        thread = Thread(target=bell.ring, args=(STOP, lambda stream: stream.machine == "one"))
        thread.start()
        await asyncio.to_thread(thread.join)
        await done()
        assert one.said[1:] == [b"%x\r\n%s\r\n" % (len(SAID), SAID)]
        assert one.said[1] is twin.said[1]
        assert old.said[1:] == [SAID]
        assert other.said[1:] == []
        bell.leave(stream)
        bell.ring(STOP)
        await done()
        assert [len(one.said), len(other.said), len(twin.said)] == [2, 2, 3]

    asyncio.run(work())


def test_who_takes_nothing_is_cut_off_and_who_does_hears_on() -> None:
    """Nothing is kept for somebody who does not read: whoever comes again begins with a look."""

    async def work() -> None:
        bell = Notifier()
        (_, slow), (_, quick) = opened(bell, "slow"), opened(bell, "quick")
        slow.waits, quick.waits = MOST_WAITING + 1, MOST_WAITING
        for _ in range(2):
            bell.ring(STOP)
            await done()
        assert (slow.over, heard(slow)) == ("cut", [])
        assert (quick.over, heard(quick)) == ("", [b"stop"] * 2)

    asyncio.run(work())


def test_each_stream_hears_once_a_round_that_the_service_is_there() -> None:
    """However many come and go meanwhile."""

    async def work() -> None:
        bell = Notifier()
        streams = [opened(bell, f"m{number}") for number in range(4 * BEATS)]
        for turn in range(BEATS):
            bell.beat(PACE)
            bell.leave(streams[turn][0])
            opened(bell, f"late-{turn}")
        await done()
        assert {len(heard(line)) for _, line in streams[BEATS:]} == {1}

    asyncio.run(work())


def test_of_too_many_streams_of_one_machine_the_oldest_end() -> None:
    """A connection that died is not always noticed at once; another machine's is none of that."""

    async def work() -> None:
        bell = Notifier()
        lines = [opened(bell, "one")[1] for _ in range(STREAMS + 2)] + [opened(bell, "other")[1]]
        assert [one.over for one in lines] == ["closed", "closed", *[""] * (STREAMS + 1)]

    asyncio.run(work())


def test_the_end_of_all_ends_each() -> None:
    """As when the service ends: the answer is whole, and nobody has to be waited for."""

    async def work() -> None:
        bell = Notifier()
        (_, line), (_, old) = opened(bell, "one"), opened(bell, "other", chunked=False)
        bell.end(lambda stream: stream.machine == "one")
        await done()
        assert (line.over, line.said[-1], old.over) == ("closed", b"0\r\n\r\n", "")
        bell.end()
        await done()
        assert (old.over, len(old.said)) == ("closed", 1)

    asyncio.run(work())
