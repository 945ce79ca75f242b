"""Painting on cells: whatever is painted where, every row keeps its width."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Region

from client_cli.tui.cells import literal
from client_cli.tui.table.canvas import Canvas

WRITES = st.lists(
    st.tuples(st.integers(-3, 12), st.integers(-1, 3), st.text(max_size=6).map(literal), st.integers(0, 5)), max_size=8
)


def painted(writes: list[tuple[int, int, str, int]]) -> Canvas:
    canvas = Canvas(10, 3)
    for x, y, text, owner in writes:
        canvas.write(x, y, text, "", owner)
    return canvas


@given(WRITES)
def test_every_row_keeps_its_width(writes: list[tuple[int, int, str, int]]) -> None:
    assert [cell_len(row) for row in painted(writes).content().plain.split("\n")] == [10, 10, 10]


def test_half_a_wide_character_becomes_a_blank() -> None:
    canvas = painted([(0, 0, "牌桌", 1), (1, 0, "x", 2)])
    assert canvas.content().plain.split("\n")[0].rstrip() == " x桌"
    assert [canvas.owner_at(x, 0) for x in range(4)] == [1, 2, 1, 1]


@given(WRITES, WRITES)
def test_changes_cover_all_that_looks_different(
    before: list[tuple[int, int, str, int]], after: list[tuple[int, int, str, int]]
) -> None:
    was, now = painted(before), painted(after)
    changed = {
        (x, y)
        for region in now.changes(was)
        for y in range(region.y, region.bottom)
        for x in range(region.x, region.right)
    }
    for y, (one, other) in enumerate(zip(was.cells, now.cells, strict=True)):
        assert all(one[x][:2] == other[x][:2] for x in range(10) if (x, y) not in changed)


def test_a_changed_wide_character_is_changed_in_both_its_cells() -> None:
    assert painted([(0, 0, "a牌b", 1)]).changes(painted([(0, 0, "a桌b", 1)])) == [Region(1, 0, 2, 1)]
    assert painted([(0, 0, "a牌b", 1)]).changes(painted([(0, 0, "axyb", 1)])) == [Region(1, 0, 2, 1)]
    assert painted([(0, 0, "axyb", 1)]).changes(painted([(0, 0, "a牌b", 1)])) == [Region(1, 0, 2, 1)]


def test_what_looks_the_same_is_no_change() -> None:
    assert painted([(0, 0, "ab", 1)]).changes(painted([(0, 0, "ab", 2)])) == []
    assert painted([(0, 0, "ab", 1)]).changes(painted([(0, 0, "ac", 1)])) == [Region(1, 0, 1, 1)]
