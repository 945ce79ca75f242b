"""The one clock of all nodes, while the store's own is set back and forth."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.store.base import EMPTY, Position, TooEarly, seal
from server.store.pipeline import connection_to
from server.store.redis import APART_MS, RedisStore
from tests.moved_clock import START_MS, MovedClock
from tests.simulation.valkey import Failure, Reply, Valkey, encoded
from tests.stores import KEEP_MS, new_room
from tests.wires import Scripted

HOUR_MS = 3_600_000


class Timed(NamedTuple):
    """Nodes with a clock in common, on a server whose clock is `set_by[0]` ms ahead of it."""

    nodes: list[RedisStore]
    clock: MovedClock
    set_by: list[int]

    async def write(self, node: int, room: str, at: Position, not_before_ms: int = 0) -> Position:
        entry, after = seal(at, b"")
        await self.nodes[node].append(room, at, entry, keep_ms=KEEP_MS, not_before_ms=not_before_ms)
        return after


@pytest.fixture
async def timed(short_path: Path) -> AsyncIterator[Timed]:
    clock, set_by, model = MovedClock(), [0], Valkey()

    def answer(_: int, command: list[bytes]) -> bytes:
        reply: Reply | Failure
        try:
            reply = model.execute(command, (START_MS + clock.monotonic_ms() + set_by[0]) * 1000)
        except Failure as failure:
            reply = failure
        return encoded(reply)

    async with Scripted(short_path / "socket", answer) as server:
        nodes = [RedisStore(lambda: connection_to(server.url), "place", clock) for _ in range(2)]
        for node in nodes:
            await node.check()
        yield Timed(nodes, clock, set_by)
        for node in nodes:
            await node.close()


@pytest.mark.parametrize("back_ms", [10_000, HOUR_MS, 24 * HOUR_MS])
async def test_when_the_stores_clock_is_set_back_time_goes_on_and_what_is_due_is_done(
    timed: Timed, back_ms: int
) -> None:
    room = new_room()
    at = await timed.write(0, room, EMPTY)
    due_ms = timed.nodes[0].now_ms() + 20_000
    timed.set_by[0] -= back_ms
    for node in timed.nodes:
        before_ms = node.now_ms()
        await node.check()
        assert node.now_ms() == before_ms
    await timed.clock.move(10_000)
    with pytest.raises(TooEarly):
        await timed.write(1, room, at, due_ms)
    await timed.clock.move(10_300)
    for node in timed.nodes:
        assert due_ms <= node.now_ms() < due_ms + 1000
    await timed.write(1, room, at, due_ms)


async def test_a_leap_ahead_that_is_taken_back_leaves_time_running_and_nodes_agreed(timed: Timed) -> None:
    room = new_room()
    at = await timed.write(0, room, EMPTY)
    timed.set_by[0] += HOUR_MS
    for node in timed.nodes:
        await node.check()
    timed.set_by[0] -= HOUR_MS
    await timed.clock.move(5000)
    for node in timed.nodes:
        await node.check()
    one, other = (node.now_ms() for node in timed.nodes)
    assert one == other > START_MS + HOUR_MS
    await timed.clock.move(30_000)
    at = await timed.write(0, room, at, one + 29_000)
    await timed.write(1, room, at, one + 29_000)


async def test_of_a_little_the_store_is_the_judge(timed: Timed) -> None:
    timed.set_by[0] -= APART_MS - 100
    await timed.nodes[0].check()
    room, due_ms = new_room(), timed.nodes[0].now_ms()
    with pytest.raises(TooEarly):
        await timed.write(0, room, EMPTY, due_ms)
    await timed.clock.move(APART_MS)
    await timed.write(0, room, EMPTY, due_ms)


async def test_our_time_and_the_stores_meet_again(timed: Timed) -> None:
    timed.set_by[0] -= 10_000
    await timed.nodes[0].check()
    await timed.clock.move(1_010_000)
    for _ in range(2):
        await timed.nodes[0].check()
        assert timed.nodes[0].now_ms() == START_MS + timed.clock.monotonic_ms() - 10_000 - 1
        await timed.clock.move(1000)


async def test_a_room_on_the_list_is_not_removed_by_a_node_whose_time_is_ahead(timed: Timed) -> None:
    ahead, other = timed.nodes
    timed.set_by[0] += HOUR_MS
    await ahead.check()
    timed.set_by[0] -= HOUR_MS
    await ahead.check()
    await other.enlist("A", b"open", KEEP_MS)
    assert await ahead.listed() == (b"open",)


@given(st.lists(st.tuples(st.integers(-HOUR_MS, HOUR_MS), st.integers(0, 5000)), max_size=20))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
async def test_however_it_is_set_time_never_goes_back_and_never_stands_still(
    timed: Timed, sets: list[tuple[int, int]]
) -> None:
    node = timed.nodes[0]
    for by_ms, passed_ms in sets:
        before_ms = node.now_ms()
        timed.set_by[0] += by_ms
        await node.check()
        assert node.now_ms() >= before_ms
        await timed.clock.move(passed_ms)
        assert node.now_ms() >= before_ms + passed_ms * 99 // 100 - 1
