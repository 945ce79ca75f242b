import asyncio

from server.gateway.pace import Pace
from tests.moved_clock import settled


async def test_a_few_pass_at_once_and_the_rest_one_after_the_other_in_the_order_of_their_coming() -> None:
    pace, passed = Pace(per_s=1000), list[int]()

    async def come(number: int) -> None:
        await pace.turn()
        passed.append(number)

    loop = asyncio.get_running_loop()
    began_s = loop.time()
    coming = [asyncio.create_task(come(number)) for number in range(24)]
    await settled()
    assert passed[:4] == [0, 1, 2, 3]
    await asyncio.gather(*coming)
    assert passed == list(range(24))
    assert loop.time() - began_s >= 0.018, "20 more at a thousand a second, on a clock of whole milliseconds"


async def test_one_passes_at_once_however_slow_the_pace_is() -> None:
    async with asyncio.timeout(1):
        await Pace(per_s=0.01).turn()


async def test_who_gives_up_waiting_is_passed_over() -> None:
    pace, passed = Pace(per_s=200), list[int]()
    await pace.turn()

    async def come(number: int) -> None:
        await pace.turn()
        passed.append(number)

    waiting = [asyncio.create_task(come(number)) for number in range(3)]
    await settled()
    waiting[0].cancel()
    waiting[1].cancel()
    await asyncio.wait(waiting)
    assert passed == [2]


async def test_who_is_gone_takes_nobody_elses_time() -> None:
    pace = Pace(per_s=0.01)
    await asyncio.gather(*(pace.turn(lambda: True) for _ in range(100)))
    async with asyncio.timeout(1):
        await pace.turn()
