"""A table before its start: how others join, and who has come, in whatever room there is."""

import pytest
from rich.cells import cell_len

from client_cli.tui.faces import ASCII
from client_cli.tui.lobby.hosting import code_lines, hosting, rows_needed
from client_cli.tui.table.look import Look
from client_cli.tui.table.plan import open_plan, open_rows
from client_cli.tui.table.sight import Sight
from tests.client_cli.tables import ANNA, CODE, FREE, view
from tests.client_cli.tui.table.sights import SEATS

URL = "ws://192.168.1.5:8470/ws"
OPEN = Sight(view(phase="open", seats=(ANNA, SEATS[2], FREE)), 0)
SIZES = [(60, 20), (80, 24), (100, 28), (120, 40), (200, 60)]


def text(sight: Sight, reached_at: str = URL, width: int = 50, height: int = 20) -> str:
    return hosting(sight, Look(), width, height, reached_at).content().plain


def test_it_says_how_others_join_and_who_has_come() -> None:
    shown = text(OPEN)
    assert "K 7 Q F - 2 M X R" in shown
    assert "paizhuo join K7QF-2MXR@192.168.1.5" in shown
    assert f"http://192.168.1.5:8470/j/{CODE}" in shown
    assert "You (Anna)" in shown
    assert "Seat 3: free" in shown
    assert "\x1b" not in shown
    assert "Largest combination: 12" in shown


def test_guests_and_spectators_see_the_same() -> None:
    for seat in (1, None):
        assert "K 7 Q F - 2 M X R" in text(Sight(OPEN.view, seat))


def test_a_table_that_only_this_machine_reaches_says_so_and_has_no_code_for_phones() -> None:
    here = "ws://127.0.0.1:8470/ws"
    assert "Only programs on this machine can join." in text(OPEN, here)
    assert not code_lines(OPEN, Look(), here, 120, 40)
    assert "paizhuo join" not in text(OPEN, "")
    assert not code_lines(OPEN, Look(), "", 120, 40)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("look", [Look(), Look(ASCII)])
def test_parts_neither_overlap_nor_leave_the_screen(width: int, height: int, look: Look) -> None:
    code = code_lines(OPEN, look, URL, width, open_rows(height))
    assert len({cell_len(row) for row in code}) <= 1
    across = cell_len(code[0]) if code else 0
    parts = open_plan(width, height, rows_needed(OPEN, width - across, URL), (across, len(code)))
    regions = list(parts.values())
    assert all(region.right <= width and region.bottom <= height for region in regions)
    assert not any(one.overlaps(other) for one in regions for other in regions if one is not other)


def test_the_code_stands_beside_the_words_where_there_is_room() -> None:
    assert code_lines(OPEN, Look(), URL, 80, open_rows(24))
    assert not code_lines(OPEN, Look(), URL, 60, open_rows(20))
    assert all(row.isascii() for row in code_lines(OPEN, Look(ASCII), URL, 120, open_rows(40)))
