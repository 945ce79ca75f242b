"""The lobby: everything by keys and mouse, and one comes back to it from everywhere."""

import asyncio
from pathlib import Path

import pytest
from textual.events import Key
from textual.screen import Screen
from textual.widgets import OptionList

from client_cli.failure import CommandFailed
from client_cli.frontend import FrontEnd
from client_cli.language import choose_language
from client_cli.settings import Settings
from client_cli.tickets import SavedSeat, now_s, user_tickets
from client_cli.tui.lobby import screen
from client_cli.tui.lobby.host_screen import HostScreen
from client_cli.tui.lobby.join_screen import JoinScreen
from client_cli.tui.lobby.resume_screen import ResumeScreen
from client_cli.tui.lobby.rooms_screen import RoomsScreen
from client_cli.tui.lobby.screen import LobbyScreen
from client_cli.tui.rules_screen import RulesScreen
from client_cli.tui.settings_screen import SettingsScreen
from client_cli.tui.table.screen import TableScreen
from protocol.errors import ExitCode
from tests.client_cli.tui.lobby.lobbies import Programs, visiting

SIZES = [(80, 24), (120, 40)]
NEWCOMER = Settings(theme="dark")


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Programs:
    programs = Programs()
    monkeypatch.setattr(screen, "play_here", programs)
    return programs


