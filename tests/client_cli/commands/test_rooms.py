"""`paizhuo rooms`: what several servers show, and what is found in the local network."""

import io
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import msgspec
import pytest

from client_cli import words, words_lan
from client_cli.commands import rooms
from client_cli.commands.host import _announce
from client_cli.commands.rooms import rooms_of
from client_cli.console import Console
from client_cli.lan import announced
from protocol.errors import ExitCode
from protocol.messages import Hello, ListRooms, Rooms, RoomSummary, Welcome
from tests.client_cli.scripted_server import Peer, Script, scripted
from tests.client_cli.tables import CODE

WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))
OF_BUDI = RoomSummary(CODE, "chuo-pai", "Budi", 2, 1, "none")


def showing(*found: RoomSummary) -> Script:
    async def script(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna")
        await peer.says(WELCOME)
        assert await peer.hears() == ListRooms()
        await peer.says(Rooms(found))
        await peer.waits()

    return script


async def test_the_rooms_of_all_servers_are_found_whichever_are_gone() -> None:
    async with scripted(showing(OF_BUDI)) as one, scripted(showing()) as other:
        assert await rooms_of([other, "ws://127.0.0.1:1/ws", one], "Anna") == [(one, OF_BUDI)]


@pytest.mark.slow
async def test_rooms_in_the_local_network_are_listed_for_people_and_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rooms, "routable_address", lambda: "127.0.0.1")
    out, notes = io.StringIO(), io.StringIO()
    console = Console(None, out, notes)
    async with scripted(showing(OF_BUDI), showing(OF_BUDI)) as url:
        port = urlsplit(url).port
        assert port is not None
        async with announced("127.0.0.1", port):
            assert await rooms._rooms_nearby(console, "Anna", as_json=False) == ExitCode.OK
            assert await rooms._rooms_nearby(console, "Anna", as_json=True) == ExitCode.OK
    assert out.getvalue() == f"{words.room_summary(OF_BUDI, url)}\n"
    assert msgspec.json.decode(capsys.readouterr().out) == [msgspec.to_builtins(OF_BUDI) | {"server": url}]
    assert notes.getvalue() == ""
    assert await rooms._rooms_nearby(console, "Anna", as_json=False) == ExitCode.OK
    assert notes.getvalue() == f"{words_lan.no_rooms_nearby(0)}\n"


async def test_a_network_that_cannot_be_used_keeps_nobody_from_hosting() -> None:
    notes = io.StringIO()
    async with AsyncExitStack() as stack:
        await _announce(stack, Console(None, io.StringIO(), notes), "192.0.2.1", 8470)
    assert notes.getvalue().startswith("Your room is open, but not announced: the local network cannot be searched")
