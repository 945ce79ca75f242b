"""The application with its lobby before a person, and what they see and do; nothing is asked of any server."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot
from textual.screen import Screen

from client_cli.frontend import FrontEnd
from client_cli.house_rules import HouseRules, RuleBook
from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo
from client_cli.tui.lobby.rows_screen import RowsScreen
from protocol.errors import ExitCode
from protocol.messages import HouseRule

RULES: HouseRules = {
    "chuo-pai": (HouseRule("max_combination", 12, 2, 12),),
    "paohuzi": (HouseRule("dealer_opening_win", default=False), HouseRule("jokers", default=True, text="Wild [b]ones")),
}


class Visit:
    """A person in the lobby."""

    def __init__(self, app: Paizhuo, pilot: Pilot[ExitCode]) -> None:
        self.app = app
        self.pilot = pilot

    async def presses(self, *keys: str) -> None:
        """One after the other, each with all that follows from it."""
        for key in keys:
            await self.pilot.press(key)
            await self.settles()

    async def settles(self) -> None:
        """What was asked is answered, and drawn."""
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def opens(self, screen: RowsScreen) -> None:
        await self.app.push_screen(screen)
        await self.settles()

    def is_at(self, kind: type[Screen[None]]) -> bool:
        return isinstance(self.app.screen, kind)

    def rows(self) -> list[str]:
        """What is on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    def text(self) -> str:
        return "\n".join(self.rows())

    def row_of(self, label: str) -> int:
        """How far down the row with this label is."""
        return next(y for y, row in enumerate(self.rows()) if label in row)


@asynccontextmanager
async def visiting(settings: Settings | None = None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Visit]:
    app = Paizhuo(None, settings or Settings(name="Anna", theme="dark"))
    async with app.run_test(size=size) as pilot:
        visit = Visit(app, pilot)
        await visit.settles()
        yield visit
        app.exit(ExitCode.OK)
    await app.finish()


def book(told: HouseRules = RULES, before: Callable[[str | None], None] = lambda _url: None) -> RuleBook:
    """`before`: learns which server is asked."""

    async def ask(url: str | None, _name: str) -> HouseRules:
        before(url)
        return told

    return RuleBook(ask)


class Programs:
    """Stands for a command's coroutine: keeps what it was called with. `does`: what happens at the table."""

    def __init__(self, does: Callable[[FrontEnd], ExitCode] = lambda _front: ExitCode.INTERRUPTED) -> None:
        self.called: list[tuple[object, ...]] = []
        self.does = does

    async def __call__(self, front: FrontEnd, *given: object, **named: object) -> ExitCode:
        self.called.append((*given, *named.items()))
        return self.does(front)
