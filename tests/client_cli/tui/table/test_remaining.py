"""The panel of the cards that have not been seen."""

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from client_cli.remaining import remaining
from client_cli.settings import Settings
from client_cli.tui.table.look import Look
from client_cli.tui.table.remaining import remaining_panel, remaining_rows
from client_cli.tui.table.sight import Sight
from tests.client_cli.tui.table.sights import chuo_pai, claim, third_game
from tests.client_cli.tui.table.test_screen import playing


def rows(sight: Sight, width: int, height: int) -> list[str]:
    return [row.rstrip() for row in remaining_panel(sight, Look(), width, height).content().plain.split("\n")]


def test_a_family_is_a_row_and_a_card_its_count() -> None:
    sight = chuo_pai()
    assert remaining_rows(sight, 40) == 5
    assert rows(sight, 40, 5)[:3] == [
        f"Not seen yet: {sum(remaining(sight.view).values())}",
        "Long 66:1 11:3 44:2 13:1 55:3 33:3 22:2",
        "Yao 15:3 16:3 46:2 56:3",
    ]


def test_cards_are_called_as_players_know_them() -> None:
    (family,) = [row for row in rows(claim(), 60, 3) if row.startswith("Small ")]
    assert family == "Small 一:4 二*:3 三:2 四:1 五:1 六:4 七*:4 八:0 九:3 十*:3"


@pytest.mark.parametrize("width", [20, 31, 40, 58])
def test_it_never_writes_beyond_its_width(width: int) -> None:
    for sight in (chuo_pai(), claim()):
        needed = remaining_rows(sight, width)
        shown = rows(sight, width, needed)
        assert len(shown) == needed
        assert all(cell_len(row) <= width for row in shown)


def test_without_room_for_all_the_heading_goes_first() -> None:
    assert rows(chuo_pai(), 40, 4)[0].startswith("Long ")
    assert len(rows(chuo_pai(), 40, 2)) == 2


def test_where_nothing_can_be_counted_there_is_no_panel() -> None:
    lobby = chuo_pai()
    assert remaining_rows(lobby._replace(view=replace(lobby.view, deal=None)), 40) == 0
    assert remaining_rows(third_game(), 40) == 0


async def test_a_key_shows_and_hides_it() -> None:
    async with playing(claim().view) as played:
        assert "贰*:" not in played.text()
        await played.pilot.press("f8")
        assert "壹:3 贰*:2" in played.text()
        await played.pilot.press("f8")
        assert "贰*:" not in played.text()


async def test_the_setting_shows_it_from_the_start() -> None:
    async with playing(chuo_pai("play 44").view, settings=Settings(remaining=True)) as played:
        assert "Long 66:1 11:3" in played.text()
