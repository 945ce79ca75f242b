"""Who is host of a lobby: the creator, unless they are gone or asleep."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import ErrorCode
from protocol.messages import AutoPass, Autopilot, Fill, Leave, Ready, Remove, SeatCommand, Start
from server.games.base import SEATS
from server.rooms.commands import AskHost, MarkAway, PassHost
from server.rooms.due import Due, Timing, dues
from server.rooms.pace import HOST_ANSWER_MS, HOST_IDLE_MS
from server.rooms.refusal import Refusal
from server.rooms.state import host
from tests.server.rooms.driven import DrivenRoom, replayed, three_players

TIMING = Timing(grace_ms=30_000, beat_ms=700)


def of_host(room: DrivenRoom, *gone: int) -> list[Due]:
    found = dues(room.state, dict.fromkeys(gone, room.now_ms), TIMING)
    return [due for due in found if due.kind in ("ask_host", "pass_host")]


def asked(*names: str) -> DrivenRoom:
    """Ann and others wait, and Ann has been asked whether she is there."""
    room = DrivenRoom().open().sit(*(names or ("Bea",)))
    room.now_ms += HOST_IDLE_MS
    room.do(AskHost(0))
    return room


def slept(*names: str) -> DrivenRoom:
    """As `asked`, and Ann has not answered."""
    room = asked(*names)
    room.now_ms += HOST_ANSWER_MS
    room.do(PassHost(0))
    return room


def kinds(room: DrivenRoom) -> list[tuple[str, int | None]]:
    return [(happening.kind, happening.seat) for happening in room.happenings]


def test_an_idle_host_is_asked_while_others_wait_and_then_the_next_is_host() -> None:
    room = DrivenRoom().open()
    assert of_host(room) == []
    room.sit("Bea", "Cem")
    assert of_host(room) == [Due(room.now_ms + HOST_IDLE_MS, "ask_host", 0)]
    room.now_ms += HOST_IDLE_MS
    room.do(AskHost(0))
    assert kinds(room) == [("host_asked", 0)]
    assert of_host(room) == [Due(room.now_ms + HOST_ANSWER_MS, "pass_host", 0)]
    assert host(room.state) == 0
    room.now_ms += HOST_ANSWER_MS
    room.do(PassHost(0))
    assert kinds(room) == [("host", 1)]
    assert host(room.state) == 1
    assert room.refusal(2, Start, fill="easy") is ErrorCode.NOT_HOST
    assert not room.view(None).seats[0].away, "asleep, not gone"


def test_the_next_host_has_as_long_and_the_last_one_stays() -> None:
    room = slept("Bea", "Cem")
    for ruling, heir in ((1, 2),):
        assert of_host(room) == [Due(room.now_ms + HOST_IDLE_MS, "ask_host", ruling)]
        room.now_ms += HOST_IDLE_MS
        room.do(AskHost(ruling))
        room.now_ms += HOST_ANSWER_MS
        room.do(PassHost(ruling))
        assert host(room.state) == heir
    assert of_host(room) == [], "nobody is left to be host in their place: nothing more is written"


def test_the_new_host_starts_the_match_and_in_play_nobody_is_idle() -> None:
    room = slept()
    room.ask(1, Start, fill="easy")
    assert room.state.phase == "dealing"
    assert kinds(room)[-2:] == [("match_started", None), ("host", 0)]
    room.deal(first=0).act()
    assert "host" not in [kind for kind, _ in kinds(room)], "what is done in play tells nothing of the lobby"


SIGNS: list[tuple[Callable[..., SeatCommand], dict[str, object]]] = [
    (Ready, {}),
    (Fill, {}),
    (Autopilot, {"on": True}),
    (AutoPass, {"on": False}),
]


@pytest.mark.parametrize(("message", "fields"), SIGNS)
def test_any_command_of_the_host_takes_the_question_back(
    message: Callable[..., SeatCommand], fields: dict[str, object]
) -> None:
    room = asked()
    room.now_ms += HOST_ANSWER_MS - 1
    room.ask(0, message, **fields)
    assert host(room.state) == 0
    room.now_ms += 1
    assert room.do(PassHost(0)) == ()
    assert of_host(room) == [Due(room.now_ms - 1 + HOST_IDLE_MS, "ask_host", 0)]


@pytest.mark.parametrize(("message", "fields"), SIGNS)
def test_any_command_of_the_creator_brings_the_crown_back(
    message: Callable[..., SeatCommand], fields: dict[str, object]
) -> None:
    room = slept()
    room.now_ms += 1
    room.ask(0, message, **fields)
    assert ("host", 0) in kinds(room)
    assert host(room.state) == 0


def test_to_come_back_is_a_sign_of_life() -> None:
    room = asked()
    room.resume("Ann", "again")
    room.now_ms += HOST_ANSWER_MS
    assert room.do(PassHost(0)) == ()
    room = slept()
    room.resume("Ann", "again")
    assert host(room.state) == 0


def test_what_others_do_is_no_sign_of_the_host() -> None:
    room = asked("Bea", "Cem")
    room.ask(1, Ready)
    room.now_ms += HOST_ANSWER_MS
    room.do(PassHost(0))
    assert host(room.state) == 1


def test_ready_in_the_lobby_changes_nothing_that_others_see() -> None:
    room = DrivenRoom().open().sit("Bea")
    before = room.view(None)
    room.ask(1, Ready)
    assert room.happenings == ()
    assert room.view(None) == before
    room.ask(0, Start, fill="easy")
    assert not any(seat.ready for seat in room.view(None).seats)


def test_who_is_away_or_not_connected_is_no_heir() -> None:
    room = DrivenRoom().open().sit("Bea")
    assert of_host(room, 1) == []
    room.away(1)
    assert of_host(room) == []
    room.now_ms += HOST_IDLE_MS
    assert room.do(AskHost(0)) == ()


def test_a_host_who_is_not_connected_is_not_asked_but_goes_away() -> None:
    room = DrivenRoom().open().sit("Bea")
    assert of_host(room, 0) == []
    room.away(0)
    assert host(room.state) == 1


def test_nobody_is_asked_too_early_twice_or_after_the_start() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.now_ms += HOST_IDLE_MS - 1
    assert room.do(AskHost(0)) == room.do(PassHost(0)) == room.do(AskHost(1)) == ()
    room.now_ms += 1
    assert room.do(AskHost(0))
    assert room.do(AskHost(0)) == ()
    room.now_ms += HOST_ANSWER_MS - 1
    assert room.do(PassHost(0)) == ()
    room = three_players()
    room.now_ms += HOST_IDLE_MS
    assert room.do(AskHost(0)) == ()
    assert of_host(room) == []


def test_a_host_by_inheritance_has_all_the_time_from_then_on() -> None:
    room = DrivenRoom().open().sit("Bea", "Cem")
    room.now_ms += HOST_IDLE_MS - 1
    room.ask(0, Leave)
    assert host(room.state) == 1
    assert of_host(room) == [Due(room.now_ms + HOST_IDLE_MS, "ask_host", 1)]


STEPS = st.lists(
    st.sampled_from(["sit", "ready", "autopilot", "fill", "remove", "leave", "away", "resume", "due", "wait", "start"]),
    max_size=40,
)


@given(STEPS, st.lists(st.sampled_from(SEATS), min_size=40, max_size=40))
def test_whatever_happens_somebody_who_is_there_is_host_and_nothing_goes_on_for_ever(
    steps: list[str], seats: list[int]
) -> None:
    room = DrivenRoom().open().sit("Bea")
    for number, (step, seat) in enumerate(zip(steps, seats, strict=False)):
        its = room.state.seats[seat]
        try:
            if step == "sit":
                room.sit(f"Dan{number}")
            elif step == "due":
                for due in of_host(room)[:1]:
                    room.now_ms = max(room.now_ms, due.at_ms)
                    assert due.seat is not None
                    assert room.do(AskHost(due.seat) if due.kind == "ask_host" else PassHost(due.seat))
            elif step == "wait":
                room.now_ms += 70_000
            elif step == "away":
                room.do(MarkAway(seat))
            elif step == "resume" and its.kind == "human":
                room.resume(its.name, f"again{number}")
            elif its.kind == "human":
                message = {"ready": Ready, "fill": Fill, "leave": Leave, "start": Start}.get(step)
                if message is not None:
                    room.ask(seat, message)
                elif step == "autopilot":
                    room.ask(seat, Autopilot, on=True)
                elif step == "remove":
                    room.ask(seat, Remove, seat=(seat + 1) % 3)
        except Refusal:
            continue
        if room.state.closed or room.state.phase != "open":
            return
        present = [each for each in SEATS if room.state.seats[each].kind == "human" and not room.state.seats[each].away]
        assert (host(room.state) in present) == bool(present)
        assert room.view(None).room.host == host(room.state)
    written = 0
    while found := of_host(room):
        room.now_ms = max(room.now_ms, found[0].at_ms)
        assert found[0].seat is not None
        assert room.do(AskHost(found[0].seat) if found[0].kind == "ask_host" else PassHost(found[0].seat))
        written += 1
    assert written <= 2 * len(SEATS)
    assert replayed(room.log) == room.state


def test_the_crown_that_comes_back_leaves_no_question_behind() -> None:
    room = slept()
    room.now_ms += HOST_IDLE_MS
    room.do(AskHost(1))
    room.ask(0, Ready)
    assert of_host(room) == [Due(room.now_ms + HOST_IDLE_MS, "ask_host", 0)]
