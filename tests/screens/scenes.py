"""What is on each screen: scripted tables with hard names, and what is opened over them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from client_cli.frontend import FrontEnd, Program
from client_cli.language import choose_language
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.settings import LanguageChoice, Settings
from client_cli.tui.app import Paizhuo
from protocol.errors import ExitCode
from protocol.messages import Create, Said, Seated, Table, Welcome
from protocol.view import Happening, TableView
from tests.client_cli.tables import CODE, TICKET
from tests.client_cli.tui.table.sights import NAMES, chuo_pai, claim, third_game, won

Opening = Callable[["Pilot[ExitCode]"], Awaitable[None]]
"""What is done on the screen before it is looked at."""

CHAT = Said("B\u200budi", "[bold]hi[/bold] \x1b[31m中文", 1)


def telling(shown: TableView, *happened: Happening, seat: int | None = 0) -> Program:
    """A program that shows one view of a table, as a real conversation would, and then waits for ever."""

    async def program(front: FrontEnd) -> ExitCode:
        session = Session(NAMES[0], Create(shown.room.game), clock_s=lambda: 0.0)
        conversation = Conversation(session, lingers=True)
        steps = [conversation.opened(), conversation.received(Welcome("0", NAMES[0], ()))]
        if seat is not None:
            steps.append(conversation.received(Seated(CODE, seat, TICKET)))
        steps += [conversation.received(message) for message in (Table(shown, happened), CHAT)]
        for line in (line for step in steps for line in step.lines):
            front.show(line)
        front.changed(session)
        await asyncio.Event().wait()
        return ExitCode.OK

    return program


async def nothing(_pilot: "Pilot[ExitCode]") -> None:
    """The screen as it opens."""


def pressing(*keys: str) -> Opening:
    async def press(pilot: "Pilot[ExitCode]") -> None:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()

    return press


LED = Happening("led", 2, ("22", "22"))
PLAYED = Happening("played", 1, ("33", "33"))
REVEALED = Happening("revealed", 1, ("b7",))

SCENES: Mapping[str, tuple[Program, Opening]] = {
    "chuo-pai": (telling(chuo_pai().view, LED, PLAYED), nothing),
    "picked": (telling(chuo_pai().view, LED, PLAYED), pressing("right", "space")),
    "paohuzi-claim": (telling(claim().view, REVEALED), nothing),
    "watched": (telling(chuo_pai(me=None).view, LED, PLAYED, seat=None), nothing),
    "deal-over": (telling(won().view, Happening("deal_over", value=1, scores=(8, -4, -4))), nothing),
    "match-over": (telling(won(phase="over").view, Happening("match_over", scores=(8, -4, -4))), nothing),
    "third-game": (telling(third_game().view), nothing),
    "settings": (telling(claim().view), pressing("f3")),
    "rules": (telling(claim().view), pressing("question_mark", "slash", "2", "-", "7", "enter")),
    "rules-contents": (telling(chuo_pai().view), pressing("question_mark", "tab")),
    "keys": (telling(chuo_pai().view), pressing("f1")),
}


@asynccontextmanager
async def opened(
    scene: str, language: LanguageChoice = "en", size: tuple[int, int] = (80, 24)
) -> AsyncIterator["Pilot[ExitCode]"]:
    """The application with this scene on its screen."""
    program, opening = SCENES[scene]
    choose_language(language)
    app = Paizhuo(program, Settings(language=language, theme="dark", name=NAMES[0]))
    try:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await opening(pilot)
            await pilot.pause()
            yield pilot
            app.exit(ExitCode.OK)
        await app.finish()
    finally:
        choose_language("en")
