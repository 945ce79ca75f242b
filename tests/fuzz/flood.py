"""A flood while people play: `python -m tests.fuzz.flood --connections 50 --per-s 10000 --seconds 20 --rounds 5`.

The players' moves are timed in turns without and with it. The flood is a process of its own, at other addresses than
the players'; each of its connections sends its share whether or not it is refused, and comes back ten times a second
where it is not let in. Prints the medians of the rounds; exits 1 if a player lost the connection, the server logged a
fault, or moves took more than twice as long.
"""

import argparse
import asyncio
import gc
import logging
import os
import sys
import time
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec

from protocol.codec import MSGPACK, client_codec
from protocol.messages import Hello, ListRooms
from tests.e2e.processes import ServerProcess, serving
from tests.faults.people import Meter
from tests.fuzz.cost import GOAL, medians, ratio, shown
from tests.fuzz.tables import Table
from tests.fuzz.wire import BINARY, Address, Wire, framed, request

FROM = tuple(f"127.0.0.{number}" for number in range(2, 255))
"""Of the flood: Linux has all of 127.0.0.0/8 without being told."""

BEATS_PER_S = 20
COME_BACK_S = 0.1


class Flood(msgspec.Struct, frozen=True):
    """`per_s`: messages of all `connections` together, which come from so many `addresses`. `enough`: connections that
    are closed for it, after which it ends before its time.
    """

    url: str
    connections: int
    addresses: int
    per_s: int
    seconds: float
    enough: int = 10**9


class Told(msgspec.Struct):
    """What came of it. `closed`: connections, by close code (0: without one). `refused`: requests for one, by status
    (0: cut off without an answer).
    """

    sent: int = 0
    closed: dict[int, int] = {}
    refused: dict[int, int] = {}


# The flood


async def flooded(flood: Flood) -> Told:
    """Returns when the time is over."""
    told, closed, refused = Told(), Counter[int](), Counter[int]()
    stop_s = time.monotonic() + flood.seconds
    server, codec = Address.of(flood.url), client_codec(MSGPACK)
    hello, message = (framed(codec.encode(one), BINARY) for one in (Hello("Flood"), ListRooms()))
    each = max(1, flood.per_s // flood.connections // BEATS_PER_S)

    def goes_on() -> bool:
        return time.monotonic() < stop_s and closed.total() < flood.enough

    async def called(address: str) -> Wire:
        wire = Wire()
        await asyncio.get_running_loop().create_connection(
            lambda: wire, server.host, server.port, local_addr=(address, 0)
        )
        wire.write(request(server, MSGPACK))
        await wire.until(lambda: bool(wire.head), 10)
        return wire

    async def connection(address: str) -> None:
        while goes_on():
            wire = await called(address)
            if wire.status != 101:
                refused[wire.status or 0] += 1
                wire.reset()
                await asyncio.sleep(COME_BACK_S)
                continue
            wire.write(hello)
            while not wire.ended and goes_on():
                wire.write(message * each)
                told.sent += each
                await asyncio.sleep(1 / BEATS_PER_S)
            if wire.ended:
                closed[wire.code or 0] += 1
            wire.reset()

    addresses = [FROM[number % flood.addresses] for number in range(flood.connections)]
    await asyncio.gather(*map(connection, addresses))
    return msgspec.structs.replace(told, closed=dict(closed), refused=dict(refused))


@asynccontextmanager
async def flooder() -> AsyncIterator[Callable[[Flood], Awaitable[Told]]]:
    """A process that floods when it is asked to."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fuzz.flood", "--serve", stdin=PIPE, stdout=PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    async def strike(flood: Flood) -> Told:
        stdin.write(msgspec.json.encode(flood) + b"\n")
        return msgspec.json.decode(await stdout.readline(), type=Told)

    try:
        yield strike
        stdin.close()
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def serve() -> None:
    for line in sys.stdin:
        told = asyncio.run(flooded(msgspec.json.decode(line, type=Flood)))
        print(msgspec.json.encode(told).decode(), flush=True)


# The players


class Playing:
    """Tables on a real server with the limits that it has by itself."""

    def __init__(self, server: ServerProcess, tables: int, seed: int) -> None:
        self.url = server.url
        self.meter = Meter()
        rng = Random(seed)
        self.tables = [Table(server.url, number, self.meter, rng, think_s=0.1) for number in range(tables)]

    def took_s(self, begin_s: float, end_s: float) -> list[float]:
        """How long the moves took that were said in this time."""
        moves = [move for table in self.tables for move in table.moves]
        return [took_s for said_s, took_s in moves if begin_s <= said_s < end_s]


@asynccontextmanager
async def playing(tables: int, seed: int) -> AsyncIterator[tuple[Playing, ServerProcess]]:
    with TemporaryDirectory(prefix="paizhuo-") as name:
        store = f"sqlite:{Path(name) / 'rooms.sqlite3'}"
        with serving(store, Path(name), "--log-level", "warning") as server:
            players = Playing(server, tables, seed)
            await asyncio.gather(*(table.open() for table in players.tables))
            try:
                yield players, server
            finally:
                for table in players.tables:
                    await table.leave()


async def measured(asked: argparse.Namespace) -> int:
    rounds: list[tuple[list[float], list[float]]] = []
    async with playing(asked.tables, asked.seed) as (players, server), flooder() as strike:
        for number in range(asked.rounds):
            load_1 = os.getloadavg()[0]
            began_s = time.perf_counter()
            await asyncio.sleep(asked.seconds)
            turned_s = time.perf_counter()
            told = await strike(Flood(players.url, asked.connections, asked.addresses, asked.per_s, asked.seconds))
            ended_s = time.perf_counter()
            calm, attacked = players.took_s(began_s, turned_s), players.took_s(turned_s, ended_s)
            rounds.append((calm, attacked))
            print(
                f"round {number + 1}: {told.sent / asked.seconds:,.0f} messages a second sent, closed {told.closed}, "
                f"refused {told.refused}; {shown(calm)} -> {shown(attacked)}; load of the machine {load_1:.1f}",
                flush=True,
            )
        lost = players.meter.done["connections lost"]
        logged = server.log
    calm_s, attacked_s = zip(*rounds, strict=True)
    print(f"{medians(calm_s, attacked_s)}; {lost} players' connections lost")
    print(logged, end="", file=sys.stderr)
    return int(bool(lost) or "ERROR" in logged or ratio(calm_s, attacked_s) > GOAL)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.flood", description=__doc__.partition("\n")[0])
    parser.add_argument("--connections", type=int, default=50, help="of the flood (50)")
    parser.add_argument("--addresses", type=int, choices=range(1, len(FROM) + 1), metavar="N", default=1, help="(1)")
    parser.add_argument("--per-s", type=int, default=10_000, help="messages of the flood (10000)")
    parser.add_argument("--seconds", type=float, default=20, help="of each turn (20)")
    parser.add_argument("--rounds", type=int, default=5, help="of one turn without and one with it (5)")
    parser.add_argument("--tables", type=int, default=12, help="that are played at (12)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)
    gc.disable()  # what people saw is all kept: each look through it would stop all players for up to a second
    if asked.serve:
        serve()
        return 0
    return asyncio.run(measured(asked))


if __name__ == "__main__":
    sys.exit(main())
