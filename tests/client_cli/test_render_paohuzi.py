"""A table of Paohuzi as lines: hands in groups, claims with what they lay down, and how a deal ended."""

from msgspec.structs import replace
from wcwidth import wcswidth

from client_cli import render_paohuzi as layout
from client_cli.rows import wrapped
from client_cli.speaker import Speaker
from client_cli.words import passing_on
from protocol.notation import PAOHUZI_CARDS
from protocol.view import Fact, Group, Prompt, Result
from tests.client_cli.paohuzi_tables import CHI, CLAIMS, DISCARDED, DISCARDS, FACTS, KAN, PAO, REVEALED, paohuzi
from tests.client_cli.tables import view

HAND = "Your hand (10): kan s4四; small s2二 s3三 s3三 s10十; big b7柒 b7柒 b9玖"
MELDS = "Your melds: peng s5五 for 1, chi b1壹+b2贰+b3叁 for 6. Your huxi so far, with kans: 10."


def test_a_hand_is_laid_out_with_its_kans_and_what_it_counts_so_far() -> None:
    assert layout.held_lines(Speaker(paohuzi(), 0)) == [HAND, MELDS]


def test_a_hand_without_kans_and_melds_is_only_its_cards() -> None:
    shown = paohuzi(own=(Group(("b9",), "hand"),), melds=((), (), ()), facts=(Fact("own_huxi", 0, 0),))
    assert layout.held_lines(Speaker(shown, 0)) == ["Your hand (1): big b9玖"]


def test_a_kan_alone_counts_before_anything_is_laid() -> None:
    shown = paohuzi(own=(KAN,), melds=((), (), ()), facts=(Fact("own_huxi", 3, 0),))
    assert layout.held_lines(Speaker(shown, 0)) == [
        "Your hand (3): kan s4四",
        "Your huxi so far, with kans: 3.",
    ]


def test_whoever_looks_on_holds_nothing() -> None:
    assert layout.held_lines(Speaker(paohuzi(me=None), None)) == ()
    assert layout.held_lines(Speaker(view(phase="open"), 0)) == ()


def test_a_hand_of_21_cards_takes_two_rows_of_a_terminal() -> None:
    cards = tuple(sorted([*PAOHUZI_CARDS, "b10"], key=PAOHUZI_CARDS.index))
    (line, *_) = layout.held_lines(Speaker(paohuzi(own=(Group(cards, "hand"),)), 0))
    rows = wrapped(line, 80).split("\n")
    assert len(rows) == 2
    assert all(wcswidth(row) <= 80 for row in rows)


def test_discards_are_asked_for_as_a_list_of_cards() -> None:
    shown = paohuzi(DISCARDS)
    assert layout.question(Speaker(shown, 0), DISCARDS) == ("Your turn. Discard: 1) s2, 2) s3, 3) s10, 4) b7, 5) b9")


def test_the_dealers_card_is_no_card_to_claim() -> None:
    shown = paohuzi(DISCARDS, Group(("b2",), "dealt", 0))
    assert layout.question(Speaker(shown, 0), DISCARDS).startswith("Your turn. Discard: ")


def test_a_claim_shows_the_card_and_all_that_each_choice_lays_down() -> None:
    prompt = replace(CLAIMS, remaining_ms=7500)
    assert layout.question(Speaker(paohuzi(prompt, REVEALED), 0), prompt) == (
        "You can claim it: b7柒, revealed by Budi (8 s). "
        "1) peng b7+b7+b7, 2) chi b2+b7+b10, 3) chi b7+b8+b9 b7+b7+s7, 4) pass"
    )
    pao = Prompt(1, ("pao", "pass"))
    assert layout.question(Speaker(paohuzi(pao, DISCARDED), 0), pao) == (
        "You can claim it: s3三, discarded by Bot 3. 1) pao s3+s3+s3+s3, 2) pass"
    )


def test_a_win_comes_first_and_cannot_be_overlooked() -> None:
    claim = Prompt(1, ("win", "peng", "pass"))
    assert layout.question(Speaker(paohuzi(claim, replace(REVEALED, seat=0)), 0), claim) == (
        "YOU CAN WIN: b7柒, revealed by you. 1) win, 2) peng b7+b7+b7, 3) pass"
    )
    late = Prompt(1, ("pao", "win", "pass"))
    assert "1) pao" not in layout.question(Speaker(paohuzi(late, REVEALED), 0), late).partition("2) win")[0]
    discard = Prompt(1, ("win", "discard s3", "discard b7"))
    assert layout.question(Speaker(paohuzi(discard), 0), discard) == (
        "YOU CAN WIN NOW: 1) win. Or discard: 2) s3, 3) b7"
    )
    alone = Prompt(1, ("win",), 3000)
    assert layout.question(Speaker(paohuzi(alone), 0), alone) == "YOU CAN WIN NOW (3 s): 1) win"