async def test_a_newcomer_is_at_a_table_after_two_keys(
    play: Programs, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client_cli.commands.seating.getpass.getuser", lambda: "ani")
    async with visiting(NEWCOMER) as visit:
        assert "What is your name" in visit.text()
        assert "Chuo Pai, against two bots (easy)" in visit.text()
        await visit.presses("enter", "enter")
        ((game, rules, beat_ms, seating),) = play.called
        assert (game, rules, beat_ms) == ("chuo-pai", {}, Settings().beat_ms)
        assert seating.player() == "ani"  # type: ignore[attr-defined]
    assert 'name = "ani"' in (home / "config.toml").read_text()


async def test_a_name_is_asked_once_and_can_be_another_one(home: Path) -> None:
    async with visiting(NEWCOMER) as visit:
        await visit.presses("ctrl+u", "李", "enter")
        assert "Good to see you, 李." in visit.text()
        assert 'name = "李"' in (home / "config.toml").read_text()
        await visit.presses("n", "ctrl+u", *"Budi", "enter")
        assert visit.app.settings.name == "Budi"
        await visit.presses("n", "ctrl+u", "enter")
        assert "A name has 1 to 64 characters." in visit.text()
        assert visit.app.settings.name == "Budi"


async def test_a_key_that_follows_a_name_at_once_is_no_part_of_it(home: Path) -> None:
    async with visiting(NEWCOMER) as visit:
        for key in ("ctrl+u", *"Budx", "backspace", "i", "enter", "x"):
            visit.app.post_message(Key(key, key if len(key) == 1 else None))
        await visit.settles()
        assert visit.app.settings.name == "Budi"


async def test_whoever_would_rather_not_say_plays_under_the_login_name() -> None:
    async with visiting(NEWCOMER) as visit:
        await visit.presses("escape", "3")
        assert visit.is_at(HostScreen)


SCREENS: dict[str, type[Screen[None]]] = {
    "3": HostScreen,
    "4": JoinScreen,
    "5": RoomsScreen,
    "6": ResumeScreen,
    "9": RulesScreen,
    "s": SettingsScreen,
}


@pytest.mark.parametrize("key", SCREENS)
async def test_every_screen_is_reached_by_its_key_and_left_by_escape(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client_cli.tui.lobby.rooms_screen.rooms_nearby", _nobody)
    monkeypatch.setattr("client_cli.house_rules.asked_for", _nobody)
    async with visiting() as visit:
        await visit.presses(key)
        assert visit.is_at(SCREENS[key])
        await visit.presses("escape")
        if key == "4":  # first out of its line
            await visit.presses("escape")
        assert visit.is_at(LobbyScreen)


async def _nobody(*_: object) -> tuple[int, list[object]]:
    return 0, []


async def test_rows_are_reached_by_arrows_and_by_mouse() -> None:
    async with visiting() as visit:
        await visit.presses("down", "down", "down", "enter")
        assert visit.is_at(JoinScreen)
        await visit.presses("escape", "escape")
        await visit.pilot.click(offset=(6, visit.row_of("Settings")))
        await visit.settles()
        assert visit.is_at(SettingsScreen)


async def test_the_language_changes_at_once_and_stays(home: Path) -> None:
    async with visiting() as visit:
        try:
            await visit.presses("l")
            assert "Bahasa Indonesia" in visit.text()
            assert 'language = "id"' in (home / "config.toml").read_text()
        finally:
            choose_language("en")


async def test_escape_leads_to_the_way_out_and_does_not_take_it() -> None:
    async with visiting() as visit:
        await visit.presses("escape")
        assert visit.app.is_running
        rows = visit.app.screen.query_one(OptionList)
        assert rows.highlighted == rows.option_count - 1
        await visit.pilot.press("enter")
    assert visit.app.return_value == ExitCode.OK


async def test_ctrl_c_ends_the_lobby() -> None:
    async with visiting() as visit:
        await visit.pilot.press("ctrl+c")
        await visit.pilot.pause()
        assert visit.app.return_code == 0
        assert visit.app.return_value == ExitCode.INTERRUPTED


async def test_a_failure_is_told_and_one_can_try_again(play: Programs) -> None:
    def fail(_front: FrontEnd) -> ExitCode:
        raise CommandFailed(ExitCode.FAILURE, "no [b]server[/b]\x1b here: install it")

    play.does = fail
    async with visiting() as visit:
        await visit.presses("1")
        assert visit.is_at(LobbyScreen)
        assert "no [b]server[/b]\\x1b here: install it" in visit.text()
        await visit.presses("1")
        assert len(play.called) == 2


async def test_the_way_back_is_told_until_the_next_table(play: Programs) -> None:
    def bid_farewell(front: FrontEnd) -> ExitCode:
        front.farewell("Your seat is kept.")
        return ExitCode.INTERRUPTED

    play.does = bid_farewell
    async with visiting() as visit:
        await visit.presses("1")
        assert "Your seat is kept." in visit.text()
        assert visit.app.farewells == ["Your seat is kept."]
        play.does = lambda _front: ExitCode.INTERRUPTED
        await visit.presses("1")
        assert "Your seat is kept." not in visit.text()
        assert visit.app.farewells == []


async def test_ctrl_c_comes_back_from_waiting_for_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(*_: object) -> ExitCode:
        await asyncio.Event().wait()
        return ExitCode.OK

    monkeypatch.setattr(screen, "play_here", wait)
    async with visiting() as visit:
        await visit.presses("1")
        assert visit.is_at(TableScreen)
        await visit.presses("ctrl+c")
        assert visit.is_at(LobbyScreen)


async def test_from_a_form_a_success_leads_back_to_the_lobby_and_a_failure_to_the_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs = Programs()
    monkeypatch.setattr(screen, "sit_elsewhere", programs)

    def refuse(_front: FrontEnd) -> ExitCode:
        raise CommandFailed(ExitCode.NO_SUCH_ROOM, "there is no such room")

    async with visiting() as visit:
        programs.does = refuse
        await visit.presses("4", *"k7qf 2mxr @ h", "enter")
        assert visit.is_at(JoinScreen)
        assert "there is no such room" in visit.text()
        programs.does = lambda _front: ExitCode.INTERRUPTED
        await visit.presses("enter")
        assert visit.is_at(LobbyScreen)
        assert [called[0] for called in programs.called] == ["ws://h:8470/ws"] * 2


async def test_unfinished_games_are_counted() -> None:
    user_tickets().keep(SavedSeat("ws://h:8470/ws", "K7QF2MXR", 1, "张三", "K7QF2MXR.secret", now_s()))
    async with visiting() as visit:
        assert "1 game is unfinished" in visit.text()


@pytest.mark.parametrize("size", SIZES)
async def test_nothing_overlaps_and_every_row_is_there(size: tuple[int, int]) -> None:
    async with visiting(Settings(name="张三李四" * 16, theme="dark"), size) as visit:
        for key in "123456789nsaq":
            assert any(row.startswith(f" {key}  ") for row in visit.rows())
        regions = [widget.region for widget in visit.app.screen.children if widget.display and widget.region.area]
        assert all(not one.overlaps(other) for one in regions for other in regions if one is not other)
