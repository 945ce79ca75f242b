"""Seats, middle, choices, ending: whatever is shown, every row is exactly as wide as its part, and nothing is raw."""

from collections import Counter
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from client_cli.fairness import Verdict
from client_cli.tui.faces import ASCII, BOXES
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.choices import choice_panel, choices, question
from client_cli.tui.table.ending import ending
from client_cli.tui.table.hand import Order, picture, sections, spread
from client_cli.tui.table.look import Look
from client_cli.tui.table.middle import least_rows, middle
from client_cli.tui.table.picking import Picks, picks
from client_cli.tui.table.seats import seat_panel
from client_cli.tui.table.sight import SEATS, Sight
from client_cli.tui.table.title import title
from protocol.view import DealView, Fact, Group, Prompt, Zone
from tests.client_cli.tui.table.sights import ALL, chuo_pai, claim, third_game, won

WIDTHS, HEIGHTS = st.integers(20, 130), st.integers(1, 20)
SIGHTS = st.sampled_from(list(ALL.values()))
LOOKS = st.sampled_from([Look(), Look(ASCII), Look(BOXES._replace(tiles=True)), Look(ASCII._replace(named=True))])


def rows(canvas: Canvas) -> list[str]:
    return canvas.content().plain.split("\n")


def labels(sight: Sight, now: Picks) -> dict[int, str]:
    return {choice.number: choice.label for choice in choices(sight, now)}


def text(canvas: Canvas) -> str:
    return "\n".join(row.rstrip() for row in rows(canvas))


@given(SIGHTS, LOOKS, WIDTHS, HEIGHTS)
def test_every_row_is_as_wide_as_its_part_and_harmless(sight: Sight, look: Look, width: int, height: int) -> None:
    now = picks(sight.offered, Counter())
    drawn = [
        *(seat_panel(sight, look, seat, width, height) for seat in SEATS),
        middle(sight, look, width, height),
        ending(sight, look, width, height),
        choice_panel(labels(sight, now), look, width, height),
    ]
    for canvas in drawn:
        assert [cell_len(row) for row in rows(canvas)] == [width] * height
        assert "\x1b" not in text(canvas)
    assert cell_len(text(title(sight, look, width))) <= width


def test_the_title_says_how_the_cards_of_the_deal_came_about() -> None:
    sight, look = ALL["won"], Look()
    deal = sight.view.room.deal
    assert " fair " not in text(title(sight, look, 100))
    assert "  fair " in text(title(sight, look, 100, verdict=Verdict(deal, own=True, wrong=())))
    assert "  checked " in text(title(sight, look, 100, verdict=Verdict(deal, own=False, wrong=())))
    assert "  NOT FAIR " in text(title(sight, look, 100, verdict=Verdict(deal, own=True, wrong=("cards",))))
    later = sight._replace(view=replace(sight.view, result=None))
    assert " fair " not in text(title(later, look, 100, verdict=Verdict(deal, own=True, wrong=())))
    assert "  NOT FAIR " in text(title(later, look, 100, verdict=Verdict(deal - 1, own=True, wrong=("proof",))))


TEXTS = st.one_of(
    st.sampled_from(["hand", "round", "public", "melds", "66", "s10", "pass", "turn", "points", "huxi"]),
    st.text(max_size=8),
)
GROUPS = st.builds(
    Group,
    st.lists(TEXTS, max_size=5).map(tuple),
    TEXTS,
    st.none() | st.integers(0, 2),
    st.none() | st.integers(-9, 99),
)
ZONES = st.builds(
    Zone, TEXTS, st.integers(0, 99), st.none() | st.integers(0, 2), st.lists(GROUPS, max_size=3).map(tuple)
)
FACTS = st.builds(Fact, TEXTS, st.integers(-9, 99) | TEXTS, st.none() | st.integers(0, 2))
DEALS = st.builds(
    DealView,
    st.lists(ZONES, max_size=6).map(tuple),
    st.lists(FACTS, max_size=6).map(tuple),
    st.lists(TEXTS, max_size=3).map(tuple),
)
PROMPTS = st.builds(Prompt, st.just(4), st.lists(TEXTS, min_size=1, max_size=12, unique=True).map(tuple))


@given(SIGHTS, DEALS, PROMPTS, TEXTS, WIDTHS, HEIGHTS)
def test_whatever_a_server_sends_can_be_drawn(
    sight: Sight, deal: DealView, prompt: Prompt, game: str, width: int, height: int
) -> None:
    """A server may be newer than this client, or mean no good."""
    room = replace(sight.view.room, game=game if width % 2 else sight.view.room.game)
    strange = Sight(replace(sight.view, deal=deal, room=room, prompt=prompt), sight.seat, prompt)
    now = picks(strange.offered, Counter())
    for canvas in (
        *(seat_panel(strange, Look(), seat, width, height) for seat in SEATS),
        middle(strange, Look(), width, max(height, least_rows(strange, Look()))),
        ending(strange, Look(), width, height),
        choice_panel(labels(strange, now), Look(), width, height),
        title(strange, Look(), width),
    ):
        assert {cell_len(row) for row in rows(canvas)} == {width}
        assert not any(category(sign) in ("Cc", "Cf") for row in rows(canvas) for sign in row)
    laid = spread(
        sections(strange.held, strange.speaker.names, Order.RANKS), strange.speaker.names, BOXES, width, height
    )
    drawn = picture(laid, strange.speaker.names, BOXES, width, bright=(), picked=(), cursor=None)
    assert len(rows(drawn)) == max(1, laid.height)
    assert question(strange)


