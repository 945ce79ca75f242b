"""Line mode at a table of Paohuzi: claims that are typed, automatic pass, saved deals, and a whole deal as told."""

import re
import unicodedata

import pytest

from client_cli import words, words_paohuzi
from client_cli.plain import Conversation
from client_cli.records import Fetched
from client_cli.session import Session
from client_cli.step import Step
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import (
    Act,
    AutoPass,
    Autopilot,
    DealRecord,
    Done,
    Export,
    Hello,
    Join,
    Refused,
    Seated,
    Table,
    Welcome,
)
from protocol.view import Group, Happening, Prompt, Result, TableView
from tests.client_cli.paohuzi_tables import CLAIMS, DISCARDS, KAN, REVEALED, paohuzi
from tests.client_cli.tables import CODE, TICKET, table, view

WON = Result((8, -4, -4), (0,), "win", 24, 4, (Group(("s8", "s8", "s8", "s8"), "pao", value=6),))
DRAWN = Result((0, 0, 0), (), "draw")
CLAIMING = table(paohuzi(CLAIMS, REVEALED))
NAME = f"paohuzi-{CODE}-1.jsonl"
CLAIMS_SHOWN = ("1) peng b7+b7+b7", "2) chi b2+b7+b10", "3) chi b7+b8+b9 b7+b7+s7", "4) pass")
RECORD = DealRecord(1, '{"format":"paizhuo-record/1"}')


def sit_down(first: Table) -> Conversation:
    conversation = Conversation(Session("Anna", Join(CODE)))
    conversation.opened()
    conversation.received(Welcome("0.1.0", "Anna", ("paohuzi",)))
    conversation.received(Seated(CODE, 0, TICKET))
    conversation.received(first)
    return conversation


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("peng", "peng"),
        ("peng b7+b7+b7", "peng"),
        ("b7 b7 b7", "peng"),
        ("1", "peng"),
        ("chi b7+b2+b10", "chi b2+b7+b10"),
        ("b2贰+b7柒*+b10拾*", "chi b2+b7+b10"),
        ("贰+柒+拾", "chi b2+b7+b10"),
        ("pass", "pass"),
        ("4", "pass"),
    ],
)
def test_a_claim_is_sent_however_it_is_typed(typed: str, action: str) -> None:
    assert sit_down(CLAIMING).typed(typed) == Step(send=(Act(1, 7, action),))


@pytest.mark.parametrize("typed", ["s3", "s3三", "三", "2", "discard s3"])
def test_a_discard_is_sent_however_it_is_typed(typed: str) -> None:
    assert sit_down(table(paohuzi(DISCARDS))).typed(typed) == Step(send=(Act(1, 8, "discard s3"),))


def test_a_win_is_one_word() -> None:
    prompt = Prompt(3, ("win", "pao", "pass"))
    assert sit_down(table(paohuzi(prompt, REVEALED))).typed("win") == Step(send=(Act(1, 3, "win"),))


def test_a_verb_that_fits_several_choices_is_asked_back() -> None:
    (line,) = sit_down(CLAIMING).typed("chi").lines
    assert line == "'chi' can mean chi b2+b7+b10 or chi b7+b8+b9 b7+b7+s7. Type the whole action."


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("hand", "Your melds: peng s5五 for 1, chi b1壹+b2贰+b3叁 for 6. Your huxi so far, with kans: 10."),
        ("cards", "Small: s1 一, s2 二 (red), s3 三, s4 四, s5 五, s6 六, s7 七 (red), s8 八, s9 九, s10 十 (red)"),
        ("table", "In question: b7柒, revealed by Budi."),
        ("actions", "1) peng b7+b7+b7"),
        ("history", "Budi: discard b9玖"),
        ("last", "You: peng"),
        ("rules wei", "- Wei: three identical, completed by a card that you reveal yourself."),
        ("help", words_paohuzi.help_paohuzi()[0]),
    ],
)
def test_the_table_answers_questions_of_its_own(typed: str, expected: str) -> None:
    step = sit_down(table(paohuzi(CLAIMS, REVEALED, history=("0 1 discard b9", "1 0 peng")))).typed(typed)
    assert expected in step.lines
    assert step.send == ()


def test_help_fits_a_terminal_of_80_columns() -> None:
    assert max(map(len, (*words_paohuzi.help_paohuzi(), words.help_save()))) < 80


def test_enter_tells_what_stands_while_nothing_is_asked() -> None:
    (line,) = sit_down(table(paohuzi(public=REVEALED))).typed("").lines
    assert line.startswith("You have nothing to decide now. In question: b7柒")


