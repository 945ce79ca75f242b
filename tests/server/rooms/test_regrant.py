"""Time that players get back when they could not answer."""

from random import Random

from protocol.messages import Ready
from server.rooms.commands import Regrant, TimeUp
from server.rooms.events import Regranted
from server.rooms.pace import MOST_GRANTS, PACES, READY_MS, WAKE_MS
from tests.server.rooms.driven import DrivenRoom, three_players

FAST = PACES["fast"]
assert FAST is not None
TIME_MS = FAST.decision_ms + FAST.bank_ms


def out(room: DrivenRoom, ms: int) -> tuple[object, ...]:
    """The store is out of reach for so long."""
    since_ms = room.now_ms + 1
    room.now_ms += ms
    return room.do(Regrant(since_ms))


def test_a_deadline_that_passed_meanwhile_is_not_acted_on() -> None:
    room = three_players(pace="fast")
    assert out(room, TIME_MS + 60_000) == (Regranted(),)
    assert room.prompt(0).remaining_ms == WAKE_MS
    assert room.do(TimeUp(0, 1, room.turn()[1][0])) == ()
    room.act()


def test_a_deadline_that_is_near_is_moved_and_one_that_is_far_is_not() -> None:
    room = three_players(pace="fast")
    assert out(room, TIME_MS - WAKE_MS) == ()
    assert room.prompt(0).remaining_ms == WAKE_MS
    assert out(room, 1) == (Regranted(),)
    assert room.prompt(0).remaining_ms == WAKE_MS


def test_nodes_that_come_back_together_grant_it_once() -> None:
    room = three_players(pace="fast")
    since_ms = room.now_ms + 1
    room.now_ms += TIME_MS
    assert room.do(Regrant(since_ms))
    room.now_ms += 300
    assert room.do(Regrant(since_ms + 200)) == ()


def test_where_play_went_on_without_the_node_nothing_is_granted() -> None:
    room = three_players(pace="fast")
    since_ms = room.now_ms + 1
    room.now_ms += TIME_MS - 1
    room.act()
    room.now_ms += TIME_MS - 1
    assert room.do(Regrant(since_ms)) == ()


def test_a_player_who_comes_back_first_does_not_spoil_it() -> None:
    room = three_players(pace="fast")
    since_ms = room.now_ms + 1
    room.now_ms += TIME_MS
    room.resume("Bea", "again")
    assert room.do(Regrant(since_ms)) == (Regranted(),)


def test_trouble_without_end_does_not_stop_a_game() -> None:
    room = three_players(pace="fast")
    grants = 0
    while out(room, TIME_MS):
        grants += 1
    assert grants == MOST_GRANTS
    assert room.do(TimeUp(0, 1, room.turn()[1][0]))
    assert out(room, TIME_MS), "the next question is another one"


def test_without_a_clock_there_is_nothing_to_grant() -> None:
    assert out(three_players(), 3_600_000) == ()
    assert out(DrivenRoom().open(pace="fast"), 3_600_000) == ()
    over = three_players(pace="fast").play_out(Random(1))
    assert out(over, 3_600_000) == ()


def test_between_deals_it_is_the_time_to_be_ready() -> None:
    room = three_players(pace="fast", deals=2).play_out(Random(1))
    room.ask(0, Ready)
    assert out(room, READY_MS) == (Regranted(),)
    assert room.do(TimeUp(1, room.state.seats[1].prompt, None)) == ()


def test_thinking_in_granted_time_costs_the_bank_no_more_than_it_has() -> None:
    room = three_players(pace="fast")
    out(room, TIME_MS)
    room.act()
    assert 0 <= room.state.seats[0].bank_ms <= WAKE_MS
