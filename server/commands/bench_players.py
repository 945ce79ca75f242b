"""The players of `bench loop`, a process of their own: one in each room, on autopilot. Not a command."""

import asyncio
import sys
from itertools import count
from typing import cast

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK, client_codec
from protocol.messages import MAX_DEALS, Autopilot, Create, Done, Hello, Table
from protocol.view import BotLevel

MOVES = frozenset(("led", "played", "passed", "discarded"))


async def play(url: str, game: str, bots: BotLevel, rooms: int) -> int:
    """Prints a line when all rooms are being played; returns how many moves were seen from then to the end of stdin."""
    playing, all_play = count(1), asyncio.Event()
    moves = 0

    async def sit(number: int) -> None:
        nonlocal moves
        await asyncio.sleep(number / rooms)  # or all rooms would want their bots at the same moments
        codec = client_codec(MSGPACK)
        async with connect(url, subprotocols=[Subprotocol(MSGPACK)], compression=None, proxy=None) as socket:
            for message in (Hello("Ann"), Create(game, deals=MAX_DEALS, fill=bots), Autopilot(1, on=True)):
                await socket.send(codec.encode(message))
            while True:
                received = codec.decode(await socket.recv())
                if isinstance(received, Done) and next(playing) == rooms:
                    print("all play", flush=True)
                    all_play.set()
                elif isinstance(received, Table) and all_play.is_set():
                    moves += sum(happening.kind in MOVES for happening in received.happened)

    async with asyncio.TaskGroup() as group:
        sitting = [group.create_task(sit(number)) for number in range(rooms)]
        await asyncio.to_thread(sys.stdin.read)
        for task in sitting:
            task.cancel()
    return moves


if __name__ == "__main__":
    print(asyncio.run(play(sys.argv[1], sys.argv[2], cast(BotLevel, sys.argv[3]), int(sys.argv[4]))))
