"""Every kind of happening has its sentence, for whoever does it and for those who look on."""

import re
from pathlib import Path

import pytest

import protocol
from client_cli.speaker import Speaker
from client_cli.words_happenings import happened
from protocol.view import Happening, Result
from tests.client_cli.paohuzi_tables import paohuzi
from tests.client_cli.tables import view

SCORES = (3, 1, 2)

SENTENCES = [
    (Happening("sat", 0, name="Anna"), "You sit down on seat 1.", "Anna sits down on seat 1."),
    (Happening("bot_sat", 0, name="Bot 1"), "A bot takes your seat.", "A bot, Bot 1, takes seat 1."),
    (Happening("left", 0, name="Anna"), "You have left.", "Anna has left."),
    (
        Happening("removed", 0, name="Anna"),
        "You have been taken off your seat.",
        "Anna has been taken off seat 1.",
    ),
    (Happening("host", 0), "You are the host now.", "Anna is the host now."),
    (
        Happening("host_asked", 0),
        "Are you still there? Type here; else somebody else becomes the host in a minute.",
        "Anna, the host, is asked whether they are still there.",
    ),
    (Happening("match_started"), "The match begins.", "The match begins."),
    (
        Happening("void", 0, value=2),
        "Your program was waited for in vain: the cards of deal 2 are drawn without it. That was time 1.",
        "The program of Anna was waited for in vain: the cards of deal 2 are drawn without it. That was time 1.",
    ),
    (
        Happening("deal_started", 0, value=1),
        "Deal 1 of 2 begins. You lead.",
        "Deal 1 of 2 begins. Anna leads.",
    ),
    (
        Happening("away", 0),
        "You are away: a bot plays for you. Type anything to take your seat back.",
        "Anna is away: a bot plays meanwhile.",
    ),
    (Happening("back", 0), "You are back.", "Anna is back."),
    (Happening("autopilot_on", 0), "A bot plays for you now.", "A bot plays for Anna now."),
    (Happening("autopilot_off", 0), "You play yourself again.", "Anna plays again."),
    (Happening("ready", 0), "You are ready for the next deal.", "Anna is ready for the next deal."),
    (
        Happening("deal_over", value=1, scores=SCORES),
        "Deal 1 of 2 is over. Points: 3 for you, 1 for Budi, 2 for Bot 3. You win the deal.",
        "Deal 1 of 2 is over. Points: 3 for Anna, 1 for Budi, 2 for Bot 3. Anna wins the deal.",
    ),
    (
        Happening("match_over", scores=(5, 5, 4)),
        "The match is over. Totals: 5 for you, 5 for Budi, 4 for Bot 3. You and Budi share the match.",
        "The match is over. Totals: 5 for Anna, 5 for Budi, 4 for Bot 3. Anna and Budi share the match.",
    ),
    (Happening("closed"), "The room is closed.", "The room is closed."),
    (
        Happening("bonus", 0, ("12", "24"), 2),
        "You score an opening bonus with 12+24: 2 points.",
        "Anna scores an opening bonus with 12+24: 2 points.",
    ),
    (  # of a server that does not say how much it is
        Happening("bonus", 0, ("12", "24")),
        "You score an opening bonus: 12+24.",
        "Anna scores an opening bonus: 12+24.",
    ),
    (Happening("led", 0, ("66", "66")), "You lead 66+66 (2 Heaven).", "Anna leads 66+66 (2 Heaven)."),
    (Happening("played", 0, ("55",)), "You play 55 (Plum).", "Anna plays 55 (Plum)."),
    (Happening("passed", 0), "You pass.", "Anna passes."),
    (
        Happening("round_won", 0, ("36", "66"), 2),
        "You win the round with 36+66 (Heaven-Nine): 2 points.",
        "Anna wins the round with 36+66 (Heaven-Nine): 2 points.",
    ),
    (Happening("leads", 0), "You lead the next round.", "Anna leads the next round."),
]
PAOHUZI_SENTENCES = [
    (
        Happening("deal_started", 0, value=1),
        "Deal 1 of 1 begins. You are the dealer.",
        "Deal 1 of 1 begins. Anna is the dealer.",
    ),
    (
        Happening("dealt_public", 0, ("b2",)),
        "Your last card is dealt face up: b2贰.",
        "The last card of Anna is dealt face up: b2贰.",
    ),
    (Happening("revealed", 0, ("s10",)), "You reveal s10十.", "Anna reveals s10十."),
    (Happening("discarded", 0, ("s10",)), "You discard s10十.", "Anna discards s10十."),
    (Happening("ti", 0, ("s1",) * 4), "You lay a ti of s1一.", "Anna lays a ti of s1一."),
    (Happening("wei", 0, ("b7",) * 3), "You lay a wei of b7柒.", "Anna lays a wei of b7柒."),
    (Happening("pao", 0, ("b7",) * 4), "You lay a pao of b7柒.", "Anna lays a pao of b7柒."),
    (Happening("peng", 0, ("s5",) * 3), "You lay a peng of s5五: 1 huxi.", "Anna lays a peng of s5五: 1 huxi."),
    (
        Happening("chi", 0, ("b1", "b2", "b3")),
        "You lay a chi, b1壹+b2贰+b3叁: 6 huxi.",
        "Anna lays a chi, b1壹+b2贰+b3叁: 6 huxi.",
    ),
    (Happening("unclaimed", 0, ("s3",)), "Nobody takes s3三.", "Nobody takes s3三."),
    (
        Happening("dead", 0),
        "Your hand is dead: it owes a discard and has none. It can no longer win.",
        "The hand of Anna is dead: it owes a discard and has none. It can no longer win.",
    ),
    (Happening("won", 0, ("b7",), name="win"), "You win with b7柒.", "Anna wins with b7柒."),
    (Happening("won", 0, name="win"), "You win with the cards in hand.", "Anna wins with the cards in hand."),
    (
        Happening("won", 0, name="heavenly-ti"),
        "You win at the deal, with three ti or more: a heavenly win.",
        "Anna wins at the deal, with three ti or more: a heavenly win.",
    ),
    (
        Happening("won", 0, name="heavenly-kan"),
        "You win at the deal, with five kan or more: a heavenly win.",
        "Anna wins at the deal, with five kan or more: a heavenly win.",
    ),
    (
        Happening("drawn_game"),
        "The stock is empty and nobody has won: the deal is a draw.",
        "The stock is empty and nobody has won: the deal is a draw.",
    ),
    (
        Happening("deal_over", value=1, scores=(0, 0, 0)),
        "Deal 1 of 1 is over. Points: 0 for you, 0 for Budi, 0 for Bot 3. Nobody wins the deal.",
        "Deal 1 of 1 is over. Points: 0 for Anna, 0 for Budi, 0 for Bot 3. Nobody wins the deal.",
    ),
]
TABLE = view(deals=2, phase="between", result=Result(SCORES, (0,)))
PAOHUZI_TABLE = paohuzi(result=Result((0, 0, 0), (), "draw"))


