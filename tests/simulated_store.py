"""A store in memory. All stores of one `World` share its rooms, as nodes do that use one database; each has faults of
its own that a test switches on.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal

from server.clock import Clock
from server.node.neighbours import CHANNEL
from server.store.base import (
    CHAIN_BYTES,
    EMPTY,
    Listener,
    Position,
    Refused,
    RolledBack,
    TooEarly,
    Unknown,
    VersionConflict,
    seal,
    unseal,
)

LISTED_AT_MOST = 100

Work = Callable[[], Awaitable[object]]


class World:
    """What the stores share. `changes` counts everything that was written to it, the list of rooms included, and
    `vain` the appends that came too late or too early.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.changes = 0
        self.vain = 0
        self.stores: list[SimulatedStore] = []
        self.listed: dict[str, tuple[bytes, int]] = {}
        self._logs: dict[str, list[bytes]] = {}
        self._kept_until_ms: dict[str, int] = {}

    def log(self, room: str) -> list[bytes]:
        """The entries of a room; empty where there is none, or its time has run out."""
        if self.clock.wall_ms() >= self._kept_until_ms.get(room, 0):
            self._logs.pop(room, None)
        return self._logs.get(room, [])

    def write(self, room: str, entry: bytes, keep_ms: int) -> None:
        self.changes += 1
        self._logs[room] = [*self.log(room), entry]
        self._kept_until_ms[room] = self.clock.wall_ms() + keep_ms
        for store in self.stores:
            store.publish(room, len(self._logs[room]), entry)

    def roll_back(self, room: str, version: int) -> None:
        """Lose every entry after this version, as a failover to a copy that lags behind does."""
        self._logs[room] = self.log(room)[:version]

    def forge(self, room: str, payload: bytes) -> None:
        """Append a payload that nobody decided, rightly chained, and tell nobody."""
        position = EMPTY
        for entry in self.log(room):
            _, position = unseal(position, entry)
        self._logs[room] = [*self.log(room), seal(position, payload)[0]]

    def damage(self, room: str, version: int) -> None:
        """Flip a bit of the entry that makes the log this long."""
        entry = bytearray(self.log(room)[version - 1])
        entry[-1] ^= 1
        self._logs[room][version - 1] = bytes(entry)


