"""People at a pipe who sit down at a scripted server, and what it says to them."""

import asyncio
import io
import os
from pathlib import Path
from typing import Literal

from client_cli.connection import Connection
from client_cli.console import Console
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.sitting import Sitting
from client_cli.tickets import SavedSeat, TicketStore
from protocol.messages import Hello, Join, Seated, Welcome
from protocol.view import Happening, Result
from tests.client_cli.scripted_server import Peer
from tests.client_cli.tables import CODE, TICKET, leading, table, view

WAY_BACK = "Your seat is kept. Come back with: paizhuo resume K7QF-2MXR\n"
WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))
SEATED = Seated(CODE, 0, TICKET)
OVER = table(view(phase="over", result=Result((3, 1, 2), (0,)), n=1), Happening("match_over", scores=(3, 1, 2)))


class Person:
    """Somebody at a pipe: types, and reads what is printed."""

    def __init__(self, state: Path) -> None:
        self.source, self._typing = os.pipe()
        self.transcript, self.notes = io.StringIO(), io.StringIO()
        self.tickets = TicketStore(state)

    async def reads(self, wanted: str) -> None:
        """Wait until it has been printed."""
        while wanted not in self.transcript.getvalue():  # noqa: ASYNC110 - a StringIO has no event to wait for
            await asyncio.sleep(0)

    def types(self, *lines: str) -> None:
        os.write(self._typing, "".join(f"{line}\n" for line in lines).encode())

    def ends(self) -> None:
        os.close(self._typing)
        self._typing = -1

    def goes(self) -> None:
        """The source stays open: a reader that comes to it late must find its end, not the next test's pipe."""
        if self._typing >= 0:
            self.ends()

    def sitting(
        self,
        url: str,
        session: Session | None = None,
        *,
        connection: Connection | None = None,
        private: bool = False,
        ends: Literal["game", "server"] | None = None,
    ) -> Sitting:
        conversation = Conversation(session or Session("Anna", Join(CODE)), ends=ends)
        return Sitting(
            Console(self.source, self.transcript, self.notes),
            connection or Connection(url, chance=lambda: 0.0),
            conversation,
            None if private else self.tickets,
        )

    def seats(self) -> list[SavedSeat]:
        return list(self.tickets.unfinished(0.0).seats)


async def seat(peer: Peer) -> None:
    assert await peer.hears() == Hello("Anna")
    await peer.says(WELCOME)
    assert await peer.hears() == Join(CODE)
    await peer.says(SEATED, table(view(prompt=leading())))


async def come_back(peer: Peer) -> None:
    assert await peer.hears() == Hello("Anna", TICKET)
    await peer.says(WELCOME, SEATED, table(view(prompt=leading())))
