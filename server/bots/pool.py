"""Bots in processes of their own, so that no thought of theirs holds up the event loop.

Views go out as msgpack, actions come back. Not `multiprocessing`: its spawned children import the server's main module
first, and its ready-made pools cannot kill a worker that hangs.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import msgspec
from msgspec.structs import replace

from protocol.notation import Action
from protocol.view import BotLevel, TableView
from server.bots.base import fallback, offered
from server.bots.budget import Pace, allowed_ms
from server.bots.queue import Queue, Urgency
from server.bots.worker import LENGTH_BYTES, Answer, Question, framed

START_LIMIT_MS = 10_000
MAX_ANSWER_BYTES = 4096

HANG_MS = 1000
"""A thought that takes as long is none: its worker is ended. Somebody who could not wait so long has done without; but
a worker that is only late, on a busy machine, would cost more by its restart than by its thought.
"""

_log = logging.getLogger(__name__)
_decode = msgspec.msgpack.Decoder(Answer).decode


class PoolClosed(RuntimeError):
    """The pool is closed. No action was made up."""


_FIRST = Urgency(informs=False, deadline_s=float("-inf"), since_s=float("inf"))


class _Failed(Exception):
    """A bot gave no usable answer. The text says how, and shows no card."""


class _Worker:
    """One process. It answers one question at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._ready = False
        self.pid = process.pid

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ready(self) -> None:
        """Wait for its first sign, once. Raises `_Failed`."""
        if not self._ready:
            await self.answer(b"", START_LIMIT_MS)
            self._ready = True

    async def answer(self, question: bytes, limit_ms: int) -> Answer:
        """What it answers to a framed `Question`. Raises `_Failed`; then it is out of step and must be ended."""
        try:
            async with asyncio.timeout(limit_ms / 1000):
                self._stdin.write(question)
                length = int.from_bytes(await self._stdout.readexactly(LENGTH_BYTES), "big")
                if length > MAX_ANSWER_BYTES:
                    raise _Failed("gave an answer that is too long")
                return _decode(await self._stdout.readexactly(length))
        except TimeoutError:
            raise _Failed("took too long") from None
        except EOFError:
            raise _Failed("crashed") from None
        except msgspec.MsgspecError:
            raise _Failed("gave an answer that cannot be read") from None

    def kill(self) -> None:
        # Not `Process.kill`: in Python 3.11 it may reap the process itself, and asyncio then misses how it ended.
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def end(self) -> None:
        self.kill()
        self._stdin.close()
        await self._process.wait()


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
        self._queue = Queue(workers)
        self._paces: dict[tuple[str, BotLevel], Pace] = {}
        self._idle: list[_Worker] = []
        self._alive: set[_Worker] = set()
        self._thoughts: set[asyncio.Task[None]] = set()
        self._closed = False
        self._warm = asyncio.Event()
        self._warm.set()

    @property
    def pids(self) -> tuple[int, ...]:
        """Of the workers that there are now."""
        return tuple(worker.pid for worker in self._alive)

    async def choose(self, game: str, level: BotLevel, view: TableView, seed: int, timeout_ms: int) -> Action:
        """The bot's choice, as `answer` has it; `fallback(view)` where it gives no usable one in time."""
        answer = await self.answer(Question(game, level, seed, view), timeout_ms)
        return fallback(view) if answer is None else answer.action

    async def answer(self, question: Question, timeout_ms: int) -> Answer | None:
        """What the bot answers; None when it crashes, answers wrongly, or thinks longer than `timeout_ms`.

        Waits for a free worker as long at most; only the start of a worker comes on top. Whoever has the least time
        left is next, and whoever wants reasons comes after all others. The more wait, the smaller is the budget of
        each; which one it was is in the answer.

        Raises `PoolClosed`, and `ValueError` where the view asks nothing.
        """
        offered(question.view)
        await self._warm.wait()
        loop = asyncio.get_running_loop()
        asked_s = loop.time()
        try:
            urgency = Urgency(question.explained, asked_s + timeout_ms / 1000, asked_s)
            await self._enter(urgency, timeout_ms)
            given: asyncio.Future[Answer] = loop.create_future()
            waited_ms = (loop.time() - asked_s) * 1000
            thought = loop.create_task(self._think(question, timeout_ms, waited_ms, given))
            self._thoughts.add(thought)
            thought.add_done_callback(self._thoughts.discard)
            return await given
        except _Failed as failure:
            if self._closed:
                raise PoolClosed from None
            _log.warning("The %s bot of %s %s", question.level, question.game, failure)
            return None

    async def warm_up(self) -> None:
        """Start the workers that `choose` would else start. What goes wrong with one is said when it is needed."""

        async def start() -> None:
            with suppress(_Failed, PoolClosed):
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
        """A place in the queue, to be left. Raises `_Failed` and `PoolClosed`."""
        try:
            async with asyncio.timeout(limit_ms / 1000):
                await self._queue.enter(urgency)
        except TimeoutError:
            raise _Failed("found no free worker in time") from None
        if self._closed:
            self._queue.leave()
            raise PoolClosed

    async def _think(
        self, question: Question, timeout_ms: int, waited_ms: float, given: asyncio.Future[Answer]
    ) -> None:
        """Have a worker think, in a place of the queue, which is left at the end. `given` gets the answer, or `_Failed`
        when it is late; then the worker gets some time more, for a restart costs everybody more than a late thought.
        """

        def fail(failure: _Failed) -> None:
            if not given.done():
                given.set_exception(failure)

        pace = self._paces.setdefault((question.game, question.level), Pace())
        try:
            async with self._worker() as worker:
                loop = asyncio.get_running_loop()
                others_ms = [(loop.time() - since_s) * 1000 for since_s in self._queue.waiting_since_s()]
                most = pace.budget(allowed_ms(timeout_ms, waited_ms, others_ms, self._workers))
                question = replace(question, budget=min(question.budget, most))
                late = loop.call_later(
                    timeout_ms / 1000, fail, _Failed(f"took too long for {question.budget} rollouts")
                )
                try:
                    answer = await worker.answer(framed(question), max(timeout_ms, self._hang_ms))
                finally:
                    late.cancel()
            pace.learn(answer.budget, answer.took_ms)
            if answer.failure:
                raise _Failed(f"raised {answer.failure}")
            if answer.action not in offered(question.view):
                raise _Failed("chose an action that was not offered")
            if not given.done():
                given.set_result(answer)
        except _Failed as failure:
            fail(failure)
        finally:
            self._queue.leave()
            given.cancel()  # of no effect on what was given

    @asynccontextmanager
    async def _worker(self) -> AsyncIterator[_Worker]:
        """A worker that is ready. It is ended when anything goes wrong with it, or when its user gives up."""
        worker = self._rested() or await self._started()
        try:
            await worker.ready()
            yield worker
        except BaseException:
            self._alive.discard(worker)
            await worker.end()
            raise
        self._idle.append(worker)

    def _rested(self) -> _Worker | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._alive.discard(worker)
        return None

    async def _started(self) -> _Worker:
        try:
            # A session of its own: a Ctrl-C in the server's terminal must not reach it.
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise _Failed(f"has no process ({error.strerror})") from None
        worker = _Worker(process)
        self._alive.add(worker)
        if self._closed:  # meanwhile, and `close` could not see this process yet
            worker.kill()
        return worker