class SimulatedStore:
    """`server.store.base.Store` over a `World`.

    Faults: `refusing` refuses everything, `silent` answers nothing until it is to `speak`, `unreadable` refuses only to
    read logs; `lose_reply` loses the reply to the next append, which was `"landed"` or `"lost"` itself; `deaf` drops
    all that is published and `drops` what it says true for, `stutters` brings it twice, and `delays` holds it back
    until `deliver`; by `ahead_ms` its idea of the store's clock is wrong, and by `slept_ms` it lags behind until the
    store is asked; an append, its answer and what is published each travel for what `takes_ms` says. Each append first
    does the next work of `before`, if there is one, and its answer waits for the next of `after`.
    """

    def __init__(self, world: World) -> None:
        self.refusing = False
        self.silent = False
        self.unreadable = False
        self.lose_reply: Literal["landed", "lost"] | None = None
        self.deaf = False
        self.drops: Callable[[], bool] = lambda: False
        self.takes_ms: Callable[[], int] = lambda: 0
        self.stutters = False
        self.delays = False
        self.ahead_ms = 0
        self.slept_ms = 0
        self.before: deque[Work] = deque()
        self.after: deque[Work] = deque()
        self._followed: set[str] = set()
        self._world = world
        self._listener: Listener | None = None
        self._held: list[Callable[[Listener], None]] = []
        self._unanswered: list[asyncio.Future[None]] = []
        self._on_their_way: set[asyncio.Task[None]] = set()

    async def open(self, listener: Listener) -> None:
        await self._reach()
        self._listener = listener
        self._world.stores.append(self)

    async def close(self) -> None:
        if self in self._world.stores:
            self._world.stores.remove(self)
        self._listener = None

    def now_ms(self) -> int:
        return self._world.clock.wall_ms() + self.ahead_ms - self.slept_ms

    async def read(self, room: str, after: Position) -> tuple[bytes, ...]:
        await self._reach()
        if self.unreadable:
            raise Refused("the log cannot be read")
        if not self._holds(room, after):
            raise RolledBack(f"the log no longer holds its entry {after.version}")
        return tuple(self._world.log(room)[after.version :])

    async def append(
        self, room: str, expected: Position, entry: bytes, *, keep_ms: int, not_before_ms: int = 0
    ) -> None:
        await self._reach()
        await self._travel()
        if self.before:
            await self.before.popleft()()
        lose, self.lose_reply = self.lose_reply, None
        if lose == "lost":
            raise Unknown("no answer came")
        self._world.vain += 1
        if not self._holds(room, expected):
            raise VersionConflict
        missed = tuple(self._world.log(room)[expected.version :])
        if missed:
            raise VersionConflict(missed)
        if self._world.clock.wall_ms() < not_before_ms:
            raise TooEarly("the time has not come")
        self._world.vain -= 1
        self._world.write(room, entry, keep_ms)
        await asyncio.sleep(0)
        await self._travel()
        if self.after:
            await self.after.popleft()()
        if lose == "landed":
            raise Unknown("no answer came")

    async def follow(self, room: str) -> None:
        await self._reach()
        self._followed.add(room)

    async def unfollow(self, room: str) -> None:
        self._followed.discard(room)

    async def tell(self, room: str, words: bytes) -> None:
        await self._reach()
        for store in self._world.stores:
            store._bring(room, lambda listener: listener.heard(room, words))

    async def enlist(self, room: str, summary: bytes, keep_ms: int) -> None:
        await self._reach()
        self._world.changes += 1
        self._world.listed.pop(room, None)
        self._world.listed[room] = summary, self.now_ms() + keep_ms

    async def delist(self, room: str) -> None:
        await self._reach()
        self._world.changes += 1
        self._world.listed.pop(room, None)

    async def listed(self) -> tuple[bytes, ...]:
        await self._reach()
        fresh = [summary for summary, until_ms in self._world.listed.values() if self.now_ms() < until_ms]
        return tuple(reversed(fresh))[:LISTED_AT_MOST]

    async def check(self) -> None:
        await self._reach()
        self.slept_ms = 0

    # What a test does with it

    @property
    def followed(self) -> set[str]:
        """The rooms."""
        return self._followed - {CHANNEL}

    def speak(self) -> None:
        """It was silent, and now answers all that it was asked."""
        self.silent = False
        for waiting in self._unanswered:
            if not waiting.done():
                waiting.set_result(None)
        self._unanswered.clear()

    def publish(self, room: str, version: int, entry: bytes) -> None:
        self._bring(room, lambda listener: listener.appended(room, version, entry))

    def deliver(self) -> None:
        """Bring all that was held back, the newest first."""
        held, self._held = self._held, []
        for bring in reversed(held):
            self._soon(bring)

    def lose_channel(self) -> None:
        """The channel is lost, and is being mended."""
        self._soon(lambda listener: listener.lost())

    def interrupt(self) -> None:
        """The channel was lost and is back, in no time."""
        self._soon(lambda listener: listener.interrupted())

    def _holds(self, room: str, position: Position) -> bool:
        if position.version == 0:
            return True
        log = self._world.log(room)
        return len(log) >= position.version and log[position.version - 1][:CHAIN_BYTES] == position.chain

    async def _reach(self) -> None:
        await asyncio.sleep(0)
        if self.silent:
            waiting = asyncio.get_running_loop().create_future()
            self._unanswered.append(waiting)
            await waiting
        if self.refusing:
            raise Refused("the store is out of reach")

    def _bring(self, room: str, bring: Callable[[Listener], None]) -> None:
        if room not in self._followed or self.deaf or self.refusing or self.silent or self.drops():
            return
        if self.delays:
            self._held.append(bring)
            return
        for _ in range(2 if self.stutters else 1):
            self._soon(bring)

    async def _travel(self) -> None:
        if on_its_way_ms := self.takes_ms():
            await self._world.clock.sleep_ms(on_its_way_ms)

    def _soon(self, bring: Callable[[Listener], None]) -> None:
        def bring_if_open() -> None:
            if self._listener is not None:
                bring(self._listener)

        async def bring_later(ms: int) -> None:
            await self._world.clock.sleep_ms(ms)
            bring_if_open()

        if not (on_its_way_ms := self.takes_ms()):
            asyncio.get_running_loop().call_soon(bring_if_open)
            return
        task = asyncio.create_task(bring_later(on_its_way_ms))
        self._on_their_way.add(task)
        task.add_done_callback(self._on_their_way.discard)
