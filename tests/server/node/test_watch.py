"""A store that is out of reach: who notices, what players are told, what is refused, and how play goes on."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Act, Autopilot, Create, Fill
from protocol.view import Pace
from server.node.watch import LAST_RETRY_MS, PATIENCE_MS
from server.rooms.refusal import Refusal
from server.store.base import Refused
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, refusal, running_nodes


def fall_silent(node: RunningNode) -> None:
    """The store is stopped: it keeps its connections, and says nothing on any of them."""
    node.store.silent = True
    node.store.lose_channel()  # as the channel finds out by itself


def speak_again(node: RunningNode) -> None:
    node.store.speak()
    node.store.interrupt()


async def asked(nodes: Nodes, pace: Pace = "none") -> RecordedViewer:
    """Ann plays with bots on node a, and has a question."""
    ann = await nodes.a.create(fill="easy", pace=pace)
    while ann.view.prompt is None:
        await nodes.move(700)
    await nodes.move(10_000)
    return ann


async def test_a_silent_store_is_noticed_by_a_node_that_only_looks_on() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        await nodes.move(10_000)
        fall_silent(nodes.b)
        await nodes.move(PATIENCE_MS)
        assert dan.notices == ["stale"]
        assert ann.notices == []
        speak_again(nodes.b)
        await nodes.move(LAST_RETRY_MS)
        assert dan.notices == ["stale", "live"]


async def test_an_answer_that_does_not_come_is_noticed_where_the_channel_is_well() -> None:
    async with running_nodes() as nodes:
        ann = await asked(nodes)
        nodes.a.store.silent = True
        acting = asyncio.create_task(nodes.a.act(ann))
        await nodes.move(2 * PATIENCE_MS)
        with pytest.raises(Refusal) as refused:
            await acting
        assert (refused.value.code, refused.value.retry_ms) == (ErrorCode.STORE_UNAVAILABLE, 1000)
        assert ann.notices == ["stale"]


async def test_while_it_is_silent_everything_is_refused_at_once_and_a_command_is_done_once() -> None:
    async with running_nodes() as nodes:
        ann = await asked(nodes)
        view, prompt, you = ann.view, ann.prompt, ann.view.you
        assert you is not None
        act = Act(you.n + 1, prompt.id, prompt.actions[0])
        fall_silent(nodes.a)
        acting = asyncio.create_task(nodes.a.hub.command(ann, act))
        await nodes.move(PATIENCE_MS)
        assert await refusal(acting) is ErrorCode.STORE_UNAVAILABLE
        hub, eva = nodes.a.hub, RecordedViewer()
        for request in (
            hub.command(ann, act),
            hub.say(ann, "", "hello"),
            hub.rooms(),
            hub.check(),
            hub.create(eva, "Eva", Create("chuo-pai")),
            hub.join(eva, "Eva", "AAAAAAAA"),
            hub.watch(eva, "AAAAAAAA"),
        ):
            assert await refusal(request) is ErrorCode.STORE_UNAVAILABLE
        assert ann.view == view
        speak_again(nodes.a)  # and what it was asked before, it now does
        await nodes.move(LAST_RETRY_MS)
        assert ann.notices == ["stale", "live"]
        await hub.command(ann, act)
        await settled()
        assert ann.view.you is not None
        assert ann.view.you.n == act.n
        numbers = [commit.numbered.n for commit in nodes.commits(ann.place_taken.code) if commit.numbered]
        assert numbers.count(act.n) == 1


async def test_a_pause_shorter_than_the_patience_is_not_spoken_of() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        fall_silent(nodes.a)
        await nodes.move(PATIENCE_MS - 1)
        speak_again(nodes.a)
        await nodes.move(10_000)
        assert ann.notices == []
        await nodes.a.command(ann, Fill)


async def test_a_channel_that_is_not_mended_makes_a_node_stale_though_the_store_answers() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.deaf = True
        nodes.b.store.lose_channel()
        await nodes.a.command(ann, Fill)
        await nodes.move(PATIENCE_MS)
        assert dan.notices == ["stale"]
        nodes.b.store.deaf = False
        nodes.b.store.interrupt()
        await settled()
        assert dan.notices == ["stale", "live"]
        assert dan.view.seats == ann.view.seats


async def test_no_bot_acts_while_the_store_is_out_of_reach_and_afterwards_all_do() -> None:
    async with running_nodes() as nodes:
        ann = await asked(nodes)
        await nodes.a.command(ann, Autopilot, on=True)
        fall_silent(nodes.a)
        await nodes.move(PATIENCE_MS)
        written, tables = nodes.world.changes, len(ann.tables)
        await nodes.move(60_000)
        assert (nodes.world.changes, len(ann.tables)) == (written, tables)
        speak_again(nodes.a)
        await nodes.move(3_000)
        assert nodes.world.changes > written + 1
        assert len(ann.tables) > tables


async def test_nodes_that_did_not_hear_each_other_for_long_know_of_each_other_s_players_again() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        fall_silent(nodes.b)
        await nodes.move(60_000)
        assert not ann.view.seats[1].connected
        speak_again(nodes.b)
        await nodes.move(LAST_RETRY_MS)
        for viewer in (ann, bea):
            assert [seat.connected for seat in viewer.view.seats] == [True, True, False]


async def test_a_room_that_alone_cannot_be_read_is_alone_in_being_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_nodes() as nodes:
        ann, eva = await nodes.a.create(), await nodes.a.create("Eva")
        dead, store = eva.place_taken.code, nodes.a.store

        def lost(work: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
            async def refused(room: str, *more: object, **options: object) -> object:
                if room == dead:
                    raise Refused("its shard is down")
                return await work(room, *more, **options)

            return refused

        with monkeypatch.context() as patched:
            for name in ("read", "append"):
                patched.setattr(store, name, lost(getattr(store, name)))
            assert await refusal(nodes.a.command(eva, Fill)) is ErrorCode.STORE_UNAVAILABLE
            await nodes.move(60_000)
            assert (ann.notices, eva.notices) == ([], ["stale"])
            await nodes.a.command(ann, Fill)
            assert await refusal(nodes.a.command(eva, Fill)) is ErrorCode.STORE_UNAVAILABLE
            fall_silent(nodes.a)  # all of it, now
            await nodes.move(PATIENCE_MS)
            assert (ann.notices, eva.notices) == (["stale"], ["stale"])
            speak_again(nodes.a)
            await nodes.move(10_000)
            assert (ann.notices, eva.notices) == (["stale", "live"], ["stale"])
        await nodes.move(LAST_RETRY_MS)
        assert (ann.notices, eva.notices) == (["stale", "live"], ["stale", "live"])
        await nodes.a.command(eva, Fill)


async def test_a_room_that_cannot_be_read_and_that_nobody_uses_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_nodes() as nodes:
        eva = await nodes.a.create("Eva")
        nodes.a.store.unreadable = True
        nodes.a.store.lose_channel()
        nodes.a.store.interrupt()
        await nodes.move(LAST_RETRY_MS)
        await nodes.a.drop(eva)
        await nodes.move(LAST_RETRY_MS)
        nodes.a.store.unreadable = False
        back = await nodes.a.resume(eva.place_taken.ticket)
        await nodes.a.command(back, Fill)


async def test_a_store_that_falls_silent_at_the_first_word_after_it_came_back_is_noticed() -> None:
    async with running_nodes() as nodes:
        ann = await asked(nodes, pace="fast")
        fall_silent(nodes.a)
        await nodes.move(15_000)

        async def hang() -> None:
            nodes.a.store.silent = True
            await nodes.a.store.check()

        nodes.a.store.before.append(hang)
        speak_again(nodes.a)
        await nodes.move(LAST_RETRY_MS)
        assert nodes.a.store.silent
        assert ann.notices == ["stale", "live"]
        await nodes.move(3 * PATIENCE_MS)
        assert ann.notices == ["stale", "live", "stale"]
        nodes.a.store.speak()
        await nodes.move(LAST_RETRY_MS)
        assert ann.notices == ["stale", "live", "stale", "live"]


async def test_the_operator_learns_each_reason_why_a_store_is_not_taken_back_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_nodes() as nodes:
        await nodes.a.create()
        reasons = [f"it has appendfsync everysec ({number})" for number in range(2)]
        tried = 0

        async def check() -> None:
            nonlocal tried
            tried += 1
            raise Refused(reasons[tried > 100])

        with monkeypatch.context() as patched:
            patched.setattr(nodes.a.store, "check", check)
            nodes.a.store.lose_channel()
            nodes.a.store.interrupt()
            await nodes.move(120_000)
        assert tried > 200
        for reason in reasons:
            assert caplog.text.count(reason) == 1
