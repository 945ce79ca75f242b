"""A place in a replay: steps, rounds, search, and going on by itself."""

import pytest

from client_cli.render import fact
from client_cli.replay import STEP_S, BadReplay, Cursor, decode
from tests.client_cli.replays import golden_replay


def at(place: int, last: int = 9) -> Cursor:
    return Cursor(last, (0, 3, 6), place)


def test_steps_go_to_and_fro_and_no_further_than_the_ends() -> None:
    assert at(4).next().at == 5
    assert at(4).previous().at == 3
    assert at(9).next().at == 9
    assert at(0).previous().at == 0
    assert (at(4).go(-7).at, at(4).go(70).at) == (0, 9)


@pytest.mark.parametrize(
    ("place", "before", "after"), [(0, 0, 3), (2, 0, 3), (3, 0, 6), (4, 3, 6), (6, 3, 9), (9, 6, 9)]
)
def test_rounds_are_skipped_to_their_beginning(place: int, before: int, after: int) -> None:
    assert at(place).previous_round().at == before
    assert at(place).next_round().at == after


def test_a_search_goes_round_and_does_not_find_where_it_stands() -> None:
    assert at(4).find(lambda place: place in (1, 4, 7)) == at(7)
    assert at(8).find(lambda place: place in (1, 4)) == at(1)
    assert at(4).find(lambda place: place in (1, 7), backwards=True) == at(1)
    assert at(4).find(lambda place: place == 4) is None


def test_it_goes_on_by_itself_until_the_end() -> None:
    cursor = at(7).toggled()
    assert cursor.playing
    cursor = cursor.ticked()
    assert (cursor.at, cursor.playing) == (8, True)
    cursor = cursor.ticked()
    assert (cursor.at, cursor.playing) == (9, False)
    assert (cursor.toggled().at, cursor.toggled().playing) == (0, True)


def test_a_step_by_hand_stops_it() -> None:
    assert not at(4).toggled().next().playing
    assert at(4).toggled().toggled() == at(4)
    assert not Cursor(0).toggled().playing


def test_the_pace_has_two_ends() -> None:
    cursor = at(0)
    for _ in STEP_S:
        cursor = cursor.faster()
    assert cursor.step_s == min(STEP_S)
    for _ in STEP_S:
        cursor = cursor.slower()
    assert cursor.step_s == max(STEP_S)


def test_rounds_of_chuo_pai_are_those_that_it_counts() -> None:
    steps = golden_replay("chuo-pai").steps
    rounds = [fact(steps[place].view, "round") for place in Cursor.over(steps).rounds]
    assert rounds == list(range(1, len(rounds) + 1))


def test_rounds_of_paohuzi_are_turns() -> None:
    steps = golden_replay("paohuzi").steps
    for place in Cursor.over(steps).rounds[1:]:
        assert fact(steps[place].view, "turn") != fact(steps[place - 1].view, "turn")


def test_the_cards_of_a_step_are_those_that_it_names() -> None:
    steps = golden_replay("paohuzi").steps
    assert steps[2].happened == ()
    assert steps[2].cards == {"s5", "b5"}
    assert steps[8].cards == {"b3", "s6"}


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"{}",
        b"\xff",
        b'{"format":"paizhuo-replay/1","deal":1,"deals":1}',
        b'{"format":"x","deal":1,"deals":1}\n{}',
    ],
)
def test_what_is_no_replay_is_refused(lines: bytes) -> None:
    with pytest.raises(BadReplay):
        decode(lines)
