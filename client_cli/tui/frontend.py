"""A table screen as the front end of a sitting."""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from client_cli.frontend import Drawn, JoinPage, T, ToConfirm
from client_cli.replay import Replay
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.tui.choice_screen import ChoiceScreen
from client_cli.tui.table.screen import TableScreen

if TYPE_CHECKING:
    from client_cli.tui.app import Paizhuo


class FullScreen:
    """What a `FrontEnd` promises, on a screen that draws the table."""

    interactive = True
    lingers = True

    def __init__(self, app: "Paizhuo", screen: TableScreen) -> None:
        self._app = app
        self._screen = screen

    @property
    def settings(self) -> Settings:
        """They can change while the program runs."""
        return self._app.settings

    def show(self, line: str) -> None:
        """Into the log, unless the drawn table says it already; what is for phones over everything."""
        if self._app.ending:
            return
        if isinstance(line, JoinPage):
            self._app.show_code(line)
        if not isinstance(line, Drawn):
            self._screen.tell(line, to_confirm=isinstance(line, ToConfirm))

    def note(self, line: str) -> None:
        """Into the log, set apart."""
        if not self._app.ending:
            self._screen.tell(line, aside=True)

    def farewell(self, line: str) -> None:
        """Printed on the terminal when the screen is gone."""
        self._app.farewells.append(line)

    def changed(self, session: Session) -> None:
        """Drawn anew."""
        if not self._app.ending:
            self._screen.draw(session)

    def replay(self, replay: Replay) -> None:
        """On a screen of its own, while the sitting goes on."""
        if not self._app.ending:
            self._app.show_replay(replay)

    async def line(self) -> str | None:
        """What was typed, clicked or picked, as the text of what it stands for."""
        return await self._screen.typed.get()

    async def choose(self, question: str, choices: Iterable[tuple[T, str]]) -> T | None:
        """On a screen of its own; None after Escape."""
        given = list(choices)
        chosen: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

        def answer(place: int | None) -> None:
            if not chosen.done():  # nor cancelled, with the program
                chosen.set_result(place)

        await self._app.push_screen(ChoiceScreen(question, [shown for _, shown in given]), answer)
        place = await chosen
        return None if place is None else given[place][0]
