"""What is typed has its effect, once and for the question that it was typed for."""

import pytest

from client_cli import words, words_link
from client_cli.frontend import Answer
from client_cli.step import Step
from client_cli.typed_words import MOST_TYPED_AHEAD
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import (
    Act,
    AskHint,
    Autopilot,
    ClientMessage,
    Done,
    Fill,
    Leave,
    Ready,
    Refused,
    Remove,
    Say,
    Seated,
    Start,
    Why,
)
from protocol.view import Fact, Happening, SeatView
from tests.client_cli.conversations import BETWEEN, LEADING, sit_down
from tests.client_cli.tables import ANNA, BOT, BUDI, CODE, FREE, TICKET, leading, table, view


@pytest.mark.parametrize("typed", ["2", "#2", "66+66", "66 66", "play 66+66", "Play 66+66 "])
def test_an_action_is_sent_for_the_question_that_is_open(typed: str) -> None:
    assert sit_down(LEADING).typed(typed) == Step(send=(Act(1, 1, "play 66+66"),))


def test_what_is_typed_before_an_answer_is_done_in_order_once_it_comes() -> None:
    conversation = sit_down(table(view(phase="open", seats=(ANNA, FREE, FREE))))
    assert conversation.typed("fill").send == (Fill(1, "easy"),)
    assert conversation.typed("start") == Step()
    assert conversation.typed("auto on") == Step()
    assert conversation.received(Done(1)).send == (Start(2),)
    assert conversation.received(Done(2)).send == (Autopilot(3, on=True),)
    assert conversation.received(Done(3)).send == ()


def test_what_is_asked_before_the_view_shows_an_answer_waits_for_that_view_in_order() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    conversation.typed("hint")
    conversation.typed("why 36")
    assert conversation.received(Done(1)) == Step()
    assert conversation.received(table(view(prompt=leading(2), n=1))).send == (AskHint(2), Why(2, "36"))


def test_only_a_few_lines_are_kept() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    for _ in range(MOST_TYPED_AHEAD):
        assert conversation.typed("2") == Step()
    assert conversation.typed("2") == Step(lines=(words.still_waiting(),))


def test_an_action_that_waited_is_not_sent_for_another_question() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    conversation.typed("2")
    assert conversation.received(Done(1)) == Step(lines=(words.question_changed("2"),))
    assert conversation.received(table(view(prompt=leading(2), n=1))).send == ()


def test_an_answer_from_a_drawn_table_is_not_sent_for_another_question() -> None:
    conversation = sit_down(LEADING)
    assert conversation.typed(Answer("play 66+66", 7)) == Step(lines=(words.question_changed("play 66+66"),))
    assert conversation.typed(Answer("play 66+66", 1)).send == (Act(1, 1, "play 66+66"),)


def test_an_action_that_waited_is_sent_for_the_question_that_still_stands() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    conversation.typed("2")
    step = conversation.received(Refused(ErrorCode.INTERNAL, "a fault", n=1))
    assert step == Step(lines=("a fault",), send=(Act(1, 1, "play 66+66"),))


def test_a_leave_that_was_confirmed_before_an_answer_is_not_asked_again() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    conversation.typed("leave")
    assert conversation.typed("leave") == Step()
    assert conversation.received(Done(1)).send == (Leave(2),)


def test_what_is_not_offered_is_answered_and_not_sent() -> None:
    conversation = sit_down(LEADING)
    for typed in ("55", "hello"):
        step = conversation.typed(typed)
        assert step.lines == (words.not_offered(typed, 4),)
        assert not any(isinstance(message, Act) for message in step.send)


def test_a_refused_action_is_told_and_the_question_stands_again() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    step = conversation.received(Refused(ErrorCode.STALE_PROMPT, "That question is settled.", n=1))
    assert step.lines[0] == "That question is settled."
    assert step.lines[-1].startswith("Round 3, you lead.")
    assert conversation.typed("1").send == (Act(1, 1, "play 66"),)


def test_an_action_that_could_not_be_saved_is_sent_again_with_its_number() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    refusal = Refused(ErrorCode.STORE_UNAVAILABLE, "Not saved.", n=1)
    assert conversation.received(refusal) == Step(lines=(words_link.not_saved_yet(),), again_ms=1000)
    assert conversation.again().send == (Act(1, 1, "play 66"),)
    assert conversation.received(refusal) == Step(again_ms=1000)
    assert conversation.received(Done(1)) == Step()
    assert conversation.again() == Step()


def test_a_refused_word_does_not_touch_the_action_in_flight() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    step = conversation.received(Refused(ErrorCode.RATE_LIMITED, "Slower.", retry_ms=500))
    assert step == Step(lines=("Slower.",))
    assert conversation.session.in_flight == Act(1, 1, "play 66")


