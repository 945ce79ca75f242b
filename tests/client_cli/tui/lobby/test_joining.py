"""Rooms of others, and seats that were left: found, chosen, or told why not."""

import asyncio
from pathlib import Path

import pytest
from textual.events import Paste

from client_cli.address import RoomAddress
from client_cli.failure import CommandFailed
from client_cli.tickets import SavedSeat, TicketStore, now_s
from client_cli.tui.lobby import resume_screen, rooms_screen
from client_cli.tui.lobby.join_screen import JoinScreen
from client_cli.tui.lobby.resume_screen import ResumeScreen
from client_cli.tui.lobby.rooms_screen import RoomsScreen
from protocol.errors import ExitCode
from protocol.messages import RoomSummary
from tests.client_cli.tui.lobby.lobbies import visiting

URL = "wss://cards.example.org/ws"
FREE = RoomSummary("K7QF2MXR", "chuo-pai", "[bold]Budi\x1b[31m" + "长" * 60, 2, 3, "slow")
FULL = RoomSummary("AAAA2222", "whist", "Ani", 0, 1, "none")


async def test_a_whole_invitation_can_be_pasted() -> None:
    went: list[RoomAddress] = []
    async with visiting() as visit:
        await visit.opens(JoinScreen("Join", went.append, ""))
        pasted = "\nOthers join with:\x1b paizhuo join K7QF-2MXR@h\n(or see\nhttp://h:8470/j/K7QF2MXR)"
        visit.app.screen.focused.post_message(Paste(pasted)) if visit.app.screen.focused else None
        await visit.settles()
        await visit.presses("enter")
        assert went == [RoomAddress("ws://h:8470/ws", "K7QF2MXR")]
        await visit.presses("enter")
        assert went == [RoomAddress("ws://h:8470/ws", "K7QF2MXR")] * 2


async def test_what_is_no_room_is_said_and_can_be_mended() -> None:
    went: list[RoomAddress] = []
    async with visiting() as visit:
        await visit.opens(JoinScreen("Join", went.append, ""))
        await visit.presses(*"k7qf2mxr", "enter")
        assert "a room is CODE@HOST" in visit.text()
        await visit.presses(*"@h", "enter")
        assert went == [RoomAddress("ws://h:8470/ws", "K7QF2MXR")]


def rooms(joined: list[RoomAddress], watched: list[RoomAddress], server: str = "cards.example.org") -> RoomsScreen:
    return RoomsScreen(server, lambda _: None, "Anna", joined.append, watched.append)


async def test_open_tables_are_joined_or_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(*_: object) -> tuple[RoomSummary, ...]:
        return FREE, FULL, FULL  # servers of strangers say what they like

    monkeypatch.setattr(rooms_screen, "ask_for_rooms", ask)
    joined: list[RoomAddress] = []
    watched: list[RoomAddress] = []
    async with visiting() as visit:
        await visit.opens(rooms(joined, watched))
        shown = visit.text()
        assert "[bold]Budi\\x1b[31m长长" in shown
        assert "\x1b" not in shown
        assert all(row.count("长") < 40 for row in visit.rows())
        await visit.presses("2", "enter", "2", "down", "enter", "3", "enter", "3", "escape")
    assert joined == [RoomAddress(URL, "K7QF2MXR")]
    assert watched == [RoomAddress(URL, "K7QF2MXR"), RoomAddress(URL, "AAAA2222")]


async def test_a_server_that_does_not_answer_can_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[tuple[RoomSummary, ...]] = []

    async def ask(*_: object) -> tuple[RoomSummary, ...]:
        if not answers:
            raise CommandFailed(ExitCode.UNREACHABLE, "no answer from cards.example.org")
        return answers.pop()

    monkeypatch.setattr(rooms_screen, "ask_for_rooms", ask)
    async with visiting() as visit:
        await visit.opens(rooms([], []))
        assert "no answer from cards.example.org" in visit.text()
        answers.append(())
        await visit.presses("r")
        assert "This server shows no open rooms." in visit.text()
        assert "no answer" not in visit.text()


@pytest.fixture
def tickets(tmp_path: Path) -> TicketStore:
    store = TicketStore(tmp_path / "seats")
    store.keep(SavedSeat("ws://127.0.0.1:8470/ws", "AAAA2222", 0, "Anna", "ours", now_s() - 1))
    store.keep(SavedSeat(URL, "K7QF2MXR", 1, "Anna", "theirs", now_s()))
    return store


async def test_one_goes_back_to_a_seat_and_starts_an_own_server_first(
    tickets: TicketStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answers(_seat: SavedSeat) -> bool:
        return False

    monkeypatch.setattr(resume_screen, "any_answers", answers)
    back: list[str] = []
    again: list[SavedSeat] = []
    async with visiting() as visit:
        await visit.opens(ResumeScreen(tickets, back.append, again.append))
        assert visit.text().count("no answer") == 2
        await visit.presses("1", "2")
    assert back == ["K7QF2MXR"]
    assert [seat.code for seat in again] == ["AAAA2222"]


async def test_a_seat_is_gone_back_to_before_its_server_has_answered(
    tickets: TicketStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_seat: SavedSeat) -> bool:
        await asyncio.Event().wait()
        return True

    monkeypatch.setattr(resume_screen, "any_answers", never)
    back: list[str] = []
    async with visiting() as visit:
        await visit.app.push_screen(ResumeScreen(tickets, back.append, lambda _: None))
        await visit.pilot.pause()
        assert "asking ..." in visit.text()
        await visit.pilot.press("2")
        await visit.pilot.pause()
        assert back == ["AAAA2222"]


async def test_a_seat_is_forgotten(tickets: TicketStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answers(_seat: SavedSeat) -> bool:
        return True

    monkeypatch.setattr(resume_screen, "any_answers", answers)
    async with visiting() as visit:
        await visit.opens(ResumeScreen(tickets, lambda _: None, lambda _: None))
        await visit.presses("f", "escape")
        assert len(tickets.unfinished(now_s()).seats) == 2
        await visit.presses("f", "down", "enter")
        assert [seat.code for seat in tickets.unfinished(now_s()).seats] == ["K7QF2MXR"]
        await visit.presses("f", "enter")
        assert "There is no unfinished game on this machine." in visit.text()
