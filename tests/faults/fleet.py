"""Several servers on one store, each with its own proxy to it, and what may happen to them."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random

from server.clock import SystemClock
from server.store.base import EMPTY, StoreError
from server.store.urls import store_from_url
from tests.e2e.processes import ServerProcess
from tests.faults.people import Meter
from tests.faults.proxy import Partition, Proxy
from tests.sentinel import Watched
from tests.stores import Ear
from tests.valkey import Valkey

LOOK_AGAIN_S = 0.05
STARTS = 100
"""How often a server is started while its store cannot be reached."""

EXEMPT = ("--exempt", "127.0.0.1")
"""All people of a test have the one address of this machine, and come more often than people do."""

FLAGS = ("--grace-s", "1", "--log-level", "info", *EXEMPT)


class Member:
    """One server of a fleet, and its proxy to the store, if it has one. `process` is None while it is down."""

    def __init__(self, store: str, home: Path, flags: tuple[str, ...], proxy: Proxy | None = None) -> None:
        self.proxy = proxy
        self.process: ServerProcess | None = None
        self.started: list[ServerProcess] = []
        self._new = lambda: ServerProcess(store, home, flags)

    async def start(self) -> None:
        """Also while the store is away, or a reply of its is lost."""
        for _ in range(STARTS):
            try:
                self.process = await asyncio.to_thread(self._new)
            except AssertionError as error:
                failed = error
                await asyncio.sleep(LOOK_AGAIN_S)
            else:
                self.started.append(self.process)
                return
        raise failed

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.process.pid

    async def kill(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            await asyncio.to_thread(process.kill)

    async def stop(self) -> int:
        """Its exit code."""
        process, self.process = self.process, None
        return 0 if process is None else await asyncio.to_thread(process.stop)

    def pause(self) -> None:
        if self.process is not None:
            self.process.freeze()

    def go_on(self) -> None:
        if self.process is not None:
            os.kill(self.pid, signal.SIGCONT)


class Fleet:
    """`store` is how the logs are read when all is over: past all proxies."""

    def __init__(self, store: str, members: list[Member], meter: Meter) -> None:
        self.members = members
        self.meter = meter
        self._store = store

    def urls(self) -> list[str]:
        """Where the servers that are not down listen."""
        return [member.process.url for member in self.members if member.process is not None]

    @property
    def proxies(self) -> list[Proxy]:
        return [member.proxy for member in self.members if member.proxy is not None]

    @property
    def logs(self) -> str:
        """What all servers wrote, those that are gone included."""
        return "".join(process.log for member in self.members for process in member.started)

    async def restart(self, member: Member) -> None:
        """Kill it, and start another in its place."""
        await member.kill()
        self.meter.done["node kills"] += 1
        await member.start()

    def partition(self, member: Member, kind: Partition) -> None:
        assert member.proxy is not None
        member.proxy.partition(kind)
        self.meter.done["partitions"] += 1
        self.meter.done[f"partition: {kind}"] += 1

    async def read(self, code: str) -> tuple[bytes, ...]:
        """The log of a room, once the store can be asked."""
        while True:
            store = store_from_url(self._store, SystemClock())
            try:
                await store.open(Ear())
                return await store.read(code, EMPTY)
            except StoreError:
                await asyncio.sleep(LOOK_AGAIN_S)
            finally:
                await store.close()


@asynccontextmanager
async def fleet(
    valkey: Valkey, home: Path, nodes: int, meter: Meter, rng: Random, flags: tuple[str, ...] = FLAGS
) -> AsyncIterator[Fleet]:
    """Servers on one Valkey. The path of `home` must be short, for the proxies' sockets."""
    async with AsyncExitStack() as stack:
        members = []
        for number in range(nodes):
            proxy = await stack.enter_async_context(Proxy(valkey.socket, home / f"proxy{number}", Random(rng.random())))
            member = Member(proxy.url, home, flags, proxy)
            stack.push_async_callback(member.stop)
            stack.callback(member.go_on)
            stack.callback(proxy.heal)
            members.append(member)
        await asyncio.gather(*(member.start() for member in members))
        yield Fleet(valkey.url, members, meter)


@asynccontextmanager
async def standing(
    store: str, home: Path, nodes: int, meter: Meter, flags: tuple[str, ...] = FLAGS
) -> AsyncIterator[Fleet]:
    """Servers on a store of any kind, with nothing in between."""
    members = [Member(store, home, flags) for _ in range(nodes)]
    try:
        await asyncio.gather(*(member.start() for member in members))
        yield Fleet(store, members, meter)
    finally:
        for member in members:
            member.go_on()
            await member.stop()


async def restart_store(valkey: Valkey, meter: Meter) -> None:
    """Kill it, and start it again on the log that it has left."""
    valkey.kill()
    meter.done["store kills"] += 1
    await asyncio.to_thread(valkey.start)


async def fail_over(watched: Watched, meter: Meter) -> None:
    """Kill the primary, let the Sentinels make another, and bring the old one back as its replica."""
    killed = await asyncio.to_thread(watched.kill_primary)
    meter.done["failovers"] += 1
    await asyncio.to_thread(watched.await_failover)
    await asyncio.to_thread(watched.revive, killed)


def pause_store(valkey: Valkey) -> None:
    os.kill(valkey.pid, signal.SIGSTOP)


def let_store_go_on(valkey: Valkey) -> None:
    os.kill(valkey.pid, signal.SIGCONT)
