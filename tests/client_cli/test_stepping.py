"""A replay in line mode, whole and step by step."""

import pytest

from client_cli.replay import Replay
from client_cli.stepping import Stepping, whole_lines
from client_cli.words_replay import step_sentences
from tests.client_cli.replays import golden_lines, golden_replay, replay_of_line


@pytest.fixture
def stepping() -> Stepping:
    return Stepping(golden_replay("paohuzi"))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
def test_every_step_of_every_golden_record_is_said_in_one_line(game: str) -> None:
    for line in golden_lines(game):
        replay = replay_of_line(line)
        for step in replay.steps:
            said = step_sentences(step, None)
            assert len(said) == max(1, len(step.happened))
            assert all(said)
        lines = whole_lines(replay)
        numbers = [line.partition(".")[0] for line in lines if line[0].isdecimal()]
        assert numbers == [str(number) for number in range(1, len(replay.steps) + 1)]
        assert not any("\n" in line for line in lines)


def test_all_hands_are_said_at_the_start_and_at_the_end() -> None:
    lines = whole_lines(golden_replay("paohuzi"))
    assert lines[0] == (
        "Replay of Paohuzi, Chi of a revealed card: off, Dealer may win at once: off, 48 steps, with all hands."
    )
    assert [line.partition(":")[0] for line in lines[1:4]] == [
        f"Hand of Seat {seat} ({count})" for seat, count in ((1, 21), (2, 20), (3, 20))
    ]
    assert lines[1].startswith("Hand of Seat 1 (21): kan s2二; kan b2贰; Small s4四 ")
    assert [line.partition(":")[0] for line in lines[-3:]] == [f"Hand of Seat {seat}" for seat in (1, 2, 3)]
    assert whole_lines(golden_replay("chuo-pai", 3))[-3].startswith("Hand of Seat 1: ")


def test_secret_answers_are_told_now(stepping: Stepping) -> None:
    assert stepping.typed("3") == ["3. Seat 2 answers: chi s5五+b5伍+b5伍."]
    assert stepping.typed("16") == ["16. Seat 1 answers: pass."]


def test_the_viewer_of_their_own_deal_is_spoken_to() -> None:
    replay: Replay = golden_replay("paohuzi")._replace(seat=1)
    lines = whole_lines(replay)
    assert lines[2].startswith("Your hand (20): ")
    assert "3. You answer: chi s5五+b5伍+b5伍." in lines
    assert "5. You discard s10十." in lines


def test_it_begins_with_the_hands_and_the_first_step(stepping: Stepping) -> None:
    lines = stepping.opening()
    assert lines[4] == "1. Deal 1 of 20 begins. Seat 1 is the dealer. The last card of Seat 1 is dealt face up: s8八."
    assert lines[5].startswith("Enter or n: ")


def test_it_steps_by_words_and_by_numbers(stepping: Stepping) -> None:
    assert stepping.typed("") == ["2. Seat 1 discards b5伍."]
    assert stepping.typed("n") == ["3. Seat 2 answers: chi s5五+b5伍+b5伍."]
    assert stepping.typed("p") == ["2. Seat 1 discards b5伍."]
    assert stepping.typed("12") == ["12. Seat 1 discards s4四."]
    assert stepping.typed("start")[0].startswith("1. ")
    assert stepping.typed("p") == ["This is the first step."]
    assert stepping.typed("end")[0].startswith("48. ")
    assert len([*stepping.typed("start"), *stepping.typed("end")]) == 5  # with the three hands
    assert stepping.typed("N") == ["This is the last step. q: stop. start: from the beginning."]


def test_r_goes_to_the_next_round() -> None:
    stepping = Stepping(golden_replay("chuo-pai"))
    (line,) = stepping.typed("r")
    assert "wins the round" in line


@pytest.mark.parametrize("typed", ["0", "49", "999999999999"])
def test_a_step_that_is_not_there_is_named(stepping: Stepping, typed: str) -> None:
    assert stepping.typed(typed) == ["There are steps from 1 to 48."]


def test_it_is_searched_by_words_and_by_cards(stepping: Stepping) -> None:
    assert stepping.typed("/WEI")[0].startswith("23. ")
    assert stepping.typed("/s1")[0].startswith("30. ")  # and not at s10 before
    assert stepping.typed("/")[0].startswith("31. ")
    assert stepping.typed("/一")[0].startswith("30. ")
    assert stepping.typed("/ gold ") == ["No other step has 'gold'."]


def test_a_search_for_nothing_finds_nothing(stepping: Stepping) -> None:
    assert stepping.typed("/") == ["No other step has ''."]


def test_hands_and_table_are_those_of_the_step(stepping: Stepping) -> None:
    stepping.typed("5")
    assert stepping.typed("hands")[1].startswith("Hand of Seat 2 (17): ")
    table = stepping.typed("table")
    assert table[0] == "Seat 1: Seat 1, 20 cards."
    assert "In question: s10十, discarded by Seat 2." in table


def test_q_ends_it_and_other_words_are_explained(stepping: Stepping) -> None:
    assert stepping.typed("dance") == ["'dance' means nothing here. Type help for help."]
    assert len(stepping.typed("help")) == 4
    assert not stepping.over
    assert stepping.typed("q") == ()
    assert stepping.over
