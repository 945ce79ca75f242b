"""Line mode: what is asked of the server about the own choices, and what becomes of its answers."""

import pytest

from client_cli import words, words_advice
from client_cli.plain import Conversation
from client_cli.step import Step
from protocol.errors import ErrorCode
from protocol.messages import Act, AskHint, Because, DealRecord, Emote, Export, Hint, Refused, Said, Seated, Why
from protocol.view import Prompt, Reason, Result
from tests.client_cli.conversations import LEADING, WELCOME, look_on, sit_down
from tests.client_cli.paohuzi_tables import CLAIMS, REVEALED, paohuzi
from tests.client_cli.tables import CODE, TICKET, leading, table, view

LOOKING_ON = table(view(me=None))
STANDING = table(view())


def answered(conversation: Conversation, message: Hint | Because) -> tuple[str, ...]:
    return conversation.received(message).lines


def test_a_hint_is_asked_for_the_open_question_and_said_with_its_reasons() -> None:
    conversation = sit_down(LEADING)
    assert conversation.typed("hint") == Step(send=(AskHint(1),))
    assert answered(conversation, Hint(1, "play 13", (Reason("lone_card", ("13",)),))) == (
        "Hint: play 13. It goes with nothing else in your hand.",
    )


def test_a_hint_names_all_cards_that_a_claim_lays_down() -> None:
    conversation = sit_down(table(paohuzi(CLAIMS, REVEALED)))
    conversation.typed("hint")
    assert answered(conversation, Hint(7, "peng")) == ("Hint: peng b7+b7+b7.",)


def test_a_hint_for_a_question_that_is_gone_is_not_given() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("hint")
    conversation.received(table(view(prompt=leading(2), n=1)))
    assert answered(conversation, Hint(1, "play 13")) == (words_advice.question_gone(),)


def test_a_hint_that_is_no_choice_is_none() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("hint")
    assert answered(conversation, Hint(1, "play 11")) == (words_advice.no_hint(),)


def test_nobody_asks_for_a_hint_without_a_question() -> None:
    assert sit_down(STANDING).typed("hint") == Step(lines=(words.not_your_turn(),))
    assert look_on(LOOKING_ON).typed("hint") == Step(lines=(words.not_seated(),))
    assert look_on(LOOKING_ON).typed("why 66") == Step(lines=(words.not_seated(),))


def test_a_hint_waits_for_the_answer_to_what_was_sent_before() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    assert conversation.typed("hint") == Step()


@pytest.mark.parametrize(("typed", "text"), [("why 66 13", "66 13"), ("why play 36+36", "play 36+36")])
def test_why_is_asked_about_cards_or_an_action(typed: str, text: str) -> None:
    conversation = sit_down(LEADING)
    assert conversation.typed(typed) == Step(send=(Why(1, text),))
    assert answered(conversation, Because(1, Reason("no_play", ("13", "66")))) == (
        "Cards that are played together are all alike, or a combination.",
    )


def test_why_knows_the_numbers_of_choices_where_they_are_no_cards() -> None:
    many = tuple(f"play {card}" for card in ("66", "36", "13", "55", "33", "22", "15", "16", "46", "56", "26", "25"))
    conversation = sit_down(table(view(prompt=Prompt(1, many))))
    for typed, text in (("3", "play 13"), ("#11", "play 26"), ("11", "11"), ("13", "13")):
        assert conversation.typed(f"why {typed}").send == (Why(1, text),)


def test_why_reads_the_characters_that_are_printed_on_cards() -> None:
    conversation = sit_down(table(paohuzi(CLAIMS, REVEALED)))
    assert conversation.typed("why s3三 四") == Step(send=(Why(7, "s3 s4"),))


def test_why_can_be_asked_without_a_question_and_needs_something_to_ask_about() -> None:
    conversation = sit_down(STANDING)
    assert conversation.typed("why 66").send == (Why(0, "66"),)
    assert answered(conversation, Because(0, Reason("not_your_turn", seat=1))) == ("It is the turn of Budi.",)
    assert conversation.typed("why").lines == (words_advice.why_usage(),)


def test_what_is_no_choice_is_explained_unasked() -> None:
    conversation = sit_down(LEADING)
    step = conversation.typed("66+13")
    assert step == Step(lines=(words.not_offered("66+13", 4),), send=(Why(1, "66+13"),))
    assert answered(conversation, Because(1, Reason("no_play", ("13", "66")))) == (
        "Cards that are played together are all alike, or a combination.",
    )


