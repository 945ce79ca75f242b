"""What the gateway asks of a node, and what a node tells a viewer.

Everything is in the terms of the protocol; the gateway knows no event, no log and no game.
"""

from collections.abc import Mapping
from typing import Protocol

from protocol.messages import (
    Because,
    Contribution,
    Create,
    HouseRule,
    RoomSummary,
    SeatCommand,
    Seated,
    ServerMessage,
    Watching,
)
from protocol.view import Happening, TableView
from server.rooms.refusal import Refusal


class Viewer(Protocol):
    """One connection as a node sees it. Called on the event loop; must neither block nor raise."""

    def place(self, place: Seated | Watching) -> None:
        """The viewer has a seat or watches; comes before the first `show`."""

    def show(self, view: TableView, happened: tuple[Happening, ...]) -> None:
        """A view that differs from the last one shown, or was asked for, with what happened since."""

    def renew(self) -> None:
        """The next view is to be shown even if it differs by more time to answer alone."""

    def tell(self, message: ServerMessage) -> None:
        """Said, Notice, Hint, or Refused where there is no hint."""

    def unseat(self, reason: str) -> None:
        """The viewer no longer sits or watches, for this reason (`left`, `removed`, `closed`)."""

    def replace(self) -> None:
        """A newer connection has the seat: close with `CloseCode.REPLACED`."""

    def send_away(self) -> None:
        """This server cannot serve the viewer now, another one may: close with `CloseCode.RESTART`."""


class Node(Protocol):
    """Rooms as the gateway uses them. Every method raises `Refusal` when it cannot do what is asked.

    `create`, `join`, `resume` and `watch` attach the viewer to the room: it is told its place, then shown the table.
    `create` and `join` with a secret that has a seat there already lead back to that seat.
    """

    house_rules: Mapping[str, tuple[HouseRule, ...]]
    """Of each game that can be played here."""

    async def create(self, viewer: Viewer, name: str, request: Create) -> None: ...

    async def join(
        self, viewer: Viewer, name: str, code: str, secret: str | None = None, *, contributes: bool = False
    ) -> None: ...

    async def resume(self, viewer: Viewer, ticket: str) -> None: ...

    async def watch(self, viewer: Viewer, code: str) -> None: ...

    async def command(self, viewer: Viewer, command: SeatCommand) -> None:
        """Carry out a seated viewer's command. Returns once it is saved; a repeat returns as the first time did."""

    async def contribute(self, viewer: Viewer, contributions: tuple[Contribution, ...]) -> None:
        """What a seated viewer's program adds to deals to come. Returns once it is saved, or was of no use any more."""

    async def say(self, viewer: Viewer, name: str, text: str, emote: str = "") -> None:
        """`name`: for a spectator; a seat has its own. `emote`: its kind, where it is one."""

    def hint(self, viewer: Viewer, prompt: int) -> None:
        """Tell the viewer what the best bot would do about its own open question, once that has thought; or refuse."""

    def why(self, viewer: Viewer, prompt: int, text: str) -> Because:
        """Why `text` is no action that the viewer is offered now. `prompt`: its open question, 0 for none."""

    async def export(self, viewer: Viewer, deal: int) -> str:
        """The record of a finished deal of the room where the viewer sits or watches, as one line of JSON."""

    async def rooms(self) -> tuple[RoomSummary, ...]: ...

    def servers(self) -> tuple[str, ...]:
        """The URLs of other servers of the same rooms, where a client may go when this one fails it."""

    async def check(self) -> None:
        """Can it serve now? Raises `Refusal` with the reason."""

    def detach(self, viewer: Viewer) -> None:
        """The connection is gone. A viewer that was never attached, or no longer is, is passed over."""


__all__ = ["Node", "Refusal", "Viewer"]
