"""`paizhuo rooms`: the open rooms that a server shows to all."""

from contextlib import aclosing
from typing import Annotated

import msgspec
from cyclopts import Parameter

from client_cli import words
from client_cli.address import server_url
from client_cli.commands.seating import player_name, run
from client_cli.connection import Connection, Opened
from client_cli.console import Console, standard_console
from client_cli.failure import CommandFailed
from client_cli.settings_file import read_settings
from client_cli.words_refusals import refusal
from protocol.errors import ExitCode
from protocol.messages import Hello, ListRooms, Refused, Rooms, RoomSummary, Welcome


def rooms(server: str | None = None, /, *, json: Annotated[bool, Parameter(negative="")] = False) -> ExitCode:
    """List the rooms of a server that anybody may join.

    Parameters
    ----------
    server
        HOST, HOST:PORT, or the server's address. Without it: the server of your settings.
    json
        One JSON array with an object for each room: code, game, host, free, deals, pace.
    """
    settings = read_settings().settings
    server = server or settings.server
    if not server:
        raise CommandFailed(ExitCode.USAGE, words.which_server())
    return run(_rooms(standard_console(), server_url(server), player_name(settings.name), as_json=json))


async def _rooms(console: Console, url: str, name: str, *, as_json: bool) -> ExitCode:
    found = await ask_for_rooms(Connection(url), name)
    if as_json:
        console.show(msgspec.json.encode(found).decode())
        return ExitCode.OK
    for room in found:
        console.show(words.room_summary(room, url))
    if not found:
        console.note(words.no_rooms())
    return ExitCode.OK


async def ask_for_rooms(connection: Connection, name: str) -> tuple[RoomSummary, ...]:
    """Raises `CommandFailed`."""
    async with aclosing(connection.events()) as events:
        async for event in events:
            match event:
                case Opened():
                    await connection.send(Hello(name))
                case Welcome():
                    await connection.send(ListRooms())
                case Rooms(rooms=found):
                    return found
                case Refused(code=code, text=text):
                    raise CommandFailed(ExitCode.REFUSED, refusal(code, text))
                case _:
                    pass
    raise AssertionError("a connection's events never end by themselves")
