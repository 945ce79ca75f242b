"""The network between machines: links that are slow, break and are cut off, and what stands on them at both ends.

A link is a TCP connection: two streams that keep their order until it breaks. What is on its way when it breaks may
still arrive, or not; either end learns of it late, or after a partition not at all.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any, Protocol

from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Frame
from websockets.protocol import State
from websockets.uri import parse_uri

from protocol.codec import MSGPACK
from server.gateway.addresses import NOWHERE
from server.gateway.admission import Account, Visit
from server.store.pipeline import CONNECT_S
from tests.simulation.loop import Loop, Timeline

CLIENT, SERVER = 0, 1
"""The two ends of a link."""

SYN_AGAIN_S = 0.5

_ANYWHERE = parse_uri("ws://node")

_END = object()
"""The last thing that a stream brings."""


class End(Protocol):
    """What stands at one end of a link."""

    def arrived(self, what: Any) -> None: ...

    def ended(self) -> None:
        """The link is gone, or the other end has closed it."""


class Host(Protocol):
    """A machine that takes connections."""

    name: str

    def accept(self, link: "Link") -> bool:
        """False: nobody listens."""


class Link:
    """One connection. `send` and `close` are for the end that is named."""

    def __init__(self, network: "Network", client: str, server: str) -> None:
        self.machines = (client, server)
        self.ends: list[End | None] = [None, None]
        self.dead = False
        self.keepalive_s: tuple[float, float] | None = None
        self._network = network
        self._closed = [False, False]
        self._lost = [False, False]
        self._due_s = [0.0, 0.0]
        self._held: tuple[deque[object], deque[object]] = (deque(), deque())

    def send(self, side: int, what: object) -> None:
        if self._closed[side] or self.dead:
            return
        timeline = self._network.timeline
        self._due_s[side] = max(self._due_s[side], timeline.now_s + self._network.delay_s())
        timeline.at(self._due_s[side], self._arrive, side, what)

    def arrives_after(self, opened_s: float) -> None:
        """Nothing of the server's, its end included, comes before the client knows that it is open."""
        self._due_s[SERVER] = opened_s

    def close(self, side: int) -> None:
        """What was sent before still arrives."""
        self.send(side, _END)
        self._closed[side] = True
        if all(self._closed):
            self._network.links.pop(self, None)

    def reset(self, *, spare: int | None = None) -> None:
        """It breaks. `spare`: the side whose machine is gone, and hears of nothing."""
        if self.dead:
            return
        for side in (CLIENT, SERVER):
            # what is on its way to a machine that is gone never arrives
            self._lost[side] = (spare is not None and side != spare) or self._network.rng.random() < 0.5
            self.send(side, _END)
        self.dead = True
        self._network.links.pop(self, None)

    def release(self) -> None:
        """After a partition: what was held goes on its way again."""
        timeline = self._network.timeline
        for side in (CLIENT, SERVER):
            held = self._held[side]
            for what in held:
                self._due_s[side] = max(self._due_s[side], timeline.now_s + self._network.delay_s())
                timeline.at(self._due_s[side], self._arrive, side, what)
            held.clear()

    def _arrive(self, side: int, what: object) -> None:
        if self._lost[side] and what is not _END:
            return
        if self._network.is_cut(*self.machines):
            self._held[side].append(what)
            self._network.links[self] = None  # also one that is closed: what it sent is still under way
            return
        if what is _END:
            self._break(1 - side)
        elif (end := self.ends[1 - side]) is not None:
            end.arrived(what)

    def give_up(self, side: int) -> None:
        """One end takes it for dead."""
        self._break(side)

    def _break(self, side: int) -> None:
        if (end := self.ends[side]) is not None:
            self.ends[side] = None
            end.ended()


class Network:
    """All links. A pair of machines in `cut` cannot reach each other; `slow_s` comes on top of every delay."""

    def __init__(self, timeline: Timeline, rng: Random) -> None:
        self.timeline = timeline
        self.rng = rng
        self.slow_s = 0.0
        self.links: dict[Link, None] = {}
        self.hosts: dict[str, Host] = {}
        self._cut: set[tuple[str, str]] = set()

    def delay_s(self) -> float:
        draw = self.rng.random()
        return 0.0002 + 0.002 * draw + (self.slow_s * self.rng.random() if self.slow_s or draw > 0.98 else 0.0)

    def is_cut(self, one: str, other: str) -> bool:
        return bool(self._cut) and ((one, other) in self._cut or (other, one) in self._cut)

    def cut(self, one: str, other: str) -> None:
        """They no longer reach each other. Either end of a link takes it for dead after so long without an answer to
        its pings; links to the store are pinged by what stands on them."""
        self._cut.add((one, other))
        for link in self.links:
            if set(link.machines) == {one, other} and link.keepalive_s is not None:
                for side, least_s in enumerate(link.keepalive_s):
                    self.timeline.after(least_s * (1 + self.rng.random()), self._ping, link, side)

    def _ping(self, link: Link, side: int) -> None:
        if self.is_cut(*link.machines):
            link.close(side)
            link.give_up(side)

    def heal(self) -> None:
        """All machines reach each other again."""
        self._cut.clear()
        self.slow_s = 0.0
        for link in list(self.links):
            link.release()

    def open(self, client: str, server: str, opened: Callable[[Link | None], None]) -> None:
        """`opened` is called with a link whose server has taken it, or None where it takes none. While they cannot
        reach each other it is not called."""
        self.timeline.after(self.delay_s(), self._knock, client, server, opened)

    def _knock(self, client: str, server: str, opened: Callable[[Link | None], None]) -> None:
        if self.is_cut(client, server):
            self.timeline.after(SYN_AGAIN_S, self._knock, client, server, opened)
            return
        link = Link(self, client, server)
        self.links[link] = None
        if not self.hosts[server].accept(link):
            self.links.pop(link)
            self.timeline.after(self.delay_s(), opened, None)
            return
        opened_s = self.timeline.now_s + self.delay_s()
        link.arrives_after(opened_s)
        self.timeline.at(opened_s, opened, link)

    def of(self, *machines: str) -> list[Link]:
        """The links that have any of these machines at an end."""
        return [link for link in self.links if link.machines[0] in machines or link.machines[1] in machines]

    def die(self, machine: str) -> None:
        """The machine is gone with everything that it had not sent yet; the others learn of it."""
        for link in self.of(machine):
            side = link.machines.index(machine)
            link.ends[side] = None
            link.reset(spare=side)


