"""Settings are changed on the screen by keys and mouse; they count and are saved at once."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from client_cli.frontend import FrontEnd
from client_cli.language import choose_language, current_language
from client_cli.settings import KEYS, Settings
from client_cli.terminal import USUAL, Terminal
from client_cli.tui.app import Paizhuo
from client_cli.tui.settings_screen import SettingsScreen
from protocol.errors import ExitCode


async def nothing_happens(_front: FrontEnd) -> ExitCode:
    await asyncio.Event().wait()
    return ExitCode.OK


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("PAIZHUO_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("LC_ALL", "C")
    yield tmp_path / "config.toml"
    choose_language("en")


@asynccontextmanager
async def opened(terminal: Terminal = USUAL) -> AsyncIterator[tuple[Paizhuo, Pilot[ExitCode]]]:
    app = Paizhuo(nothing_happens, Settings(), terminal)
    async with app.run_test() as pilot:
        await pilot.press("f3")
        assert isinstance(app.screen, SettingsScreen)
        yield app, pilot
    await app.finish()


async def go_to(pilot: Pilot[ExitCode], key: str) -> None:
    await pilot.press("home", *["down"] * KEYS.index(key))


def shown(app: Paizhuo, key: str) -> str:
    return str(app.screen.query_one(OptionList).get_option_at_index(KEYS.index(key)).prompt)


def said(app: Paizhuo) -> str:
    return str(app.screen.query_one("#meaning", Static).content)


async def test_all_settings_are_there_and_the_chosen_one_is_explained(file: Path) -> None:
    async with opened() as (app, pilot):
        assert app.screen.query_one(OptionList).option_count == len(KEYS)
        await go_to(pilot, "confirm")
        assert said(app) == "Ask before every play."
        assert shown(app, "confirm").split() == ["Confirm", "plays", "no"]


async def test_keys_change_a_setting_which_counts_and_is_saved_at_once(file: Path) -> None:
    async with opened() as (app, pilot):
        assert app.theme == "dark"
        await go_to(pilot, "theme")
        await pilot.press("left")
        assert (app.theme, file.read_text()) == ("mono", 'theme = "mono"\n')
        await pilot.press("right", "right", "enter")
        assert (app.theme, app.settings.theme) == ("light", "light")
        await pilot.press("delete")
        assert (app.theme, file.read_text()) == ("dark", "")


async def test_a_click_changes_a_setting(file: Path) -> None:
    async with opened() as (app, pilot):
        await pilot.click(OptionList, offset=(3, KEYS.index("bell")))
        assert app.settings == Settings(bell=True)
        assert file.read_text() == "bell = true\n"
        assert shown(app, "bell").endswith("yes")


async def test_another_language_is_spoken_at_once(file: Path) -> None:
    async with opened() as (app, pilot):
        await go_to(pilot, "language")
        await pilot.press("right", "right")
        assert current_language() == "id"
        assert shown(app, "language").endswith("Bahasa Indonesia")


async def test_a_text_is_typed_and_escape_leaves_it_as_it_was(file: Path) -> None:
    async with opened() as (app, pilot):
        await go_to(pilot, "name")
        await pilot.press("enter", *"Budi", "enter")
        assert app.settings.name == "Budi"
        await pilot.press("enter", *"xx", "escape")
        assert app.settings.name == "Budi"
        assert isinstance(app.screen, SettingsScreen)
        assert app.focused is app.screen.query_one(OptionList)


async def test_a_value_that_cannot_be_is_explained_and_can_be_mended(file: Path) -> None:
    async with opened() as (app, pilot):
        await go_to(pilot, "beat_ms")
        await pilot.press("enter", "0", "0", "enter")
        assert said(app) == "beat_ms cannot be '40000': it is a whole number from 0 to 5000"
        assert (app.settings, file.exists()) == (Settings(), False)
        await pilot.press("backspace", "enter")
        assert app.settings.beat_ms == 4000
        assert not app.screen.query_one(Input).has_class("-open")


async def test_a_file_with_a_fault_is_left_alone_and_the_fault_is_said(file: Path) -> None:
    file.write_text("colour = 1\n")
    async with opened() as (app, pilot):
        await go_to(pilot, "bell")
        await pilot.press("enter")
        assert "line 1: there is no setting 'colour'" in said(app)
        assert (app.settings, file.read_text()) == (Settings(), "colour = 1\n")


async def test_escape_leads_back_to_the_table(file: Path) -> None:
    async with opened() as (app, pilot):
        await pilot.press("escape")
        assert not isinstance(app.screen, SettingsScreen)
        await pilot.press("f3", "f3")
        assert not isinstance(app.screen, SettingsScreen)


async def test_without_colours_every_theme_is_the_one_without(file: Path) -> None:
    async with opened(USUAL._replace(colours="none")) as (app, pilot):
        await go_to(pilot, "theme")
        await pilot.press("right")
        assert app.settings.theme == "dark"
        assert app.theme == "mono"


async def test_keys_that_were_typed_before_there_was_a_screen_are_not_lost(file: Path) -> None:
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    async def reads(front: FrontEnd) -> ExitCode:
        lines.put_nowait(await front.line())
        return await nothing_happens(front)

    app = Paizhuo(reads, Settings(), typed="say 你 x\r".encode())
    async with app.run_test():
        assert await lines.get() == "say 你 x"
    await app.finish()
