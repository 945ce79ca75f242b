"""Matches of simulated people on a fleet: played to their end and checked against their logs, one after another."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import count
from random import Random
from typing import NamedTuple

from protocol.messages import Create, Join, Seated, Watch
from protocol.view import Pace
from server.games.registry import GAMES
from tests.faults.fleet import Fleet
from tests.faults.people import Meter, Person
from tests.history import Course, Fault, History, Told, check

SETTLE_S = 60.0
"""How long after the end of a match everybody who is connected may take to see it."""

STUCK_S = 150.0
"""A match in which nothing goes on for so long is a fault of its own."""

LOOK_AGAIN_S = 0.25

Read = Callable[[str], Awaitable[Sequence[bytes]]]


class End(NamedTuple):
    """The log of a room, and what people saw of it."""

    entries: Sequence[bytes]
    histories: list[History]


class Checked(NamedTuple):
    """What became of a match. `code` is empty where it was never opened; `deals` were finished and are in the log."""

    code: str
    faults: list[Fault]
    end: End
    deals: int


class Match:
    """One room with one to three people and perhaps somebody who looks on."""

    def __init__(
        self, number: int, servers: Callable[[], Sequence[str]], read: Read, meter: Meter, rng: Random, think_s: float
    ) -> None:
        self._servers = servers
        self._read = read
        self._meter = meter
        self._rng = rng
        self._think_s = think_s
        self._humans = rng.choice((1, 2, 2, 3))
        game = sorted(GAMES)[number % len(GAMES)]
        pace: Pace = rng.choice(("none", "fast"))
        create = Create(game, deals=rng.choice((1, 2)), pace=pace, secret=_secret(rng))
        self.people = [self._person(f"Host {number}", create)]
        self.code: str | None = None

    async def play(self, *, lossy: bool = False) -> Checked:
        """Raises nothing: what goes wrong is among the faults."""
        host = self.people[0]
        tasks = [asyncio.create_task(host.run())]
        code, end, faults = "", End((), []), list[Fault]()
        try:
            await self._until(lambda: host.place is not None or host.gone)
            if host.place is not None:
                code = self.code = host.place.code
                self._invite(code)
                tasks += [asyncio.create_task(person.run()) for person in self.people[1:]]
                await self._until(lambda: all(person.over for person in self.people))
                end = await self._settled(code)
        except TimeoutError:
            shown = [(p.history.name, p.attached, p.connected_to, p.view and p.view.room.phase) for p in self.people]
            faults.append(Fault("divergent", f"nothing went on for {STUCK_S} s: {shown}"))
            end = End(await self._read(code) if code else (), self._histories())
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        faults += [Fault("divergent", f"a person broke down: {e!r}") for e in ended if isinstance(e, Exception)]
        if not lossy:  # nobody leaves by himself, and whatever happens to a server or a store sends nobody away
            faults += [Fault("divergent", f"{p.history.name} was sent away: {_last(p)}") for p in self.people if p.gone]
        if code:
            faults += check(end.entries, end.histories, lossy=lossy)
        return Checked(code, faults, end, len(Course(end.entries).records))

    def _invite(self, code: str) -> None:
        for seat in range(1, self._humans):
            self.people.append(self._person(f"Guest {seat}", Join(code, _secret(self._rng))))
        if self._rng.random() < 0.5:
            self.people.append(self._person("Watcher", Watch(code)))

    def _person(self, name: str, entry: Create | Join | Watch) -> Person:
        rng = Random(self._rng.random())
        return Person(name, entry, self._servers, self._meter, rng, humans=self._humans, think_s=self._think_s)

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Raises `TimeoutError` when nothing goes on at this table for long."""
        stands, since_s = self._stands(), time.monotonic()
        while not condition():
            async with asyncio.timeout(STUCK_S):
                await self._meter.until_stirred()
            if self._stands() != stands:
                stands, since_s = self._stands(), time.monotonic()
            elif time.monotonic() - since_s > STUCK_S:
                raise TimeoutError

    def _stands(self) -> list[object]:
        """Something of each person's view that changes with every step of a match."""
        return [
            (view.room.phase, view.room.deal, view.deal and [zone.count for zone in view.deal.zones])
            for view in (person.view for person in self.people)
            if view is not None
        ]

    async def _settled(self, code: str) -> "End":
        """When everybody sees the end of the log, or has had the time to."""
        give_up_s = time.monotonic() + SETTLE_S
        while True:
            histories = self._histories()
            entries = await self._read(code)
            course = Course(entries)
            if all(person.gone or _sees_the_end(person, course) for person in self.people):
                return End(entries, self._histories())
            if time.monotonic() > give_up_s:
                return End(entries, histories)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_S):
                    await self._meter.until_stirred()

    def _histories(self) -> list[History]:
        """As they are now. Who has no connection that stands is at rest."""
        found = []
        for person in self.people:
            found.append(History(person.history.name, list(person.history.steps)))
            if not person.attached:
                found[-1].closed()
        return found


def _sees_the_end(person: Person, course: Course) -> bool:
    if not person.attached or person.view is None:
        return False
    viewer = person.place.seat if isinstance(person.place, Seated) else None
    return course.version in course.shows(viewer, person.view)


def _last(person: Person) -> object:
    """What it was told last."""
    return next((step.message for step in reversed(person.history.steps) if isinstance(step, Told)), None)


def _secret(rng: Random) -> str:
    return f"{rng.getrandbits(128):032x}"


class Play:
    """So many tables with one match after another, until `finish`. `faults` come with the match they were found in."""

    def __init__(
        self,
        servers: Callable[[], Sequence[str]],
        read: Read,
        meter: Meter,
        rng: Random,
        *,
        tables: int,
        think_s: float = 0.02,
        lossy: bool = False,
    ) -> None:
        self.faults: list[tuple[Checked, Fault]] = []
        self._new = partial(Match, servers=servers, read=read, meter=meter, think_s=think_s)
        self._rng = rng
        self._meter = meter
        self._lossy = lossy
        self._ending = False
        self._numbers = count()
        self._matches: set[Match] = set()
        self._tables = [asyncio.create_task(self._table()) for _ in range(tables)]

    async def _table(self) -> None:
        while not self._ending:
            match = self._new(next(self._numbers), rng=Random(self._rng.random()))
            self._matches.add(match)
            checked = await match.play(lossy=self._lossy)
            self._matches.discard(match)
            self._meter.done["matches"] += 1
            self._meter.done["deals"] += checked.deals
            self.faults += [(checked, fault) for fault in checked.faults]

    @property
    def rooms(self) -> list[str]:
        """The codes of those that are played in now."""
        return [match.code for match in self._matches if match.code is not None]

    def cancel(self) -> None:
        for table in self._tables:
            table.cancel()

    async def finish(self) -> None:
        """Play the matches that stand to their ends, and begin no other."""
        self._ending = True
        await asyncio.gather(*self._tables)


@asynccontextmanager
async def playing(fleet: Fleet, rng: Random, *, tables: int, lossy: bool = False) -> AsyncIterator[Play]:
    """Matches on a fleet while the block harms it; at its end they are played out, and must be without a fault.

    `lossy`: but for what the store was made to lose.
    """
    play = Play(fleet.urls, fleet.read, fleet.meter, rng, tables=tables, lossy=lossy)
    try:
        yield play
        for proxy in fleet.proxies:
            proxy.drop_replies = proxy.drop_published = 0
        await play.finish()
    finally:
        play.cancel()
    faults = [(checked.code, fault) for checked, fault in play.faults if not (lossy and fault.kind == "lost")]
    assert not faults, "\n".join(f"{code}: {fault}" for code, fault in faults)
