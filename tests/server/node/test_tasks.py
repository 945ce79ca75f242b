"""A fault in what a node does beside its rooms ends nothing."""

import logging

import pytest

from server.node.presence import HEARTBEAT_MS
from server.node.tasks import AGAIN_MS, Tasks
from server.node.watch import LAST_RETRY_MS
from server.rooms.view import table_views
from tests.moved_clock import MovedClock, settled
from tests.server.node.nodes import running_nodes

SECRET = "hand of seat 1: 36 66"


def forget_faults(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Those that there were, which must not quote anything."""
    found = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert SECRET not in caplog.text
    caplog.clear()
    return found


async def test_standing_work_that_fails_is_begun_again_until_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    clock, begun = MovedClock(), 0

    async def work() -> None:
        nonlocal begun
        begun += 1
        if begun < 3:
            raise ValueError(SECRET)

    async with Tasks("a", clock) as tasks:
        task = tasks.stand(work)
        await settled()
        assert begun == 1
        await clock.move(2 * AGAIN_MS)
        assert task.done()
    assert begun == 3
    assert len(forget_faults(caplog)) == 2


async def test_a_store_that_raises_what_it_should_not_is_out_of_reach_until_it_no_longer_does(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()

        async def garbled() -> None:
            raise ValueError(SECRET)

        with monkeypatch.context() as patched:
            patched.setattr(nodes.a.store, "check", garbled)
            nodes.a.store.lose_channel()
            nodes.a.store.interrupt()
            await nodes.move(60_000)
        assert ann.notices == ["stale"]
        await nodes.move(LAST_RETRY_MS)
        assert ann.notices == ["stale", "live"]
    assert caplog.text.count("trouble with the store: ValueError") == 1
    assert SECRET not in caplog.text


async def test_a_fault_in_a_recovery_is_followed_by_another_recovery(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.a.store.refusing = True
        nodes.a.store.lose_channel()
        await nodes.move(1)

        def fault() -> None:
            raise ValueError(SECRET)

        with monkeypatch.context() as patched:
            patched.setattr(nodes.a.hub._store, "let_read", fault)
            nodes.a.store.refusing = False
            nodes.a.store.interrupt()
            await nodes.move(LAST_RETRY_MS)
        await nodes.move(AGAIN_MS)
        assert ann.notices == ["stale", "live"]
        assert nodes.a.hub._store.usable
    assert forget_faults(caplog)


async def test_one_room_that_cannot_be_shown_harms_no_other(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_nodes() as nodes:
        ann, eva = await nodes.a.create(), await nodes.a.create("Eva")
        for viewer in (ann, eva):
            await nodes.b.join(viewer.place_taken.code, "Dan")
        views, bad = table_views, ann.place_taken.code

        def of_one_room_bad(state, *more):  # type: ignore[no-untyped-def]
            if state.code == bad:
                raise ValueError(SECRET)
            return views(state, *more)

        monkeypatch.setattr("server.node.audience.table_views", of_one_room_bad)
        await nodes.b.crash()
        await nodes.move(6 * HEARTBEAT_MS)
        assert not eva.view.seats[1].connected
        assert ann.view.seats[1].connected
        monkeypatch.undo()
    assert forget_faults(caplog)
