"""Writes a golden log: `python -m tests.golden.rooms.record GAME FILE`. What a release has shipped never changes."""

import asyncio
import sys
from pathlib import Path

import msgspec

from protocol.messages import AutoPass, Autopilot, Fill, Leave, Ready, Remove, Start
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, running_nodes

Player = tuple[RunningNode, RecordedViewer]


async def lobby(nodes: Nodes, game: str) -> list[Player]:
    """Seats are taken, left, emptied and filled, and the host is slow."""
    ann = await nodes.a.create(game=game, deals=2, pace="fast", listed=True)
    code = ann.place_taken.code
    dan = await nodes.b.join(code, "Dan")
    await nodes.b.command(dan, Leave)
    eva = await nodes.b.join(code, "Ann")
    await nodes.a.command(ann, Remove, seat=eva.seat)
    await nodes.a.command(ann, Fill, seat=1)
    await nodes.a.command(ann, Remove, seat=1)
    bea = await nodes.b.join(code, "Bea")
    await nodes.move(400_000)
    await nodes.b.drop(bea)
    await nodes.move(31_000)
    bea = await nodes.a.resume(bea.place_taken.ticket)
    await nodes.a.command(ann, Autopilot, on=False)
    await nodes.a.command(ann, Start, fill="easy")
    return [(nodes.a, ann), (nodes.a, bea)]


async def play(nodes: Nodes, players: list[Player], moves: int) -> None:
    """Whoever is asked acts, until so many have acted or the deal is over."""
    for _ in range(moves):
        await nodes.move(1_000)
        if players[0][1].view.room.phase != "playing":
            return
        for node, viewer in players:
            if viewer.view.prompt is not None:
                await node.act(viewer)


async def logged(game: str) -> list[bytes]:
    async with running_nodes() as nodes:
        players = await lobby(nodes, game)
        (node, ann), (_, bea) = players
        code = ann.place_taken.code
        await play(nodes, players, 4)
        await node.command(ann, AutoPass, on=True)
        await node.command(bea, Autopilot, on=True)
        await play(nodes, players[:1], 4)
        await node.command(bea, Autopilot, on=False)
        await node.drop(bea)
        await nodes.move(31_000)
        await play(nodes, players[:1], 4)
        bea = await nodes.b.resume(bea.place_taken.ticket)
        players = [(node, ann), (nodes.b, bea)]
        await nodes.move(60_000)  # both miss their time
        await play(nodes, players, 200)
        assert ann.view.room.phase == "between"
        await node.command(ann, Ready)
        await nodes.b.command(bea, Ready)
        await play(nodes, players, 3)
        await nodes.b.command(bea, Leave)
        await node.drop(ann)
        await nodes.move(3_600_000)
        ann = await nodes.b.resume(ann.place_taken.ticket)
        await play(nodes, [(nodes.b, ann)], 200)
        assert ann.view.room.phase == "over"
        await nodes.b.command(ann, Leave)
        return nodes.world.log(code)


if __name__ == "__main__":
    game, file = sys.argv[1:]
    Path(file).write_bytes(msgspec.msgpack.encode(asyncio.run(logged(game))))