def test_what_says_no_more_or_is_no_longer_asked_is_not_explained() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("dance")
    assert answered(conversation, Because(1, Reason("no_such_action"))) == ()
    conversation.typed("66+13")
    conversation.received(table(view(prompt=leading(2), n=1)))
    assert answered(conversation, Because(1, Reason("no_play", ("13", "66")))) == ()


def test_what_fits_several_choices_is_not_explained() -> None:
    assert sit_down(LEADING).typed("play").send == ()


def test_an_older_server_is_named_where_the_person_asked_and_not_else() -> None:
    malformed = Refused(ErrorCode.MALFORMED, "Invalid value 'why' - at `$.type`")
    conversation = sit_down(LEADING)
    conversation.typed("66+13")
    assert conversation.received(malformed) == Step()
    for typed in ("why 66+13", "hint", "emote oops"):
        conversation.typed(typed)
        assert conversation.received(malformed) == Step(lines=(words_advice.older_server(),))


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (ErrorCode.NO_HINT, words_advice.no_hint()),
        (ErrorCode.STALE_PROMPT, words_advice.question_gone()),
        (ErrorCode.NOT_ASKED, words_advice.question_gone()),
        (ErrorCode.RATE_LIMITED, "Too many messages; try again in 900 ms."),
    ],
)
def test_a_refused_hint_is_said_and_the_question_not_asked_anew(code: ErrorCode, line: str) -> None:
    conversation = sit_down(LEADING)
    conversation.typed("hint")
    assert conversation.received(Refused(code, "Too many messages; try again in 900 ms.")) == Step(lines=(line,))
    assert conversation.typed("1").send == (Act(1, 1, "play 66"),)


def test_a_refusal_of_something_else_is_not_taken_for_an_answer() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("hint")
    conversation.received(Refused(ErrorCode.BAD_TEXT, "The text has no readable character."))
    assert answered(conversation, Hint(1, "play 13")) == ("Hint: play 13.",)


def test_a_hint_does_not_cost_the_record_that_is_asked_for() -> None:
    conversation = sit_down(table(view(prompt=leading(), deal=2, deals=3)))
    conversation.typed("save deal.jsonl")
    conversation.typed("hint")
    conversation.received(Refused(ErrorCode.NO_HINT, "none"))
    over = conversation.received(table(view(deal=3, deals=3)))
    assert over.send == (Export(2),)


def test_unreadable_chat_does_not_cost_the_record_that_is_asked_for() -> None:
    conversation = sit_down(table(view(deal=2, deals=3, phase="between", result=Result((3, 1, 2), (0,)))))
    assert conversation.typed("save deal.jsonl").send == (Export(2),)
    conversation.received(Refused(ErrorCode.BAD_TEXT, "The text has no readable character."))
    assert conversation.received(DealRecord(2, "{}")).records


def test_a_line_from_a_pipe_is_not_read_before_the_answer() -> None:
    conversation = sit_down(LEADING)
    listening = [conversation.listening]
    conversation.typed("hint")
    listening.append(conversation.listening)
    conversation.received(Hint(1, "play 13"))
    assert [*listening, conversation.listening] == [True, False, True]


def test_what_was_asked_on_a_connection_that_broke_is_forgotten() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("66+13")
    conversation.opened()
    for message in (WELCOME, Seated(CODE, 0, TICKET), LEADING):
        conversation.received(message)
    conversation.typed("hint")
    assert answered(conversation, Hint(1, "play 13")) == ("Hint: play 13.",)


@pytest.mark.parametrize("typed", ["emote good_game", "emote Good Game", "emote 8"])
def test_an_emote_goes_by_its_name_or_number(typed: str) -> None:
    assert sit_down(LEADING).typed(typed) == Step(send=(Emote("good_game"),))
    assert look_on(LOOKING_ON).typed(typed) == Step(send=(Emote("good_game"),))


@pytest.mark.parametrize("typed", ["emotes", "emote", "emote 9", "emote wave"])
def test_all_emotes_are_listed(typed: str) -> None:
    assert sit_down(LEADING).typed(typed) == Step(lines=(words_advice.emotes(),))


def test_an_emote_is_said_in_the_words_of_its_reader() -> None:
    conversation = sit_down(LEADING)
    said = [
        line
        for message in (
            Said("Budi", "Sent by a newer server", 1, "oops"),
            Said("Budi", "Budi waves.", 1, "wave"),
            Said("Cici", "Thank you!", None, "thanks"),
        )
        for line in conversation.received(message).lines
    ]
    assert said == ["Budi says: Oops!", "Budi says: Budi waves.", "Cici (watching) says: Thank you!"]
