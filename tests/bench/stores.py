"""Appends a second of a store, as a table: `python -m tests.bench.stores URL [URL ...]`.

Each room has one append in flight, as in play; entries are of the size of a common commit. Beside the Redis stores
stands what an await for each command costs without batches. The rooms made are gone after a minute.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from statistics import median

from redis.asyncio import ConnectionPool, Redis

from server.clock import SystemClock
from server.store.base import EMPTY, seal
from server.store.redis import SCRIPT, log_of
from server.store.urls import store_from_url
from tests.stores import KEEP_MS, Ear, new_room

APPENDS = 20_000
PAYLOAD = bytes(85)


async def measure(name: str, rooms: int, play: Callable[[str, int, list[float]], Awaitable[None]]) -> None:
    took_s: list[float] = []
    each = min(2000, APPENDS // rooms)
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    await asyncio.gather(*(play(new_room(), each, took_s) for _ in range(rooms)))
    passed_s, cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
    count = len(took_s)
    print(
        f"{name:40} {rooms:5} rooms {count / passed_s:8.0f}/s   p50 {median(took_s) * 1000:7.2f} ms"
        f"   CPU {cpu_s / count * 1e6:6.1f} us"
    )


async def bench(url: str) -> None:
    store = store_from_url(url, SystemClock())
    await store.open(Ear())

    async def play(room: str, appends: int, took_s: list[float]) -> None:
        at = EMPTY
        for _ in range(appends):
            began_s = time.perf_counter()
            entry, after = seal(at, PAYLOAD)
            await store.append(room, at, entry, keep_ms=KEEP_MS)
            at = after
            took_s.append(time.perf_counter() - began_s)

    for rooms in (1, 64, 256):
        await measure(url.partition(":")[0], rooms, play)
    if url.startswith(("redis", "unix")):
        await bench_awaits(url)
    await store.close()


async def bench_awaits(url: str) -> None:
    """The same script, one await of the client library for each append, over a pool of 64 connections."""
    client = Redis(connection_pool=ConnectionPool.from_url(url, protocol=2))
    script = client.register_script(SCRIPT)

    async def play(room: str, appends: int, took_s: list[float]) -> None:
        at = EMPTY
        for _ in range(appends):
            began_s = time.perf_counter()
            entry, after = seal(at, PAYLOAD)
            async with turns:
                await script([log_of(room)], ["none", at.version, at.chain, entry, KEEP_MS, 0])
            at = after
            took_s.append(time.perf_counter() - began_s)

    turns = asyncio.Semaphore(64)
    for rooms in (1, 64, 256):
        await measure("  an await for each append", rooms, play)
    await client.aclose()


if __name__ == "__main__":
    for url in sys.argv[1:]:
        asyncio.run(bench(url))
