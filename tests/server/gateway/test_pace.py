import asyncio
from itertools import pairwise

from server.gateway.pace import Pace
from tests.moved_clock import settled


class Line:
    """Who has come through a pace, in order."""

    def __init__(self, per_s: float) -> None:
        self.passed: list[str] = []
        self._pace = Pace(per_s)

    def come(self, whom: str, number: int = 0) -> asyncio.Task[None]:
        async def come() -> None:
            await self._pace.turn(whom)
            self.passed.append(f"{whom}{number}")

        return asyncio.create_task(come())


async def test_a_few_pass_at_once_and_the_rest_one_after_the_other_in_the_order_of_their_coming() -> None:
    line, loop = Line(per_s=1000), asyncio.get_running_loop()
    began_s = loop.time()
    coming = [line.come("a", number) for number in range(24)]
    await asyncio.gather(*coming)
    assert line.passed == [f"a{number}" for number in range(24)]
    assert loop.time() - began_s >= 0.018, "20 more at a thousand a second, on a clock of whole milliseconds"


async def test_whoever_brings_one_waits_for_one_of_each_of_the_others() -> None:
    line = Line(per_s=1000)
    coming = [line.come(whom, number) for whom in "ab" for number in range(10)]
    await settled()
    coming.append(line.come("c"))
    here = len(line.passed)
    await asyncio.gather(*coming)
    assert line.passed.index("c0") <= here + 2
    assert line.passed[:4] == ["a0", "b0", "a1", "b1"]
    assert sorted(line.passed) == sorted([*(f"{whom}{n}" for whom in "ab" for n in range(10)), "c0"])


async def test_at_most_one_passes_in_each_turn_of_the_event_loop() -> None:
    line, turns = Line(per_s=1_000_000), list[int]()
    coming = [line.come("a", number) for number in range(10)]
    while not all(task.done() for task in coming):
        turns.append(len(line.passed))
        await asyncio.sleep(0)
    turns.append(len(line.passed))
    assert max(after - before for before, after in pairwise(turns)) == 1


async def test_one_passes_at_once_however_slow_the_pace_is() -> None:
    async with asyncio.timeout(1):
        await Pace(per_s=0.01).turn("a")


async def test_who_gives_up_waiting_is_passed_over() -> None:
    line = Line(per_s=200)
    coming = [line.come("a", number) for number in range(4)]
    await settled()
    assert line.passed == ["a0"]
    coming[1].cancel()
    coming[2].cancel()
    await asyncio.wait(coming)
    assert line.passed == ["a0", "a3"]


async def test_it_goes_on_after_everybody_has_passed_or_given_up() -> None:
    line = Line(per_s=200)
    for _ in range(3):
        coming = [line.come("a", number) for number in range(3)]
        await settled()
        coming[2].cancel()
        await asyncio.wait(coming)
    assert line.passed == ["a0", "a1"] * 3


async def test_who_is_gone_takes_nobody_elses_time() -> None:
    pace = Pace(per_s=0.01)
    await asyncio.gather(*(pace.turn("a", lambda: True) for _ in range(100)))
    async with asyncio.timeout(1):
        await pace.turn("a")
