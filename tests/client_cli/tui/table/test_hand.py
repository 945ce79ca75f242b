"""The own hand: all cards of it, in order, each at a place of its own."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from client_cli.names import Lexicon
from client_cli.tui.faces import ASCII, BOXES, Size
from client_cli.tui.table.hand import Order, Section, picture, sections, spread
from client_cli.tui.table.plan import hand_budget
from protocol.notation import CARDS
from protocol.view import Group
from tests.client_cli.tui.table.sights import FULL_HAND

GAMES = st.sampled_from(["chuo-pai", "paohuzi"])


@st.composite
def hands(draw: st.DrawFn) -> tuple[Lexicon, tuple[Group, ...]]:
    game = draw(GAMES)
    deck = [card for card in CARDS[game] for _ in range(4)]
    cards = tuple(sorted(draw(st.permutations(deck))[: draw(st.integers(0, 28))]))
    return Lexicon.of(game), (Group(cards, "hand"),)


@given(hands(), st.sampled_from(Order))
def test_every_order_keeps_all_cards(table: tuple[Lexicon, tuple[Group, ...]], order: Order) -> None:
    names, groups = table
    laid = [card for section in sections(groups, names, order) for card in section.cards]
    assert Counter(laid) == Counter(groups[0].cards)


@given(hands(), st.sampled_from(Order), st.integers(60, 200), st.integers(8, 40), st.data())
def test_every_card_can_be_met_by_a_click(
    table: tuple[Lexicon, tuple[Group, ...]], order: Order, width: int, height: int, data: st.DataObject
) -> None:
    names, groups = table
    laid = spread(sections(groups, names, order), names, BOXES, width, height)
    picked = data.draw(st.sets(st.sampled_from(range(len(laid.cards))))) if laid.cards else set()
    canvas = picture(laid, names, BOXES, width, bright=(), picked=picked, cursor=None)
    met = {canvas.owner_at(x, y) for x in range(width) for y in range(laid.height)}
    assert met - {None} == set(range(len(laid.cards)))
    assert all(cell_len(row) == width for row in canvas.content().plain.split("\n") if laid.height)


def test_a_full_hand_of_dominoes_lies_in_one_line_at_80_columns() -> None:
    names = Lexicon.of("chuo-pai")
    laid = spread(sections((Group(FULL_HAND, "hand"),), names, Order.FAMILIES), names, BOXES, 80, 8)
    assert (laid.size, laid.lines) == (Size.SMALL, 1)


def test_a_large_screen_shows_pips() -> None:
    names = Lexicon.of("chuo-pai")
    laid = spread(sections((Group(FULL_HAND, "hand"),), names, Order.FAMILIES), names, BOXES, 120, 16)
    assert (laid.size, laid.lines) == (Size.LARGE, 1)


def test_cards_without_room_become_codes_that_can_be_picked() -> None:
    names = Lexicon.of("chuo-pai")
    laid = spread([Section("", ("66", "13"))], names, ASCII, 60, 2)
    canvas = picture(laid, names, ASCII, 60, bright=(0, 1), picked=(1,), cursor=0)
    assert canvas.content().plain.split("\n")[0].rstrip() == "<66>[13]"


def test_the_least_screen_shows_a_whole_hand_as_codes() -> None:
    names = Lexicon.of("paohuzi")
    cards = (*CARDS["paohuzi"], "b10")
    laid = spread(sections((Group(cards, "hand"),), names, Order.FAMILIES), names, BOXES, 60, hand_budget(20, 4))
    assert laid.size is Size.CODE
    assert laid.height <= hand_budget(20, 4)


def test_a_picked_card_lies_a_row_higher() -> None:
    names = Lexicon.of("chuo-pai")
    laid = spread([Section("", ("66", "13"))], names, ASCII, 60, 5)
    rows = picture(laid, names, ASCII, 60, bright=(), picked=(1,), cursor=None).content().plain.split("\n")
    assert [row.rstrip() for row in rows] == ["   .-.", ".-.|1|", "|6||3|", "|6|'-'", "'-'"]


@pytest.mark.parametrize(
    ("order", "labels"),
    [(Order.FAMILIES, ["kan", "Small", "Big"]), (Order.RANKS, ["kan", "2", "10"]), (Order.COPIES, ["kan", "x2", "x1"])],
)
def test_cards_are_sorted_as_asked_and_kans_stay_together(order: Order, labels: list[str]) -> None:
    groups = (Group(("s4", "s4", "s4"), "kan"), Group(("s2", "s2", "s10", "b2"), "hand"))
    assert [section.label for section in sections(groups, Lexicon.of("paohuzi"), order)] == labels
