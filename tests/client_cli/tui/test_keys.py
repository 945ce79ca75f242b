"""Each screen says what its keys do, from its bindings."""

import asyncio
from collections.abc import Iterator

import pytest
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from client_cli.frontend import FrontEnd
from client_cli.language import choose_language
from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo
from client_cli.tui.keys import KeysScreen, keys_of
from client_cli.tui.lobby.rows_screen import RowsScreen
from client_cli.tui.replay_screen import ReplayScreen
from client_cli.tui.rules_screen import RulesScreen
from client_cli.tui.settings_screen import SettingsScreen
from client_cli.tui.table.screen import TableScreen
from protocol.errors import ExitCode


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    choose_language("en")


async def nothing_happens(_front: FrontEnd) -> ExitCode:
    await asyncio.Event().wait()
    return ExitCode.OK


def test_keys_that_do_the_same_stand_together_and_those_without_a_word_are_left_out() -> None:
    keys = keys_of(
        [
            Binding("left", "move(-1)", "Back"),
            ("up,pageup", "scroll", "Back"),
            Binding("escape", "leave"),
            ("N", "n", "Next"),
        ]
    )
    assert [(key.label, key.meaning) for key in keys] == [("Left, Up, Page up", "Back"), ("N", "Next")]


def test_keys_are_called_as_they_are_printed_on_a_keyboard() -> None:
    keys = keys_of(
        [("f1,ctrl+c,slash,question_mark,plus,n,escape", "x", "Do it"), Binding("1", "y", "Take", key_display="1-9")]
    )
    assert [key.label for key in keys] == ["F1, Ctrl-C, /, ?, +, n, Esc", "1-9"]


def test_a_key_has_the_meaning_that_the_screen_gives_it_not_that_of_the_whole_program() -> None:
    keys = keys_of([Binding("escape,q", "back"), Binding("f3", "back", "Back"), ("q,f3,f1", "rules", "Rules")])
    assert [(key.label, key.meaning) for key in keys] == [("F3", "Back"), ("F1", "Rules")]


@pytest.mark.parametrize("screen", [TableScreen, RulesScreen, SettingsScreen, ReplayScreen, RowsScreen, KeysScreen])
def test_every_screen_says_how_one_gets_back(screen: type[Screen[None]]) -> None:
    (back,) = [key for key in keys_of(screen.BINDINGS) if "Esc" in key.label.split(", ")]
    assert back.meaning


async def test_f1_lists_the_keys_of_the_screen_and_of_the_whole_program() -> None:
    app = Paizhuo(nothing_happens, Settings())
    async with app.run_test() as pilot:
        await pilot.press("f1")
        shown = "\n".join(str(each.content) for each in app.screen.query(Static))
        for line in ("Left, Right, Up, Down   Move among the cards", "1-9 ", "F3 ", "Ctrl-C "):
            assert line in shown
        await pilot.press("f1")
        assert isinstance(app.screen, TableScreen)
        await pilot.press("f1")
        await pilot.click(offset=(1, 1))
        assert isinstance(app.screen, TableScreen)
    await app.finish()


async def test_keys_of_the_rules_are_listed_over_the_rules() -> None:
    app = Paizhuo(nothing_happens, Settings())
    async with app.run_test() as pilot:
        await pilot.press("question_mark", "f1")
        shown = "\n".join(str(each.content) for each in app.screen.query(Static))
        assert "Section before" in shown
        await pilot.press("escape")
        assert isinstance(app.screen, RulesScreen)
    await app.finish()
