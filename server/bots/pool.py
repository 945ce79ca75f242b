"""Bots in processes of their own, so that no thought of theirs holds up the event loop."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from msgspec.structs import replace

from protocol.notation import Action
from protocol.view import BotLevel, TableView
from server.bots.base import fallback, offered
from server.bots.budget import PATIENCE_PART, Pace, allowed_ms, overloaded
from server.bots.ladder import AT_A_GLANCE
from server.bots.process import START_LIMIT_MS, Failed, Worker
from server.bots.queue import Queue, Urgency
from server.bots.thinking import Ending, Sort, Thinking
from server.bots.worker import Answer, Question

HANG_MS = 1000
"""A thought that takes as long is none: its worker is ended. Who could not wait so long has done without it by then: a
worker that is only late, on a busy machine, would cost everybody more by its restart than by its thought.
"""

_FIRST = Urgency(informs=False, begin_by_s=float("-inf"), since_s=float("inf"))

_log = logging.getLogger(__name__)


TOLD_EVERY_S = 60
"""Where bots cannot keep up, each move would be a line in the log."""


class _NoWorker(Failed):
    """Nobody was free in time: no fault of this bot."""


class _TooLong(Failed):
    """The worker thinks on."""


class PoolClosed(RuntimeError):
    """The pool is closed. No action was made up."""


class BotPool:
    """At most `workers` processes, each started by `warm_up`, or when a choice first needs it, and kept until it fails
    or `close`.

    `command` runs `server.bots.worker.serve`; without one, this interpreter does, with the same import path.
    `hang_ms`: as `HANG_MS`.
    """

    def __init__(self, workers: int = 1, command: Sequence[str] = (), hang_ms: int = HANG_MS) -> None:
        start = (
            f"import sys; sys.path[:] = {sys.path!r}; from time import perf_counter; "
            "from server.bots.worker import serve; serve(clock_s=perf_counter)"
        )
        self._command = command or (sys.executable, "-c", start)
        self._workers = workers
        self._hang_ms = hang_ms
        self.thinking = Thinking()
        self._queue = Queue(workers)
        self._paces: dict[tuple[str, BotLevel], Pace] = {}
        self._alive: set[Worker] = set()
        self._idle: list[Worker] = []
        self._thoughts: set[asyncio.Task[None]] = set()
        self._tell_again_s = float("-inf")
        self._closed = False
        self._warm = asyncio.Event()
        self._warm.set()

    @property
    def waiting(self) -> int:
        """Moves that wait for a free worker now."""
        return len(self._queue.waiting_since_s())

    @property
    def pids(self) -> tuple[int, ...]:
        """Of the workers that there are now."""
        return tuple(worker.pid for worker in self._alive)

    async def choose(self, game: str, level: BotLevel, view: TableView, seed: int, timeout_ms: int) -> Action:
        """The bot's choice, as `answer` has it; `fallback(view)` where it gives no usable one in time."""
        answer = await self.answer(Question(game, level, seed, view), timeout_ms)
        return fallback(view) if answer is None else answer.action

    async def answer(self, question: Question, timeout_ms: int) -> Answer | None:
        """What the bot answers; None when it crashes, answers wrongly, or thinks longer than `timeout_ms` or `HANG_MS`.

        Waits for a free worker as long at most; only the start of a worker comes on top. Whoever has less time comes
        before others that have not waited long, and whoever wants reasons comes after all others. The more wait, the
        smaller is the budget of each; where that does not suffice an easier bot answers, until it does. Which bot and
        budget it was is in the answer: they would answer the same again.

        Raises `PoolClosed`, and `ValueError` where the view asks nothing.
        """
        offered(question.view)
        await self._warm.wait()
        loop = asyncio.get_running_loop()
        asked_s = loop.time()
        try:
            urgency = Urgency(question.explained, asked_s + timeout_ms * PATIENCE_PART / 1000, asked_s)
            await self._enter(urgency, timeout_ms)
            given: asyncio.Future[Answer] = loop.create_future()
            waited_ms = (loop.time() - asked_s) * 1000
            thought = loop.create_task(self._think(question, timeout_ms, waited_ms, given))
            self._thoughts.add(thought)
            thought.add_done_callback(self._thoughts.discard)
            answer = await given
        except Failed as failure:
            if self._closed:
                raise PoolClosed from None
            late = isinstance(failure, _NoWorker | _TooLong)
            self._count(question, "late" if late else "failed", loop.time() - asked_s)
            if not isinstance(failure, _NoWorker):
                _log.warning("The %s bot of %s %s", question.level, question.game, failure)
            elif loop.time() >= self._tell_again_s:
                _log.warning("The %s bot of %s %s, as others may have", question.level, question.game, failure)
                self._tell_again_s = loop.time() + TOLD_EVERY_S
            return None
        ending: Ending = "as_asked" if answer.level == question.level else "easier"
        self._count(question, ending, loop.time() - asked_s, answer)
        return answer

    def _count(self, question: Question, ending: Ending, took_s: float, answer: Answer | None = None) -> None:
        sort = Sort(question.game, question.level, ending)
        self.thinking.answered[sort].add(took_s)
        if answer is not None:
            self.thinking.thought[sort].add(answer.took_ms / 1000)

    async def warm_up(self) -> None:
        """Start the workers that `choose` would else start. What goes wrong with one is said when it is needed."""

        async def start() -> None:
            with suppress(Failed, PoolClosed):
                await self._enter(_FIRST, START_LIMIT_MS)
                try:
                    async with self._worker():
                        pass
                finally:
                    self._queue.leave()

        self._warm.clear()
        try:
            await asyncio.gather(*(start() for _ in range(self._workers)))
        finally:
            self._warm.set()

    async def close(self) -> None:
        """End all workers, also those in mid-thought, and wait until they are gone."""
        self._closed = True
        for worker in self._alive:
            worker.kill()
        async with AsyncExitStack() as all_places:
            for _ in range(self._workers):
                await all_places.enter_async_context(self._queue.place(_FIRST))
            for worker in self._idle:
                await worker.end()
            self._idle.clear()
            self._alive.clear()

    async def _enter(self, urgency: Urgency, limit_ms: int) -> None:
        """A place in the queue, to be left. Raises `Failed` and `PoolClosed`."""
        try:
            async with asyncio.timeout(limit_ms / 1000):
                await self._queue.enter(urgency)
        except TimeoutError:
            raise _NoWorker("found no free worker in time") from None
        if self._closed:
            self._queue.leave()
            raise PoolClosed

    async def _think(
        self, question: Question, timeout_ms: int, waited_ms: float, given: asyncio.Future[Answer]
    ) -> None:
        """Have a worker think, in a place of the queue, which is left at the end. `given` gets the answer, or `Failed`
        when it is late, while the worker thinks on.
        """

        def fail(failure: Failed) -> None:
            if not given.done():
                given.set_exception(failure)

        try:
            answer = await self._answered(question, timeout_ms, waited_ms, fail)
            if answer.failure:
                raise Failed(f"raised {answer.failure}")
            if answer.action not in offered(question.view):
                raise Failed("chose an action that was not offered")
            if not given.done():
                given.set_result(answer)
        except Failed as failure:
            fail(failure)
        finally:
            self._queue.leave()
            given.cancel()  # of no effect on what was given

    async def _answered(
        self, question: Question, timeout_ms: int, waited_ms: float, late: Callable[[Failed], None]
    ) -> Answer:
        """A worker's answer. `late` is called when `timeout_ms` are over. Raises `Failed`."""
        async with self._worker() as worker:
            loop = asyncio.get_running_loop()
            others_ms = [(loop.time() - since_s) * 1000 for since_s in self._queue.waiting_since_s()]
            if overloaded(others_ms) and question.level not in AT_A_GLANCE:
                question = replace(question, level=AT_A_GLANCE[-1])
            pace = self._paces.setdefault((question.game, question.level), Pace())
            most = pace.budget(allowed_ms(timeout_ms, waited_ms, others_ms, self._workers))
            question = replace(question, budget=min(question.budget, most))
            too_long = _TooLong(f"took too long for {question.budget} rollouts")
            timer = loop.call_later(timeout_ms / 1000, late, too_long)
            try:
                answer = await worker.answer(question, self._hang_ms)
            finally:
                timer.cancel()
            pace.learn(answer.budget, answer.took_ms)
            return answer

    @asynccontextmanager
    async def _worker(self) -> AsyncIterator[Worker]:
        """A worker that is ready. It is ended when anything goes wrong with it."""
        worker = self._rested() or await self._started()
        try:
            await worker.ready()
            yield worker
        except BaseException:
            self._alive.discard(worker)
            await worker.end()
            raise
        self._idle.append(worker)

    def _rested(self) -> Worker | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._alive.discard(worker)
        return None

    async def _started(self) -> Worker:
        worker = await Worker.started(self._command)
        self._alive.add(worker)
        if self._closed:  # meanwhile, and `close` could not see this process yet
            worker.kill()
        return worker
