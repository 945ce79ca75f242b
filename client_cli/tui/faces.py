"""How a card looks: a small block of cells. Pure; knows the names of cards, and no rule of any game.

Red and black differ in colour and in a second mark: hollow pips, or a star behind the character.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from client_cli.language import current_language
from client_cli.names import RED_MARK, Lexicon
from client_cli.tui.cells import clip, fit, literal
from protocol.notation import CHUO_PAI_CARDS, Card


class Size(IntEnum):
    """`CODE`: one row of text. `SMALL`: a frame and the least in it. `LARGE`: as a card of paper or bamboo."""

    CODE = 0
    SMALL = 1
    LARGE = 2


class Glyphs(NamedTuple):
    """What frames and pips are drawn with. Every one takes one cell, wherever it is drawn.

    `tiles`: dominoes as the characters that Unicode has for them. `named`: by their names.
    """

    top_left: str
    top_right: str
    bottom_left: str
    bottom_right: str
    across: str
    down: str
    pip: str
    red_pip: str
    turn: str
    more: str
    tiles: bool = False
    named: bool = False


BOXES = Glyphs("┌", "┐", "└", "┘", "─", "│", "●", "○", "►", "…")
ASCII = Glyphs(".", ".", "'", "'", "-", "|", "*", "o", ">", "~")
"""For terminals that draw `─` and `●` in two cells, and for those that have no such characters."""


class Run(NamedTuple):
    """A piece of a row in one colour. `role`: `frame`, `code`, `black` or `red`."""

    text: str
    role: str


Face = tuple[tuple[Run, ...], ...]
"""Rows from the top, all of the same width in cells."""

RED_PIPS = frozenset("14")
_PIPS: Mapping[str, Sequence[str]] = {
    "1": ("   ", " * ", "   "),
    "2": (" * ", "   ", " * "),
    "3": ("*  ", " * ", "  *"),
    "4": ("* *", "   ", "* *"),
    "5": ("* *", " * ", "* *"),
    "6": ("* *", "* *", "* *"),
}
_FIRST_TILE = 0x1F063
"""The upright domino with two blank halves; seven follow for each number of pips in the upper half."""


def face(card: Card, names: Lexicon, size: Size, glyphs: Glyphs) -> Face:
    """The picture of one card. A card of an unknown game shows its code."""
    return _face(card, names.game, current_language(), size, glyphs)


@lru_cache(1 << 10)  # tables are drawn anew whenever anything changes
def _face(card: Card, game: str, _language: str, size: Size, glyphs: Glyphs) -> Face:
    names = Lexicon.of(game)
    draw = _DRAWN.get(game, _any_card) if card in names.order() else _any_card
    return draw(card, names, size, glyphs)


@lru_cache(1 << 10)
def width_of(drawn: Face) -> int:
    """Cells in a row."""
    return sum(cell_len(run.text) for run in drawn[0])


def short_name(card: Card, names: Lexicon) -> str:
    """What players call the card, or its code."""
    return names.faces.get(card) or names.called([card]) or literal(card)


def _framed(label: str, inner: Sequence[Sequence[Run]], width: int, glyphs: Glyphs) -> Face:
    """`inner` rows of `width` cells in a frame that bears the code of the card."""
    shown = clip(label, width, glyphs.more)
    top = (
        Run(glyphs.top_left, "frame"),
        Run(shown, "code"),
        Run(glyphs.across * (width - cell_len(shown)) + glyphs.top_right, "frame"),
    )
    bottom = (Run(glyphs.bottom_left + glyphs.across * width + glyphs.bottom_right, "frame"),)
    side = Run(glyphs.down, "frame")
    return (tuple(run for run in top if run.text), *((side, *row, side) for row in inner), bottom)


def _domino(card: Card, names: Lexicon, size: Size, glyphs: Glyphs) -> Face:
    if size is Size.CODE:
        return (tuple(Run(pips, _pip_role(pips)) for pips in card),)
    if glyphs.named:
        return _named_domino(card, names, glyphs)
    if glyphs.tiles:
        tile = chr(_FIRST_TILE + 7 * int(card[0]) + int(card[1]))
        return _framed(card, [[Run(f"{tile} ", _pip_role(card[0]))]], 2, glyphs)
    if size is Size.SMALL:
        return _framed("", [[Run(pips, _pip_role(pips))] for pips in card], 1, glyphs)
    rows = [[_pips(row, half, glyphs)] for half in card for row in _PIPS[half]]
    return _framed(card, rows, 3, glyphs)


def _named_domino(card: Card, names: Lexicon, glyphs: Glyphs) -> Face:
    """The words of its name, one below the other, as wide as the longest of all cards."""
    words = {each: short_name(each, names).split() for each in names.order()}
    width = min(MOST_NAME_CELLS, max(cell_len(word) for name in words.values() for word in name))
    rows = [fit(word, width, glyphs.more) for word in words[card][:NAME_ROWS]]
    rows += [" " * width] * (NAME_ROWS - len(rows))
    return _framed(card, [[Run(row, "black")] for row in rows], width, glyphs)


def _pip_role(pips: str) -> str:
    return "red" if pips in RED_PIPS else "black"


def _pips(row: str, half: str, glyphs: Glyphs) -> Run:
    return Run(row.replace("*", glyphs.red_pip if half in RED_PIPS else glyphs.pip), _pip_role(half))


def _number_card(card: Card, names: Lexicon, size: Size, glyphs: Glyphs) -> Face:
    role, mark = ("red", RED_MARK) if card in names.red else ("black", " ")
    sign = names.faces[card]
    if size is Size.CODE:
        return ((Run(names.marked(card), role),),)
    if size is Size.SMALL:
        return _framed(card, [[Run(sign + mark, role)]], 3, glyphs)
    rows = [[Run(f"{sign} {mark}", role)], [Run("    ", role)], [Run(f"{mark} {sign}", role)]]
    return _framed(card, rows, 4, glyphs)


def _any_card(card: Card, _names: Lexicon, size: Size, glyphs: Glyphs) -> Face:
    shown = clip(literal(card), MOST_CODE_CELLS, glyphs.more)
    if size is Size.CODE:
        return ((Run(shown, "black"),),)
    width = max(LEAST_CODE_CELLS, cell_len(shown))
    blank = [Run(" " * width, "black")]
    rows = [[Run(fit(shown, width), "black")]]
    return _framed("", rows if size is Size.SMALL else [blank, *rows, blank], width, glyphs)


MOST_NAME_CELLS = 9
NAME_ROWS = 2
MOST_CODE_CELLS = 6
LEAST_CODE_CELLS = 2
_DRAWN: Mapping[str, Callable[[Card, Lexicon, Size, Glyphs], Face]] = {"chuo-pai": _domino, "paohuzi": _number_card}

assert frozenset(_PIPS) == {pips for card in CHUO_PAI_CARDS for pips in card}
