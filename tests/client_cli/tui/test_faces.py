"""The pictures of cards: every row as wide as the others, and red told from black without colour."""

import pytest
from rich.cells import cell_len

from client_cli.language import LANGUAGES, choose_language
from client_cli.names import Lexicon
from client_cli.tui.faces import ASCII, BOXES, MOST_NAME_CELLS, NAME_ROWS, Face, Glyphs, Size, face
from protocol.notation import CARDS

STRANGE = ("Qh", "a card with a long name", "\x1b[31m", "[bold]", "王")
ALL = [(game, card) for game, cards in CARDS.items() for card in cards] + [("a third game", card) for card in STRANGE]


def rows(drawn: Face) -> list[str]:
    return ["".join(run.text for run in row) for row in drawn]


@pytest.mark.parametrize("glyphs", [BOXES, ASCII, BOXES._replace(tiles=True), BOXES._replace(named=True)])
@pytest.mark.parametrize("size", Size)
def test_every_row_of_a_card_is_as_wide_as_the_others(size: Size, glyphs: Glyphs) -> None:
    for game, card in ALL:
        assert len({cell_len(row) for row in rows(face(card, Lexicon.of(game), size, glyphs))}) == 1


@pytest.mark.parametrize("size", [Size.SMALL, Size.LARGE])
def test_all_cards_of_a_game_are_of_one_size(size: Size) -> None:
    for game, cards in CARDS.items():
        sizes = {
            (len(drawn), cell_len(drawn[0]))
            for card in cards
            if (drawn := rows(face(card, Lexicon.of(game), size, ASCII)))
        }
        assert len(sizes) == 1


def test_a_domino_has_as_many_pips_as_its_code_says_and_hollow_ones_for_1_and_4() -> None:
    for card in CARDS["chuo-pai"]:
        drawn = "".join(rows(face(card, Lexicon.of("chuo-pai"), Size.LARGE, BOXES)))
        red = sum(int(pips) for pips in card if pips in "14")
        assert (drawn.count("○"), drawn.count("●")) == (red, sum(map(int, card)) - red)


def test_red_number_cards_bear_a_star() -> None:
    for card in CARDS["paohuzi"]:
        for size in Size:
            drawn = "".join(rows(face(card, Lexicon.of("paohuzi"), size, BOXES)))
            assert ("*" in drawn) == (card[1:] in ("2", "7", "10"))


def test_a_card_of_another_game_shows_its_code_and_nothing_that_a_terminal_obeys() -> None:
    assert rows(face("Qh", Lexicon.of("poker"), Size.SMALL, ASCII)) == [".--.", "|Qh|", "'--'"]
    assert "\x1b" not in "".join(rows(face("\x1b[31m", Lexicon.of("poker"), Size.SMALL, ASCII)))


def test_ascii_pictures_of_dominoes_are_ascii() -> None:
    for card in CARDS["chuo-pai"]:
        assert "".join(rows(face(card, Lexicon.of("chuo-pai"), Size.LARGE, ASCII))).isascii()


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_domino_can_be_drawn_by_its_name_in_each_language(code: str) -> None:
    choose_language(code)
    try:
        names = Lexicon.of("chuo-pai")
        drawn = {card: rows(face(card, names, Size.LARGE, BOXES._replace(named=True))) for card in CARDS["chuo-pai"]}
    finally:
        choose_language("en")
    ((width, height),) = {(cell_len(each[0]), len(each)) for each in drawn.values()}
    assert width <= MOST_NAME_CELLS + 2
    assert height == NAME_ROWS + 2
    if code == "en":
        assert drawn["14"] == ["┌14──────┐", "│Red     │", "│Five    │", "└────────┘"]


def test_a_named_domino_follows_the_language() -> None:
    glyphs = BOXES._replace(named=True)
    try:
        choose_language("zh")
        assert "天" in "".join(rows(face("66", Lexicon.of("chuo-pai"), Size.LARGE, glyphs)))
    finally:
        choose_language("en")
    assert "Heaven" in "".join(rows(face("66", Lexicon.of("chuo-pai"), Size.LARGE, glyphs)))
