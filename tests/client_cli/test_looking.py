"""Words that show something of the table, and the one that tells all words."""

import pytest

from client_cli import words, words_advice, words_remaining, words_replay
from tests.client_cli.conversations import LEADING, sit_down
from tests.client_cli.tables import leading, table, view


def every_table() -> list[str]:
    return [
        words.help_choices(),
        *words_advice.help_advice(),
        words_remaining.help_line(),
        words.help_save(),
        *words_replay.help_in_a_room(),
    ]


def test_help_knows_what_a_host_can_do_and_what_goes_with_the_player() -> None:
    def helped(*more: str) -> tuple[str, ...]:
        return (*words.help_chuo_pai(), *every_table(), *more)

    opening, guest = table(view(phase="open")), table(view(phase="open", host=1))
    assert sit_down(opening).typed("help").lines == helped(words.help_going(), *words.help_host())
    assert sit_down(guest).typed("help").lines == helped(words.help_going())
    assert sit_down(LEADING).typed("help").lines == helped(words.help_going())
    assert sit_down(LEADING, private=True).typed("help").lines == helped(words.help_private())


def test_help_fits_a_terminal_of_80_columns() -> None:
    assert (
        max(
            map(
                len,
                (
                    *words.help_chuo_pai(),
                    *every_table(),
                    words.help_going(),
                    words.help_private(),
                    *words.help_host(),
                ),
            )
        )
        < 80
    )


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("hand", "Your hand (4): Long 66 66 13; Black 36"),
        ("cards", "Yao: 15 Cat, 16 High Foot, 46 Four-Six, 56 Axe"),
        ("table", "Seat 2: Budi, 27 cards, 0 points."),
        ("actions", "3) 36+66"),
        ("history", "Round 1: Budi: pass"),
        ("last", "Round 2: You: play 13+14"),
        ("rules", "For the whole page: rules all."),
        ("rules 3", "3. The deal"),
        ("rules all", "11. Glossary"),
        ("rules whist", "The rules have nothing about 'whist'."),
    ],
)
def test_the_table_answers_questions_of_its_own(typed: str, expected: str) -> None:
    shown = view(prompt=leading(), history=("1 0 play 55", "1 1 pass", "2 0 play 13+14"))
    step = sit_down(table(shown)).typed(typed)
    assert expected in step.lines
    assert step.send == ()


def test_questions_before_the_first_deal_are_answered_too() -> None:
    conversation = sit_down(table(view(phase="open")))
    assert conversation.typed("hand").lines == (words.no_hand(),)
    assert conversation.typed("history").lines == (words.nothing_yet(),)
    assert conversation.typed("last").lines == (words.nothing_yet(),)
    assert conversation.typed("actions").lines == (words.not_your_turn(),)


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("actions 36", ("3) 36+66",)),
        ("actions 66", ("1) 66", "2) 66+66", "3) 36+66")),
        ("actions 66+36", ("3) 36+66",)),
        ("actions 66 36", ("3) 36+66",)),
        ("actions 12", ("None of your choices has '12'.",)),
    ],
)
def test_of_many_choices_those_with_certain_cards_can_be_heard_alone(typed: str, lines: tuple[str, ...]) -> None:
    assert sit_down(LEADING).typed(typed).lines == lines
