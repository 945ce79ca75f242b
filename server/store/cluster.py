"""Rooms in a Redis Cluster. All keys of a room are in one slot, which one primary has; slots may move at any time.

What a node of the cluster answers instead of doing the command proves that it was not done, so that it is sent again
to the right one. A command whose answer was lost never is.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from random import Random
from typing import Any

from redis.asyncio.connection import AbstractConnection, Connection
from redis.crc import key_slot
from redis.exceptions import AskError, MovedError, RedisError

from server.clock import Clock
from server.store.agreement import most_say
from server.store.base import Refused, Unfit, Unknown
from server.store.fitness import Demands, inspect
from server.store.outcomes import outcome, row
from server.store.pipeline import ONCE, Commands, Pipeline, Word, connect
from server.store.redis import RedisStore
from server.store.roaming import RoamingConnection
from server.store.urls import Address

PATIENCE_MS = 2000
"""How long a command looks for the node that does it, before it is refused."""

PAUSE_MS = 100
"""The most that passes between two looks."""

LOOK_S = 0.5
"""For a node to take the connection, and again to say who has which slots: one may be frozen."""

AT_ONCE = 4
"""Attempts that follow redirections without a pause: more of them come from nodes that do not agree yet."""

IN_TRANSIT = frozenset(("TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "READONLY"))
"""Marks of errors that prove that nothing was done, and that another try may find it otherwise."""

Layout = tuple[tuple[int, int, tuple[Address, ...]], ...]
"""First slot, last slot, and who has them, the primary first."""

_log = logging.getLogger(__name__)


class Cluster:
    """`Commands` for whichever primary has the keys. `seeds`: nodes to ask first; `account`: user name and password,
    under redis-py's names for them; `vet`: raises `Refused` or `Unfit` for a primary that is not to have rooms."""

    def __init__(
        self,
        seeds: Sequence[Address],
        account: Mapping[str, Any],
        place: str,
        clock: Clock,
        replicas: int = 0,
        vet: Callable[[Address, Pipeline], Awaitable[None]] | None = None,
    ) -> None:
        self._vet = vet
        self._vetted: set[Address] = set()
        self._vetting: defaultdict[Address, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._seeds = tuple(seeds)
        self._nodes = self._seeds
        """All that may know who has which slots, and that hear what is published: replicas, too."""
        self._account = account
        self._place = place
        self._clock = clock
        self._replicas = replicas
        self._jitter = Random()
        self._pipelines: dict[Address, Pipeline] = {}
        self._owners: list[tuple[int, int, Address]] = []
        """First slot, last slot, primary."""
        self._moved: dict[int, Address] = {}
        """Slots that were found elsewhere since the owners were asked for."""
        self._learning: asyncio.Task[None] | None = None
        self._doubted = False
        """Has an answer been lost since the owners were asked for? Then another may be in its place."""
        self._next_node = 0
        self._closed = False

    async def primaries(self) -> Sequence[Address]:
        """All that have slots. Raises `Refused`."""
        await self._learn()
        return tuple(dict.fromkeys(address for _, _, address in self._owners))

    async def vet(self, address: Address) -> None:
        """Raises `Refused` or `Unfit`."""
        if self._vet is not None:
            await self._vet(address, self._pipeline(address))
            self._vetted.add(address)

    @property
    def connections(self) -> int:
        return sum(pipeline.connections for pipeline in self._pipelines.values())

    def dial(self) -> AbstractConnection:
        """A connection to any node, to another one each time it is made."""
        return RoamingConnection(self._any_node, **self._account)

    async def ask(self, *words: Word, tag: str, durable: bool = False) -> Any:
        slot = key_slot(tag.encode())
        gives_up_ms = self._clock.monotonic_ms() + PATIENCE_MS
        asked: Address | None = None
        attempts = 0
        while True:
            attempts += 1
            if attempts > AT_ONCE:
                await self._pause()
            try:
                address = asked or await self._owner(slot)
                if self._vet is not None and address not in self._vetted:
                    await self._admit(address)
                pipeline = self._pipeline(address)
                return await pipeline.ask(*words, tag=tag, durable=durable, asking=asked is not None)
            except MovedError as moved:
                asked, self._moved[slot] = None, self._address(moved, slot)
                self._look_around()
                last: Exception = moved
            except AskError as ask:
                asked, last = self._address(ask, slot), ask
            except RedisError as error:
                known = row(error)
                if known is None or known.mark not in IN_TRANSIT:
                    raise
                asked, last = None, error
                await self._pause()
            except Refused as refused:  # the primary is gone, and another will be there
                asked, last = None, refused
                await self._pause()
            except Unknown:
                self._doubted = True
                self._look_around()
                raise
            if self._closed or self._clock.monotonic_ms() > gives_up_ms:
                raise last

    def post(self, *words: Word, tag: str) -> None:
        slot = key_slot(tag.encode())
        if not self._closed and (owner := self._known_owner(slot)) is not None:
            self._pipeline(owner).post(*words, tag=tag)

    async def close(self) -> None:
        self._closed = True
        if self._learning is not None:
            await asyncio.gather(self._learning, return_exceptions=True)
        for pipeline in self._pipelines.values():
            await pipeline.close()

    def _pipeline(self, address: Address) -> Pipeline:
        if self._closed:
            raise Refused("the store is closed")
        if address not in self._pipelines:
            self._pipelines[address] = Pipeline(self._connection(address), self._place_of(address), self._replicas)
        return self._pipelines[address]

    def _connection(self, address: Address, **limits: float) -> Connection:
        return Connection(host=address.host, port=address.port, **{**ONCE, **limits}, **self._account)

    def _place_of(self, address: Address) -> str:
        return f"{self._place} ({_named(address)})"

    async def _admit(self, address: Address) -> None:
        """Before the first command to a primary that came later. Raises `Refused`."""
        try:
            async with self._vetting[address]:
                if address not in self._vetted:
                    await self.vet(address)
        except Unfit as unfit:
            raise Refused(str(unfit)) from unfit

    def _known_owner(self, slot: int) -> Address | None:
        if (moved := self._moved.get(slot)) is not None:
            return moved
        return next((address for first, last, address in self._owners if first <= slot <= last), None)

    async def _owner(self, slot: int) -> Address:
        if self._doubted or self._known_owner(slot) is None:
            await self._learn()
        if (owner := self._known_owner(slot)) is None:
            raise Refused(f"{self._place} has no node for some rooms: see CLUSTER INFO")
        return owner

    def _address(self, elsewhere: AskError, slot: int) -> Address:
        # a node that does not know by which name it is reached leaves out the host: it is that of who answered
        owner = self._known_owner(slot)
        return Address(elsewhere.host or (owner.host if owner else ""), elsewhere.port)

    async def _pause(self) -> None:
        await self._clock.sleep_ms(self._jitter.randrange(PAUSE_MS))
        with suppress(Refused):
            await self._learn()

    def _look_around(self) -> asyncio.Task[None]:
        """Learn who has which slots; one such task at a time."""
        if self._learning is None:
            self._learning = asyncio.create_task(self._ask_around())
            self._learning.add_done_callback(self._learnt)
        return self._learning

    def _learnt(self, task: asyncio.Task[None]) -> None:
        self._learning = None
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.debug("%s", error)

    async def _learn(self) -> None:
        """Raises `Refused`."""
        await asyncio.shield(self._look_around())

    async def _ask_around(self) -> None:
        """Ask all nodes at once who has which slots. Raises `Refused` if none tells."""
        if self._closed:
            raise Refused("the store is closed")
        layout, errors = await most_say(map(self._layout_of, self._nodes))
        if layout is None:
            raise Refused(str(errors[0]) if errors else f"{self._place} does not answer")
        self._owners = [(first, last, nodes[0]) for first, last, nodes in layout]
        self._nodes = tuple(dict.fromkeys((*chain(*(nodes for *_, nodes in layout)), *self._seeds)))
        self._moved.clear()
        self._doubted = False

    async def _layout_of(self, address: Address) -> Layout:
        """What one node says, over a connection of its own: on the other its commands may hang. Raises `Refused`."""
        place, connection = self._place_of(address), self._connection(address, socket_connect_timeout=LOOK_S)
        try:
            await connect(connection, place)
            await connection.send_command("CLUSTER", "SLOTS", check_health=False)
            layout = _layout(await connection.read_response(timeout=LOOK_S), address)
        except RedisError as error:
            raise Refused(str(outcome(error, place))) from error
        except (LookupError, TypeError, ValueError) as error:
            raise Refused(f"{place} answered CLUSTER SLOTS with something that makes no sense") from error
        finally:
            await connection.disconnect(nowait=True)
        if not layout:
            raise Refused(f"{self._place} has no slots: see CLUSTER INFO")
        return layout

    async def _any_node(self) -> Address:
        self._next_node += 1
        return self._nodes[self._next_node % len(self._nodes)]


class ClusterStore(RedisStore):
    """A `Store` in a cluster. Its clock is that of whichever primary answered last, so those should be in step."""

    def __init__(
        self, seeds: Sequence[Address], account: Mapping[str, Any], place: str, clock: Clock, demands: Demands
    ) -> None:
        self._cluster = Cluster(seeds, account, place, clock, demands.replicas, self._vet)
        super().__init__(self._cluster.dial, place, clock, demands)

    def _connect(self) -> Commands:
        return self._cluster

    async def _inspect(self) -> None:
        for address in await self._cluster.primaries():
            try:
                await self._cluster.vet(address)
            except Refused:  # at the start all must be there; later, one that was away is looked at when it is back
                if not self._inspected:
                    raise

    async def _vet(self, address: Address, pipeline: Pipeline) -> None:
        place = f"{self._place} ({_named(address)})"
        await inspect(partial(_ask, pipeline, place), place, self._demands)


async def _ask(pipeline: Pipeline, place: str, *words: Word) -> Any:
    try:
        return await pipeline.ask(*words)
    except RedisError as error:
        raise Refused(str(outcome(error, place))) from error
    except Unknown as error:
        raise Refused(str(error)) from error


def _layout(ranges: Any, told_by: Address) -> Layout:
    """An answer to CLUSTER SLOTS. Raises `LookupError`, `TypeError` or `ValueError`."""
    return tuple(
        sorted(
            (
                int(first),
                int(last),
                # a node that does not know by which name it is reached leaves out the host: it is that of who answered
                tuple(
                    Address(bytes(node[0] or b"").decode() or told_by.host, int(node[1])) for node in (owner, *others)
                ),
            )
            for first, last, owner, *others in ranges
        )
    )


def _named(address: Address) -> str:
    return f"{address.host}:{address.port}"
