"""Raw clients on real sockets, and how they play. They stand where other people's clients would."""

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK, client_codec
from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    ClientMessage,
    Create,
    Done,
    Hello,
    Join,
    Refused,
    SeatCommand,
    Seated,
    ServerMessage,
    Start,
    Table,
    Watch,
    Watching,
    Welcome,
)
from protocol.notation import Action, Card
from protocol.view import BotLevel, Happening, Prompt, TableView
from server.games.base import Seat

Message = TypeVar("Message")


class Client:
    """One WebSocket that speaks the protocol's structs. Keeps every frame, every happening and the newest view."""

    def __init__(self, connection: ClientConnection) -> None:
        assert connection.subprotocol is not None
        self.connection = connection
        self.codec = client_codec(connection.subprotocol)
        self.frames: list[bytes] = []
        self.happened: list[Happening] = []
        self.newest: TableView | None = None
        self.place: Seated | Watching | None = None

    @property
    def view(self) -> TableView:
        assert self.newest is not None
        return self.newest

    @property
    def seated(self) -> Seated:
        assert isinstance(self.place, Seated)
        return self.place

    @property
    def prompt(self) -> Prompt:
        assert self.view.prompt is not None
        return self.view.prompt

    @property
    def next_n(self) -> int:
        assert self.view.you is not None
        return self.view.you.n + 1

    async def send(self, *messages: ClientMessage) -> None:
        for message in messages:
            await self.connection.send(self.codec.encode(message), text=self.codec.text)

    async def receive(self) -> ServerMessage:
        """The next message. Raises `ConnectionClosed`."""
        frame = await self.connection.recv()
        self.frames.append(frame.encode() if isinstance(frame, str) else frame)
        message = self.codec.decode(frame)
        match message:
            case Table():
                self.newest = message.view
                self.happened += message.happened
                assert not message.missed
            case Seated() | Watching():
                self.place = message
            case _:
                pass
        return message

    async def until(self, kind: type[Message]) -> Message:
        """Reads up to the first message of a kind."""
        while True:
            message = await self.receive()
            if isinstance(message, kind):
                return message

    async def seen(self, condition: Callable[[TableView], bool]) -> TableView:
        """Reads until the newest view is as wanted."""
        while self.newest is None or not condition(self.newest):
            await self.until(Table)
        return self.newest

    async def answer(self, message: ClientMessage) -> Done | Refused:
        """Send, and read up to the answer."""
        return await self.answer_to(self.codec.encode(message))

    async def answer_to(self, frame: bytes) -> Done | Refused:
        """Send, whatever it is, and read up to the answer; again and again where the server says it was too soon."""
        while True:
            await self.connection.send(frame, text=self.codec.text)
            answer = await self.receive()
            while not isinstance(answer, Done | Refused):
                answer = await self.receive()
            if isinstance(answer, Done) or answer.code != ErrorCode.RATE_LIMITED:
                return answer
            await asyncio.sleep((answer.retry_ms or 0) / 1000)

    async def refused(self, message: ClientMessage) -> str:
        """The code with which a message is refused."""
        answer = await self.answer(message)
        assert isinstance(answer, Refused)
        return ErrorCode(answer.code)

    async def do(self, command: SeatCommand) -> None:
        """Send a command that must be carried out."""
        assert await self.answer(command) == Done(command.n)

    async def close_code(self) -> int | None:
        """Reads to the end; the code that the server closed with."""
        while True:
            try:
                await self.receive()
            except ConnectionClosed:
                return self.connection.close_code


@asynccontextmanager
async def client(
    url: str,
    name: str = "Ann",
    *,
    ticket: str | None = None,
    subprotocol: str = MSGPACK,
    tls: ssl.SSLContext | None = None,
    ping_s: float | None = 20,
) -> AsyncIterator[Client]:
    """A client that has said hello and was welcomed. With a ticket the answer to that is still to be read.

    `ping_s`: how often it pings by itself; None for never.
    """
    encrypted: dict[str, Any] = {} if tls is None else {"ssl": tls}
    async with connect(
        url,
        subprotocols=[Subprotocol(subprotocol)],
        compression=None,
        proxy=None,
        ping_interval=ping_s,
        **encrypted,
    ) as connection:
        opened = Client(connection)
        await opened.send(Hello(name, ticket))
        await opened.until(Welcome)
        yield opened


# A table


async def open_room(host: Client, *others: Client, game: str = "chuo-pai", deals: int = 1) -> str:
    """The host opens a room and the others sit down in it; returns its code."""
    await host.send(Create(game, deals=deals))
    await host.until(Table)
    for other in others:
        await other.send(Join(host.seated.code))
        await other.until(Table)
    return host.seated.code


async def look_on(spectator: Client, code: str) -> None:
    await spectator.send(Watch(code))
    await spectator.until(Table)


async def start(host: Client, bots: BotLevel = "easy") -> None:
    await host.do(Start(host.next_n, bots))


async def turns(
    players: Mapping[Seat, Client], others: Iterable[Client] = (), *, deal: int = 1
) -> AsyncIterator[Client]:
    """Yields the player who is asked, each time that everybody has seen so; whoever iterates has it act, once.

    Ends when everybody has seen the deal's end.
    """
    views = [viewer.view for viewer in (*players.values(), *others)]
    acted = max(len(history(view)) if view.room.deal == deal else 0 for view in views)

    def at_rest(view: TableView) -> bool:
        if view.deal is None or view.room.deal != deal or view.room.phase == "dealing":
            return False
        return deal_over(view) or (turn(view) in players and len(history(view)) >= acted)

    while True:
        for viewer in (*players.values(), *others):
            view = await viewer.seen(at_rest)
        asked = turn(view)
        if asked is None:
            return
        acted = len(history(view)) + 1
        yield players[asked]


async def act(player: Client, choose: Callable[[tuple[Action, ...]], Action]) -> Action:
    """Answer the open question; returns the action once it is done and seen."""
    action, length = choose(player.prompt.actions), len(history(player.view))
    await player.do(Act(player.next_n, player.prompt.id, action))
    await player.seen(lambda view: len(history(view)) > length)
    return action


def deal_over(view: TableView) -> bool:
    return view.room.phase in ("between", "over")


def history(view: TableView) -> tuple[str, ...]:
    return view.deal.history if view.deal is not None else ()


def turn(view: TableView) -> Seat | None:
    """Who is asked, as everybody may know it; None when no deal is being played."""
    if view.deal is None or deal_over(view):
        return None
    return next(int(fact.value) for fact in view.deal.facts if fact.label == "turn")


def hand(view: TableView, seat: Seat) -> Counter[Card]:
    """What of a seat's hand is open in the view."""
    assert view.deal is not None
    zones = (zone for zone in view.deal.zones if zone.name == "hand" and zone.seat == seat)
    return Counter(card for zone in zones for group in zone.groups for card in group.cards)


def least(actions: tuple[Action, ...]) -> Action:
    """The action with the fewest cards: makes a deal long."""
    return min(actions, key=lambda action: (action.count("+"), action))


def most(actions: tuple[Action, ...]) -> Action:
    """The action with the most cards: makes a deal short."""
    return max(actions, key=lambda action: (action.count("+"), action))
