"""Each game that has a name here has a page of rules, which uses those names."""

import pytest

from client_cli.names import FAMILIES, GAMES
from client_cli.rules import rules_text


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_page_that_names_all_its_cards(game: str) -> None:
    page = rules_text(game)
    for members in FAMILIES[game].values():
        for card, name in members.items():
            assert f"{card} {name}" in page


@pytest.mark.parametrize("game", ["whist", "", "../__init__", "x" * 5000, "chuo-pai/../chuo-pai", "."])
def test_other_names_have_no_page(game: str) -> None:
    assert rules_text(game) == ""
