"""What is on each screen: scripted tables with hard names, and what is opened over them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from tempfile import TemporaryDirectory

import pytest
from textual.pilot import Pilot

from client_cli.commands.seating import Seating
from client_cli.frontend import FrontEnd, Program
from client_cli.language import choose_language
from client_cli.last_choices import LastChoices
from client_cli.plain import Conversation
from client_cli.replay import Replay
from client_cli.session import Session
from client_cli.settings import LanguageChoice, Settings
from client_cli.tickets import SavedSeat, now_s, user_tickets
from client_cli.tui.app import Paizhuo
from client_cli.tui.lobby.host_screen import HostScreen
from client_cli.tui.lobby.resume_screen import ResumeScreen
from client_cli.tui.lobby.rooms_screen import RoomsScreen
from client_cli.tui.lobby.rows_screen import RowsScreen
from protocol.errors import ExitCode
from protocol.messages import Create, Done, RoomSummary, Said, Seated, Table, Welcome
from protocol.view import Happening, TableView
from tests.client_cli.replays import golden_replay
from tests.client_cli.tables import CODE, FREE, TICKET, view
from tests.client_cli.tui.lobby.lobbies import book
from tests.client_cli.tui.table.sights import NAMES, SEATS, chuo_pai, claim, third_game, won
from tests.screens.played import PEOPLE, until

Opening = Callable[["Pilot[ExitCode]"], Awaitable[None]]
"""What is done on the screen before it is looked at."""

CHAT = Said("B\u200budi", "[bold]hi[/bold] \x1b[31m中文", 1)


def telling(
    *messages: Table, seat: int | None = 0, name: str = NAMES[0], chat: Said | None = None, reached_at: str = ""
) -> Program:
    """A program that shows a table as a real conversation would, and then waits for ever."""

    async def program(front: FrontEnd) -> ExitCode:
        session = Session(name, Create(messages[0].view.room.game), clock_s=lambda: 0.0)
        session.reached_at = reached_at
        conversation = Conversation(session, lingers=True)
        steps = [conversation.opened(), conversation.received(Welcome("0", name, ()))]
        if seat is not None:
            steps.append(conversation.received(Seated(CODE, seat, TICKET)))
        for message in messages:
            steps.append(conversation.received(message))
            if session.in_flight is not None:
                steps.append(conversation.received(Done(session.in_flight.n)))
        if chat is not None:
            steps.append(conversation.received(chat))
        for line in (line for step in steps for line in step.lines):
            front.show(line)
        front.changed(session)
        await asyncio.Event().wait()
        return ExitCode.OK

    return program


def hard(shown: TableView, *happened: Happening, seat: int | None = 0) -> Program:
    """A table with names that are hard to draw, where somebody says what should not be drawn as it is."""
    return telling(Table(shown, happened), seat=seat, chat=CHAT)


def played(game: str, seed: int, wanted: Callable[[TableView], bool]) -> Program:
    """The first position of this deal that is wanted."""

    async def program(front: FrontEnd) -> ExitCode:
        return await telling(*until(game, seed, wanted), name=PEOPLE[0].name)(front)

    return program


async def nothing(_pilot: "Pilot[ExitCode]") -> None:
    """The screen as it opens."""


def pressing(*keys: str) -> Opening:
    async def press(pilot: "Pilot[ExitCode]") -> None:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()

    return press


def showing(make: Callable[[Paizhuo], RowsScreen]) -> Opening:
    """A screen over the lobby."""

    async def show(pilot: "Pilot[ExitCode]") -> None:
        assert isinstance(pilot.app, Paizhuo)
        await pilot.app.push_screen(make(pilot.app))
        await pilot.app.workers.wait_for_complete()

    return show


def host_form(app: Paizhuo) -> RowsScreen:
    return HostScreen(LastChoices(game="paohuzi", deals=3), lambda _: None, app, book(), Seating(name=PEOPLE[0].name))


class OpenTables(RoomsScreen):
    """What a server would show, without one."""

    async def look(self) -> list[tuple[str, RoomSummary]]:
        each = zip((*NAMES, PEOPLE[1].name), ("chuo-pai", "paohuzi", "whist", "paohuzi"), strict=True)
        return [
            (SERVER, RoomSummary(CODE, game, name, place % 3, 1 + place, "slow"))
            for place, (name, game) in enumerate(each)
        ]


def open_tables(_app: Paizhuo) -> RowsScreen:
    return OpenTables("cards.example.org", lambda _: None, PEOPLE[0].name, lambda _: None, lambda _: None)


def back(_app: Paizhuo) -> RowsScreen:
    tickets = user_tickets()
    for place, name in enumerate(NAMES):
        tickets.keep(SavedSeat("ws://127.0.0.1:1/ws", f"{CODE[:7]}{place}", place, name, str(place), now_s() - place))
    return ResumeScreen(tickets, lambda _: None, lambda _: None)


SERVER = "ws://192.168.1.5:8470/ws"
OPEN = view(phase="open", seats=(PEOPLE[0], SEATS[1], FREE))

LED = Happening("led", 2, ("22", "22"))
PLAYED = Happening("played", 1, ("33", "33"))
REVEALED = Happening("revealed", 1, ("b7",))


def asked_late(view: TableView) -> bool:
    """Something lies on the table, and the person is asked about it."""
    return view.prompt is not None and len(view.prompt.actions) > 1 and len(view.deal.history if view.deal else ()) > 8


def claims(view: TableView) -> bool:
    return asked_late(view) and view.prompt is not None and view.prompt.actions[0].startswith(("peng", "chi"))


def leads(view: TableView) -> bool:
    return asked_late(view) and view.prompt is not None and view.prompt.actions[0].startswith("discard")


SEATED = (PEOPLE[0].name, PEOPLE[1].name, PEOPLE[2].name)

SCENES: Mapping[str, tuple[Program | Replay | None, Opening]] = {
    "lobby": (None, nothing),
    "chuo-pai": (played("chuo-pai", 3, asked_late), nothing),
    "paohuzi": (played("paohuzi", 5, leads), nothing),
    "claim": (played("paohuzi", 3, claims), nothing),
    "deal-over": (played("paohuzi", 7, lambda view: view.result is not None), nothing),
    "replay": (golden_replay("chuo-pai", 3, SEATED), pressing(*["down"] * 9, "right", "right")),
    "open-table": (telling(Table(OPEN), name=PEOPLE[0].name, reached_at=SERVER), nothing),
    "name": (None, pressing("n")),
    "host": (None, showing(host_form)),
    "join": (None, pressing("4", *"k7qf2mxr", "enter")),
    "open-tables": (None, showing(open_tables)),
    "back": (None, showing(back)),
    "settings": (None, pressing("f3")),
    "rules": (hard(claim().view), pressing("question_mark", "slash", "2", "-", "7", "enter")),
    "rules-contents": (hard(chuo_pai().view), pressing("question_mark", "tab")),
    "keys": (hard(chuo_pai().view), pressing("f1")),
    "hard-chuo-pai": (hard(chuo_pai().view, LED, PLAYED), pressing("right", "space")),
    "hard-paohuzi": (hard(claim().view, REVEALED), nothing),
    "hard-watched": (hard(chuo_pai(me=None).view, LED, PLAYED, seat=None), nothing),
    "hard-deal-over": (hard(won().view, Happening("deal_over", value=1, scores=(8, -4, -4))), nothing),
    "hard-match-over": (hard(won(phase="over").view, Happening("match_over", scores=(8, -4, -4))), nothing),
    "hard-third-game": (hard(third_game().view), nothing),
    "hard-remaining": (hard(claim().view, REVEALED), pressing("f8")),
    "hard-replay": (golden_replay("chuo-pai", 3, NAMES), pressing(*["down"] * 9)),
    "hard-replay-over": (golden_replay("paohuzi", 3, NAMES), pressing("end")),
}
"""A program in the table screen, a replay, or the lobby; and what is done there."""


@asynccontextmanager
async def opened(
    scene: str, language: LanguageChoice = "en", size: tuple[int, int] = (80, 24)
) -> AsyncIterator["Pilot[ExitCode]"]:
    """The application with this scene on its screen."""
    first, opening = SCENES[scene]
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        for variable in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
            patch.setenv(variable, home)
        choose_language(language)
        app = Paizhuo(first, Settings(language=language, theme="dark", name=PEOPLE[0].name))
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
