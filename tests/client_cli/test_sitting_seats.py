"""What becomes of the seat that a sitting has: kept, come back to, lost or given up."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from client_cli import words, words_link, words_seats
from client_cli.failure import CommandFailed
from client_cli.session import Session
from client_cli.tickets import SavedSeat, TicketStore
from protocol.errors import CloseCode, ErrorCode, ExitCode
from protocol.messages import Done, Hello, Join, Leave, Notice, Refused, Seated, Unseated
from tests.client_cli.scripted_server import Peer, Script, scripted
from tests.client_cli.sittings import OVER, WAY_BACK, WELCOME, Person, seat
from tests.client_cli.tables import CODE, TICKET, leading, table, view


async def test_the_ticket_is_kept_from_the_moment_of_sitting_down(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await peer.waits()

    person.types("quit")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
        (kept,) = person.seats()
        assert (kept.url, kept.code, kept.seat, kept.name, kept.ticket) == (url, CODE, 0, "Anna", TICKET)
    assert person.notes.getvalue() == WAY_BACK


async def test_a_seat_that_ends_with_the_program_is_kept_nowhere(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await peer.waits()

    person.ends()
    async with scripted(script) as url:
        assert await person.sitting(url, private=True).run() == ExitCode.OK
    assert person.seats() == []
    assert words.input_ended() in person.transcript.getvalue()


async def test_a_seat_that_another_window_took_is_not_fought_for(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await peer.hangs_up(CloseCode.REPLACED)

    async with scripted(script) as url:
        with pytest.raises(CommandFailed, match=words_link.replaced()) as failed:
            await person.sitting(url).run()
    assert failed.value.exit_code == ExitCode.REFUSED
    assert [kept.ticket for kept in person.seats()] == [TICKET], "the newer window has the same ticket"
    assert person.notes.getvalue() == "", "and it is the one to say how to come back"


@pytest.mark.parametrize("still_kept", [True, False])
async def test_a_window_that_runs_the_server_stays_when_a_newer_one_has_the_seat(
    person: Person, still_kept: bool
) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("you lead")
        await peer.hangs_up(CloseCode.REPLACED)

    async with scripted(script) as url:  # for one connection: another one fails the test
        running = asyncio.create_task(person.sitting(url, ends="server").run())
        await person.reads(words_link.replaced_here())
        person.types("1", "quit")
        person.ends()
        (kept,) = person.seats()
        if not still_kept:  # the newer window has come to the end of the match
            person.tickets.drop(kept.url, kept.code, kept.seat)
        assert not running.done()
        signal.raise_signal(signal.SIGINT)
        assert await running == ExitCode.INTERRUPTED
    assert words.interrupt_again() not in person.transcript.getvalue()
    assert person.notes.getvalue() == (WAY_BACK if still_kept else "")


async def hang_up_on_the_ticket(peer: Peer) -> None:
    await peer.hears()
    await peer.hangs_up(CloseCode.BAD_TICKET)


async def refuse_the_ticket(peer: Peer) -> None:
    await peer.hears()
    await peer.says(WELCOME, Refused(ErrorCode.BAD_TICKET, "This ticket opens no seat."))
    await peer.hangs_up(CloseCode.BAD_TICKET)


@pytest.mark.parametrize("script", [hang_up_on_the_ticket, refuse_the_ticket])
async def test_a_ticket_that_opens_nothing_is_forgotten(person: Person, script: Script) -> None:
    async with scripted(script) as url:
        person.tickets.keep(SavedSeat(url, CODE, 0, "Anna", TICKET, 1.0))
        with pytest.raises(CommandFailed) as failed:
            await person.sitting(url, Session.resuming("Anna", CODE, 0, TICKET)).run()
    assert failed.value.exit_code == ExitCode.REFUSED
    assert person.seats() == []


@pytest.mark.parametrize("script", [hang_up_on_the_ticket, refuse_the_ticket])
async def test_a_seat_that_a_store_has_lost_is_asked_for_again_once(person: Person, script: Script) -> None:
    entry = Join(CODE, "mcbb3dqJw0SGZ7yY2rTnLg")
    seated = Seated(CODE, 0, f"{CODE}.{entry.secret}")

    async def sit_down(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna")
        await peer.says(WELCOME)
        assert await peer.hears() == entry
        await peer.says(seated, table(view(prompt=leading())))

    async def lose_the_seat(peer: Peer) -> None:
        await sit_down(peer)
        await peer.says(Notice("reset"))
        await peer.hangs_up(CloseCode.RESTART)

    async def give_it_again(peer: Peer) -> None:
        await sit_down(peer)
        await peer.hangs_up(CloseCode.RESTART)

    async def refuse_the_secret(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna")
        await peer.says(WELCOME)
        assert await peer.hears() == entry
        await peer.says(Refused(ErrorCode.BAD_TICKET, "This ticket opens no seat here any more."))

    async with scripted(lose_the_seat, script, give_it_again, script, refuse_the_secret) as url:
        with pytest.raises(CommandFailed, match="no seat here any more") as failed:
            await person.sitting(url, Session("Anna", entry)).run()
    assert failed.value.exit_code == ExitCode.REFUSED
    assert person.seats() == []


async def test_leaving_forgets_the_ticket(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        assert await peer.hears() == Leave(1)
        await peer.says(Unseated("left"), Done(1))
        await peer.waits()

    person.types("leave", "leave")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert person.seats() == []
    assert person.notes.getvalue() == ""


async def test_a_full_disk_does_not_end_the_game(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_self: TicketStore, _seat: SavedSeat) -> None:
        raise OSError("no space left")

    async def script(peer: Peer) -> None:
        await seat(peer)
        await peer.says(OVER)
        await peer.waits()

    monkeypatch.setattr(TicketStore, "keep", fails)
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert person.notes.getvalue() == f"{words_seats.not_saved('no space left')}\n"


async def test_a_seat_that_could_not_be_saved_has_no_way_back_to_tell(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await peer.waits()

    person.tickets = TicketStore(Path(os.devnull) / "seats")
    person.types("quit")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert person.notes.getvalue().startswith("Your seat could not be saved on this machine ")
    assert person.notes.getvalue().count("\n") == 1
