"""Several nodes drive the same rooms: they rarely write at once, though a fifth of what they tell is lost."""

from random import Random

import pytest

from protocol.messages import Autopilot, Start
from server.games.registry import GAMES
from tests.server.node.nodes import running_nodes, running_third

LARGEST_SHARE = 0.05
ROOMS = 2


@pytest.mark.parametrize("game", GAMES)
async def test_few_appends_of_three_nodes_that_serve_the_same_rooms_come_too_late(game: str) -> None:
    rng = Random(1)
    async with running_nodes() as nodes, running_third(nodes) as third:
        three = (nodes.a, nodes.b, third)
        codes = []
        for number in range(ROOMS):
            host, *guests = three[number % 3 :] + three[: number % 3]
            ann = await host.create(game=game)
            codes.append(ann.place_taken.code)
            for node, name in zip(guests, ("Bea", "Cem"), strict=True):
                viewer = await node.join(codes[-1], name)
                await node.command(viewer, Autopilot, on=True)
            await host.command(ann, Autopilot, on=True)
            await host.command(ann, Start)
        for node in three:
            node.pool.think_ms = 30
            node.store.takes_ms = lambda: rng.randint(1, 20)
            node.store.drops = lambda: rng.random() < 0.2
        while any(nodes.state(code).phase != "over" for code in codes):
            await nodes.move(700)
        counted = [node.hub.counters for node in three]
        appends, conflicts = sum(each.appends for each in counted), sum(each.conflicts for each in counted)
        assert appends > 50
        assert conflicts < LARGEST_SHARE * appends
