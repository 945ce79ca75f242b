"""What Prometheus is told."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import NamedTuple

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from protocol.codec import JSON, MSGPACK
from server import __version__
from server.bots.thinking import Sort
from server.gateway.conversations import Conversations
from server.gateway.outbox import Outbox
from server.gateway.session import MESSAGES_AT_ONCE
from server.gateway.websocket import listen
from server.node.port import Refusal
from server.operator.lag import LOOK_MS, LoopLag
from server.operator.metrics import AT_ONCE, ServerCollector, metrics
from server.operator.routes import Asked
from server.settings import ServerSettings
from tests.moved_clock import MovedClock, settled
from tests.server.node.nodes import Nodes, running_nodes

NOTHING = Asked({}, {}, b"")
HELLO, CREATE = '{"type":"hello","name":"Ann"}', '{"type":"create","game":"chuo-pai"}'


class Watched(NamedTuple):
    """A node that serves on `port`, and what is told of it."""

    port: int
    nodes: Nodes
    conversations: Conversations
    lag: LoopLag

    async def samples(self) -> dict[str, float]:
        """Every sample by its name and labels, as Prometheus would read them."""
        collector = ServerCollector(self.nodes.a.hub, self.conversations, self.nodes.a.pool, self.lag)
        page = await metrics(collector).answer(NOTHING)
        assert page.content_type.startswith("text/plain; version=")
        return {
            sample.name + "".join(f"{{{name}={value}}}" for name, value in sorted(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(page.text)
            for sample in family.samples
        }

    def client(self, subprotocol: str, origin: str | None = None) -> connect:
        url, offered = f"ws://127.0.0.1:{self.port}/ws", [Subprotocol(subprotocol)]
        return connect(url, subprotocols=offered, proxy=None, origin=None if origin is None else Origin(origin))


@pytest.fixture
async def watched() -> AsyncIterator[Watched]:
    conversations = Conversations()
    settings = ServerSettings(port=0, store="sqlite:unused")
    async with (
        running_nodes() as nodes,
        listen(nodes.a.hub, nodes.clock, settings, conversations=conversations) as port,
    ):
        yield Watched(port, nodes, conversations, LoopLag(nodes.clock))


async def test_a_server_at_rest_tells_what_it_is(watched: Watched) -> None:
    found = await watched.samples()
    assert found[f"paizhuo_build_info{{version={__version__}}}"] == 1
    assert found["paizhuo_store_usable"] == 1
    assert found["paizhuo_frames_received_total"] == found["paizhuo_appends_total"] == found["paizhuo_draining"] == 0
    assert found["python_gc_collections_total{generation=0}"] >= 0
    if sys.platform == "linux":
        assert found["process_resident_memory_bytes"] > 0


async def test_connections_are_told_of_by_how_far_they_have_come(watched: Watched) -> None:
    async with watched.client(JSON), watched.client(JSON) as ann, watched.client(MSGPACK) as bo:
        said, heard = [HELLO, CREATE], []
        for frame in said:
            await ann.send(frame)
        while '"type":"table"' not in (frame := str(await ann.recv())):
            heard.append(frame)
        heard.append(frame)
        await bo.send(msgspec.msgpack.encode({"type": "hello", "name": "Bo"}))
        await bo.recv()
        found = await watched.samples()
        assert found["paizhuo_connections{state=greeting}{subprotocol=paizhuo.v1.json}"] == 1
        assert found["paizhuo_connections{state=seated}{subprotocol=paizhuo.v1.json}"] == 1
        assert found["paizhuo_connections{state=lobby}{subprotocol=paizhuo.v1.msgpack}"] == 1
        assert found["paizhuo_rooms{game=chuo-pai}{phase=open}"] == 1
        assert found["paizhuo_frames_received_total"] == 3
        assert found["paizhuo_received_bytes_total"] > sum(map(len, said))
        assert found["paizhuo_frames_sent_total"] == len(heard) + 1
        assert found["paizhuo_sent_bytes_total"] > sum(len(frame.encode()) for frame in heard)
        assert found["paizhuo_appends_total"] == found["paizhuo_append_seconds_count"] == 1
        assert found["paizhuo_append_seconds_bucket{le=+Inf}"] == 1
        assert found["paizhuo_command_seconds_count"] == 1
        assert found["paizhuo_lobby_wait_seconds_count"] == 3 + 3, "requests, and messages that were said before a seat"


async def test_messages_are_told_of_by_what_they_ask_and_how_they_were_answered(watched: Watched) -> None:
    code = "ZZZZ2345"
    async with watched.client(JSON) as ann:
        join = f'{{"type":"join","code":"{code}"}}'
        for frame in ("rubbish", HELLO, HELLO, join, join, '{"type":"fill","n":1}', '{"type":"list_rooms"}'):
            await ann.send(frame)
            await ann.recv()
        found = await watched.samples()
    assert {name: count for name, count in found.items() if name.startswith("paizhuo_commands_total")} == {
        "paizhuo_commands_total{code=malformed}{kind=unreadable}": 1,
        "paizhuo_commands_total{code=ok}{kind=hello}": 1,
        "paizhuo_commands_total{code=already_greeted}{kind=hello}": 1,
        "paizhuo_commands_total{code=no_such_room}{kind=join}": 2,
        "paizhuo_commands_total{code=not_seated}{kind=fill}": 1,
        "paizhuo_commands_total{code=ok}{kind=list_rooms}": 1,
    }
    assert code not in str(found)


async def test_limits_that_were_hit_are_among_the_answers(watched: Watched) -> None:
    async with watched.client(JSON) as ann:
        await ann.send(HELLO)
        for _ in range(MESSAGES_AT_ONCE):
            await ann.send('{"type":"list_rooms"}')
        for _ in range(MESSAGES_AT_ONCE + 1):
            await ann.recv()
        found = await watched.samples()
    assert found["paizhuo_commands_total{code=rate_limited}{kind=list_rooms}"] == 1


async def test_closed_and_refused_connections_are_told_of_and_clients_make_no_labels(watched: Watched) -> None:
    for code in (1000, 1001, 3999, 4321):
        async with watched.client(JSON) as ann:
            await ann.close(code)
    for subprotocol, origin in ((JSON, "https://evil.example"), ("paizhuo.v9.json", None)):
        with pytest.raises(InvalidStatus):
            async with watched.client(subprotocol, origin):
                pytest.fail("it is connected")
    await watched.conversations.drain(10)
    found = await watched.samples()
    closed = {name: count for name, count in found.items() if name.startswith("paizhuo_connections_closed_total")}
    assert closed == {
        "paizhuo_connections_closed_total{code=1000}": 1,
        "paizhuo_connections_closed_total{code=1001}": 1,
        "paizhuo_connections_closed_total{code=other}": 2,
    }
    assert found["paizhuo_connections_refused_total{reason=origin}"] == 1
    assert found["paizhuo_connections_refused_total{reason=version}"] == 1


async def test_a_store_that_fails_is_told_of(watched: Watched) -> None:
    watched.nodes.a.store.refusing = True
    with pytest.raises(Refusal):
        await watched.nodes.a.hub.check()
    assert (await watched.samples())["paizhuo_store_errors_total{kind=refused}"] == 1
    await watched.nodes.move(3_000)
    assert (await watched.samples())["paizhuo_store_usable"] == 0


async def test_bots_are_told_of_by_game_level_and_how_it_ended(watched: Watched) -> None:
    sort = Sort("paohuzi", "hard", "easier")
    watched.nodes.a.pool.thinking.answered[sort].add(0.2)
    watched.nodes.a.pool.thinking.thought[sort].add(0.02)
    found = await watched.samples()
    named = "{answer=easier}{game=paohuzi}{level=hard}"
    assert found[f"paizhuo_bot_answer_seconds_sum{named}"] == 0.2
    assert found[f"paizhuo_bot_thought_seconds_count{named}"] == 1
    assert found["paizhuo_bot_workers"] == 0


async def test_a_loop_that_is_held_up_is_late(watched: Watched) -> None:
    watching = asyncio.create_task(watched.lag.watch())
    await settled()
    await watched.nodes.move(LOOK_MS)
    await watched.nodes.move(LOOK_MS)
    watching.cancel()
    found = await watched.samples()
    assert found["paizhuo_loop_lag_seconds_count"] == 2
    assert found["paizhuo_loop_lag_seconds_sum"] == 0  # by the loop's own clock no time has passed


async def test_the_lag_is_what_a_sleep_took_too_long() -> None:
    class Late(MovedClock):
        async def sleep_ms(self, ms: int) -> None:
            await asyncio.sleep((ms + 40) / 1000)
            self.slept.set()

        slept = asyncio.Event()

    clock = Late()
    lag = LoopLag(clock)
    watching = asyncio.create_task(lag.watch())
    await clock.slept.wait()
    await settled()
    watching.cancel()
    assert 0.04 <= lag.lags.sum_s < 1


async def test_others_have_their_turns_while_all_is_counted(watched: Watched) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    with ExitStack() as going_on:
        for _ in range(3 * AT_ONCE):
            going_on.enter_context(watched.conversations.one(Outbox(lambda _: b"", lambda: None)))
        waiting = asyncio.create_task(others())
        found = await watched.samples()
        waiting.cancel()
    assert found["paizhuo_connections{state=greeting}{subprotocol=}"] == 3 * AT_ONCE
    families = {name.partition("{")[0].removesuffix("_bucket") for name in found}
    assert turns > 3 + len(families) / 3
