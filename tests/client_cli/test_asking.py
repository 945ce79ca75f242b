"""What the table asks is asked once; what can be done unasked is done; who is away is asked nothing."""

from client_cli import words
from client_cli.plain import Conversation
from client_cli.step import Step
from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    Autopilot,
    Done,
    Ready,
    Refused,
)
from protocol.view import Happening, Prompt, SeatView, TableView
from tests.client_cli.conversations import BETWEEN, LEADING, ONLY_PASS, autopilot, sit_down
from tests.client_cli.tables import ANNA, BOT, BUDI, leading, table, view

# What is done unasked


def test_a_lone_pass_is_answered_by_itself_and_said() -> None:
    conversation = sit_down(table(view()))
    step = conversation.received(table(view(prompt=ONLY_PASS, n=3)))
    assert step == Step(lines=(words.cannot_beat(),), send=(Act(4, 5, "pass"),))
    assert conversation.received(table(view(prompt=ONLY_PASS, n=3))) == Step()


def test_whoever_wants_to_be_asked_is_asked_even_to_pass() -> None:
    conversation = sit_down(table(view()))
    assert conversation.typed("ask on").lines == (words.ask_on(),)
    step = conversation.received(table(view(prompt=ONLY_PASS)))
    assert step.send == ()
    assert step.lines[-1].endswith("1) pass")
    assert conversation.typed("pass").send == (Act(1, 5, "pass"),)
    assert conversation.typed("ask off").lines == (words.ask_off(),)
    assert conversation.typed("ask perhaps").lines == ("Type it as: ask on, or ask off",)


def test_a_pass_that_was_refused_is_asked_for_instead_of_tried_for_ever() -> None:
    conversation = sit_down(table(view()))
    conversation.received(table(view(prompt=ONLY_PASS)))
    step = conversation.received(Refused(ErrorCode.INTERNAL, "a fault", n=1))
    assert step.send == ()
    assert step.lines[0] == "a fault"
    assert step.lines[-1].endswith("1) pass")


def test_a_pass_waits_for_the_command_in_flight() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("auto off")
    assert conversation.received(table(view(prompt=ONLY_PASS))).send == ()
    assert conversation.received(Done(1)).send == (Act(2, 5, "pass"),)


def test_with_auto_a_bot_takes_the_seat_at_once() -> None:
    conversation = sit_down(auto=True)
    step = conversation.received(LEADING)
    assert step.send == (Autopilot(1, on=True),)
    assert not any("you lead" in line for line in step.lines)
    on = view(prompt=leading(), n=1, seats=(autopilot(ANNA), BUDI, BOT))
    assert conversation.received(table(on, Happening("autopilot_on", 0))).lines == ("A bot plays for you now.",)
    assert conversation.received(Done(1)) == Step()
    assert not conversation.listening


def test_with_auto_the_next_deal_begins_without_a_word() -> None:
    conversation = sit_down(table(view(deals=3, seats=(autopilot(ANNA), BUDI, BOT))), auto=True)
    assert conversation.received(table(BETWEEN)).send == (Ready(1),)
    conversation.received(Done(1))
    assert conversation.received(table(BETWEEN)).send == ()


def test_an_autopilot_that_is_refused_leaves_the_seat_to_the_person() -> None:
    conversation = sit_down(LEADING, auto=True)
    step = conversation.received(Refused(ErrorCode.INTERNAL, "a fault", n=1))
    assert step.send == ()
    assert step.lines[-1].startswith("Round 3, you lead.")


def test_whoever_comes_back_to_a_seat_on_autopilot_is_told_so() -> None:
    step = sit_down().received(table(view(prompt=leading(), seats=(autopilot(ANNA), BUDI, BOT))))
    assert step.lines[-1] == words.auto_plays()


# While away

AWAY = SeatView(0, "human", "Anna", level="easy", connected=True, away=True)


def away(prompt: Prompt | None = None, n: int = 0) -> TableView:
    return view(prompt=prompt, n=n, seats=(AWAY, BUDI, BOT))


def gone_away() -> Conversation:
    conversation = sit_down(LEADING)
    step = conversation.received(table(away(leading(2)), Happening("away", 0)))
    assert step == Step(lines=(words.away(),))
    return conversation


def test_whoever_is_away_is_told_once_and_asked_nothing() -> None:
    conversation = gone_away()
    assert conversation.received(table(away())) == Step()
    assert conversation.received(table(away(ONLY_PASS))) == Step(), "a pass would bring the player back"
    assert conversation.received(table(away(leading(6)), Happening("played", 0, ("55",)))).lines == (
        "You play 55 (Plum).",
    )
    assert conversation.listening


def test_a_seat_that_is_found_away_says_so() -> None:
    assert sit_down().received(table(away(leading()))).lines[-1] == words.away()
    between = view(phase="between", deals=3, seats=(AWAY, BUDI, BOT))
    assert not any("Type ready" in line for line in sit_down().received(table(between)).lines)


def test_enter_takes_the_seat_back_and_the_newest_question_is_asked() -> None:
    conversation = gone_away()
    assert conversation.typed("") == Step(send=(Autopilot(1, on=False),))
    assert conversation.received(Done(1)) == Step()
    step = conversation.received(table(view(prompt=leading(2), n=1), Happening("back", 0)))
    assert step.lines[0] == "You are back."
    assert step.lines[-1].startswith("Round 3, you lead.")


def test_an_action_takes_the_seat_back_and_follows_while_its_question_is_open() -> None:
    conversation = gone_away()
    assert conversation.typed("66") == Step(send=(Autopilot(1, on=False),))
    assert conversation.received(Done(1)) == Step(send=(Act(2, 2, "play 66"),))


def test_an_action_for_a_question_that_the_bot_has_answered_only_takes_the_seat_back() -> None:
    conversation = gone_away()
    conversation.typed("66")
    assert conversation.received(table(away(leading(3)))) == Step()
    assert conversation.received(Done(1)) == Step(lines=(words.question_changed("66"),))


def test_any_word_that_is_none_takes_the_seat_back_but_looking_does_not() -> None:
    conversation = gone_away()
    assert conversation.typed("table").send == ()
    assert conversation.received(table(away())) == Step()
    assert conversation.typed("hello") == Step(send=(Autopilot(1, on=False),))
    assert conversation.received(Done(1)) == Step()
