"""Logs stay readable: what an entry looks like, as rooms that are kept for days hold it."""

from typing import get_args

import msgspec
import pytest

from server.rooms.events import (
    Acted,
    AutoPassSet,
    AutopilotSet,
    BotSeated,
    Commit,
    Contributed,
    DealStarted,
    DeclaredLate,
    Event,
    HostAsked,
    HostIdled,
    MatchStarted,
    NewerCommit,
    Numbered,
    Readied,
    Regranted,
    Resumed,
    RoomClosed,
    RoomCreated,
    RoundOpened,
    RoundVoided,
    SaidHere,
    SeatTaken,
    SeatVacated,
    UnknownCommit,
    WentAway,
    WentOn,
    decode_commit,
    encode_commit,
)

TICKET = b"\x01" * 16
CODE = "ABCDEFGH"
DIGEST = b"\x02" * 32

KEPT: list[tuple[list[object], Event]] = [
    (
        ["room_created", CODE, "chuo-pai", {"max_combination": 12}, 3, "fast", True, 2],
        RoomCreated(CODE, "chuo-pai", {"max_combination": 12}, 3, "fast", listed=True, rules=2),
    ),
    (["seat_taken", 1, "Ann", TICKET, "a.1", False], SeatTaken(1, "Ann", TICKET, "a.1")),
    (["bot_seated", 2, "easy"], BotSeated(2, "easy")),
    (["seat_vacated", 1, "left"], SeatVacated(1, "left")),
    (["resumed", 1, "b.2", True], Resumed(1, "b.2", woke=True)),
    (["went_away", 0], WentAway(0)),
    (["autopilot_set", 0, True], AutopilotSet(0, on=True)),
    (["match_started"], MatchStarted()),
    (["seat_taken", 1, "Ann", TICKET, "a.1", True], SeatTaken(1, "Ann", TICKET, "a.1", contributes=True)),
    (["round_opened", 1, 1, DIGEST, []], RoundOpened(1, 1, DIGEST)),
    (["round_opened", 2, 3, DIGEST, [0, 2]], RoundOpened(2, 3, DIGEST, (0, 2))),
    (["contributed", 0, 2, 1, DIGEST, b""], Contributed(0, 2, 1, pledge=DIGEST)),
    (["contributed", 0, 2, 1, b"", DIGEST], Contributed(0, 2, 1, part=DIGEST)),
    (["round_voided", [1]], RoundVoided((1,))),
    (["deal_started", ["11", "66"], 2], DealStarted(("11", "66"), 2)),
    (["acted", 2, "play 11+11", "player"], Acted(2, "play 11+11", "player")),
    (["acted", 1, "pass", "switch"], Acted(1, "pass", "switch")),
    (["went_on"], WentOn()),
    (["declared_late", 1], DeclaredLate(1)),
    (["auto_pass_set", 1, True], AutoPassSet(1, on=True)),
    (["readied", 0], Readied(0)),
    (["said_here", 2], SaidHere(2)),
    (["host_asked", 0], HostAsked(0)),
    (["host_idled", 0], HostIdled(0)),
    (["regranted"], Regranted()),
    (["room_closed", True], RoomClosed(by_operator=True)),
]
"""Never changed: a released server has written it. A new event is one line more."""


def entry(*events: object, more: tuple[object, ...] = ()) -> bytes:
    return msgspec.msgpack.encode([b"id", "a", 1_800_000_000_000, list(events), [1, 7, b"digest"], b"state", 1, *more])


def commit(*events: Event) -> Commit:
    return Commit(b"id", "a", 1_800_000_000_000, events, Numbered(1, 7, b"digest"), b"state", fold=1)


@pytest.mark.parametrize(("kept", "event"), KEPT, ids=[str(kept[0]) for kept, _ in KEPT])
def test_every_event_is_kept_in_this_form(kept: list[object], event: Event) -> None:
    assert decode_commit(entry(kept)) == commit(event)
    assert encode_commit(commit(event)) == entry(kept)


def test_no_event_is_missing_here() -> None:
    assert {type(event) for _, event in KEPT} == set(get_args(Event))


def test_a_room_of_an_old_log_has_the_first_rules() -> None:
    kept = ["room_created", CODE, "chuo-pai", {}, 1, "none", False]
    assert decode_commit(entry(kept)) == commit(RoomCreated(CODE, "chuo-pai", {}, 1, "none", listed=False, rules=1))


def test_players_of_an_old_log_contribute_nothing() -> None:
    kept = ["seat_taken", 1, "Ann", TICKET, "a.1"]
    assert decode_commit(entry(kept)) == commit(SeatTaken(1, "Ann", TICKET, "a.1", contributes=False))


def test_a_room_of_an_old_log_was_closed_by_its_players() -> None:
    assert decode_commit(entry(["room_closed"])) == commit(RoomClosed())


def test_a_commit_of_the_room_itself_carries_no_number() -> None:
    kept = msgspec.msgpack.encode([b"id", "a", 0, [["match_started"]], None])
    assert decode_commit(kept) == Commit(b"id", "a", 0, (MatchStarted(),))


def test_fields_that_a_newer_server_added_are_passed_over() -> None:
    assert decode_commit(entry(["readied", 0, "new"], more=("new",))) == commit(Readied(0))


@pytest.mark.parametrize(
    "kept",
    [
        entry(["danced", 0]),
        entry(["readied"]),
        entry(["readied", 3]),
        entry(["readied", -1]),
        entry(["acted", 0, "pass", "nobody"]),
        entry(["seat_taken", 0, "Ann", "a text", ""]),
        entry({"danced": 0}),
        msgspec.msgpack.encode([b"id", "a", 0, [], [1, 7, "no bytes"]]),
    ],
)
def test_a_commit_that_this_server_cannot_read_is_a_newer_one_rather_than_a_guess(kept: bytes) -> None:
    with pytest.raises(NewerCommit):
        decode_commit(kept)


@pytest.mark.parametrize(
    "kept",
    [
        b"",
        b"\x00",
        b"\xc1",
        b"\x93" * 100_000,
        entry(["readied", 0])[:-1],
        entry(["readied", 0]) + b"\x00",
        msgspec.msgpack.encode([b"id", "a", 0]),
        msgspec.msgpack.encode(["id", "a", 0, []]),
        msgspec.msgpack.encode({"id": b"id"}),
    ],
)
def test_what_no_server_writes_is_damage(kept: bytes) -> None:
    with pytest.raises(UnknownCommit) as raised:
        decode_commit(kept)
    assert not isinstance(raised.value, NewerCommit)
