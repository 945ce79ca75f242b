"""Whole deals on the full screen, against bots on a real server: by keys alone, and by mouse alone."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from textual.pilot import OutOfBounds, Pilot

from client_cli.commands.play import play_here
from client_cli.commands.seating import Seating
from client_cli.frontend import FrontEnd
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo
from client_cli.tui.table.picking import top_places
from client_cli.tui.table.screen import TableScreen
from protocol.errors import ExitCode

pytestmark = pytest.mark.slow

AGAIN_S = 2.0

Answer = Callable[[Pilot[ExitCode], TableScreen], Awaitable[None]]


async def by_keys(pilot: Pilot[ExitCode], screen: TableScreen) -> None:
    """Pick cards until they mean one action; a claim that needs none is made by its number."""
    while screen.choosing.asked and screen.choosing.now.meant is None:
        before = screen.choosing.now.picked
        await pilot.press("space")
        if screen.choosing.now.picked == before:
            await pilot.press("1")
            return
    await pilot.press("enter")


async def by_mouse(pilot: Pilot[ExitCode], screen: TableScreen) -> None:
    """Click on cards until they mean one action, then on the question; or on the first choice.

    Somebody else's claim may take the question away at any time, and the deal's end the cards.
    """
    with suppress(OutOfBounds):
        await _click_through(pilot, screen)


async def _click_through(pilot: Pilot[ExitCode], screen: TableScreen) -> None:
    while screen.choosing.asked and screen.choosing.now.meant is None:
        laid, now = screen.laid, screen.choosing.now
        assert laid is not None
        left = top_places(laid.cards, now.bright) - top_places(laid.cards, now.picked)
        if not left:
            await pilot.click("#choices", offset=(0, 0))
            return
        spot = laid.spots[max(left)]
        await pilot.click("#hand", offset=(spot.x, spot.line * (laid.card_height + 1) + 1))
    await pilot.click("#question")


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
@pytest.mark.parametrize(("answer", "size"), [(by_keys, (80, 24)), (by_mouse, (120, 40))])
async def test_a_whole_deal_is_played(
    game: str, answer: Answer, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, ended, answers = asyncio.Event(), asyncio.Event(), 0
    draw = TableScreen.draw

    def draw_and_tell(screen: TableScreen, session: Session) -> None:
        draw(screen, session)
        drawn.set()

    async def program(front: FrontEnd) -> ExitCode:
        try:
            return await play_here(front, game, {}, 0, Seating(name="Anna"))
        finally:
            ended.set()

    monkeypatch.setattr(TableScreen, "draw", draw_and_tell)
    app = Paizhuo(program, Settings())
    async with app.run_test(size=size) as pilot:
        while True:
            with suppress(TimeoutError):  # a click at the very moment when the question changes answers neither
                await asyncio.wait_for(drawn.wait(), AGAIN_S)
            drawn.clear()
            screen = app.screen
            assert isinstance(screen, TableScreen)
            if screen.sight is not None and screen.sight.view.room.phase == "over":
                break
            if screen.choosing.asked:
                await answer(pilot, screen)
                answers += 1
        await pilot.press("enter")
        await asyncio.wait_for(ended.wait(), 30)
    assert answers
    assert app.return_value == ExitCode.OK
