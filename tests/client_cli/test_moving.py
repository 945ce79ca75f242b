"""A person's game goes on at another real server when theirs is killed, and when it is stopped for a deploy."""

import asyncio
import subprocess
from contextlib import aclosing
from pathlib import Path

import pytest

from client_cli.connection import Connection, Opened
from protocol.errors import ExitCode
from protocol.messages import Hello, Welcome
from tests.client_cli.player import Player
from tests.e2e.processes import ServerProcess
from tests.ports import free_ports
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

QUESTION = "Round "
"""Its choices may have any numbers: of a long list the longest are shown."""


def serve(store: Valkey, home: Path, port: int) -> ServerProcess:
    return ServerProcess(store.url, home, ("--beat-ms", "0", "--advertise", f"ws://127.0.0.1:{port}/ws"), port)


async def told_of(server: ServerProcess, other: ServerProcess) -> None:
    """Returns when players of the one server are told of the other."""
    told: tuple[str, ...] = ()
    while other.url not in told:
        connection = Connection(server.url)
        async with aclosing(connection.events()) as events:
            async for event in events:
                if isinstance(event, Opened):
                    await connection.send(Hello("Budi"))
                elif isinstance(event, Welcome):
                    told = event.servers
                    break


def reads(program: subprocess.Popen[str], wanted: str, *, aside: bool = False) -> None:
    """Up to the line with `wanted`, of the transcript or of what is said beside it."""
    stream = program.stderr if aside else program.stdout
    assert stream is not None
    assert any(wanted in line for line in stream), f"'{wanted}' never came"


def types(program: subprocess.Popen[str], line: str) -> None:
    assert program.stdin is not None
    program.stdin.write(f"{line}\n")


def test_the_game_goes_on_where_servers_are_killed_and_stopped(valkey: Valkey, tmp_path: Path) -> None:
    player = Player(tmp_path)
    ports = free_ports(2)
    first, second = (serve(valkey, tmp_path, port) for port in ports)
    try:
        asyncio.run(told_of(first, second))
        with player.starts("host", "chuo-pai", "--server", first.url, "--name", "Anna") as anna:
            types(anna, "start easy")
            reads(anna, QUESTION)
            first.kill()
            reads(anna, f"The connection to {first.address} is lost. ", aside=True)
            reads(anna, f"Connected again, at {second.address}.")
            reads(anna, QUESTION)
            first = serve(valkey, tmp_path, ports[0])
            asyncio.run(told_of(second, first))
            second.stop()
            reads(anna, f"{second.address} stops or restarts. Going on at {first.address}.", aside=True)
            reads(anna, f"Connected again, at {first.address}.")
            reads(anna, QUESTION)
            types(anna, "#1")
            reads(anna, "You ")
            types(anna, "quit")
            assert anna.wait() == ExitCode.OK
    finally:
        first.kill()
        second.kill()
