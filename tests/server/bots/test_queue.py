"""Places are handed on by urgency, and none is lost, whoever gives up when."""

import asyncio

from server.bots.queue import Queue, Urgency


def urgency(begin_by_s: float, *, informs: bool = False) -> Urgency:
    return Urgency(informs, begin_by_s, since_s=-begin_by_s)


async def entered(queue: Queue, name: str, its: Urgency, order: list[str]) -> None:
    async with queue.place(its):
        order.append(name)
        await asyncio.sleep(0)


async def test_the_most_urgent_is_next_and_equals_come_in_their_order() -> None:
    queue, order = Queue(1), list[str]()
    wanted = {"late": urgency(9), "soon": urgency(1), "hint": urgency(0, informs=True), "as soon": urgency(1)}
    async with queue.place(urgency(5)):
        tasks = [asyncio.create_task(entered(queue, name, its, order)) for name, its in wanted.items()]
        await asyncio.sleep(0)
        assert sorted(queue.waiting_since_s()) == [-9, -1, -1], "a hint keeps nobody from thinking"
    await asyncio.gather(*tasks)
    assert order == ["soon", "as soon", "late", "hint"]
    assert queue.waiting_since_s() == []


async def test_there_are_no_more_inside_than_places() -> None:
    queue, inside, most = Queue(3), 0, 0

    async def visit() -> None:
        nonlocal inside, most
        async with queue.place(urgency(0)):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(visit() for _ in range(20)))
    assert most == 3


async def test_who_gives_up_waits_no_more_and_takes_no_place() -> None:
    queue, order = Queue(1), list[str]()
    await queue.enter(urgency(0))
    first, second = (asyncio.create_task(entered(queue, name, urgency(1), order)) for name in ("first", "second"))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    assert len(queue.waiting_since_s()) == 1
    queue.leave()
    await second
    assert order == ["second"]


async def test_a_place_that_comes_in_the_moment_of_giving_up_goes_to_the_next() -> None:
    queue, order = Queue(1), list[str]()
    await queue.enter(urgency(0))
    first, second = (asyncio.create_task(entered(queue, name, urgency(1), order)) for name in ("first", "second"))
    await asyncio.sleep(0)
    queue.leave()
    first.cancel()
    await asyncio.wait([first, second])
    assert first.cancelled()
    assert order == ["second"]
    await asyncio.wait_for(queue.enter(urgency(2)), 1)