# Automatic pass


def test_automatic_pass_is_switched_and_said_once_the_server_has_it() -> None:
    conversation = sit_down(table(paohuzi()))
    assert conversation.typed("auto pass on") == Step(send=(AutoPass(1, on=True),))
    assert conversation.received(Done(1)) == Step()
    assert conversation.received(table(paohuzi(n=1, auto_pass=True))).lines == (words.passing_on(),)
    assert conversation.received(table(paohuzi(n=1, auto_pass=True))) == Step()
    assert conversation.typed("AUTO PASS ON") == Step(lines=(words.passing_on(),))
    assert conversation.typed("auto pass off").send == (AutoPass(2, on=False),)
    conversation.received(Done(2))
    assert conversation.received(table(paohuzi(n=2))).lines == (words.passing_off(),)


@pytest.mark.parametrize("typed", ["auto pass", "auto pass perhaps", "auto"])
def test_a_switch_that_lacks_something_says_what(typed: str) -> None:
    step = sit_down(table(paohuzi())).typed(typed)
    assert step.send == ()
    assert step.lines[0].startswith("Type it as: auto ")


def test_a_bot_that_plays_is_another_switch() -> None:
    assert sit_down(table(paohuzi())).typed("auto on").send == (Autopilot(1, on=True),)


# Saving a deal


def between(result: Result = WON) -> TableView:
    return paohuzi(phase="between", deals=2, result=result)


def test_a_deal_that_is_over_is_saved_at_once() -> None:
    conversation = sit_down(table(between()))
    assert conversation.typed("save") == Step(send=(Export(1),))
    assert conversation.received(RECORD) == Step(records=(Fetched(RECORD.line, NAME),))
    assert conversation.received(RECORD) == Step(), "what nobody asked for goes nowhere"


def test_a_deal_that_is_played_is_saved_when_it_is_over() -> None:
    conversation = sit_down(table(paohuzi(deals=2)))
    assert conversation.typed("save my deal.jsonl") == Step(lines=(words.will_be_saved(1),))
    assert conversation.received(table(paohuzi(deals=2))).send == ()
    assert conversation.received(table(between())).send == (Export(1),)
    assert conversation.received(table(between())).send == ()
    assert conversation.received(RECORD).records == (Fetched(RECORD.line, "my deal.jsonl"),)


def test_the_last_deal_is_saved_before_the_sitting_ends() -> None:
    conversation = sit_down(table(paohuzi()))
    conversation.typed("save")
    over = table(paohuzi(phase="over", result=WON), Happening("match_over", scores=(8, -4, -4)))
    step = conversation.received(over)
    assert (step.send, step.end) == ((Export(1),), None)
    assert conversation.received(RECORD) == Step(end=ExitCode.OK, records=(Fetched(RECORD.line, NAME),))


def test_a_record_that_is_refused_is_told_and_keeps_nobody() -> None:
    conversation = sit_down(table(paohuzi()))
    conversation.typed("save")
    conversation.received(table(paohuzi(phase="over", result=WON)))
    refusal = Refused(ErrorCode.STORE_UNAVAILABLE, "The store is out of reach.")
    step = conversation.received(refusal)
    assert step == Step(lines=("The store is out of reach.",), end=ExitCode.OK)


def test_a_connection_that_is_lost_before_the_last_record_ends_in_order() -> None:
    conversation = sit_down(table(paohuzi()))
    conversation.typed("save")
    conversation.received(table(paohuzi(phase="over", result=WON)))
    assert conversation.opened() == Step(lines=(words.not_saved(),), end=ExitCode.OK)


def test_a_record_that_was_lost_on_the_way_is_asked_for_again() -> None:
    conversation = sit_down(table(between()))
    conversation.typed("save")
    assert conversation.opened().send == (Hello("Anna", TICKET),)
    assert conversation.received(table(between())).send == (Export(1),)


def test_before_the_first_deal_there_is_nothing_to_save() -> None:
    assert sit_down(table(view(phase="open"))).typed("save") == Step(lines=(words.no_deal_yet(),))


# A whole deal

