"""Servers tell each other where players may be sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec
import pytest

from protocol.errors import ErrorCode
from protocol.messages import Create, Start
from server.node.hub import GOODBYE_MS
from server.node.neighbours import AT_MOST, CHANNEL, SILENT_MS, Serving
from server.node.presence import HEARTBEAT_MS
from server.node.watch import PATIENCE_MS, SEND_AWAY_MS
from server.rooms.refusal import Refusal
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, running_nodes

A, B = "ws://a.example:8470/ws", "wss://b.example/ws"


@asynccontextmanager
async def advertised(*urls: str) -> AsyncIterator[tuple[Nodes, list[RunningNode]]]:
    """Nodes that advertise these URLs (empty: none), each started after the one before."""
    nodes = Nodes()
    async with AsyncExitStack() as running:
        found = []
        for name, url in zip("abcdef", urls, strict=False):
            node = RunningNode(nodes.world, nodes.clock, name, url)
            await running.enter_async_context(node.running())
            await settled()
            found.append(node)
        yield nodes, found


async def test_servers_learn_of_each_other_when_they_start_whoever_comes_first() -> None:
    async with advertised(A, B, "") as (_, (a, b, silent)):
        assert a.hub.servers() == (B,)
        assert b.hub.servers() == (A,)
        assert set(silent.hub.servers()) == {A, B}


async def test_the_order_is_another_one_each_time() -> None:
    async with advertised("", A, B) as (_, (node, *_rest)):
        assert node.hub.servers() == node.hub.servers()[::-1]


async def test_a_server_that_has_gone_is_no_longer_named() -> None:
    async with advertised(A, B) as (nodes, (a, b)):
        b.hub.drain()
        await settled()
        assert a.hub.servers() == ()
        await nodes.move(10 * HEARTBEAT_MS)
        assert a.hub.servers() == ()


async def test_one_that_was_killed_is_forgotten_and_one_that_lives_is_not() -> None:
    async with advertised(A, B, "") as (nodes, (_, b, silent)):
        await nodes.move(10 * HEARTBEAT_MS)
        assert set(silent.hub.servers()) == {A, B}
        await b.crash()
        await nodes.move(SILENT_MS + HEARTBEAT_MS)
        assert silent.hub.servers() == (A,)


async def test_words_that_were_lost_are_made_up_for() -> None:
    async with advertised(A) as (nodes, (a,)):
        late = RunningNode(nodes.world, nodes.clock, "late", B)
        late.store.deaf = True
        a.store.deaf = True
        async with late.running():
            await settled()
            late.store.deaf = a.store.deaf = False
            await nodes.move(HEARTBEAT_MS)
            assert (a.hub.servers(), late.hub.servers()) == ((B,), (A,))


async def test_a_server_that_is_started_while_the_store_is_away_introduces_itself_later() -> None:
    async with advertised(A) as (nodes, (a,)):
        late = RunningNode(nodes.world, nodes.clock, "late", B)
        await late.store.open(late.hub)
        late.store.refusing = True
        async with late.hub:
            await nodes.move(60_000)
            late.store.refusing = False
            await nodes.move(10_000)
            assert (a.hub.servers(), late.hub.servers()) == ((B,), (A,))


async def test_who_has_slept_still_knows_the_others() -> None:
    async with advertised("", A) as (nodes, (node, _)):
        nodes.clock.leap(90_000)
        await nodes.move(0)
        assert node.hub.servers() == (A,)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "ws://user:secret@a.example/ws",
        "ws://a.example/ws?ticket=1",
        "ws://a.example/ws\n",
        "ws://\x1b[2Ja.example/ws",
        "ws:///ws",
        f"ws://{'a' * 300}/ws",
    ],
)
async def test_what_is_no_address_is_passed_on_to_nobody(url: str) -> None:
    async with advertised("") as (_, (node,)):
        await node.store.tell(CHANNEL, msgspec.msgpack.encode(Serving("x", url)))
        await node.store.tell(CHANNEL, b"?")
        await settled()
        assert node.hub.servers() == ()


async def test_no_more_are_known_than_fit_into_a_welcome() -> None:
    async with advertised("") as (_, (node,)):
        for number in range(2 * AT_MOST):
            words = msgspec.msgpack.encode(Serving(f"n{number}", f"ws://n{number}.example/ws"))
            await node.store.tell(CHANNEL, words)
        await settled()
        assert len(node.hub.servers()) == AT_MOST


# Where to go when the store is out of reach


async def test_players_are_sent_to_other_servers_once_in_an_outage() -> None:
    async with advertised("", A) as (nodes, (node, _)):
        ann = await node.create()
        node.store.refusing = True
        node.store.lose_channel()
        await nodes.move(PATIENCE_MS + SEND_AWAY_MS - 1)
        assert (ann.notices, ann.sent_away) == (["stale"], 0)
        await nodes.move(1)
        assert ann.sent_away == 1
        await nodes.move(60_000)
        assert ann.sent_away == 1
        node.store.refusing = False
        node.store.interrupt()
        await nodes.move(1_000)
        node.store.refusing = True
        node.store.lose_channel()
        await nodes.move(PATIENCE_MS + SEND_AWAY_MS)
        assert ann.sent_away == 2


async def test_where_there_is_no_other_server_players_stay() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.a.store.refusing = True
        nodes.a.store.lose_channel()
        await nodes.move(10 * 60_000)
        assert (ann.notices, ann.sent_away) == (["stale"], 0)


# A server that is about to stop


async def test_a_server_that_drains_opens_no_rooms_and_serves_those_that_there_are() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.a.hub.drain()
        for request in (nodes.a.hub.create(RecordedViewer(), "Eva", Create("chuo-pai")), nodes.a.hub.check()):
            with pytest.raises(Refusal) as refused:
                await request
            assert refused.value.code is ErrorCode.DRAINING
            assert refused.value.retry_ms
        bea = await nodes.a.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        assert bea.view.room.phase == "playing"


async def test_a_server_ends_though_its_store_does_not_answer() -> None:
    async with running_nodes() as nodes:
        late = RunningNode(nodes.world, nodes.clock, "late")
        await late.store.open(late.hub)
        await late.hub.__aenter__()
        ann = await late.create()
        late.store.silent = True
        late.hub.detach(ann)
        ending = asyncio.create_task(late.hub.__aexit__(None, None, None))
        await nodes.move(GOODBYE_MS - 1)
        assert not ending.done()
        await nodes.move(1)
        assert ending.done()
        await ending
