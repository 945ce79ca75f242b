import asyncio
import time
from collections.abc import Iterator

from server.node.pausing import SLICE_S, pausing


async def test_long_work_lets_others_have_their_turns_and_loses_nothing() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def work() -> Iterator[int]:
        for piece in range(8):
            until_s = time.monotonic() + SLICE_S
            while time.monotonic() < until_s:
                pass
            yield piece

    counting = asyncio.create_task(others())
    assert [piece async for piece in pausing(work())] == list(range(8))
    counting.cancel()
    assert turns >= 8


async def test_short_work_is_done_at_once() -> None:
    turned = False

    def turn() -> None:
        nonlocal turned
        turned = True

    asyncio.get_running_loop().call_soon(turn)
    assert [piece async for piece in pausing("abc")] == ["a", "b", "c"]
    assert not turned