PLAYED = [
    (
        paohuzi(),
        [
            Happening("match_started"),
            Happening("deal_started", 1, value=1),
            Happening("dealt_public", 1, ("b2",)),
            Happening("ti", 2, ("s6",) * 4),
        ],
    ),
    (paohuzi(CLAIMS, REVEALED), [Happening("discarded", 1, ("b9",)), Happening("unclaimed", 1, ("b9",))]),
    (paohuzi(DISCARDS), [Happening("peng", 0, ("s5",) * 3)]),
    (paohuzi(), [Happening("discarded", 0, ("s9",)), Happening("chi", 1, ("s7", "s8", "s9"))]),
    (paohuzi(), [Happening("revealed", 2, ("b6",)), Happening("wei", 2, ("b6",) * 3), Happening("dead", 2)]),
    (
        paohuzi(Prompt(9, ("win", "pass")), REVEALED),
        [Happening("revealed", 1, ("s8",)), Happening("pao", 1, ("s8",) * 4), Happening("revealed", 1, ("b7",))],
    ),
    (
        paohuzi(phase="over", result=WON, own=(Group(("b9",), "hand"),)),
        [
            Happening("won", 0, ("b7",), name="win"),
            Happening("deal_over", value=1, scores=(8, -4, -4)),
            Happening("match_over", scores=(8, -4, -4)),
        ],
    ),
]


def test_the_transcript_of_a_deal_has_each_event_and_question_as_one_plain_line() -> None:
    conversation = sit_down(table(paohuzi()))
    told: list[str] = []
    for shown, happened in PLAYED:
        lines = conversation.received(Table(shown, tuple(happened))).lines
        assert len(lines) >= len(happened)
        told += lines
    hand = "Your hand (10): kan s4四; small s2二 s3三 s3三 s10十; big b7柒 b7柒 b9玖"
    melds = "Your melds: peng s5五 for 1, chi b1壹+b2贰+b3叁 for 6. Your huxi so far, with kans: 10."
    assert told == [
        "The match begins.",
        "Deal 1 of 1 begins. Budi is the dealer.",
        "The last card of Budi is dealt face up: b2贰.",
        "Bot 3 lays a ti of s6六.",
        "Budi discards b9玖.",
        "Nobody takes b9玖.",
        *(hand, melds),
        f"You can claim it: b7柒, revealed by Budi. {', '.join(CLAIMS_SHOWN)}",
        "You lay a peng of s5五: 1 huxi.",
        "Your turn. Discard: 1) s2, 2) s3, 3) s10, 4) b7, 5) b9",
        "You discard s9九.",
        "Budi lays a chi, s7七+s8八+s9九.",
        "Bot 3 reveals b6陆.",
        "Bot 3 lays a wei of b6陆.",
        "The hand of Bot 3 is dead: it owes a discard and has none. It can no longer win.",
        "Budi reveals s8八.",
        "Budi lays a pao of s8八: 6 huxi.",
        "Budi reveals b7柒.",
        "YOU CAN WIN: b7柒, revealed by Budi. 1) win, 2) pass",
        "You win with b7柒.",
        "Deal 1 of 1 is over. Points: 8 for you, -4 for Budi, -4 for Bot 3. You win the deal.",
        "What counts: pao s8八 for 6. Together 24 huxi, that is 4 tun.",
        "Budi pays you 4. Bot 3 pays you 4.",
        "Your hand: big b9玖",
        "Hand of Budi: nothing",
        "Hand of Bot 3: nothing",
        "Not checked: this server does not show how the cards come about.",
        "The match is over. Totals: 8 for you, -4 for Budi, -4 for Bot 3. You win the match.",
    ]
    drawn = [sign for line in told for sign in line if unicodedata.name(sign, "").startswith(("BOX DRAWING", "BLOCK"))]
    assert not drawn
    assert not any(re.search(r"[\r\n\x1b]", line) for line in told)


def test_a_hand_is_told_when_it_has_changed_or_is_asked_for() -> None:
    conversation = sit_down(CLAIMING)
    (again,) = conversation.received(table(paohuzi(Prompt(9, CLAIMS.actions), REVEALED))).lines
    assert again.startswith("You can claim it: ")
    assert len(conversation.typed("").lines) == 3
    fewer = table(paohuzi(Prompt(10, DISCARDS.actions), own=(KAN,)))
    assert conversation.received(fewer).lines[0].startswith("Your hand (3): ")


def test_a_draw_is_told() -> None:
    over = table(
        paohuzi(phase="over", result=DRAWN),
        Happening("drawn_game"),
        Happening("deal_over", value=1, scores=(0, 0, 0)),
    )
    lines = sit_down(table(paohuzi())).received(over).lines
    assert lines[:2] == (
        "The stock is empty and nobody has won: the deal is a draw.",
        "Deal 1 of 1 is over. Points: 0 for you, 0 for Budi, 0 for Bot 3. Nobody wins the deal.",
    )
    assert not [line for line in lines if "pays" in line or "counts" in line]