def test_the_table_is_listed_with_all_that_may_be_known() -> None:
    assert layout.table_lines(Speaker(paohuzi(public=REVEALED, auto_pass=True), 0)) == [
        "Room K7QF-2MXR: Paohuzi, deal 1 of 1, Chi of a revealed card: off, Dealer may win at once: on.",
        "Seat 1: You, host, 10 cards.",
        "Seat 2: Budi, 14 cards.",
        "Seat 3: Bot 3, a bot (easy), 1 card.",
        passing_on(),
        "Your melds, 7 huxi: peng s5五 for 1, chi b1壹+b2贰+b3叁 for 6.",
        "Melds of Budi, 6 huxi: pao s8八 for 6.",
        "Your discards: s9九 b10拾.",
        "Discards of Bot 3: b5伍.",
        "Dead hands, which can no longer win: Bot 3.",
        "You may no longer chi or peng: s9九 b10拾.",
        "Stock: 12 cards.",
        "Budi is the dealer; the card that was dealt face up: b2贰.",
        "In question: b7柒, revealed by Budi.",
    ]


def test_a_spectator_sees_the_table_without_what_is_a_seats_own() -> None:
    facts = tuple(fact for fact in FACTS if fact.label not in {"own_huxi", "barred", "dead"})
    lines = layout.table_lines(Speaker(paohuzi(me=None, facts=facts), None))
    assert "It is the turn of Budi." in lines
    assert not [line for line in lines if "no longer" in line or "You" in line]


def test_a_table_before_the_first_deal_is_its_seats() -> None:
    opening = replace(paohuzi(phase="open"), deal=None)
    assert len(layout.table_lines(Speaker(opening, 0))) == 4


def test_who_is_asked_nothing_learns_what_stands() -> None:
    assert layout.standing_line(Speaker(paohuzi(public=REVEALED), 0)) == (
        "You have nothing to decide now. In question: b7柒, revealed by Budi."
    )
    assert layout.standing_line(Speaker(paohuzi(), 0)) == "It is the turn of Budi."
    assert layout.standing_line(Speaker(paohuzi(), 1)) == "It is not your turn."


def test_the_end_of_a_deal_is_explained_group_by_group_with_all_hands() -> None:
    pair = Group(("b9", "b9"), "pair", value=0)
    result = Result((-4, 8, -4), (1,), "win", 24, 4, (PAO, CHI, pair))
    over = paohuzi(phase="between", others=((Group(("s1",), "hand"),), ()), result=result)
    assert layout.ending_lines(Speaker(over, 0)) == [
        "What counts: pao s8八 for 6, chi b1壹+b2贰+b3叁 for 6, pair b9玖 for 0. Together 24 huxi, that is 4 tun.",
        "You pay 4 to Budi. Bot 3 pays 4 to Budi.",
        f"Your hand: {HAND.partition(': ')[2]}",
        "Hand of Budi: small s1一",
        "Hand of Bot 3: nothing",
    ]
    assert layout.ending_lines(Speaker(over, 1))[1] == "Anna pays you 4. Bot 3 pays you 4."
    assert layout.ending_lines(Speaker(paohuzi(), 0)) == ()


def test_after_a_draw_nobody_pays() -> None:
    over = paohuzi(phase="between", result=Result((0, 0, 0), (), "draw"))
    assert [line.partition(":")[0] for line in layout.ending_lines(Speaker(over, 0))] == [
        "Your hand",
        "Hand of Budi",
        "Hand of Bot 3",
    ]


def test_history_is_told_in_full_or_from_the_own_last_action_on() -> None:
    speaker = Speaker(paohuzi(history=("0 1 discard b9", "1 0 chi s1+s2+s3 s3+s4+s5", "2 0 discard b1", "3 2 peng")), 0)
    told = ["Budi: discard b9玖", "You: chi s1一+s2二+s3三 s3三+s4四+s5五", "You: discard b1壹", "Bot 3: peng"]
    assert layout.history_lines(speaker) == told
    assert layout.history_lines(speaker, last_round=True) == told[2:]
    assert layout.history_lines(Speaker(speaker.view, None), last_round=True)[1:2] == [told[1].replace("You", "Anna")]
