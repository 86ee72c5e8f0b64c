"""The bell wakes whom it is meant for, forgets nothing for who is slow, and ends what is too much."""

from __future__ import annotations

import asyncio
from threading import Thread

from interlock.service.notifier import EARS, EVERYTHING, PENDING, Hint, Notifier, StreamListener

STOP = Hint("stop", {"epoch": 1})


def test_who_is_meant_hears_it_from_any_thread() -> None:
    """And nobody else does; a wait that ends without a word is a beat."""

    async def work() -> tuple[list[Hint] | None, ...]:
        bell = Notifier()
        one, other = bell.listen("one"), bell.listen("other")
        assert bell.list_machines() == {"one", "other"}
        thread = Thread(target=bell.ring, args=(STOP, lambda name: name == "one"))
        thread.start()
        heard = await one.wait(20), await other.wait(0.01)
        thread.join()
        bell.leave(one)
        assert bell.list_machines() == {"other"}
        return heard

    assert asyncio.run(work()) == ([STOP], [])


def test_who_is_slow_is_told_to_look_at_everything() -> None:
    """So many hints wait, and no more: the last of them says that some are missing."""

    async def work() -> list[Hint] | None:
        ear = StreamListener("one")
        for _ in range(PENDING + 1):
            ear.hear(STOP)
        return await ear.wait(1)

    assert asyncio.run(work()) == [EVERYTHING]


def test_of_too_many_streams_of_one_machine_the_oldest_end() -> None:
    """A connection that died is not always noticed at once; another machine's is none of that."""

    async def work() -> list[bool]:
        bell = Notifier()
        ears = [bell.listen("one") for _ in range(EARS + 2)] + [bell.listen("other")]
        return [await ear.wait(0.01) is None for ear in ears]

    assert asyncio.run(work()) == [True, True, *[False] * (EARS + 1)]


def test_the_end_of_all_ends_each() -> None:
    """As when the service ends: nobody has to be waited for."""

    async def work() -> list[Hint] | None:
        bell = Notifier()
        ear = bell.listen("one")
        bell.end()
        return await ear.wait(20)

    assert asyncio.run(work()) is None
