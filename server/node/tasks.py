"""Work of a node that nobody waits for: standing tasks, and such as end by themselves."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Self

from server.clock import Clock
from server.faults import kind_and_place

logger = logging.getLogger(__name__)

Work = Coroutine[None, None, None]

AGAIN_MS = 1_000
"""The pause before standing work that failed is begun again."""


class Tasks:
    """Use it as an async context manager. At the end what stands is cancelled, and what else was begun is finished."""

    def __init__(self, node: str, clock: Clock) -> None:
        self._node = node
        self._clock = clock
        self._group = asyncio.TaskGroup()
        self._standing: set[asyncio.Task[None]] = set()
        self._ending = False

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending = True
        for task in self._standing:
            task.cancel()
        await self._group.__aexit__(None, None, None)  # what passes through is no fault of a task: it stays itself

    def stand(self, begin: Callable[[], Work]) -> asyncio.Task[None]:
        """Work that need not have an end. A fault in it is logged, and it is begun again after a pause."""
        task = self._group.create_task(self._standing_by(begin))
        self._standing.add(task)
        task.add_done_callback(self._standing.discard)
        if self._ending:
            task.cancel()
        return task

    def spawn(self, work: Work) -> None:
        """Work that ends. A fault in it is logged and ends nothing else."""

        self._group.create_task(self._guarded(work))

    async def _standing_by(self, begin: Callable[[], Work]) -> None:
        while not await self._guarded(begin()):
            await self._clock.sleep_ms(AGAIN_MS)

    async def _guarded(self, work: Work) -> bool:
        """Did it come to its end?"""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - an edge: the others go on
            logger.error("in a task of node %s: %s", self._node, kind_and_place(error))
            return False
        return True
