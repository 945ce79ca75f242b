"""Tables of people who just want to play while others attack their server: what they see, how long their moves take,
and whether anything but their own moves is in their rooms.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from random import Random

import msgspec
from websockets.asyncio.client import ClientConnection

from protocol.messages import Act, ClientMessage, Create, Done, Join, Refused, Said, ServerMessage, Watch
from server.games.registry import GAMES
from server.rooms.events import (
    Acted,
    AutoPassSet,
    AutopilotSet,
    BotSeated,
    DealStarted,
    DeclaredLate,
    MatchStarted,
    Readied,
    RoomCreated,
    RoundOpened,
    SeatTaken,
    WentOn,
)
from tests.faults.people import PASSING, Meter, Person
from tests.fuzz.values import MARK
from tests.history import Course, Fault, History, Told, check

DEALS = 32
PATIENCE_S = 30.0
"""How long their programs wait for a server that says nothing."""

OWN = (
    RoundOpened,
    RoomCreated,
    BotSeated,
    MatchStarted,
    DealStarted,
    Acted,
    WentOn,
    DeclaredLate,
    Readied,
    AutopilotSet,
    AutoPassSet,
)
"""What happens at a table where everybody stays, beside seats being taken."""


class Player(Person):
    """Who notes how long each of its moves took to be carried out and saved. `moves`: when it was said, and how long it
    took, in seconds.
    """

    moves: list[tuple[float, float]]
    _said_s: dict[int, float]

    async def _send(self, connection: ClientConnection, message: ClientMessage) -> None:
        if isinstance(message, Act):
            self._said_s.setdefault(message.n, time.perf_counter())
        await super()._send(connection, message)

    async def _take(self, connection: ClientConnection, message: ServerMessage) -> bool:
        if isinstance(message, Done) and message.n in self._said_s:
            said_s = self._said_s.pop(message.n)
            self.moves.append((said_s, time.perf_counter() - said_s))
        elif isinstance(message, Refused) and message.n is not None and message.code not in PASSING:
            self._said_s.pop(message.n, None)  # the next command has this number, too
        return await super()._take(connection, message)


class Match:
    """One of many deals, with somebody who looks on."""

    def __init__(self, url: str, number: int, meter: Meter, rng: Random, think_s: float) -> None:
        self._url = url
        self._meter = meter
        self._rng = rng
        self._think_s = think_s
        self._humans = 1 + number % 3
        self.people = [self._player("Host", Create(sorted(GAMES)[number % len(GAMES)], deals=DEALS))]
        self.code = ""
        self._playing: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Returns when the first move has been made."""
        (host,) = self.people
        self._playing.append(asyncio.create_task(host.run()))
        await self._meter.until(lambda: host.place is not None)
        assert host.place is not None
        self.code = host.place.code
        for name in ("Ann", "Bo")[: self._humans - 1]:
            self.people.append(self._player(name, Join(self.code)))
        self.people.append(self._player("Eve", Watch(self.code)))
        self._playing += [asyncio.create_task(person.run()) for person in self.people[1:]]
        await self._meter.until(lambda: bool(host.moves))

    async def over(self) -> None:
        """Returns when nobody at the table has anything more to do."""
        await self._meter.until(lambda: self.people[0].over)

    async def leave(self) -> None:
        """Everybody goes, perhaps in the middle of a deal."""
        for task in self._playing:
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)

    def faults(self, entries: Sequence[bytes]) -> Iterator[Fault]:
        """All that is wrong with the room's log, or with what people saw of it."""
        for task in self._playing:
            if not task.cancelled() and (broken := task.exception()) is not None:
                yield Fault("divergent", f"a player broke down: {broken!r}")
        for person in self.people:
            if person.gone:
                yield Fault("divergent", f"{person.history.name} was sent away")
        yield from check(entries, [person.history for person in self.people])
        yield from self._of_others(Course(entries))

    def _of_others(self, course: Course) -> Iterator[Fault]:
        tickets = {ticket for person in self.people for ticket in person.history.tickets}
        for commit in course.commits:
            for event in commit.events:
                if isinstance(event, SeatTaken) and event.ticket not in tickets:
                    yield Fault("divergent", f"somebody else took seat {event.seat}")
                elif not isinstance(event, (*OWN, SeatTaken)):
                    yield Fault("divergent", f"nobody did anything, and there was {type(event).__name__}")
        for person in self.people:
            yield from _hearsay(person.history)

    def _player(self, name: str, entry: Create | Join | Watch) -> Player:
        player = Player(
            name,
            entry,
            lambda: [self._url],
            self._meter,
            Random(self._rng.random()),
            humans=self._humans,
            think_s=self._think_s,
            hops=0,
            ping_s=PATIENCE_S,
        )
        player.moves, player._said_s = [], {}
        return player


class Table:
    """Where one match is played after another, until all leave. `number`: of the game, and of how many play it."""

    def __init__(self, url: str, number: int, meter: Meter, rng: Random, think_s: float) -> None:
        self.matches: list[Match] = []
        self._match: Callable[[], Match] = partial(Match, url, number, meter, rng, think_s)

    @property
    def moves(self) -> list[tuple[float, float]]:
        """Of everybody, as in `Player`."""
        return [move for match in self.matches for person in match.people for move in person.moves]

    async def open(self) -> None:
        """Returns when the first move has been made."""
        await self._begin()
        self._playing = asyncio.create_task(self._play_on())

    async def leave(self) -> None:
        self._playing.cancel()
        with suppress(asyncio.CancelledError):
            await self._playing
        await self.matches[-1].leave()

    async def _begin(self) -> None:
        self.matches.append(self._match())
        await self.matches[-1].open()

    async def _play_on(self) -> None:
        while True:
            await self.matches[-1].over()
            await self.matches[-1].leave()
            await self._begin()


def _hearsay(history: History) -> Iterator[Fault]:
    """Words of others anywhere but in what somebody who looks on says."""
    mark = MARK.encode()
    for step in history.steps:
        if not isinstance(step, Told) or (isinstance(step.message, Said) and step.message.seat is None):
            continue
        if mark in msgspec.msgpack.encode(step.message):
            yield Fault("leaked", f"{history.name} was told {type(step.message).__name__} with words of others")
