"""Group commit: one batch is on its way, and what arrives meanwhile makes up the next. Knows no store."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from server.faults import kind_and_place
from server.store.base import Refused, Unknown

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

LARGEST = 512
"""Jobs in a batch: enough to share one fsync widely, few enough that a batch of long reads holds nobody up for long."""

_log = logging.getLogger(__name__)


class Batches(Generic[Job, Outcome]):
    """Collects jobs while `work` is busy. `work` returns one outcome or exception for each job, in order.

    There is no timer: a job that finds nothing on its way starts at the next turn of the loop.
    """

    def __init__(self, work: Callable[[Sequence[Job]], Awaitable[Sequence[Outcome | Exception]]]) -> None:
        self._work = work
        self._waiting: list[tuple[Job, asyncio.Future[Outcome]]] = []
        self._working: asyncio.Task[None] | None = None
        self._closed = False

    async def submit(self, job: Job) -> Outcome:
        """The outcome of `job`. A caller that is cancelled leaves its job where it is: it may still be done."""
        return await self._put(job)

    def post(self, job: Job) -> None:
        """Have `job` done in its turn; its outcome is nobody's concern."""
        with suppress(Refused):
            self._put(job).add_done_callback(lambda future: future.cancelled() or future.exception())

    def _put(self, job: Job) -> asyncio.Future[Outcome]:
        if self._closed:
            raise Refused("the store is closed")
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, future))
        if self._working is None:
            self._working = asyncio.create_task(self._run())
        return future

    async def close(self) -> None:
        """Refuse what has not started, and wait for what has."""
        self._closed = True
        for _, future in self._waiting:
            if not future.done():
                future.set_exception(Refused("the store is closed"))
        self._waiting.clear()
        if self._working is not None:
            await self._working

    async def _run(self) -> None:
        batch: list[tuple[Job, asyncio.Future[Outcome]]] = []
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:LARGEST], self._waiting[LARGEST:]
                outcomes = await self._work([job for job, _ in batch])
                for (_, future), outcome in zip(batch, outcomes, strict=True):
                    if future.done():  # its caller was cancelled
                        continue
                    if isinstance(outcome, Exception):
                        future.set_exception(outcome)
                    else:
                        future.set_result(outcome)
        except Exception as fault:  # noqa: BLE001 -- its text may be what was to be written
            _log.error("the store broke off: %s", kind_and_place(fault))
        finally:
            self._working = None
            for _, future in [*batch, *self._waiting]:  # none are left unless this task was cancelled or `work` broke
                if not future.done():
                    future.set_exception(Unknown("the store broke off"))
            self._waiting.clear()
