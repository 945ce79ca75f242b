"""The parts of the screen lie beside each other and within it, at every size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region

from client_cli.tui.table.plan import LEAST_HEIGHT, LEAST_WIDTH, Over, hand_budget, plan

OVER: st.SearchStrategy[Over] = st.sampled_from(["ending", "log", None])


@given(
    st.integers(LEAST_WIDTH, 300),
    st.integers(LEAST_HEIGHT, 120),
    st.integers(0, 40),
    st.integers(3, 6),
    OVER,
    st.integers(0, 12),
)
def test_no_part_lies_over_another_or_outside(
    width: int, height: int, hand: int, middle: int, over: Over, remaining: int
) -> None:
    parts = plan(width, height, hand, middle, over=over, remaining=remaining)
    screen = Region(0, 0, width, height)
    regions = list(parts.values())
    assert all(screen.contains_region(region) for region in regions)
    assert all(not one.overlaps(other) for place, one in enumerate(regions) for other in regions[place + 1 :])
    assert sum(region.area for region in regions) == screen.area


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40)])
def test_the_middle_and_the_hand_get_what_they_need(width: int, height: int) -> None:
    for middle, hand in ((4, 8), (5, 5)):
        parts = plan(width, height, hand, middle)
        assert parts["hand"].height == hand <= hand_budget(height, middle)
        assert parts["middle"].height >= middle
        assert parts["log"].height >= middle


def test_a_large_screen_has_a_column_for_the_log() -> None:
    parts = plan(120, 40, 9, 5)
    assert parts["log"].bottom == parts["middle"].bottom
    assert parts["log"].y == parts["left"].y
