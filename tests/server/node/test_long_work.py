import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from server.node.long_work import SLICE_S, TURNS, LongWork


def slices(number: int) -> Iterator[int]:
    """Each piece takes one."""
    for piece in range(number):
        until_s = time.monotonic() + SLICE_S
        while time.monotonic() < until_s:
            pass
        yield piece


@asynccontextmanager
async def others() -> AsyncIterator[list[int]]:
    """How many turns others have had."""
    turns = [0]

    async def turn() -> None:
        while True:
            turns[0] += 1
            await asyncio.sleep(0)

    turning = asyncio.create_task(turn())
    try:
        yield turns
    finally:
        turning.cancel()


async def test_others_have_their_turns_and_nothing_is_lost() -> None:
    async with others() as turns:
        assert await LongWork().last(slices(8)) == 7
        assert turns[0] >= 7 * TURNS


async def test_however_much_there_is_others_wait_for_one_slice_at_a_time() -> None:
    long_work = LongWork()
    async with others() as turns:
        assert await asyncio.gather(*(long_work.last(slices(4)) for _ in range(5))) == [3] * 5
        assert turns[0] >= 5 * 3 * TURNS


async def test_short_work_is_done_at_once_and_waits_for_no_other() -> None:
    long_work = LongWork()
    longer = asyncio.create_task(long_work.last(slices(8)))
    async with others() as turns:
        for _ in range(3):
            await asyncio.sleep(0)
        had = turns[0]
        assert await long_work.last("abc") == "c"
        assert await long_work.last("") is None
        assert turns[0] == had
        assert not longer.done()
        assert await longer == 7


async def test_what_fails_or_is_given_up_holds_up_no_other() -> None:
    def failing() -> Iterator[int]:
        yield from slices(3)
        raise ValueError

    long_work = LongWork()
    given_up = asyncio.create_task(long_work.last(slices(100)))
    with pytest.raises(ValueError):
        await long_work.last(failing())
    given_up.cancel()
    assert await long_work.last(slices(3)) == 2
    assert given_up.cancelled()
