"""A sitting whose connection breaks, comes back or leads elsewhere."""

import asyncio

from client_cli import words_link
from client_cli.connection import Connection, Lost
from client_cli.session import Session
from client_cli.sitting import _Link
from protocol.errors import CloseCode, ErrorCode, ExitCode
from protocol.messages import Act, Done, Hello, Refused, Welcome
from tests.client_cli.scripted_server import Peer, scripted
from tests.client_cli.sittings import OVER, SEATED, WELCOME, Person, come_back, seat
from tests.client_cli.tables import CODE, TICKET, leading, table, view


async def test_an_unanswered_command_survives_a_cut_line_with_its_number(person: Person) -> None:
    async def cut(peer: Peer) -> None:
        await seat(peer)
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.drops()

    async def mended(peer: Peer) -> None:
        await come_back(peer)
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.says(Done(1), OVER)
        await peer.waits()

    person.types("1")
    async with scripted(cut, mended) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert words_link.connected_again() in person.transcript.getvalue()
    assert words_link.lost(url, url, 0.0, "broken") in person.notes.getvalue()


async def test_the_game_goes_on_at_another_server_and_the_seat_is_saved_with_it(person: Person) -> None:
    async def there(peer: Peer) -> None:
        await come_back(peer)
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.says(Done(1), table(view(n=1)))
        (kept,) = person.seats()
        assert (kept.url, kept.servers) == (a, (b, a))
        await peer.says(OVER)
        await peer.waits()

    async def here(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna")
        await peer.says(Welcome("0.1.0", "Anna", ("chuo-pai",), (b,)))
        await peer.hears()
        await peer.says(SEATED, table(view(prompt=leading())))
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.hangs_up(CloseCode.RESTART)

    person.types("1")
    async with scripted(there) as b, scripted(here) as a:
        assert await person.sitting(a).run() == ExitCode.OK
    assert person.notes.getvalue() == f"{words_link.lost(a, b, 0.0, 'stopped')}\n"
    assert words_link.back(b) in person.transcript.getvalue()
    assert person.transcript.getvalue().count("Seat 1: You") == 1, "the table has not changed"
    assert person.seats() == []


async def test_each_thing_about_the_connection_is_said_once(person: Person) -> None:
    async def cut(peer: Peer) -> None:
        await peer.hears()
        await peer.says(WELCOME)
        await peer.drops()

    async def seat_and_cut(peer: Peer) -> None:
        await seat(peer)
        await peer.drops()

    async def back_to_the_end(peer: Peer) -> None:
        await come_back(peer)
        await peer.says(OVER)
        await peer.waits()

    async with scripted(seat_and_cut, *[cut] * 4, back_to_the_end) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert person.notes.getvalue() == f"{words_link.lost(url, url, 0.0, 'broken')}\n"


async def test_what_is_typed_without_a_connection_is_told_what_becomes_of_it(person: Person) -> None:
    waiting = asyncio.Event()

    async def for_ever(_wait_s: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async def seat_and_cut(peer: Peer) -> None:
        await seat(peer)
        await person.reads("you lead")
        await peer.drops()
        await waiting.wait()
        person.types("1", "say hello", "")

    async def mended(peer: Peer) -> None:
        await come_back(peer)
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.says(Done(1), OVER)
        await peer.waits()

    async with scripted(seat_and_cut, mended) as url:
        sitting = person.sitting(url, connection=Connection(url, chance=lambda: 0.0, sleep=for_ever))
        sitting._front.interactive = True
        assert await sitting.run() == ExitCode.OK
    assert person.notes.getvalue().splitlines() == [
        words_link.lost(url, url, 0.0, "broken"),
        words_link.not_sent_yet(),
        words_link.not_sent(),
        words_link.trying_now(),
    ]


async def test_what_was_to_be_tried_again_is_not_tried_on_the_next_connection(person: Person) -> None:
    async def refuse_and_stop(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna", TICKET)
        await peer.says(WELCOME, Refused(ErrorCode.STORE_UNAVAILABLE, "Not now.", retry_ms=60_000))
        await peer.hangs_up(CloseCode.RESTART)

    async def there(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna", TICKET)
        await peer.says(WELCOME, SEATED, table(view(prompt=leading())))
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.says(Done(1), OVER)
        await peer.waits()

    async with scripted(refuse_and_stop, there) as url:
        sitting = person.sitting(url, Session.resuming("Anna", CODE, 0, TICKET))
        running = asyncio.create_task(sitting.run())
        await person.reads("you lead")
        assert sitting._again_soon is not None
        assert sitting._again_soon.cancelled()
        person.types("1")
        assert await running == ExitCode.OK


async def test_a_command_that_was_not_saved_is_sent_again_after_the_time_that_the_server_names(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        for _ in range(3):
            assert await peer.hears() == Act(1, 1, "play 66")
            await peer.says(Refused(ErrorCode.STORE_UNAVAILABLE, "Not saved yet.", 1, 1))
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.says(Done(1), OVER)
        await peer.waits()

    person.types("1")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert person.transcript.getvalue().count(words_link.not_saved_yet()) == 1


def test_silence_is_told_of_all_servers_once_and_again_to_whoever_asks() -> None:
    link = _Link()
    attempts = (
        Lost("a", "a", 0.3),
        Lost("a", "b", 0.0, "unanswered"),
        Lost("b", "b", 0.4, "unanswered"),
        Lost("b", "a", 0.2, "unanswered"),
        Lost("a", "b", 0.6, "unanswered"),
    )
    assert [link.is_news(lost) for lost in attempts] == [True, False, True, False, False]
    assert not link.one_is_silent
    link.asked_for()
    assert link.is_news(Lost("b", "a", 3.0, "unanswered"))
    assert not link.is_news(Lost("a", "b", 3.0, "unanswered"))


def test_a_server_that_shows_a_table_ends_what_was_told_of_the_outage() -> None:
    link = _Link()
    assert link.moved_to("a") is None
    link.works()
    assert [link.is_news(Lost("a", "a", 0.3)), link.is_news(Lost("a", "a", 0.3))] == [True, False]
    assert link.moved_to("b") == "b"
    assert link.moved_to("a") is None, "where the last table was shown"
    link.works()
    assert link.is_news(Lost("a", "a", 0.3))
