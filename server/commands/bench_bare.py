"""What `bench server` compares with: a WebSocket server without a game, and its players. Not a command.

`serve`: for each frame that a table sends, frames of the sizes that the real server sent there, to the same seats.
Reads the traffic (for each table a list of `Exchange`) from stdin, says its port, and serves until stdin ends.
`play URL`: reads the same traffic, says how many tables are connected, and plays it as it is told, over and over.
"""

import sys
from contextlib import suppress
from functools import partial
from itertools import cycle

from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websockets
from websockets.exceptions import ConnectionClosed

from server.commands.bench_traffic import Exchange, Gate, hear, tell
from server.commands.bench_wire import Wire, dialled
from server.eventloop import run

Traffic = list[list[Exchange]]


async def serve(traffic: Traffic) -> None:
    tables = [
        cycle([[(seat, bytes(size)) for seat in range(3) for size in e.answers[seat]] for e in t]) for t in traffic
    ]
    seated: list[dict[int, ServerConnection]] = [{} for _ in traffic]

    async def converse(connection: ServerConnection) -> None:
        assert connection.request is not None
        table, seat = map(int, connection.request.path.strip("/").split("/"))
        seated[table][seat] = connection
        with suppress(ConnectionClosed):
            async for _ in connection:
                for to, frame in next(tables[table]):
                    await seated[table][to].send(frame)

    async with serve_websockets(converse, "127.0.0.1", 0, compression=None) as server:
        tell(server.sockets[0].getsockname()[1])
        await hear(int)


def _frames(exchange: Exchange) -> list[tuple[int, bytes]]:
    return [(seat, bytes(size)) for seat, sizes in enumerate(exchange.answers) for size in sizes]


class Table:
    """Three connections that repeat one table's traffic."""

    def __init__(self, exchanges: list[Exchange], gate: Gate) -> None:
        self._exchanges = cycle(exchanges)
        self._gate = gate
        self._wires: list[Wire] = []
        self._awaited = 0
        self._moving = False

    async def open(self, url: str) -> None:
        self._wires = [await dialled(f"{url}/{seat}", "", self._heard) for seat in range(3)]
        self._go_on()

    def _heard(self, _: bytes) -> None:
        self._awaited -= 1
        if not self._awaited:
            self._gate.moves += self._moving
            self._go_on()

    def _go_on(self) -> None:
        exchange = next(self._exchanges)
        self._gate.let(partial(self._send, exchange))

    def _send(self, exchange: Exchange) -> None:
        self._awaited, self._moving = sum(map(len, exchange.answers)), exchange.move
        self._wires[exchange.seat].send(bytes(exchange.sent))


async def play(url: str, traffic: Traffic) -> None:
    gate = Gate()
    for number, exchanges in enumerate(traffic):
        await Table(exchanges, gate).open(f"{url}/{number}")
    tell(len(traffic))
    while await gate.play_part():
        pass


async def _main(what: str, url: str = "") -> None:
    traffic = await hear(Traffic)
    if traffic is not None:
        await (serve(traffic) if what == "serve" else play(url, traffic))


if __name__ == "__main__":
    run(_main(*sys.argv[1:]))
