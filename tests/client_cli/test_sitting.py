"""A sitting from the first hello to the last line, over a real socket, with typed lines from a pipe."""

import asyncio
import io
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from client_cli import words, words_link, words_seats
from client_cli.connection import Connection, Lost
from client_cli.console import Console
from client_cli.failure import CommandFailed
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.sitting import Sitting, _Link
from client_cli.stepping import whole_lines
from client_cli.tickets import SavedSeat, TicketStore
from protocol.errors import CloseCode, ErrorCode, ExitCode
from protocol.messages import (
    Act,
    Autopilot,
    DealRecord,
    Done,
    Export,
    Hello,
    Join,
    Leave,
    Notice,
    Refused,
    Say,
    Seated,
    Unseated,
    Watch,
    Watching,
    Welcome,
)
from protocol.view import Happening, Result, SeatView
from tests.client_cli.replays import GOLDEN, golden_replay
from tests.client_cli.scripted_server import Peer, Script, scripted
from tests.client_cli.tables import BOT, BUDI, CODE, TICKET, leading, table, view

WAY_BACK = "Your seat is kept. Come back with: paizhuo resume K7QF-2MXR\n"
WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))
SEATED = Seated(CODE, 0, TICKET)
OVER = table(view(phase="over", result=Result((3, 1, 2), (0,)), n=1), Happening("match_over", scores=(3, 1, 2)))


class Person:
    """Somebody at a pipe: types, and reads what is printed."""

    def __init__(self, state: Path) -> None:
        self.source, self._typing = os.pipe()
        self.transcript, self.notes = io.StringIO(), io.StringIO()
        self.tickets = TicketStore(state)

    async def reads(self, wanted: str) -> None:
        """Wait until it has been printed."""
        while wanted not in self.transcript.getvalue():  # noqa: ASYNC110 - a StringIO has no event to wait for
            await asyncio.sleep(0)

    def types(self, *lines: str) -> None:
        os.write(self._typing, "".join(f"{line}\n" for line in lines).encode())

    def ends(self) -> None:
        os.close(self._typing)
        self._typing = -1

    def goes(self) -> None:
        """The source stays open: a reader that comes to it late must find its end, not the next test's pipe."""
        if self._typing >= 0:
            self.ends()

    def sitting(
        self,
        url: str,
        session: Session | None = None,
        *,
        connection: Connection | None = None,
        private: bool = False,
        ends: Literal["game", "server"] | None = None,
    ) -> Sitting:
        conversation = Conversation(session or Session("Anna", Join(CODE)), ends=ends)
        return Sitting(
            Console(self.source, self.transcript, self.notes),
            connection or Connection(url, chance=lambda: 0.0),
            conversation,
            None if private else self.tickets,
        )

    def seats(self) -> list[SavedSeat]:
        return list(self.tickets.unfinished(0.0).seats)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    somebody = Person(tmp_path / "seats")
    yield somebody
    somebody.goes()


async def seat(peer: Peer) -> None:
    assert await peer.hears() == Hello("Anna")
    await peer.says(WELCOME)
    assert await peer.hears() == Join(CODE)
    await peer.says(SEATED, table(view(prompt=leading())))


async def come_back(peer: Peer) -> None:
    assert await peer.hears() == Hello("Anna", TICKET)
    await peer.says(WELCOME, SEATED, table(view(prompt=leading())))


