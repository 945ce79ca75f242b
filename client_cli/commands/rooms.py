"""`paizhuo rooms`: the open rooms that a server shows to all."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing, suppress
from typing import Annotated, TypeVar

import msgspec
from cyclopts import Parameter

from client_cli import words, words_lan
from client_cli.address import server_url
from client_cli.commands.host import routable_address
from client_cli.commands.seating import player_name, run
from client_cli.connection import Connection, Opened
from client_cli.console import Console, standard_console, write_json
from client_cli.failure import CommandFailed
from client_cli.lan import NoLan, servers_nearby
from client_cli.settings_file import read_settings
from client_cli.words_refusals import refusal
from protocol.errors import ExitCode
from protocol.messages import Hello, ListRooms, Refused, Rooms, RoomSummary, Welcome

Answer = TypeVar("Answer", Welcome, Rooms)

ANSWER_S = 3.0
"""How long each of many servers may take."""


class FoundRoom(msgspec.Struct, frozen=True):
    """A room that may be joined, as programs get it. `server`: the WebSocket URL."""

    code: str
    game: str
    host: str
    free: int
    deals: int
    pace: str
    server: str


def rooms(
    server: str | None = None,
    /,
    *,
    lan: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> ExitCode:
    """List the rooms of a server that anybody may join.

    Parameters
    ----------
    server
        HOST, HOST:PORT, or the server's address. Without it: the server of your settings.
    lan
        The rooms of all servers that are announced in your local network.
    json
        One JSON array with an object for each room: code, game, host, free, deals, pace, server.
    """
    settings = read_settings().settings
    name = player_name(settings.name)
    if lan and server is not None:
        raise CommandFailed(ExitCode.USAGE, words_lan.one_or_all())
    if lan:
        return run(_rooms_nearby(standard_console(), name, as_json=json))
    server = server or settings.server
    if not server:
        raise CommandFailed(ExitCode.USAGE, words.which_server())
    return run(_rooms(standard_console(), server_url(server), name, as_json=json))


async def _rooms(console: Console, url: str, name: str, *, as_json: bool) -> ExitCode:
    found = await ask_for_rooms(Connection(url), name)
    _show(console, [(url, room) for room in found], as_json=as_json)
    if not found and not as_json:
        console.note(words.no_rooms())
    return ExitCode.OK


async def _rooms_nearby(console: Console, name: str, *, as_json: bool) -> ExitCode:
    servers, found = await rooms_nearby(name)
    _show(console, found, as_json=as_json)
    if not found:
        console.note(words_lan.no_rooms_nearby(servers))
    return ExitCode.OK


def _show(console: Console, found: Sequence[tuple[str, RoomSummary]], *, as_json: bool) -> None:
    if as_json:
        each = [FoundRoom(**msgspec.structs.asdict(room), server=url) for url, room in found]
        write_json(each, sys.stdout)
    else:
        for url, room in found:
            console.show(words.room_summary(room, url))


async def rooms_nearby(name: str) -> tuple[int, list[tuple[str, RoomSummary]]]:
    """How many servers are announced in the local network, and the rooms of all, each with its server.

    Raises `CommandFailed`.
    """
    try:
        urls = await servers_nearby(routable_address())
    except NoLan as missing:
        raise CommandFailed(ExitCode.FAILURE, str(missing)) from None
    return len(urls), await rooms_of(urls, name)


async def rooms_of(urls: Sequence[str], name: str) -> list[tuple[str, RoomSummary]]:
    """The rooms of several servers at once, each with its server; one that does not answer soon has none."""

    async def asked(url: str) -> tuple[RoomSummary, ...]:
        with suppress(CommandFailed, TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                return await ask_for_rooms(Connection(url), name)
        return ()

    answers = await asyncio.gather(*map(asked, urls))
    return [(url, room) for url, found in zip(urls, answers, strict=True) for room in found]


async def ask_for_rooms(connection: Connection, name: str) -> tuple[RoomSummary, ...]:
    """Raises `CommandFailed`."""
    return (await _answer(connection, name, Rooms)).rooms


async def ask_for_welcome(connection: Connection, name: str) -> Welcome:
    """What a server says of itself. Raises `CommandFailed`."""
    return await _answer(connection, name, Welcome)


async def _answer(connection: Connection, name: str, wanted: type[Answer]) -> Answer:
    """To a hello, or to what is asked for after it."""
    async with aclosing(connection.events()) as events:
        async for event in events:
            match event:
                case Opened():
                    await connection.send(Hello(name))
                case _ if isinstance(event, wanted):
                    return event
                case Welcome():
                    await connection.send(ListRooms())
                case Refused(code=code, text=text):
                    raise CommandFailed(ExitCode.REFUSED, refusal(code, text))
                case _:
                    pass
    raise AssertionError("a connection's events never end by themselves")
