"""A server of our own: a child process that lives as long as this program needs it, and no longer."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from client_cli import words_link
from client_cli.failure import CommandFailed, first_failure
from client_cli.language import tr
from protocol.errors import ExitCode

START_S = 30
STOP_S = 10
LAST_WORDS_BYTES = 8192
READY = "listening on "
"""What the server prints, before its URL, once it takes connections."""


@asynccontextmanager
async def private_server(*flags: str) -> AsyncIterator[str]:
    """Run `paizhuo-server serve` with these flags; gives its WebSocket URL. It stops when the block ends.

    Raises `CommandFailed`, also in the middle of the block, when the server does not start or dies.
    """
    # Its own session: Ctrl-C is for us, who stop it in order. Its stdin: if we are killed, it reads the end and stops.
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "server", "serve", *flags, "--stop-with-stdin"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
        env=os.environ | {"COLUMNS": "10000"},  # what it complains of comes in one row, the last
    )
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    try:
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(_watch(process, ready))
            yield await _in_time(ready)
            watch.cancel()
    except BaseExceptionGroup as failures:
        raise first_failure(failures) from None
    finally:
        await _stop(process)


async def _in_time(ready: asyncio.Future[str]) -> str:
    try:
        async with asyncio.timeout(START_S):
            return await ready
    except TimeoutError:
        raise CommandFailed(
            ExitCode.FAILURE, tr("the server did not start within {seconds} s", seconds=START_S)
        ) from None


async def _watch(process: Process, ready: asyncio.Future[str]) -> None:
    """Read what the child says for as long as it lives. Raises `CommandFailed` at its end: it should outlive us."""
    assert process.stdout is not None
    assert process.stderr is not None
    last_words = asyncio.create_task(_last_words(process.stderr))
    try:
        while line := (await process.stdout.readline()).decode(errors="replace"):
            if line.startswith(READY) and not ready.done():
                ready.set_result(line.removeprefix(READY).strip())
        said, status = await last_words, await process.wait()
    finally:
        last_words.cancel()
    if "ModuleNotFoundError" in said or "No module named" in said:
        raise CommandFailed(ExitCode.FAILURE, words_link.server_missing())
    code = ExitCode.STORE_UNAVAILABLE if status == ExitCode.STORE_UNAVAILABLE else ExitCode.FAILURE
    sentence = said.rpartition("\n")[2].strip().removeprefix("paizhuo-server: ")
    raise CommandFailed(code, sentence or tr("the server stopped (status {status})", status=status))


async def _last_words(stream: asyncio.StreamReader) -> str:
    """Reads to the end, so that the child never waits for a reader; keeps the last of it."""
    said = b""
    while chunk := await stream.read(LAST_WORDS_BYTES):
        said = (said + chunk)[-LAST_WORDS_BYTES:]
    return said.decode(errors="replace").strip()


async def _stop(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    for insist in (process.terminate, process.kill):
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
                return
        except TimeoutError:
            insist()
    await process.wait()
