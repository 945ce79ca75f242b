"""What nodes do for each other: lost words are made up for, and who is silent is forgotten, but not too soon."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import Autopilot, Fill, Start
from server.node.company import COMPARE_MS, COMPARED_AT_ONCE
from server.node.listing import LISTED_MS
from server.node.presence import HEARTBEAT_MS, SILENT_MS
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import running_nodes


def connected(*viewers: RecordedViewer) -> set[tuple[bool, ...]]:
    return {tuple(seat.connected for seat in viewer.view.seats) for viewer in viewers}


async def test_an_entry_that_was_not_heard_of_is_found_though_nothing_follows_it() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.deaf = True
        await nodes.a.command(ann, Fill)
        assert dan.view.seats != ann.view.seats
        await nodes.move(COMPARE_MS)
        assert dan.view.seats == ann.view.seats
        assert dan.happened.count("bot_sat") == 2
        assert (nodes.a.hub.counters.caught_up, nodes.b.hub.counters.caught_up) == (0, 1)


async def test_rooms_of_one_node_alone_are_not_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        reads = []
        read = nodes.a.store.read

        async def counted(room: str, *more: object) -> tuple[bytes, ...]:
            reads.append(room)
            return await read(room, *more)  # type: ignore[arg-type]

        monkeypatch.setattr(nodes.a.store, "read", counted)
        await nodes.move(60_000)
        assert reads == []
        dan = await nodes.b.watch(ann.place_taken.code)
        await nodes.move(10 * COMPARE_MS)
        assert len(reads) == 10
        await nodes.b.drop(dan)
        await nodes.move(SILENT_MS + HEARTBEAT_MS)
        reads.clear()
        await nodes.move(60_000)
        assert reads == []


async def test_many_rooms_take_turns_in_being_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_nodes() as nodes:
        rooms = [(await nodes.a.create()).place_taken.code for _ in range(4 * COMPARED_AT_ONCE)]
        for room in rooms:
            await nodes.b.watch(room)
        await nodes.move(2 * COMPARE_MS)
        reads: list[tuple[int, str]] = []
        read = nodes.b.store.read

        async def timed(room: str, *more: object) -> tuple[bytes, ...]:
            reads.append((nodes.clock.monotonic_ms(), room))
            return await read(room, *more)  # type: ignore[arg-type]

        monkeypatch.setattr(nodes.b.store, "read", timed)
        await nodes.move(COMPARE_MS)
        assert sorted(room for _, room in reads) == sorted(rooms)
        at_once = Counter(at_ms for at_ms, _ in reads)
        assert len(at_once) == 4
        assert max(at_once.values()) < 2 * COMPARED_AT_ONCE


async def test_a_room_that_was_opened_meanwhile_is_looked_into_in_the_same_round() -> None:
    async with running_nodes() as nodes:
        first, second = await nodes.a.create(), await nodes.a.create()
        await nodes.b.watch(first.place_taken.code)
        await nodes.move(COMPARE_MS // 2)
        dan = await nodes.b.watch(second.place_taken.code)
        nodes.b.store.deaf = True
        await nodes.a.command(second, Start, fill="easy")
        await nodes.move(COMPARE_MS // 2)
        assert dan.view.room.phase != "open"


async def test_after_trouble_rooms_are_looked_into_even_where_no_other_node_is_known() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        for node in (nodes.a, nodes.b):
            node.store.deaf = True
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.lose_channel()
        nodes.b.store.interrupt()
        await nodes.move(1)
        await nodes.a.command(ann, Fill)
        await nodes.move(COMPARE_MS)
        assert [seat.kind for seat in dan.view.seats] == ["human", "bot", "bot"]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
async def test_with_a_fifth_of_the_words_lost_all_views_are_equal_soon(seed: int) -> None:
    rng = Random(seed)
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        dan = await nodes.b.watch(ann.place_taken.code)
        for node in (nodes.a, nodes.b):
            node.store.drops = lambda: rng.random() < 0.2
        for on in (True, False, True):
            await nodes.a.command(ann, Autopilot, on=on)
            await nodes.b.command(bea, Autopilot, on=not on)
            await nodes.move(rng.randint(0, 1_000))
        await nodes.move(3_000)
        assert ann.view.seats == bea.view.seats == dan.view.seats


@pytest.mark.parametrize("lost", ["question", "answer"])
async def test_nodes_find_each_other_though_the_first_words_are_lost(lost: str) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        deaf = (nodes.a if lost == "question" else nodes.b).store
        deaf.deaf = True
        dan = await nodes.b.watch(ann.place_taken.code)
        deaf.deaf = False
        assert not dan.view.seats[0].connected
        await nodes.move(HEARTBEAT_MS)
        assert dan.view.seats[0].connected


async def test_a_change_whose_words_were_lost_is_told_again() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        eva = await nodes.b.watch(ann.place_taken.code)
        nodes.a.store.deaf = True
        await nodes.b.drop(bea)
        nodes.a.store.deaf = False
        assert ann.view.seats[1].connected
        await nodes.move(HEARTBEAT_MS)
        assert connected(ann, eva) == {(True, False, False)}


async def test_a_node_that_only_writes_in_a_room_is_known_to_serve_it() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.a.store.deaf = nodes.b.store.deaf = True
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.deaf = False
        await nodes.a.command(ann, Fill, seat=1)
        nodes.b.store.deaf = True
        await nodes.a.command(ann, Fill, seat=2)
        await nodes.move(COMPARE_MS)
        assert dan.view.seats[2].kind == "bot"


# A node that is killed


async def test_a_player_who_comes_back_elsewhere_is_there_and_nowhere_else() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea = await nodes.b.join(code, "Bea")
        await nodes.a.crash()
        back = await nodes.b.resume(ann.place_taken.ticket)
        assert back.seat == ann.seat
        assert connected(back, bea) == {(True, True, False)}
        await nodes.move(SILENT_MS + HEARTBEAT_MS)  # the killed node is forgotten
        assert connected(back, bea) == {(True, True, False)}
        await nodes.move(60_000)
        assert not any(seat.away for seat in bea.view.seats)


async def test_a_player_who_came_back_and_went_is_gone_at_once() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        await nodes.a.crash()
        back = await nodes.b.resume(ann.place_taken.ticket)
        await nodes.b.drop(back)
        assert not bea.view.seats[0].connected


async def test_a_room_of_a_killed_node_leaves_the_list_when_its_time_is_up() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(listed=True)
        assert [room.code for room in await nodes.b.hub.rooms()] == [ann.place_taken.code]
        await nodes.a.crash()
        await nodes.move(LISTED_MS)
        assert await nodes.b.hub.rooms() == ()


async def test_a_room_that_another_node_serves_too_stays_on_the_list() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(listed=True)
        await nodes.b.join(ann.place_taken.code, "Bea")
        await nodes.a.crash()
        await nodes.move(3 * LISTED_MS)
        assert [room.free for room in await nodes.b.hub.rooms()] == [1]


# A node that did not run for a while


async def test_who_has_slept_takes_nobody_for_gone() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        await nodes.move(HEARTBEAT_MS)
        tables = len(ann.tables)
        nodes.clock.leap(90_000)
        await nodes.move(0)
        await nodes.move(SILENT_MS)
        for viewer in (ann, bea):
            assert viewer.view.seats[0].connected
            assert viewer.view.seats[1].connected
        assert len(ann.tables) == tables


async def test_who_could_not_reach_the_store_takes_nobody_for_gone() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.b.join(ann.place_taken.code, "Bea")
        for node in (nodes.a, nodes.b):
            node.store.refusing = True
            node.store.lose_channel()
        await nodes.move(60_000)
        assert ann.view.seats[1].connected
        for node in (nodes.a, nodes.b):
            node.store.refusing = False
            node.store.interrupt()
        await nodes.move(60_000)
        assert ann.view.seats[1].connected
        assert not any(seat.away for seat in ann.view.seats)
