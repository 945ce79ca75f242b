"""Servers and wires that misbehave on order, on Unix sockets."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import hiredis


class Scripted:
    """A server that answers each command as `answer` says, in raw RESP, given the number of the connection."""

    def __init__(self, path: Path, answer: Callable[[int, list[bytes]], bytes]) -> None:
        self.url = f"unix://{path}"
        self._path = path
        self._answer = answer
        self._connections = 0

    async def __aenter__(self) -> "Scripted":
        self._listening = await asyncio.start_unix_server(self._serve, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        number, commands = self._connections, hiredis.Reader()
        while some := await reader.read(65536):
            commands.feed(some)
            while (command := commands.gets()) is not False:
                writer.write(self._answer(number, command))
        writer.close()
        await writer.wait_closed()


class Wire:
    """Passes bytes between clients and a real server, until it is told to lose them."""

    def __init__(self, path: Path, server: Path) -> None:
        self.url = f"unix://{path}"
        self._path = path
        self._server = server
        self._cut_at_next_reply = False
        self._silent: set[asyncio.Task[None]] = set()
        self._passing: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Wire":
        self._listening = await asyncio.start_unix_server(self._serve, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    def cut_at_next_reply(self) -> None:
        """Let the next command through; when the server answers, close the connection instead of passing it on."""
        self._cut_at_next_reply = True

    def fall_silent(self) -> None:
        """Pass nothing more on the connections that there are, without closing them: half-open."""
        self._silent |= self._passing

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_unix_connection(self._server)
        there = asyncio.create_task(self._pass(reader, server_writer, replies=False))
        back = asyncio.create_task(self._pass(server_reader, writer, replies=True))
        self._passing |= {there, back}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, replies: bool) -> None:
        with suppress(OSError):
            try:
                while some := await reader.read(65536):
                    if asyncio.current_task() in self._silent:
                        continue
                    if replies and self._cut_at_next_reply:
                        self._cut_at_next_reply = False
                        return
                    writer.write(some)
                    await writer.drain()
            finally:
                writer.close()
                await writer.wait_closed()