async def test_a_game_is_played_to_its_end_and_the_ticket_forgotten(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        assert await peer.hears() == Act(1, 1, "play 66")
        await peer.says(Done(1), OVER)
        await peer.waits()

    person.types("1")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert person.transcript.getvalue().splitlines()[-1].startswith("The match is over.")
    assert person.notes.getvalue() == ""
    assert person.seats() == []


@pytest.mark.parametrize("there", [True, False])
async def test_a_deal_is_saved_to_a_file_before_the_sitting_ends(person: Person, tmp_path: Path, there: bool) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("will be saved")
        await peer.says(OVER)
        assert await peer.hears() == Export(1)
        await peer.says(DealRecord(1, "{}"))
        await peer.waits()

    folder = tmp_path / "folder"
    if not there:
        folder.touch()  # a file, in place of it
    path = folder / "deal.jsonl"
    person.types(f"save {path}")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    last = person.transcript.getvalue().splitlines()[-1]
    if there:
        assert path.read_text() == "{}\n"
        assert last == words.saved_deal(str(path))
    else:
        assert last.startswith("The deal could not be saved: ")
        assert "Errno" not in last


@pytest.mark.slow
async def test_a_deal_is_replayed_before_the_sitting_ends(person: Person) -> None:
    record = (GOLDEN / "chuo-pai.jsonl").read_text().splitlines()[2]

    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("will be shown")
        await peer.says(OVER)
        assert await peer.hears() == Export(1)
        await peer.says(DealRecord(1, record))
        await peer.waits()

    person.types("replay")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    *_, last = whole_lines(golden_replay("chuo-pai", 3)._replace(seat=0))
    assert person.transcript.getvalue().splitlines()[-1] == last


@pytest.mark.slow
async def test_a_record_that_is_none_is_told_and_ends_nothing(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("will be shown")
        await peer.says(OVER)
        assert await peer.hears() == Export(1)
        await peer.says(DealRecord(1, "{}"))
        await peer.waits()

    person.types("replay")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert (
        person.transcript.getvalue()
        .splitlines()[-1]
        .startswith("The deal could not be replayed: the format is None instead of")
    )


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


async def test_piped_lines_wait_for_their_question(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        for n in (1, 2, 3):
            assert await peer.hears() == Act(n, n, "play 66")
            await peer.says(Done(n), table(view(n=n)), table(view(prompt=leading(n + 1), n=n)))
        await peer.says(OVER)
        await peer.waits()

    person.types("1", "1", "1")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert "not your turn" not in person.transcript.getvalue()


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


async def test_whoever_typed_auto_on_into_a_pipe_can_type_on(person: Person) -> None:
    on = SeatView(0, "human", "Anna", level="easy", connected=True, autopilot=True)

    async def script(peer: Peer) -> None:
        await seat(peer)
        assert await peer.hears() == Autopilot(1, on=True)
        await peer.says(Done(1), table(view(n=1, seats=(on, BUDI, BOT)), Happening("autopilot_on", 0)))
        assert await peer.hears() == Say("hello")
        assert await peer.hears() == Autopilot(2, on=False)
        await peer.says(Done(2), table(view(n=2, prompt=leading(2))))
        assert await peer.hears() == Act(3, 2, "play 66")
        await peer.says(Done(3), OVER)
        await peer.waits()

    person.types("auto on", "66", "say hello", "auto off", "66")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert person.transcript.getvalue().count(words.auto_plays()) == 1


async def test_an_interrupt_says_the_way_back(person: Person) -> None:
    placed = asyncio.Event()

    async def script(peer: Peer) -> None:
        await seat(peer)
        placed.set()
        await peer.waits()

    async with scripted(script) as url:
        running = asyncio.create_task(person.sitting(url).run())
        await placed.wait()
        await person.reads("you lead")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert person.notes.getvalue() == WAY_BACK


async def test_ctrl_c_ends_the_sitting_in_order(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        signal.raise_signal(signal.SIGINT)
        await peer.waits()

    before = signal.getsignal(signal.SIGINT)
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.INTERRUPTED
    assert person.notes.getvalue() == WAY_BACK
    assert signal.getsignal(signal.SIGINT) == before


async def test_ctrl_c_warns_a_host_with_guests_first(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("you lead")
        signal.raise_signal(signal.SIGINT)
        await person.reads(words.interrupt_again())
        signal.raise_signal(signal.SIGINT)
        await peer.waits()

    async with scripted(script) as url:
        assert await person.sitting(url, ends="server").run() == ExitCode.INTERRUPTED
    assert person.transcript.getvalue().count(words.interrupt_again()) == 1


async def test_an_ignored_interrupt_stays_ignored(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        signal.raise_signal(signal.SIGINT)
        await peer.says(OVER)
        await peer.waits()

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK


async def test_hostile_names_and_words_reach_the_terminal_spelt_out(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await peer.says(table(view(), Happening("sat", 1, name="\x1b[2JBudi\u202e")))
        await peer.says(Refused(ErrorCode.RATE_LIMITED, "\x9b2J slower\r\n"))
        await peer.says(OVER)
        await peer.waits()

    async with scripted(script) as url:
        await person.sitting(url).run()
    transcript = person.transcript.getvalue()
    assert "\\x1b[2JBudi\\u202e sits down" in transcript
    assert "\\x9b2J slower\\x0d\\x0a" in transcript
    assert not {"\x1b", "\x9b", "\r", "\u202e"} & set(transcript)


async def test_a_reader_that_goes_away_ends_the_sitting(person: Person) -> None:
    class Broken(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError

    async def script(peer: Peer) -> None:
        await seat(peer)
        await peer.waits()

    person.transcript = Broken()
    async with scripted(script) as url:
        with pytest.raises(BrokenPipeError):
            await person.sitting(url).run()


async def test_a_spectator_goes_on_after_the_input_has_ended(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await peer.hears()
        await peer.says(WELCOME)
        assert await peer.hears() == Watch(CODE)
        await peer.says(Watching(CODE), table(view(me=None)), table(view(me=None), Happening("led", 1, ("55",))))
        await peer.says(table(view(me=None, phase="over"), Happening("match_over", scores=(3, 1, 2))))
        await peer.waits()

    person.ends()
    async with scripted(script) as url:
        assert await person.sitting(url, Session("Anna", Watch(CODE))).run() == ExitCode.OK
    assert "Budi leads 55 (Plum).\nThe match is over." in person.transcript.getvalue()


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
