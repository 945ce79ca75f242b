"""Servers that answer as a test says."""

import asyncio
from collections.abc import Callable
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


class ScriptedPort(Scripted):
    """The same on a free port of the loopback."""

    def __init__(self, answer: Callable[[int, list[bytes]], bytes]) -> None:
        super().__init__(Path(), answer)

    async def __aenter__(self) -> "ScriptedPort":
        self._listening = await asyncio.start_server(self._serve, "127.0.0.1")
        self.port: int = self._listening.sockets[0].getsockname()[1]
        return self