@pytest.mark.parametrize("sight", ALL.values(), ids=list(ALL))
def test_the_middle_needs_no_more_rows_than_it_says(sight: Sight) -> None:
    least = least_rows(sight, Look())
    assert rows(middle(sight, Look(), 40, least))[0].strip() or sight.view.result is not None


def test_a_seat_says_whose_turn_it_is_and_who_is_away_or_a_bot() -> None:
    sight = chuo_pai()
    assert "► You (张三李四)" in text(seat_panel(sight, Look(), 0, 80, 3))
    assert "AWAY, a bot plays" in text(seat_panel(sight, Look(), 1, 40, 4))
    assert "NOT CONNECTED" in text(seat_panel(sight, Look(), 1, 40, 4))
    assert "bot, easy" in text(seat_panel(sight, Look(), 2, 40, 4))
    assert "> " in text(seat_panel(sight, Look(ASCII), 0, 80, 3))


def test_melds_are_pictures_where_there_is_room_and_text_where_not() -> None:
    sight = claim()
    assert "peng s5五x3 1  chi s1" not in text(seat_panel(sight, Look(), 0, 80, 7))
    assert "│五 │" in text(seat_panel(sight, Look(), 0, 80, 7))
    assert "peng s5五x3 1" in text(seat_panel(sight, Look(), 0, 80, 3))


def test_the_middle_shows_whose_cards_lie_there_and_which_are_highest() -> None:
    shown = text(middle(chuo_pai(), Look(), 90, 8))
    assert "││3│" in shown
    assert "Highest: 33+33 (2 Long Three), Ａｂｃ" in shown


def test_between_two_rounds_the_one_before_is_still_seen() -> None:
    sight = chuo_pai()
    deal = DealView((Zone("round", 0),), (Fact("round", 3),), ("1 0 play 13", "2 1 play 22", "2 2 play 66", "2 0 pass"))
    shown = text(middle(sight._replace(view=replace(sight.view, deal=deal)), Look(ASCII), 60, 8))
    assert shown.splitlines()[0] == "The round before:"
    assert shown.splitlines()[3].startswith("|2|    ")
    assert "Heaven" in shown
    assert "Harmony" not in shown


def test_the_public_card_says_where_it_comes_from() -> None:
    shown = text(middle(claim(), Look(), 60, 6))
    assert "Ａｂｃ: revealed" in shown
    assert "Stock: 12 cards" in shown
    assert "Your discards: s9九 b10拾*" in shown


def test_a_third_game_shows_its_codes_and_facts() -> None:
    sight = third_game()
    assert "trumps: h" in text(middle(sight, Look(), 60, 6))
    assert "Kh" in text(middle(sight, Look(), 60, 6))
    assert question(sight) == "Your turn."
    panel = text(choice_panel(labels(sight, picks(sight.offered, Counter())), Look(), 80, 2))
    assert panel.splitlines()[0] == "1 throw Qh  2 throw 10s  3 keep"


def test_choices_shrink_with_the_picked_cards_and_keep_their_numbers() -> None:
    sight = chuo_pai("play 44", "play 44+44", "play 66+66")
    now = picks(sight.offered, Counter({"44": 1}))
    assert [choice.number for choice in choices(sight, now)] == [1, 2]


def test_choices_without_room_are_counted() -> None:
    sight = chuo_pai(*(f"play {card}" for card in ("11", "13", "22", "33", "44", "55", "66", "15", "16", "46", "56")))
    panel = choice_panel(labels(sight, picks(sight.offered, Counter())), Look(), 30, 2)
    assert text(panel).endswith("and 3 more")
    assert panel.owner_at(0, 0) == 1


def test_the_end_of_a_deal_says_who_won_what_and_why() -> None:
    shown = text(ending(won(), Look(), 80, 19))
    assert "You win the deal. 24 huxi, that is 4 tun." in shown
    assert "► You" in shown
    assert [int(word) for word in shown.splitlines()[2].split()[2:]] == [8, 0]
    assert "ti 12" in shown
    assert "Your hand\n┌┌┌s4─┐" in shown
    assert "Hand of Ａｂｃ: nothing" in shown


def test_at_the_end_cards_without_room_for_pictures_are_text() -> None:
    shown = text(ending(won(), Look(), 80, 11))
    assert "What counts: ti 12 b2贰* b2贰*" in shown
    assert "Your hand: s4四 s4四 s4四" in shown


def test_the_end_of_a_match_says_who_won_it() -> None:
    shown = text(ending(won(phase="over"), Look(), 80, 19))
    assert shown.splitlines()[0].endswith("share the match.") or "win the match." in shown.splitlines()[0]
