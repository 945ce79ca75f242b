from random import Random

import pytest

from protocol.messages import Autopilot, Leave, Ready
from server.games.base import Seat
from server.rooms.due import CLOSED_KEPT_MS, LOBBY_KEPT_MS, OVER_KEPT_MS, PLAY_KEPT_MS, Due, Timing, dues, kept_ms
from server.rooms.pace import READY_MS
from tests.server.rooms.driven import DrivenRoom, three_players

TIMING = Timing(grace_ms=30_000, beat_ms=700)


def due(room: DrivenRoom, gone: dict[Seat, int] | None = None) -> list[Due]:
    """What is due, but for the renewal of the log."""
    return [each for each in dues(room.state, gone or {}, TIMING) if each.kind != "keep"]


@pytest.mark.parametrize("room", [DrivenRoom().open(), DrivenRoom().open(fill="easy"), three_players(pace="fast")])
def test_nothing_is_due_while_no_player_is_connected(room: DrivenRoom) -> None:
    assert dues(room.state, {0: 0, 1: 0, 2: 0}, TIMING) == []


def test_the_seats_of_bots_keep_no_room_awake() -> None:
    room = DrivenRoom().open(fill="easy").deal()
    assert dues(room.state, {0: 0}, TIMING) == []


def test_a_started_match_is_dealt_at_once() -> None:
    room = DrivenRoom().open(fill="easy")
    assert due(room) == [Due(room.now_ms, "deal")]


def test_a_bot_plays_when_the_last_action_has_stood_for_a_beat() -> None:
    room = DrivenRoom().open(fill="easy").deal(first=0)
    assert due(room) == []
    room.now_ms += 5_000
    room.act()
    assert due(room) == [Due(room.now_ms + 700, "bot", 1, 1)]


def test_a_player_has_the_decision_time_and_the_whole_bank() -> None:
    room = three_players(pace="normal")
    assert due(room) == [Due(room.now_ms + 80_000, "time_up", 0, 1)]


def test_without_a_clock_a_player_may_think_for_ever() -> None:
    assert due(three_players()) == []


def test_a_bot_stands_in_for_a_player_who_is_away_or_on_autopilot() -> None:
    room = three_players(pace="fast")
    room.away(0)
    assert due(room) == [Due(room.now_ms + 700, "bot", 0, 1)]
    room.resume("Ann")
    assert [each.kind for each in due(room)] == ["time_up"]
    room.ask(0, Autopilot, on=True)
    assert due(room) == [Due(room.now_ms + 700, "bot", 0, 1)]


def test_a_player_is_away_after_the_grace_and_only_once() -> None:
    room = three_players()
    assert due(room, {1: 500}) == [Due(30_500, "away", 1)]
    room.away(1)
    assert due(room, {1: 500}) == []
    assert due(three_players().play_out(Random(1)), {1: 500}) == []


def test_between_deals_a_clock_runs_for_those_who_are_not_ready() -> None:
    room = three_players(deals=2, pace="slow").play_out(Random(1))
    ended_ms = room.now_ms
    room.now_ms += 1_000
    room.ask(0, Ready)
    room.ask(1, Autopilot, on=True)
    assert due(room) == [Due(ended_ms + READY_MS, "time_up", 2, room.state.seats[2].prompt)]
    assert due(three_players(deals=2).play_out(Random(1))) == []


def test_a_log_is_renewed_at_half_of_the_time_it_is_kept() -> None:
    lobby = DrivenRoom().open()
    assert dues(lobby.state, {}, TIMING) == [Due(lobby.now_ms + LOBBY_KEPT_MS // 2, "keep")]
    assert kept_ms(lobby.state) == LOBBY_KEPT_MS
    playing = three_players()
    assert dues(playing.state, {}, TIMING) == [Due(playing.now_ms + PLAY_KEPT_MS // 2, "keep")]
    over = playing.play_out(Random(1))
    assert dues(over.state, {}, TIMING) == [Due(over.now_ms + OVER_KEPT_MS // 2, "keep")]


def test_a_log_is_kept_as_long_as_somebody_may_come_back_to_it() -> None:
    room = three_players(deals=2)
    assert kept_ms(room.state) == PLAY_KEPT_MS == 7 * 24 * 3_600_000
    room.play_out(Random(1))
    assert kept_ms(room.state) == PLAY_KEPT_MS, "between deals"
    for seat in (0, 1, 2):
        room.ask(seat, Ready)
    room.deal().play_out(Random(2))
    assert kept_ms(room.state) == OVER_KEPT_MS == 24 * 3_600_000
    for seat in (0, 1, 2):
        room.ask(seat, Leave)
    assert kept_ms(room.state) == CLOSED_KEPT_MS == 600_000
    lobby = DrivenRoom().open()
    assert kept_ms(lobby.state) == LOBBY_KEPT_MS == 1_800_000
    lobby.ask(0, Leave)
    assert kept_ms(lobby.state) == CLOSED_KEPT_MS


def test_what_is_due_first_comes_first() -> None:
    room = three_players(pace="fast")
    until_time_up_ms = (room.state.seats[0].deadline_ms or 0) - room.now_ms
    kinds = [each.kind for each in dues(room.state, {1: room.now_ms - 29_000}, TIMING)]
    assert kinds == ["away", "time_up", "keep"]
    kinds = [each.kind for each in dues(room.state, {1: room.now_ms + until_time_up_ms}, TIMING)]
    assert kinds == ["time_up", "away", "keep"]


def test_a_closed_room_does_nothing() -> None:
    room = DrivenRoom().open()
    room.ask(0, Leave)
    assert dues(room.state, {}, TIMING) == []
