"""The parts of a replay at every size: beside each other, within the screen, and no row wider than its part."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Region

from client_cli.replay import Cursor
from client_cli.tui.faces import ASCII, Size
from client_cli.tui.replay_drawing import (
    SEATS_SHOWN,
    hand_size,
    open_seat,
    replay_plan,
    replay_title,
    scrubber,
    step_list,
)
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.look import Look
from client_cli.tui.table.plan import LEAST_HEIGHT, LEAST_WIDTH
from client_cli.tui.table.sight import SEATS, Sight
from client_cli.words_replay import step_text
from tests.client_cli.replays import golden_replay
from tests.client_cli.tui.table.sights import NAMES

WIDTHS, HEIGHTS = st.integers(LEAST_WIDTH, 200), st.integers(LEAST_HEIGHT, 80)
GAMES = ("chuo-pai", "paohuzi")


@cache
def lines(game: str) -> list[str]:
    return [step_text(step, None) for step in golden_replay(game, 3, NAMES).steps]


def sight(game: str, place: int = 0) -> Sight:
    return Sight(golden_replay(game, 3, NAMES).steps[place].view, None, recorded=True)


def rows(canvas: Canvas) -> list[str]:
    shown = canvas.content().plain.split("\n")
    assert len(shown) == canvas.height
    assert {cell_len(row) for row in shown} == {canvas.width}
    return shown


@given(WIDTHS, HEIGHTS, st.booleans())
def test_no_part_lies_over_another_or_outside(width: int, height: int, ended: bool) -> None:
    parts = replay_plan(width, height, ended=ended)
    screen, regions = Region(0, 0, width, height), list(parts.values())
    assert all(screen.contains_region(region) and region.area for region in regions)
    assert all(not one.overlaps(other) for place, one in enumerate(regions) for other in regions[place + 1 :])
    assert sum(region.area for region in regions) == screen.area


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(GAMES), WIDTHS, HEIGHTS, st.integers(0, 50), st.booleans())
def test_every_part_is_as_wide_as_it_should_be_at_every_step(
    game: str, width: int, height: int, place: int, ascii_only: bool
) -> None:
    look = Look(ASCII) if ascii_only else Look()
    parts, shown = replay_plan(width, height), sight(game, place)
    cursor = Cursor.over(golden_replay(game, 3, NAMES).steps).go(place)
    rows(replay_title(shown, cursor, look, width))
    rows(scrubber(cursor, look, width))
    rows(step_list(lines(game), place, look, parts["steps"].width, parts["steps"].height))
    for seat, name in zip(SEATS, SEATS_SHOWN, strict=True):
        region = parts[name]
        size = hand_size(sight(game), look, region.width, region.height)
        rows(open_seat(shown, look, seat, region.width, region.height, size))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("width", "height"), [(60, 20), (80, 24), (120, 40), (200, 60)])
def test_every_card_of_every_hand_is_seen(game: str, width: int, height: int) -> None:
    shown, look = sight(game), Look(ASCII)
    for seat, name in zip(SEATS, SEATS_SHOWN, strict=True):
        region = replay_plan(width, height)[name]
        size = hand_size(shown, look, region.width, region.height)
        text = "\n".join(rows(open_seat(shown, look, seat, region.width, region.height, size)))
        hand = next(zone for zone in shown.view.deal.zones if (zone.name, zone.seat) == ("hand", seat))  # type: ignore[union-attr]
        cards = [card for group in hand.groups for card in group.cards]
        names = shown.speaker.names
        if size is Size.CODE:
            words = [
                names.unfaced(word).rstrip("*") for word in text.split()
            ]  # as their codes, or by what is printed on them
            assert all(words.count(card) == cards.count(card) for card in cards)


@given(st.integers(0, 54), st.integers(8, 60), st.integers(1, 30))
def test_the_step_that_is_shown_is_always_in_sight(place: int, width: int, height: int) -> None:
    canvas = step_list(lines("paohuzi"), place, Look(), width, height)
    assert Look().glyphs.turn in canvas.content().plain
    owners = [canvas.owner_at(0, y) for y in range(height)]
    assert place in owners
    assert owners == sorted(owner for owner in owners if owner is not None)


@given(st.integers(0, 54), st.integers(30, 200))
def test_a_click_on_the_mark_of_a_step_goes_nowhere(place: int, width: int) -> None:
    cursor = Cursor(54, at=place)
    canvas = scrubber(cursor, Look(), width)
    (mark,) = [x for x, sign in enumerate(canvas.content().plain) if sign == Look().glyphs.pip]
    assert canvas.owner_at(mark, 0) == place
    assert canvas.owner_at(0, 0) in (0, place)
