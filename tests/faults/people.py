"""Simulated people: each plays at one room over real sockets, comes back from whatever happens to its connection, and
writes down all that it sent and was told.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from protocol.codec import JSON, MSGPACK, client_codec
from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    Autopilot,
    ClientMessage,
    Create,
    Done,
    Hello,
    Join,
    Notice,
    Ready,
    Refused,
    Say,
    SeatCommand,
    Seated,
    ServerMessage,
    Start,
    Table,
    Unseated,
    Watch,
    Watching,
    Welcome,
)
from protocol.view import TableView
from tests.history import History

PASSING = {ErrorCode.STORE_UNAVAILABLE, ErrorCode.RATE_LIMITED, ErrorCode.INTERNAL}
"""Refusals after which the same is sent again."""

PING_S = 1.0
"""How often a person's program asks whether its server is still there, and how long it then waits: a server that was
paused or cut off is left for another one."""

COME_BACK_S = 0.1

WIRE = logging.getLogger("tests.faults.wire")
WIRE.setLevel(logging.CRITICAL)  # connections that break are what is wanted here


class Meter:
    """What all people together have done."""

    def __init__(self) -> None:
        self.moves = 0
        self.acknowledged = 0
        self.done = Counter[str]()
        self.notices = Counter[str]()
        self.back_s: list[float] = []
        """How long a player who lost the connection was without the table, each time."""
        self._stirred = asyncio.Event()

    def stir(self) -> None:
        """Somebody was told something."""
        self._stirred.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Looks whenever somebody is told something."""
        while not condition():
            await self.until_stirred()

    async def until_stirred(self) -> None:
        self._stirred.clear()
        await self._stirred.wait()

    async def moved(self, moves: int = 1) -> None:
        """Until so many more moves have been acknowledged."""
        target = self.moves + moves
        await self.until(lambda: self.moves >= target)