def to_budi(others: str) -> str:
    yours = others.replace("The program of Budi", "Your program")
    return re.sub("(?<=and |for )Budi", "you", yours).replace("Budi", "You")


@pytest.mark.parametrize(("happening", "own", "others"), SENTENCES, ids=lambda it: getattr(it, "kind", ""))
def test_a_happening_is_one_sentence_for_its_seat_and_one_for_others(
    happening: Happening, own: str, others: str
) -> None:
    assert happened(Speaker(TABLE, 0), happening) == own
    assert happened(Speaker(TABLE, 1), happening) == to_budi(others)
    assert happened(Speaker(TABLE, None), happening) == others


@pytest.mark.parametrize(("happening", "own", "others"), PAOHUZI_SENTENCES, ids=lambda it: getattr(it, "kind", ""))
def test_paohuzi_is_told_in_its_own_words(happening: Happening, own: str, others: str) -> None:
    assert happened(Speaker(PAOHUZI_TABLE, 0), happening) == own
    assert happened(Speaker(PAOHUZI_TABLE, 1), happening) == to_budi(others)
    assert happened(Speaker(PAOHUZI_TABLE, None), happening) == others


def test_every_kind_that_the_protocol_names_is_put_into_words() -> None:
    page = (Path(protocol.__file__).parent / "README.md").read_text(encoding="utf-8")
    section = page.partition("## 10.")[2].partition("## 11.")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, flags=re.MULTILINE)
    kinds = {kind for row in rows for kind in re.findall(r"`(\w+)`", row)} - {"kind"}
    assert kinds == {happening.kind for happening, _, _ in SENTENCES + PAOHUZI_SENTENCES}


def test_a_kind_that_is_not_known_is_passed_over() -> None:
    assert happened(Speaker(TABLE, 0), Happening("earthquake", 1)) is None


def test_a_happening_without_its_fields_is_still_a_sentence() -> None:
    for happening, _, _ in SENTENCES + PAOHUZI_SENTENCES:
        bare = Happening(happening.kind, scores=(0, 0, 0) if happening.scores else ())
        assert happened(Speaker(TABLE, 0), bare)


def test_one_point_is_not_called_points() -> None:
    assert (
        happened(Speaker(TABLE, 1), Happening("round_won", 0, ("66",), 1))
        == "Anna wins the round with 66 (Heaven): 1 point."
    )


def test_the_winner_is_not_guessed_from_an_older_result() -> None:
    line = happened(Speaker(view(deals=2, deal=2), 0), Happening("deal_over", value=1, scores=SCORES))
    assert line == "Deal 1 of 2 is over. Points: 3 for you, 1 for Budi, 2 for Bot 3."
