"""A whole sitting, over a real socket, with a server that deals fairly, and with one that does not."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from client_cli.failure import CommandFailed
from client_cli.fairness import KeptRound
from client_cli.session import Session
from client_cli.tickets import SavedSeat
from protocol import fair
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import Autopilot, Contribute, Hello, Join, Refused, Seated, Start, Table, Welcome
from protocol.notation import Card
from server.rooms.commands import ByClient, DealCards
from server.rooms.rounds import seed_of
from server.rooms.state import rules
from tests.client_cli.scripted_server import Peer, Script, scripted
from tests.client_cli.sittings import Person
from tests.server.rooms.driven import CODE, DrivenRoom

BEA = 1
Deck = tuple[Card, ...]


def swapped(deck: Deck) -> Deck:
    """Bea gets the first card of somebody else that she would not have had twice."""
    at = next(at for at in range(28) if deck[at] != deck[30])
    cards = list(deck)
    cards[at], cards[30] = cards[30], cards[at]
    return tuple(cards)


def table_of(room: DrivenRoom) -> Table:
    return Table(room.view(BEA), room.happenings)


class Room(DrivenRoom):
    def start(self) -> None:
        """Ann adds nothing after all."""
        self.ask(0, Autopilot, on=True)
        self.ask(0, Start)


def server(dealer: Callable[[Deck], Deck], room: Room, kept: Callable[[], list[SavedSeat]]) -> Script:
    """A room in which two others sit, who add nothing: Ann on autopilot, and Cem, whose program cannot."""

    async def contributed(peer: Peer) -> tuple[KeptRound, ...]:
        """What the client sends is in its file before it is on its way."""
        message = await peer.hears()
        assert isinstance(message, Contribute)
        (seat,) = kept()
        assert room.do(ByClient(BEA, "Bea", message.contributions))
        return seat.rounds

    async def script(peer: Peer) -> None:
        assert isinstance(await peer.hears(), Hello)
        await peer.says(Welcome("0.1.0", "Bea", ("chuo-pai",), fair=True))
        assert await peer.hears() == Join(CODE, contributes=True)
        room.open(secrets=(b"1" * 32, b"2" * 32)).sit("Bea", contributes=True)
        await peer.says(Seated(CODE, BEA, f"{CODE}.ticket"), table_of(room))
        (drawn,) = await contributed(peer)
        pledged = fair.pledge(CODE, 1, 1, BEA, bytes.fromhex(drawn.commitment), bytes.fromhex(drawn.part))
        assert room.state.rounds[0].pledges[BEA] == pledged
        room.sit("Cem")
        room.start()
        await peer.says(table_of(room))
        await contributed(peer)
        key = seed_of(room.state)
        deck, first = fair.dealt(rules(room.state).pack, key)
        room.do(DealCards(dealer(deck), first, key, b"3" * 32))
        await peer.says(table_of(room))
        room.play_out(Random(1))
        await peer.says(table_of(room))
        await peer.waits()

    return script


async def played(tmp_path: Path, dealer: Callable[[Deck], Deck]) -> str:
    person = Person(tmp_path / "seats")
    try:
        async with scripted(server(dealer, Room(), person.seats)) as url:
            assert await person.sitting(url, Session("Bea", Join(CODE))).run() == ExitCode.OK
    finally:
        person.goes()
    assert person.seats() == []
    return person.transcript.getvalue()


async def test_a_fair_deal_is_said_to_be_one(tmp_path: Path) -> None:
    transcript = await played(tmp_path, lambda deck: deck)
    assert "\nChecked: the cards of deal 1 were nobody's choice.\n" in transcript
    assert "FAIR" not in transcript


async def test_a_deal_that_was_not_is_called_so_loudly(tmp_path: Path) -> None:
    transcript = await played(tmp_path, swapped)
    assert (
        "\n!!! DEAL 1 WAS NOT FAIR !!! The cards that you have seen are not those that were drawn. "
        "Do not trust this server. To keep what it has sent: save\n"
    ) in transcript
    assert "Checked" not in transcript


@pytest.mark.parametrize("fair_server", [True, False])
async def test_only_a_server_that_says_so_is_told_that_this_client_adds_something(
    tmp_path: Path, *, fair_server: bool
) -> None:
    async def script(peer: Peer) -> None:
        await peer.hears()
        await peer.says(Welcome("0.1.0", "Bea", ("chuo-pai",), fair=fair_server))
        assert await peer.hears() == Join(CODE, contributes=fair_server)
        await peer.says(Refused(ErrorCode.NO_SUCH_ROOM, "There is no such room."))
        await peer.waits()

    person = Person(tmp_path / "seats")
    async with scripted(script) as url:
        with pytest.raises(CommandFailed):
            await person.sitting(url, Session("Bea", Join(CODE))).run()
    person.goes()
