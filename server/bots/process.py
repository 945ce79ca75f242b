"""One worker process, as the server sees it: a question goes in, an answer comes back.

Not `multiprocessing`: its spawned children import the server's main module first, and its ready-made pools cannot kill
a worker that hangs.
"""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from server.bots.worker import LENGTH_BYTES, Answer, Question, framed

START_LIMIT_MS = 10_000
MAX_ANSWER_BYTES = 4096

_decode = msgspec.msgpack.Decoder(Answer).decode


class Failed(Exception):
    """A bot gave no usable answer. The text says how, and shows no card."""


class Worker:
    """It answers one question at a time. Once it has failed it is out of step, and to be ended."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._ready = False
        self.pid = process.pid

    @classmethod
    async def started(cls, command: Sequence[str]) -> "Worker":
        """Raises `Failed` where there is no such command."""
        try:
            # A session of its own: a Ctrl-C in the server's terminal must not reach it.
            return cls(await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, start_new_session=True))
        except OSError as error:
            raise Failed(f"has no process ({error.strerror})") from None

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ready(self) -> None:
        """Wait for its first sign, once. Raises `Failed`."""
        if not self._ready:
            await self._next(START_LIMIT_MS)
            self._ready = True

    async def answer(self, question: Question, limit_ms: int) -> Answer:
        """What it answers. Raises `Failed`."""
        self._stdin.write(framed(question))
        return await self._next(limit_ms)

    async def _next(self, limit_ms: int) -> Answer:
        try:
            async with asyncio.timeout(limit_ms / 1000):
                length = int.from_bytes(await self._stdout.readexactly(LENGTH_BYTES), "big")
                if length > MAX_ANSWER_BYTES:
                    raise Failed("gave an answer that is too long")
                return _decode(await self._stdout.readexactly(length))
        except TimeoutError:
            raise Failed("took too long") from None
        except EOFError:
            raise Failed("crashed") from None
        except msgspec.MsgspecError:
            raise Failed("gave an answer that cannot be read") from None

    def kill(self) -> None:
        # Not `Process.kill`: in Python 3.11 it may reap the process itself, and asyncio then misses how it ended.
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def end(self) -> None:
        self.kill()
        self._stdin.close()
        await self._process.wait()
