"""Work of a node that nobody waits for: standing tasks, and such as end by themselves."""

import asyncio
import logging
from collections.abc import Coroutine
from types import TracebackType
from typing import Self

from server.faults import kind_and_place

logger = logging.getLogger(__name__)

Work = Coroutine[None, None, None]


class Tasks:
    """Use it as an async context manager. At the end what stands is cancelled, and what else was begun is finished."""

    def __init__(self, node: str) -> None:
        self._node = node
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

    def stand(self, work: Work) -> asyncio.Task[None]:
        """Work without an end of its own; it sees to its faults by itself."""
        task = self._group.create_task(work)
        self._standing.add(task)
        task.add_done_callback(self._standing.discard)
        if self._ending:
            task.cancel()
        return task

    def spawn(self, work: Work) -> None:
        """Work that ends. A fault in it is logged and ends nothing else."""

        async def guarded() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001 - an edge: the others go on
                logger.error("in a task of node %s: %s", self._node, kind_and_place(error))

        self._group.create_task(guarded())