class Person:
    """`entry` is how it comes to its room. `humans`: how many the host waits for before it starts the match.

    `servers` names the addresses that it may try. `think_s`: the longest time before a move. `hops`: the probability to
    go to another server after one. `come_back_s`: the longest wait before it connects again. `ping_s`: see `PING_S`.
    """

    def __init__(
        self,
        name: str,
        entry: Create | Join | Watch,
        servers: Callable[[], Sequence[str]],
        meter: Meter,
        rng: Random,
        *,
        humans: int = 1,
        think_s: float = 0.02,
        hops: float = 0.01,
        come_back_s: float = COME_BACK_S,
        ping_s: float = PING_S,
    ) -> None:
        self.history = History(name)
        self.view: TableView | None = None
        self.place: Seated | Watching | None = None
        self.attached = False
        self.connected_to = ""
        self.gone = False
        """It will not come back: it gave up, or has no seat any more."""
        self._name = name
        self._entry = entry
        self._servers = servers
        self._meter = meter
        self._rng = rng
        self._humans = humans
        self._think_s = think_s
        self._hops = hops
        self._come_back_s = come_back_s
        self._ping_s = ping_s
        self._codec = client_codec(rng.choice((JSON, MSGPACK)))
        self._in_flight: SeatCommand | None = None
        self._answered = 0
        self._done_n = 0
        self._due_s: float | None = None
        self._lost_s: float | None = None

    @property
    def over(self) -> bool:
        return self.gone or (self.view is not None and self.view.room.phase == "over")

    async def run(self) -> None:
        """Until it is cancelled, or has no place to come back to."""
        while not self.gone:
            if not (servers := self._servers()):
                await asyncio.sleep(COME_BACK_S)
                continue
            self.connected_to = self._rng.choice(servers)
            try:
                async with connect(
                    self.connected_to,
                    subprotocols=[Subprotocol(JSON if self._codec.text else MSGPACK)],
                    compression=None,
                    proxy=None,
                    open_timeout=2 * self._ping_s,
                    ping_interval=self._ping_s,
                    ping_timeout=2 * self._ping_s,
                    close_timeout=self._ping_s,
                    logger=WIRE,
                ) as connection:
                    self.history.opened(_now_ms(), self.connected_to)
                    try:
                        await self._converse(connection)
                    finally:
                        self.history.closed(connection.close_code, _now_ms())
            except (OSError, WebSocketException, TimeoutError):
                self._meter.done["connections lost"] += 1
            if self.attached:
                self.attached, self._lost_s = False, time.monotonic()
            self._due_s = None
            await asyncio.sleep(self._rng.uniform(0, self._come_back_s))

    async def _converse(self, connection: ClientConnection) -> None:
        self._count_anew()
        await self._send(connection, Hello(self._name, self._ticket))
        while not self.gone:
            try:
                async with asyncio.timeout_at(self._due_s):
                    frame = await connection.recv()
            except TimeoutError:
                self._due_s = None
                if not await self._act(connection):
                    return
                continue
            message = self._codec.decode(frame)
            self.history.told(message, _now_ms())
            if not await self._take(connection, message):
                return
            self._meter.stir()

    async def _send(self, connection: ClientConnection, message: ClientMessage) -> None:
        self.history.sent(message, _now_ms())
        await connection.send(self._codec.encode(message), text=self._codec.text)

    async def _take(self, connection: ClientConnection, message: ServerMessage) -> bool:
        """False: it leaves this server for another."""
        match message:
            case Welcome() if self._ticket is None:
                await self._send(connection, self._entry)
            case Seated() | Watching():
                self.place = message
            case Table(view=view):
                self._see(view)
            case Done(n=n):
                self._done(n)
            case Refused():
                return self._refused(message)
            case Notice(kind=kind):
                self._meter.notices[kind] += 1
                if kind == "reset":
                    self._count_anew()
                return kind not in ("draining", "newer")
            case Unseated():
                self.gone = True
            case _:
                pass
        return True

    def _count_anew(self) -> None:
        self._done_n = self._answered = 0

    def _see(self, view: TableView) -> None:
        self.view = view
        if view.you is not None:
            self._done_n = max(self._done_n, view.you.n)
        if not self.attached:
            self.attached = True
            if self._lost_s is not None:
                self._meter.back_s.append(time.monotonic() - self._lost_s)
                self._lost_s = None
            if self._in_flight is not None:
                self._due(0)  # said again, or found done
        if view.you is not None:
            self._carried_out(view.you.n)
        self._consider()

    def _done(self, n: int) -> None:
        self._meter.acknowledged += 1
        self._done_n = max(self._done_n, n)
        self._carried_out(n)
        self._consider()

    def _carried_out(self, n: int) -> None:
        """All up to this number, as it was said by an answer or by a view."""
        if self._in_flight is not None and self._in_flight.n <= n:
            if isinstance(self._in_flight, Act):
                self._meter.moves += 1
                self._answered = max(self._answered, self._in_flight.prompt)
            self._in_flight = None

    def _refused(self, refused: Refused) -> bool:
        self._meter.done[f"refused: {refused.code}"] += 1
        if refused.code in PASSING:
            self._due((refused.retry_ms or 100) / 1000)
        elif refused.code == ErrorCode.DRAINING:
            return False
        elif not self.attached:
            self.gone = True
        elif refused.n is not None and self._in_flight is not None and refused.n == self._in_flight.n:
            self._in_flight = None
            self._consider()
        return True

    def _consider(self) -> None:
        if self._in_flight is None and self._wish() is not None:
            self._due(self._rng.uniform(0, self._think_s))

    def _due(self, pause_s: float) -> None:
        at_s = asyncio.get_running_loop().time() + pause_s
        self._due_s = at_s if self._due_s is None else min(self._due_s, at_s)

    async def _act(self, connection: ClientConnection) -> bool:
        """Say what is to be said now: the command in flight again, or a new one."""
        if not self.attached:
            await self._send(connection, self._entry if self._ticket is None else Hello(self._name, self._ticket))
            return True
        if self._in_flight is None:
            self._in_flight = self._wish()
            if self._in_flight is not None and self._rng.random() < 0.02:
                await self._send(connection, Say("well"))
        if self._in_flight is not None:
            await self._send(connection, self._in_flight)
            if self._rng.random() < 0.02:
                await self._send(connection, self._in_flight)  # a double click
            if self._rng.random() < self._hops:
                self._meter.done["hops"] += 1
                return False
        return True

    @property
    def _ticket(self) -> str | None:
        return self.place.ticket if isinstance(self.place, Seated) else None

    def _wish(self) -> SeatCommand | None:
        """What this person would send now."""
        view, n = self.view, self._done_n + 1
        if view is None or view.you is None or view.you.n < self._done_n:
            return None  # what was done last does not show yet
        own = view.seats[view.you.seat]
        if own.autopilot:
            return Autopilot(n, False)
        if view.prompt is not None and view.prompt.id > self._answered:
            if self._rng.random() < 0.01:
                return Autopilot(n, True)
            return Act(n, view.prompt.id, self._rng.choice(view.prompt.actions))
        if view.room.phase == "open" and view.room.host == view.you.seat:
            if sum(seat.kind == "human" for seat in view.seats) >= self._humans:
                return Start(n, None if self._humans == 3 else "easy")
        elif view.room.phase == "between" and not own.ready:
            return Ready(n)
        return None


def _now_ms() -> int:
    return round(time.monotonic() * 1000)