def test_enter_repeats_the_question() -> None:
    conversation = sit_down(LEADING)
    assert conversation.typed("").lines[-1].startswith("Round 3, you lead.")
    assert sit_down(table(view())).typed(" ").lines == (words.not_your_turn(),)
    assert sit_down(table(view(facts=(Fact("turn", 1),)))).typed("").lines == ("It is the turn of Budi.",)
    answered = sit_down(table(view(facts=(Fact("turn", 0),))))
    assert answered.typed("").lines == (words.not_your_turn(),)


@pytest.mark.parametrize("typed", ["ready", "", "READY"])
def test_the_next_deal_is_asked_for_by_word_or_by_enter(typed: str) -> None:
    assert sit_down(table(BETWEEN)).typed(typed).send == (Ready(1),)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("fill", Fill(1, "easy")),
        ("fill random", Fill(1, "random")),
        ("fill 3", Fill(1, "easy", 2)),
        ("fill 2 normal", Fill(1, "normal", 1)),
        ("fill HARD", Fill(1, "hard")),
        ("start", Start(1)),
        ("start easy", Start(1, "easy")),
        ("remove 3", Remove(1, 2)),
        ("auto on", Autopilot(1, on=True)),
        ("auto off", Autopilot(1, on=False)),
        ("say hello  there", Say("hello  there")),
    ],
)
def test_a_word_becomes_its_message(typed: str, sent: ClientMessage) -> None:
    assert sit_down(table(view(phase="open", seats=(ANNA, BUDI, FREE)))).typed(typed) == Step(send=(sent,))


@pytest.mark.parametrize(
    "typed",
    [
        "fill strong",
        "fill 4",
        "fill 2 strong",
        "start strong",
        "remove",
        "remove 4",
        "auto",
        "ask",
        "say",
        "say " + "x" * 301,
    ],
)
def test_a_word_that_lacks_something_says_what(typed: str) -> None:
    step = sit_down(table(view(phase="open"))).typed(typed)
    assert step.send == ()
    assert len(step.lines) == 1


def test_what_is_typed_before_the_table_is_there_waits_for_it_but_one_can_go() -> None:
    conversation = sit_down()
    assert conversation.typed("hand") == Step()
    assert conversation.typed("1") == Step()
    step = conversation.received(LEADING)
    assert step.lines[-4:-2] == ("Your hand (4): Long 66 66 13; Black 36", words.question_changed("1"))
    assert step.send == ()
    assert sit_down().typed("quit") == Step(end=ExitCode.OK)


def test_an_action_typed_on_a_lost_connection_waits_for_the_view_of_the_next() -> None:
    conversation = sit_down(LEADING)
    conversation.opened()
    assert conversation.typed("1") == Step()
    assert not conversation.listening
    conversation.received(Seated(CODE, 0, TICKET))
    assert conversation.received(LEADING).send == (Act(1, 1, "play 66"),)


def test_whoever_is_asked_as_the_host_is_there_by_saying_so() -> None:
    lobby = view(phase="open", seats=(ANNA, FREE, FREE))
    conversation = sit_down(table(lobby), hosting=True)
    assert conversation.received(table(lobby, Happening("host_asked", 0))).lines == (words.host_asked(),)
    assert conversation.typed("here").send == (Ready(1),)
    assert conversation.received(Done(1)).lines[-1].startswith("2 seats are free.")


def test_here_is_no_more_than_a_look_at_the_table_once_play_has_begun() -> None:
    step = sit_down(LEADING).typed("here")
    assert step.send == ()
    assert step.lines[-1].startswith("Round 3, you lead.")


def test_a_second_enter_is_not_ready_twice() -> None:
    conversation = sit_down(table(BETWEEN))
    assert conversation.typed("").send == (Ready(1),)
    assert conversation.typed("").send == ()
    ready = SeatView(0, "human", "Anna", connected=True, ready=True)
    conversation.received(table(view(phase="between", deals=3, n=1, seats=(ready, BUDI, BOT))))
    assert conversation.received(Done(1)).send == ()
    assert conversation.typed("").send == ()


def test_a_second_enter_behind_a_choice_sends_nothing() -> None:
    conversation = sit_down(LEADING)
    assert conversation.typed("1").send == (Act(1, 1, "play 66"),)
    assert conversation.typed("1").send == ()
    assert conversation.typed("").send == ()
    step = conversation.received(table(view(prompt=leading(2), n=1)))
    assert conversation.received(Done(1)).send == step.send == ()
