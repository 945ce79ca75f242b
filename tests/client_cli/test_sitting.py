"""A sitting from the first hello to the last line, over a real socket, with typed lines from a pipe."""

import asyncio
import io
import signal

import pytest

from client_cli import words
from client_cli.session import Session
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import Act, Autopilot, Done, Refused, Say, Watch, Watching
from protocol.view import Happening, SeatView
from tests.client_cli.scripted_server import Peer, scripted
from tests.client_cli.sittings import OVER, WAY_BACK, WELCOME, Person, seat
from tests.client_cli.tables import BOT, BUDI, CODE, leading, table, view


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
