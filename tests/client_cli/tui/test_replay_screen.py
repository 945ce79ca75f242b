"""The replay screen by keys and by mouse."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App
from textual.events import MouseMove, MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot

from client_cli.language import choose_language
from client_cli.replay import Cursor, Replay
from client_cli.settings import Settings
from client_cli.stepping import fits
from client_cli.tui.faces import ASCII
from client_cli.tui.replay_screen import ReplayScreen
from client_cli.tui.styles import CARD_COLOURS
from client_cli.tui.table.look import Look, look_of
from tests.client_cli.replays import golden_replay

SMALL, LARGE = (80, 24), (120, 40)


class Stage(App[None]):
    """An application with nothing but a replay."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(CARD_COLOURS)


class Watched:
    """A replay before a person."""

    def __init__(self, pilot: Pilot[None], screen: ReplayScreen) -> None:
        self.pilot = pilot
        self.screen = screen

    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    @property
    def step(self) -> int:
        """From 1, as the title says."""
        return int(self.text().split("\n")[0].rpartition("step ")[2].partition(" ")[0])

    @property
    def runs(self) -> bool:
        """Is that marked beside the line of time?"""
        return "►" in self.text().split("\n")[-2]

    async def presses(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()


@asynccontextmanager
async def watching(
    replay: Replay | None = None, *, size: tuple[int, int] = SMALL, look: Look | None = None
) -> AsyncIterator[Watched]:
    app = Stage()
    async with app.run_test(size=size) as pilot:
        screen = ReplayScreen(replay or golden_replay("paohuzi", 3), look)
        await app.push_screen(screen)
        await pilot.pause()
        yield Watched(pilot, screen)


async def test_steps_and_rounds_by_keys() -> None:
    async with watching() as watched:
        assert watched.step == 1
        for key, step in [("right", 2), ("n", 3), ("enter", 4), ("left", 3), ("p", 2), ("backspace", 1), ("left", 1)]:
            await watched.presses(key)
            assert watched.step == step, key
        _, second, third, *_ = Cursor.over(golden_replay("paohuzi", 3).steps).rounds
        for key, place in [("down", second), ("pagedown", third), ("up", second), ("r", third), ("pageup", second)]:
            await watched.presses(key)
            assert watched.step == place + 1, key
        await watched.presses("end")
        assert watched.step == 55
        await watched.presses("home")
        assert watched.step == 1


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
async def test_all_three_hands_are_open_from_the_first_step_to_the_last(game: str, size: tuple[int, int]) -> None:
    replay = golden_replay(game, 3)
    async with watching(replay, size=size) as watched:
        for seat in replay.steps[0].view.seats:
            assert f"Seat {seat.seat + 1}, " in watched.text()
        assert watched.text().count(" cards") >= 3
        await watched.presses("end")
        assert "Deal 3 of 20 is over." in watched.text()
        assert watched.text().count("Hand of Seat ") == 3
        assert "Match" not in watched.text()


async def test_the_step_that_is_shown_is_marked_among_the_others() -> None:
    async with watching(size=LARGE) as watched:
        await watched.presses(*["right"] * 11)
        (marked,) = [line for line in watched.text().split("\n") if "► 12. " in line]
        assert "Seat 1 discards b4肆." in marked
        assert " 11. Seat 1 lays a peng" in watched.text()


async def test_a_click_on_a_step_or_on_the_line_of_time_goes_there() -> None:
    async with watching(size=LARGE) as watched:
        region = watched.screen.query_one("#steps").region
        row = next(y for y, line in enumerate(watched.text().split("\n")) if " 9. Seat 2 discards" in line)
        await watched.pilot.click("#steps", offset=(4, row - region.y))
        assert watched.step == 9
        await watched.pilot.click("#scrubber", offset=(0, 0))
        assert watched.step == 1
        width = watched.text().split("\n")[-2].index(" 1 s a step")
        await watched.pilot.click("#scrubber", offset=(width - 1, 0))
        assert watched.step == 55


async def test_the_mouse_is_dragged_along_the_line_of_time() -> None:
    async with watching() as watched:
        await watched.pilot.mouse_down("#scrubber", offset=(0, 0))
        await watched.pilot._post_mouse_events([MouseMove], "#scrubber", offset=(30, 0), button=1)
        halfway = watched.step
        await watched.pilot._post_mouse_events([MouseMove], "#middle", offset=(60, 0), button=1)
        further = watched.step
        await watched.pilot.mouse_up("#middle", offset=(60, 0))
        assert 1 < halfway < further
        await watched.pilot.hover("#scrubber", offset=(10, 0))
        assert watched.step == further


async def test_the_wheel_goes_to_and_fro() -> None:
    async with watching() as watched:
        await watched.pilot._post_mouse_events([MouseScrollDown], "#middle", button=0)
        await watched.pilot._post_mouse_events([MouseScrollDown], "#first", button=0)
        assert watched.step == 3
        await watched.pilot._post_mouse_events([MouseScrollUp], "#steps", button=0)
        assert watched.step == 2


async def test_each_key_that_is_named_can_be_clicked() -> None:
    async with watching(size=LARGE) as watched:
        keys = watched.text().split("\n")[-1]
        for named, step in [("Next", 2), ("Next round", 4), ("Back", 3)]:
            await watched.pilot.click("#keys", offset=(keys.index(named), 0))
            await watched.pilot.pause()
            assert watched.step == step, named
        await watched.pilot.click("#keys", offset=(keys.index("Search"), 0))
        await watched.presses(*"wei", "enter")
        assert watched.step > 3
        await watched.pilot.click("#keys", offset=(keys.index("Close"), 0))
        await watched.pilot.pause()
        assert watched.screen not in watched.pilot.app.screen_stack


async def test_it_runs_by_itself_to_the_end_and_stops_at_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client_cli.replay.STEP_S", (0.001,) * 5)
    async with watching() as watched:
        await watched.presses("end", "left", "left", "space")
        while watched.step < 55:
            await watched.pilot.pause()
        assert not watched.runs
    async with watching() as watched:
        monkeypatch.setattr("client_cli.replay.STEP_S", (100.0,) * 5)
        await watched.presses("space")
        assert watched.runs
        await watched.presses("right")
        assert not watched.runs


async def test_its_pace_is_shown() -> None:
    async with watching() as watched:
        await watched.presses("plus")
        assert " 0.5 s a step" in watched.text()
        await watched.presses("minus", "minus")
        assert " 2 s a step" in watched.text()


async def test_it_is_searched_to_and_fro() -> None:
    replay = golden_replay("paohuzi", 3)
    found = [place + 1 for place in range(len(replay.steps)) if fits(replay, "s1")(place)]
    assert len(found) > 2
    async with watching(replay) as watched:
        await watched.presses("slash", *"s1", "enter")
        assert watched.step == found[0]
        await watched.presses("f")
        assert watched.step == found[1]
        await watched.presses("F")
        assert watched.step == found[0]


async def test_what_is_not_found_is_said_and_the_step_stays() -> None:
    async with watching() as watched:
        await watched.presses("right", "slash", *"gold", "enter")
        assert watched.step == 2
        assert "No other step has 'gold'." in watched.text()
        await watched.presses("right")
        assert "gold" not in watched.text()


async def test_a_step_is_gone_to_by_its_number() -> None:
    async with watching() as watched:
        await watched.presses("g", *"42", "enter")
        assert watched.step == 42
        await watched.presses("g", *"56", "enter")
        assert watched.step == 42
        assert "There are steps from 1 to 55." in watched.text()


async def test_escape_leaves_the_line_first_and_then_the_replay() -> None:
    async with watching() as watched:
        await watched.presses("slash", *"g", "slash", "escape")
        assert watched.screen in watched.pilot.app.screen_stack
        await watched.presses("right")
        assert watched.step == 2
        await watched.presses("escape")
        assert watched.screen not in watched.pilot.app.screen_stack


async def test_the_viewers_own_seat_lies_lowest() -> None:
    async with watching(golden_replay("paohuzi", 3)._replace(seat=0)) as watched:
        order = [watched.text().index(name) for name in ("Seat 2, ", "Seat 3, ", "You (")]
        assert order == sorted(order)


async def test_it_follows_the_language_and_the_characters_that_there_are() -> None:
    async with watching(look=Look(ASCII)) as watched:
        assert not set("─│►…●") & set(watched.text())
        try:
            choose_language("zh")
            watched.screen.wear(look_of(Settings(ascii="off")))
            await watched.pilot.pause()
            assert "─" in watched.text()
        finally:
            choose_language("en")


async def test_hands_are_sorted_otherwise_by_a_key() -> None:
    async with watching() as watched:
        before = watched.text()
        await watched.presses("f2")
        assert watched.text() != before


@pytest.mark.parametrize("size", [(59, 24), (80, 19), (1, 1)])
async def test_a_screen_that_is_too_small_says_so_and_recovers(size: tuple[int, int]) -> None:
    async with watching(size=size) as watched:
        assert "Seat 1" not in watched.text()
        await watched.pilot.resize_terminal(60, 20)
        await watched.pilot.pause()
        assert "Seat 1, " in watched.text()


async def test_names_and_marks_from_a_record_are_only_text() -> None:
    names = ("[red]张三李四[/red]", "a\x1b[31mb", "👨\u200d👩\u200d👧")
    async with watching(golden_replay("paohuzi", 3, names)) as watched:
        text = watched.text()
        assert "[red]张三李四[/red], " in text
        assert "a\\x1b[31mb" in text
        assert "\x1b" not in text