class Reader:
    """The node's end of a link to the store: what arrives is fed to a stream."""

    def __init__(self, loop: Loop) -> None:
        self.stream = asyncio.StreamReader(loop=loop)
        self._loop = loop

    def arrived(self, what: bytes) -> None:
        self._loop.call_soon(self.stream.feed_data, what)

    def ended(self) -> None:
        self._loop.call_soon(self.stream.feed_eof)


class Writer:
    """What redis-py uses of a stream writer."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def writelines(self, chunks: list[bytes]) -> None:
        self._link.send(CLIENT, b"".join(chunks))

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        self._link.close(CLIENT)

    async def wait_closed(self) -> None:
        pass


class StoreConnection(AbstractConnection):
    """redis-py's connection, from a node to a store, over a simulated link."""

    def __init__(self, network: Network, loop: Loop, store: str) -> None:
        super().__init__(
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=CONNECT_S,
            socket_timeout=None,
            driver_info=None,
        )
        self._network = network
        self._loop = loop
        self._store = store

    async def _connect(self) -> None:
        waiting: asyncio.Future[Link] = self._loop.create_future()

        def opened(link: Link | None) -> None:
            if waiting.done():
                if link is not None:
                    link.close(CLIENT)
            elif link is None:
                waiting.set_exception(ConnectionRefusedError(111, "refused"))
            else:
                reader = Reader(self._loop)
                link.ends[CLIENT] = reader
                self._reader = reader.stream
                self._writer = Writer(link)  # type: ignore[assignment]  # all that is used of it
                waiting.set_result(link)

        async with asyncio.timeout(self.socket_connect_timeout):
            self._network.open(self._loop.name, self._store, lambda link: _soon(self._loop, opened, link))
            await waiting

    def __del__(self, *_: object) -> None:
        pass  # the machine that forgot it is dead

    def _host_error(self) -> str:
        return self._store

    def repr_pieces(self) -> list[tuple[str, str]]:
        return [("store", self._store)]


def _soon(loop: Loop, call: Callable[..., None], *args: Any) -> None:
    loop.call_soon(call, *args)


class Transport:
    """What the gateway uses of a socket's transport: nothing ever waits in it, and each frame goes out by itself."""

    def __init__(self, socket: "Socket", link: Link) -> None:
        self._socket = socket
        self._link = link
        self._reading = ClientProtocol(_ANYWHERE, state=State.OPEN, max_size=None)

    def abort(self) -> None:
        self._socket.drop()

    def write(self, data: bytes) -> None:
        self._reading.receive_data(data)
        for frame in self._reading.events_received():
            assert isinstance(frame, Frame), "the connection is open"
            self._link.send(SERVER, bytes(frame.data))

    def get_write_buffer_size(self) -> int:
        return 0


class Socket:
    """A node's end of a client's connection: what the gateway uses of a WebSocket."""

    subprotocol = MSGPACK
    request = response = close_code = None

    def __init__(self, loop: Loop, link: Link) -> None:
        self.transport = Transport(self, link)
        self.protocol = SimpleNamespace(state=State.OPEN)
        self._loop = loop
        self._link = link
        self._frames: deque[bytes] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self.connection_lost_waiter: asyncio.Future[None] = loop.create_future()
        self.visit = Visit(NOWHERE, Account())
        self.unread = 0
        link.ends[SERVER] = self

    def arrived(self, what: bytes) -> None:
        self._loop.call_soon(self._take, what)

    def ended(self) -> None:
        self._loop.call_soon(self._end)

    def is_lost(self) -> bool:
        return self.connection_lost_waiter.done()

    def drop(self) -> None:
        self._link.close(SERVER)
        self._end()

    async def recv(self) -> bytes:
        while not self._frames:
            if self.is_lost():
                raise ConnectionClosedError(None, None)
            self._waiting = self._loop.create_future()
            await self._waiting
        return self._frames.popleft()

    async def close(self, code: int = 1000, reason: str = "") -> None:
        if not self.is_lost():
            self._link.send(SERVER, int(code))
            self.drop()

    def _take(self, frame: bytes) -> None:
        self._frames.append(frame)
        self.unread += 1
        self._wake()

    def _end(self) -> None:
        if not self.is_lost():
            self.connection_lost_waiter.set_result(None)
        self.protocol.state = State.CLOSED
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
