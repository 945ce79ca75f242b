"""A program that answers: one line on its standard input is a question, one line on its standard output the answer."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from types import TracebackType

from client_cli import words_program
from client_cli.failure import CommandFailed
from protocol.errors import ExitCode

LONGEST_ANSWER_BYTES = 4096
"""What is more in a line is passed over: no program can fill the memory."""

READ_AT_ONCE = 65_536

END_S = 2.0
"""How long a program that is no longer needed may take to end, or one that falls silent to say why."""


class Late(Exception):
    """No answer has come in time. What comes later is no answer to the next question."""


class Gone(Exception):
    """There will be no more answers. The text says what the program has done."""


class AskedProgram:
    """Use it as an async context manager; the program runs within, and what it writes to stderr goes to ours.

    `unasked`: how many lines it has written while nothing was asked. They are dropped.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self.unasked = 0
        self.gone: Gone | None = None
        self.when_gone: Callable[[], None] = lambda: None
        self._answer: asyncio.Future[str] | None = None  # of the question that stands, or was given up

    async def __aenter__(self) -> "AskedProgram":
        """Raises `CommandFailed` for a program that cannot be started."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us: the program ends when its input does
            )
        except (OSError, ValueError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or str(error)
            raise CommandFailed(ExitCode.USAGE, words_program.not_started(self._command[0], reason)) from None
        self._watch = asyncio.create_task(self._watch_it())
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Closes its input, and ends it with all that it has started if it does not end by itself."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(END_S):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            self._kill()
            await self._process.wait()
            await self._watch  # what the program has started is gone, too, and with it whoever could write
            with suppress(OSError):
                await self._process.stdin.wait_closed()

    async def answer(self, question: bytes, limit_s: float) -> str:
        """Ask, once it has answered what was asked before. Raises `Late` and `Gone`."""
        assert self._process.stdin is not None
        try:
            async with asyncio.timeout(limit_s):
                await self._answered()
                self._answer = asyncio.get_running_loop().create_future()
                self._process.stdin.write(question + b"\n")
                await self._process.stdin.drain()
                return await self._answered()
        except TimeoutError:
            raise Late from None
        except OSError:
            await asyncio.wait({self._watch}, timeout=END_S)  # it may have ended, which says more
            raise self._ended(words_program.closed()) from None

    async def _answered(self) -> str:
        """What has come for the question that stands; empty where none does."""
        if self.gone is not None:
            raise self.gone
        text = "" if self._answer is None else await asyncio.shield(self._answer)
        self._answer = None
        return text

    async def _watch_it(self) -> None:
        parts = {asyncio.create_task(self._read()), asyncio.create_task(self._process.wait())}
        await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(parts, timeout=END_S)  # a last answer may be on the way, or the code that says more
        code = self._process.returncode
        self._ended(words_program.closed() if code is None else words_program.ended(code))
        await asyncio.wait(parts)

    async def _read(self) -> None:
        async for line in self._lines():
            if self._answer is None or self._answer.done():
                self.unasked += 1
            else:
                self._answer.set_result(line)

    async def _lines(self) -> AsyncIterator[str]:
        assert self._process.stdout is not None
        rest = b""
        while chunk := await self._process.stdout.read(READ_AT_ONCE):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[:LONGEST_ANSWER_BYTES]
            for line in lines:
                yield line[:LONGEST_ANSWER_BYTES].decode(errors="replace").strip()
        if rest:
            yield rest.decode(errors="replace").strip()

    def _ended(self, reason: str) -> Gone:
        if self.gone is None:
            self.gone = Gone(reason)
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(self.gone)
                self._answer.exception()  # perhaps nobody waits for it any more
            self.when_gone()
        return self.gone

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
