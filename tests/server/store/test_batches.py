import asyncio
from collections.abc import Sequence

import pytest

from server.store.base import Refused, Unknown
from server.store.batches import LARGEST, Batches


class Gate:
    """Work that notes each batch, and waits at the gate until it is opened."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.started = asyncio.Event()
        self.opened = asyncio.Event()

    async def __call__(self, batch: Sequence[int]) -> list[int | Exception]:
        self.batches.append(list(batch))
        self.started.set()
        await self.opened.wait()
        return [ValueError(job) if job < 0 else job * 10 for job in batch]


async def test_what_arrives_while_a_batch_is_on_its_way_shares_the_next() -> None:
    gate = Gate()
    batches = Batches[int, int](gate)
    first = asyncio.create_task(batches.submit(1))
    await gate.started.wait()
    others = [asyncio.create_task(batches.submit(job)) for job in (2, 3, 4)]
    await asyncio.sleep(0)
    gate.opened.set()
    assert [await first, *await asyncio.gather(*others)] == [10, 20, 30, 40]
    assert gate.batches == [[1], [2, 3, 4]]


async def test_a_job_alone_goes_at_once() -> None:
    gate = Gate()
    gate.opened.set()
    batches = Batches[int, int](gate)
    assert [await batches.submit(1), await batches.submit(2)] == [10, 20]
    assert gate.batches == [[1], [2]]


async def test_each_job_gets_its_own_outcome() -> None:
    gate = Gate()
    gate.opened.set()
    batches = Batches[int, int](gate)
    good, bad = await asyncio.gather(batches.submit(1), batches.submit(-1), return_exceptions=True)
    assert good == 10
    assert isinstance(bad, ValueError)


async def test_a_crowd_is_split_into_batches_of_a_bounded_size() -> None:
    gate = Gate()
    gate.opened.set()
    batches = Batches[int, int](gate)
    jobs = range(2 * LARGEST + 1)
    assert await asyncio.gather(*(batches.submit(job) for job in jobs)) == [job * 10 for job in jobs]
    assert [len(batch) for batch in gate.batches] == [LARGEST, LARGEST, 1]


async def test_a_caller_that_gives_up_harms_no_other() -> None:
    gate = Gate()
    batches = Batches[int, int](gate)
    impatient, patient = asyncio.create_task(batches.submit(1)), asyncio.create_task(batches.submit(2))
    await gate.started.wait()
    impatient.cancel()
    gate.opened.set()
    assert await patient == 20
    with pytest.raises(asyncio.CancelledError):
        await impatient


async def test_closing_finishes_what_is_on_its_way_and_refuses_the_rest() -> None:
    gate = Gate()
    batches = Batches[int, int](gate)
    on_its_way = asyncio.create_task(batches.submit(1))
    await gate.started.wait()
    waiting = asyncio.create_task(batches.submit(2))
    await asyncio.sleep(0)
    closing = asyncio.create_task(batches.close())
    with pytest.raises(Refused):
        await waiting
    gate.opened.set()
    await closing
    assert await on_its_way == 10
    with pytest.raises(Refused):
        await batches.submit(3)
    assert gate.batches == [[1]]


async def test_nobody_waits_for_ever_when_closing_is_broken_off() -> None:
    gate = Gate()
    batches = Batches[int, int](gate)
    on_its_way = asyncio.create_task(batches.submit(1))
    await gate.started.wait()
    closing = asyncio.create_task(batches.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(Unknown):
        await on_its_way


async def test_what_is_posted_is_done_in_its_turn_and_its_failure_is_nobodys() -> None:
    gate = Gate()
    gate.opened.set()
    batches = Batches[int, int](gate)
    batches.post(1)
    batches.post(-1)
    assert await batches.submit(2) == 20
    await batches.close()
    batches.post(3)
    assert gate.batches == [[1, -1, 2]]
