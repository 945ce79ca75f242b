"""A node: the real store client, hub and gateway on a machine that can freeze, die and be drained."""

import asyncio
from random import Random

from server.bots.pool import BotPool
from server.bots.worker import Answer, Question, answered
from server.faults import kind_and_place
from server.gateway.admission import Admission
from server.gateway.conversations import Conversations
from server.gateway.websocket import _Gateway
from server.limits import Limits
from server.node.hub import Hub
from server.rooms.due import Timing
from server.store.base import Refused
from server.store.redis import RedisStore
from tests.server.node.nodes import SteeredChance
from tests.simulation.loop import Loop, Timeline
from tests.simulation.network import Link, Network, Socket, StoreConnection

TIMING = Timing(grace_ms=5_000, beat_ms=700)

OPEN_AGAIN_S = 1.0
"""After this long a supervisor starts a server again that found no store."""


class NodeClock:
    """`server.clock.Clock` of one machine; `wall_ms` is as wrong as the machine's clock."""

    def __init__(self, loop: Loop, wall_ms: int) -> None:
        self._loop = loop
        self._wall_ms = wall_ms

    def monotonic_ms(self) -> int:
        return int(self._loop.time() * 1000)

    def wall_ms(self) -> int:
        return self.monotonic_ms() + self._wall_ms

    async def sleep_ms(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000)


class Bots(BotPool):
    """Bots that think without processes, for a while."""

    def __init__(self, rng: Random) -> None:
        super().__init__(workers=0)
        self._rng = rng

    async def answer(self, question: Question, timeout_ms: int) -> Answer | None:
        await asyncio.sleep(self._rng.random() * 0.2)
        return answered(question)


class Node:
    """One machine and its server, which starts anew after every death under a new name."""

    def __init__(self, name: str, timeline: Timeline, network: Network, rng: Random) -> None:
        self.name = name
        self.boots = 0
        self.hub: Hub | None = None
        self.faults: list[str] = []
        self._rng = rng
        self._timeline = timeline
        self.loop = self._new_loop()
        self._network = network
        self._gateway: _Gateway | None = None
        self._sockets: dict[Socket, asyncio.Task[None]] = {}
        self._draining: asyncio.Event | None = None

    @property
    def serving(self) -> bool:
        return self._gateway is not None

    def start(self) -> None:
        self.boots += 1
        self.loop = self._new_loop()
        self._draining = asyncio.Event()
        task = self.loop.create_task(self._serve(f"{self.name}{self.boots}", self._draining))
        task.add_done_callback(lambda _: None)

    def crash(self) -> None:
        """Gone without a good-bye, with all that it had in memory."""
        self._network.die(self.name)
        self._forget()
        self._collect_faults()
        self.loop.end()

    def drain(self) -> None:
        """SIGTERM: it says good-bye to everybody and ends."""
        if self._draining is not None:
            self.loop.call_soon(self._draining.set)

    def end(self) -> None:
        """The simulation is over."""
        self._forget()
        self._collect_faults()
        self.loop.end()

    def accept(self, link: Link) -> bool:
        gateway = self._gateway
        if gateway is None:
            return False
        socket = Socket(self.loop, link)
        link.keepalive_s = (10.0, 20.0)
        task = self.loop.create_task(gateway.converse(socket))  # type: ignore[arg-type]  # all that it uses
        self._sockets[socket] = task
        task.add_done_callback(lambda _: self._sockets.pop(socket, None))
        return True

    async def _serve(self, name: str, draining: asyncio.Event) -> None:
        clock = NodeClock(self.loop, self._rng.randint(-3_600_000, 3_600_000))
        chance = SteeredChance(f"{name}/{self._rng.random()}")
        while True:
            store = RedisStore(self._dial, "store", clock)
            hub = Hub(name, store, Bots(self._rng), clock, chance, TIMING, advertised=f"ws://{self.name}/ws")
            try:
                await store.open(hub)
                break
            except Refused:
                await store.close()
                await asyncio.sleep(OPEN_AGAIN_S)
        async with hub:
            self.hub = hub
            self._gateway = _Gateway(hub, clock, Conversations(), Admission(Limits()))
            await draining.wait()
            hub.drain()
            self._forget()
            await self._close_sockets()
        await store.close()

    async def _close_sockets(self) -> None:
        """As the library does when a server is closed."""
        conversations = list(self._sockets.values())
        for socket in list(self._sockets):
            await socket.close(1012)
        if conversations:
            await asyncio.wait(conversations)

    def _dial(self) -> StoreConnection:
        return StoreConnection(self._network, self.loop, "store")

    def _new_loop(self) -> Loop:
        rate = 1 + self._rng.uniform(-2e-4, 2e-4)  # no two machines' clocks go alike
        return Loop(self._timeline, self.name, rate)  # type: ignore[abstract]  # nothing here asks for the rest of it

    def _forget(self) -> None:
        self.hub = self._gateway = None

    def _collect_faults(self) -> None:
        for fault in self.loop.faults:
            error = fault.get("exception")
            where = "" if error is None else kind_and_place(error)
            self.faults.append(f"{self.name}: {fault.get('message')}: {error!r}: {where}")
        self.loop.faults.clear()
