"""Saved deals in the lobby: chosen from a list, or by a path that is typed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from client_cli.failure import CommandFailed
from client_cli.replay import Replay
from client_cli.tui.lobby import replays_screen
from client_cli.tui.lobby.replays_screen import ReplaysScreen
from protocol.errors import ExitCode
from tests.client_cli.replays import GOLDEN, golden_replay


class Chooser:
    """The screen before a person, and what was looked at."""

    def __init__(self, pilot: Pilot[None], screen: ReplaysScreen, shown: list[Replay], asked: list[object]) -> None:
        self.pilot = pilot
        self.screen = screen
        self.shown = shown
        self.asked = asked

    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    async def presses(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.screen.workers.wait_for_complete()
        await self.pilot.pause()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    deals = tmp_path / "deals"
    deals.mkdir()
    (deals / "paohuzi-K7QF2MXR-2.jsonl").write_bytes((GOLDEN / "paohuzi.jsonl").read_bytes())
    return deals


@asynccontextmanager
async def choosing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Chooser]:
    shown: list[Replay] = []
    asked: list[object] = []

    async def replay_of(path: str, deal: int) -> Replay:
        asked.append((path, deal))
        if "missing" in path:
            raise CommandFailed(ExitCode.FAILURE, f"cannot read {path}")
        return golden_replay("paohuzi", deal)

    monkeypatch.setattr(replays_screen, "replay_of", replay_of)
    app: App[None] = App()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = ReplaysScreen(shown.append, (folder,))
        await app.push_screen(screen)
        await pilot.pause()
        yield Chooser(pilot, screen, shown, asked)


async def test_a_saved_deal_is_looked_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with choosing(folder, monkeypatch) as chooser:
        assert "paohuzi-K7QF2MXR-2.jsonl" in chooser.text()
        assert "Paohuzi  deal 1 of 20" in chooser.text()
        await chooser.presses("enter")
        assert chooser.asked == [(str(folder / "paohuzi-K7QF2MXR-2.jsonl"), 1)]
        assert chooser.shown == [golden_replay("paohuzi", 1)]


async def test_another_deal_of_the_file_is_chosen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with choosing(folder, monkeypatch) as chooser:
        await chooser.presses("left", "left")
        assert "deal 19 of 20" in chooser.text()
        await chooser.presses("right", "enter")
        assert chooser.shown == [golden_replay("paohuzi", 20)]


async def test_a_path_is_typed_and_what_is_wrong_with_it_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with choosing(folder, monkeypatch) as chooser:
        await chooser.presses("slash", *"missing", "enter")
        assert "cannot read missing" in chooser.text()
        await chooser.presses("slash", *"x.jsonl", "enter")
        assert chooser.asked[-1] == ("x.jsonl", 1)
        assert len(chooser.shown) == 1
        assert "cannot read" not in chooser.text()


async def test_no_path_is_asked_for_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with choosing(folder, monkeypatch) as chooser:
        await chooser.presses("slash", "enter")
        assert "Type the path of a file." in chooser.text()
        assert chooser.asked == []


async def test_what_was_saved_meanwhile_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (saved,) = folder.iterdir()
    content = saved.read_bytes()
    saved.unlink()
    async with choosing(folder, monkeypatch) as chooser:
        assert "There is no saved deal here." in chooser.text()
        saved.write_bytes(content)
        await chooser.presses("r")
        assert saved.name in chooser.text()
