"""The digest of a state: the same for everybody who folds the same log, and another one for every other state."""

from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import fields, replace

from server.games.registry import GAMES
from server.rooms.digest import DIGEST_BYTES, FOLD, digest_of
from server.rooms.events import decode_commit, encode_commit
from server.rooms.fold import OtherRules, OtherState, fold
from server.rooms.state import RoomState, SeatState
from tests.server.rooms.driven import DrivenRoom, three_players


def other(value: object) -> Any:
    """Another value of about the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x"
        case bytes():
            return value + b"x"
        case tuple():
            return value[1:] or ("x",)
        case dict():
            return {**value, "x": 1}
    return 1 if value is None else None


@pytest.mark.parametrize("name", [field.name for field in fields(RoomState)])
def test_every_field_of_a_room_counts(name: str) -> None:
    room = three_players(pace="fast").play_out(Random(1)).state
    if name == "game":
        room = replace(room, table=None)
    assert digest_of(replace(room, **{name: other(getattr(room, name))})) != digest_of(room)


@pytest.mark.parametrize("name", [field.name for field in fields(SeatState)])
def test_every_field_of_a_seat_counts(name: str) -> None:
    room = three_players(pace="fast").state
    first, second, third = room.seats
    changed = replace(first, **{name: other(getattr(first, name))})
    assert digest_of(replace(room, seats=(changed, second, third))) != digest_of(room)


@pytest.mark.parametrize("game", GAMES)
def test_no_two_states_of_a_deal_have_the_same_digest(game: str) -> None:
    room, rng = three_players(game), Random(7)
    digests = [digest_of(replace(room.state, commits=0, last_at_ms=0))]
    while room.state.phase == "playing":
        room.step(rng)
        digests.append(digest_of(replace(room.state, commits=0, last_at_ms=0)))
    assert len(set(digests)) == len(digests) > 20
    assert {len(digest) for digest in digests} == {DIGEST_BYTES}
    assert digest_of(three_players(game, cards=GAMES[game].pack).state) != digest_of(three_players(game).state)


def test_a_commit_whose_digest_does_not_fit_is_not_folded_and_shows_no_card() -> None:
    room = three_players()
    before = room.state
    room.act()
    commit = decode_commit(room.log[-1])
    right = replace(commit, digest=digest_of(room.state), fold=FOLD)
    assert fold(before, decode_commit(encode_commit(right))) == room.state
    with pytest.raises(OtherState) as raised:
        fold(before, replace(right, digest=bytes(DIGEST_BYTES)))
    assert str(raised.value) == "the digest of the state is another one"


def test_digests_of_an_older_fold_are_not_compared_and_those_of_a_newer_one_are_not_understood() -> None:
    room = three_players()
    before = room.state
    room.act()
    commit = replace(decode_commit(room.log[-1]), digest=bytes(DIGEST_BYTES))
    older = decode_commit(encode_commit(replace(commit, fold=FOLD - 1)))
    assert fold(before, older) == room.state
    newer = decode_commit(encode_commit(replace(commit, fold=FOLD + 1, digest=digest_of(room.state))))
    with pytest.raises(OtherState):
        fold(before, newer)


def test_a_commit_that_names_no_fold_is_of_the_first() -> None:
    commit = decode_commit(three_players().log[-1])
    fields_of = msgspec.msgpack.decode(encode_commit(commit))
    assert decode_commit(msgspec.msgpack.encode(fields_of[:-1])).fold == 1


@pytest.mark.parametrize("change", [{"rules": 2}, {"rules": 0}, {"game": "go"}])
def test_a_room_with_rules_that_are_not_known_is_not_folded(change: dict[str, Any]) -> None:
    commit = decode_commit(DrivenRoom().open().log[0])
    created, *others = commit.events
    with pytest.raises(OtherRules):
        fold(None, replace(commit, events=(replace(created, **change), *others)))
