"""A room in which nobody acts costs nothing, though its players are connected."""

import pytest

from server.node.presence import HEARTBEAT_MS
from tests.server.node.nodes import running_nodes

DAY_MS = 24 * 3_600_000


async def test_a_room_in_which_nobody_acts_wakes_nobody_and_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        await nodes.a.watch(ann.place_taken.code)
        while ann.view.prompt is None:
            await nodes.move(700)
        await nodes.move(2 * HEARTBEAT_MS)  # until all is told twice, and answered
        slept: list[int] = []
        sleep_ms, written = nodes.clock.sleep_ms, nodes.world.changes

        async def counted(ms: int) -> None:
            slept.append(ms)
            await sleep_ms(ms)

        monkeypatch.setattr(nodes.clock, "sleep_ms", counted)
        await nodes.move(DAY_MS)
        assert slept == []
        assert nodes.clock.sleepers == 1, "only what keeps the log from running out, days from now"
        assert nodes.world.changes == written
        await nodes.a.act(ann)
        await nodes.move(700)
        assert slept, "the clock is still the one that the node sleeps by"
