from typing import get_args

import pytest

from client_cli import words_advice as say
from client_cli.speaker import Speaker
from protocol.messages import EMOTES, EmoteKind
from protocol.reasons import HintCode, WhyCode
from protocol.view import Reason
from tests.client_cli.paohuzi_tables import paohuzi
from tests.client_cli.tables import view

CHUO_PAI = Speaker(view(), 0)
PAOHUZI = Speaker(paohuzi(), 0)


@pytest.mark.parametrize("code", WhyCode)
def test_every_reason_against_something_has_words(code: WhyCode) -> None:
    said = say.because(PAOHUZI, Reason(code, ("s3", "s4"), 2, 1), ())
    assert said
    assert code == WhyCode.NO_SUCH_ACTION or said != say.because(PAOHUZI, Reason("of a newer server"), ())


@pytest.mark.parametrize("code", HintCode)
def test_every_reason_for_a_hint_has_words(code: HintCode) -> None:
    plain = say.hint(PAOHUZI, "peng", ())
    assert say.hint(PAOHUZI, "peng", (Reason(code, ("s3", "s4"), 2, 1),)).startswith(f"{plain} ")


def test_what_only_newer_servers_know_is_passed_over() -> None:
    assert say.hint(CHUO_PAI, "play 66", (Reason("lucky"), Reason("forced"))) == (
        "Hint: play 66. It is the only choice."
    )
    assert say.because(CHUO_PAI, Reason("unlucky"), ()) == "That is none of the choices."
    assert say.emote("wave", "Ann waves.") == "Ann waves."


def test_every_emote_has_words_that_in_english_are_those_of_the_wire() -> None:
    assert tuple(say.EMOTES) == get_args(EmoteKind)
    assert dict(say.EMOTES) == dict(EMOTES)
    assert all(f"{kind}: {text}" in say.emotes() for kind, text in EMOTES.items())


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        (Reason("not_in_hand", ("33", "66")), "You do not hold that: 33 66."),
        (Reason("must_beat", ("22",), seat=1), "You can beat 22 (Bench) of Budi, so you must."),
        (Reason("other_count", ("22",), 1, 1), "It takes 1 card to beat 22 (Bench)."),
        (Reason("other_count", ("22", "22"), 2, 1), "It takes 2 cards to beat 22+22 (2 Bench)."),
        (Reason("too_many_cards", number=4), "A combination has at most 4 cards at this table."),
        (Reason("offered", number=2), "That is one of your choices: play 13"),
        (Reason("offered", number=3), "That is one of your choices."),
    ],
)
def test_a_reason_of_chuo_pai_names_cards_and_players(reason: Reason, line: str) -> None:
    assert say.because(CHUO_PAI, reason, ("play 66", "play 13")) == line


def test_a_reason_of_paohuzi_names_cards_as_they_are_printed() -> None:
    assert say.because(PAOHUZI, Reason("no_pair", ("s3",), 1), ()) == (
        "For a peng you need exactly two loose s3三; you have 1."
    )
    assert say.because(PAOHUZI, Reason("not_your_chi", ("b7",), seat=1), ()) == "Only Budi may chi b7柒."


def test_a_hint_says_what_speaks_for_it_in_order() -> None:
    reasons = (Reason("takes_round", number=3), Reason("unbeatable"))
    assert say.hint(CHUO_PAI, "play 66+66+66", reasons) == (
        "Hint: play 66+66+66. It takes the round: 3 points. No cards that you have not seen beat it."
    )
