"""Tickets, numbers and prompts: what brings a player back, and what is done only once."""

from contextlib import AsyncExitStack
from secrets import token_urlsafe

import pytest

from protocol.errors import CloseCode, ErrorCode
from protocol.messages import Act, Autopilot, Create, Done, Join, Leave, Refused, Seated, Table, Unseated
from server.games.base import Seat
from server.rooms.events import SeatTaken
from tests.e2e.clients import Client, act, client, most, open_room, start, turns
from tests.e2e.conftest import Servers
from tests.e2e.logs import read_log
from tests.e2e.processes import ServerProcess

pytestmark = pytest.mark.slow


class Room:
    """Two players of a deal that has begun, the host on the first server and the guest on the second."""

    def __init__(self, servers: Servers) -> None:
        self.servers = servers
        self.players: dict[Seat, Client] = {}
        self._links = AsyncExitStack()

    async def __aenter__(self) -> "Room":
        self.players = {0: await self.come(self.servers.first, "Ann"), 1: await self.come(self.servers.second, "Bo")}
        self.code = await open_room(*self.players.values())
        await start(self.players[0])
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._links.aclose()

    async def come(self, server: ServerProcess, name: str = "Ann", ticket: str | None = None) -> Client:
        return await self._links.enter_async_context(client(server.url, name, ticket=ticket))

    async def come_back(self, server: ServerProcess, seat: Seat) -> None:
        """The player of this seat, from now on over a new connection."""
        before = self.players[seat].seated
        self.players[seat] = await self.come(server, ticket=before.ticket)
        assert await self.players[seat].until(Seated) == before
        await self.players[seat].until(Table)

    async def asked(self) -> Client:
        """Whoever is asked next, when both have seen it."""
        return await anext(turns(self.players))

    async def play_on(self) -> None:
        """To the end of the deal, whose record must be good."""
        async for player in turns(self.players):
            await act(player, most)
        (await read_log(self.servers.store, self.code)).verify()


async def test_the_newest_connection_with_a_ticket_has_the_seat(servers: Servers) -> None:
    async with Room(servers) as room:
        for server in (servers.first, servers.second, servers.first):
            older = room.players[0]
            await room.come_back(server, 0)
            assert await older.close_code() == CloseCode.REPLACED
            await act(await room.asked(), most)
        await room.play_on()


@pytest.mark.parametrize("secret", [".AAAAAAAAAAAAAAAAAAAAAA", ".", "", "\u0000"])
async def test_a_wrong_ticket_opens_nothing_and_changes_nothing(servers: Servers, secret: str) -> None:
    async with Room(servers) as room:
        await room.asked()
        before = await read_log(servers.store, room.code)
        for server in (servers.first, servers.second):
            stranger = await room.come(server, ticket=f"{room.code}{secret}")
            refused = await stranger.until(Refused)
            assert refused.code == ErrorCode.BAD_TICKET
            assert await stranger.close_code() == CloseCode.BAD_TICKET
        assert await read_log(servers.store, room.code) == before
        await room.play_on()


async def test_a_ticket_of_a_seat_that_was_left_is_void(servers: Servers) -> None:
    async with Room(servers) as room:
        guest = room.players.pop(1)
        await guest.send(Leave(guest.next_n))
        await guest.until(Unseated)
        await guest.until(Done)
        for server in (servers.first, servers.second):
            stranger = await room.come(server, ticket=guest.seated.ticket)
            assert (await stranger.until(Refused)).code == ErrorCode.BAD_TICKET
            assert await stranger.close_code() == CloseCode.BAD_TICKET
        await room.play_on()


async def test_a_repeated_command_is_done_once_on_whatever_connection_it_comes(servers: Servers) -> None:
    async with Room(servers) as room:
        player = await room.asked()
        seat, n, prompt = player.seated.seat, player.next_n, player.prompt
        command = Act(n, prompt.id, await act(player, most))
        await player.do(command)
        await room.come_back(servers.second, seat)
        await room.players[seat].do(command)
        assert await room.players[seat].refused(Autopilot(n, on=True)) == ErrorCode.NUMBER_USED
        await room.play_on()
        log = await read_log(servers.store, room.code)
        assert log.actions(seat)[0] == command.action
        assert [c.numbered.n for c in log.commits if c.numbered and c.numbered.seat == seat].count(n) == 1


async def test_an_answer_to_an_old_question_is_stale(servers: Servers) -> None:
    async with Room(servers) as room:
        player = await room.asked()
        seat, old = player.seated.seat, player.prompt
        await act(player, most)
        stale = Act(player.next_n, old.id, old.actions[0])
        assert await player.refused(stale) == ErrorCode.STALE_PROMPT
        await room.come_back(servers.first, seat)
        assert await room.players[seat].refused(stale) == ErrorCode.STALE_PROMPT
        await room.play_on()


async def test_a_request_whose_connection_died_is_made_again_elsewhere_and_seats_one(servers: Servers) -> None:
    ann, bo = token_urlsafe(16), token_urlsafe(16)
    async with AsyncExitStack() as stack:

        async def asked(server: ServerProcess, name: str, request: Create | Join) -> Client:
            """Sent once on a connection that breaks at once, and again on one to this server."""
            async with client(servers.first.url, name) as dying:
                await dying.send(request)
                dying.connection.transport.abort()
            again = await stack.enter_async_context(client(server.url, name))
            await again.send(request)
            await again.until(Table)
            return again

        host = await asked(servers.second, "Ann", Create("chuo-pai", secret=ann))
        code = host.seated.code
        guest = await asked(servers.second, "Bo", Join(code, bo))
        assert (host.seated.ticket, guest.seated.ticket) == (f"{code}.{ann}", f"{code}.{bo}")
        await host.seen(lambda view: [seat.name for seat in view.seats] == ["Ann", "Bo", ""])
        await start(host)
        log = await read_log(servers.store, code)
        assert [event.name for commit in log.commits for event in commit.events if isinstance(event, SeatTaken)] == [
            "Ann",
            "Bo",
        ]
        for server in (servers.first, servers.second):
            assert ann not in server.log
            assert bo not in server.log
