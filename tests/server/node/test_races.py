"""What comes between a request and its answer."""

import asyncio

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Autopilot, Fill, Remove, Start
from server.node.codes import room_codes
from server.node.room import ATTEMPTS
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import refusal, running_nodes


async def test_a_connection_that_was_overtaken_before_it_was_seated_is_replaced() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        ticket = ann.place_taken.ticket
        newest: list[RecordedViewer] = []

        async def overtake() -> None:
            newest.append(await nodes.b.resume(ticket))

        nodes.a.store.after.append(overtake)
        overtaken = RecordedViewer()
        await nodes.a.hub.resume(overtaken, ticket)
        await settled()
        assert overtaken.replaced
        assert overtaken.told == []
        assert not newest[0].replaced
        assert not nodes.a.store.followed


async def test_a_player_who_was_removed_before_they_were_seated_is_told_so() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()

        async def remove() -> None:
            await nodes.a.command(ann, Remove, seat=1)

        nodes.b.store.after.append(remove)
        bea = RecordedViewer()
        await nodes.b.hub.join(bea, "Bea", ann.place_taken.code)
        await settled()
        assert bea.unseated == ["removed"]
        assert bea.tables == []
        assert not nodes.b.store.followed


async def test_a_join_that_finds_the_last_seat_gone_is_refused() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()

        async def fill() -> None:
            await nodes.a.command(ann, Fill)

        nodes.b.store.before.append(fill)
        bea = RecordedViewer()
        assert await refusal(nodes.b.hub.join(bea, "Bea", ann.place_taken.code)) is ErrorCode.ROOM_FULL
        assert bea.told == []


async def test_a_room_that_others_write_to_without_end_asks_to_be_tried_again() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")

        async def write() -> None:
            await nodes.a.command(ann, Autopilot, on=True)

        nodes.b.store.before.extend([write] * ATTEMPTS)
        assert await refusal(nodes.b.hub.command(bea, Autopilot(1, on=True))) is ErrorCode.STORE_UNAVAILABLE
        assert not ann.view.seats[1].autopilot
        await nodes.b.hub.command(bea, Autopilot(1, on=True))
        await settled()
        assert ann.view.seats[1].autopilot


async def test_a_used_code_is_left_alone_though_its_log_is_damaged(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        secret = "mcbb3dqJw0SGZ7yY2rTnLg"
        code = next(room_codes(secret))
        nodes.occupy(code, "Eva")
        nodes.world.damage(code, 1)
        before = nodes.world.log(code)
        bea = await nodes.b.create("Bea", secret=secret)
        assert bea.place_taken.code != code
        assert nodes.world.log(code) == before
        caplog.clear()


async def test_a_connection_that_dies_while_it_sits_down_holds_nothing_open() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.b.store.after.append(asyncio.Event().wait)
        bea = RecordedViewer()
        joining = asyncio.create_task(nodes.b.hub.join(bea, "Bea", ann.place_taken.code))
        await settled()
        joining.cancel()
        await asyncio.wait([joining])
        await settled()
        assert bea.told == []
        assert not nodes.b.store.followed
        assert (ann.view.seats[1].name, ann.view.seats[1].connected) == ("Bea", False)
        await nodes.a.command(ann, Remove, seat=1)
        cem = await nodes.b.join(ann.place_taken.code, "Cem")
        assert cem.seat == 1


async def test_a_connection_that_dies_in_mid_command_leaves_the_room_in_order() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.a.join(ann.place_taken.code, "Bea")
        nodes.a.store.after.append(asyncio.Event().wait)
        asking = asyncio.create_task(nodes.a.hub.command(bea, Autopilot(1, on=True)))
        await settled()
        asking.cancel()
        await asyncio.wait([asking])
        await nodes.a.drop(bea)
        await nodes.a.command(ann, Fill)
        assert ann.view.seats[1].autopilot
        assert ann.view.seats[2].kind == "bot"
        again = await nodes.a.resume(bea.place_taken.ticket)
        await nodes.a.hub.command(again, Autopilot(1, on=True))
        assert len(nodes.commits(ann.place_taken.code)) == 5


# Faults of the server's own


async def test_after_a_fault_of_its_driver_a_room_is_opened_afresh_and_no_other_is_touched(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_nodes() as nodes:
        ann, eva = await nodes.a.create(), await nodes.a.create("Eva")

        def broken(pack: tuple[str, ...], seed: bytes) -> tuple[tuple[str, ...], int]:
            raise RuntimeError(f"the deck was {pack}, of {seed!r}")

        with monkeypatch.context() as patched:
            patched.setattr(nodes.a.chance, "dealt", broken)
            await nodes.a.command(ann, Start, fill="easy")
        assert (ann.sent_away, ann.unseated) == (1, [])
        await nodes.a.command(eva, Start, fill="easy")
        assert (eva.sent_away, eva.view.room.phase) == (0, "playing")
        again = await nodes.a.resume(ann.place_taken.ticket)
        await nodes.a.drop(ann)
        assert again.view.room.phase == "playing"
        await nodes.a.command(again, Autopilot, on=True)
        assert again.view.seats[0].autopilot
        (message,) = caplog.messages
        assert message.startswith(f"room {ann.place_taken.code}: its driver failed: RuntimeError\n")
        assert "'66'" not in message
        caplog.clear()


async def test_a_fault_in_the_background_ends_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)

        def broken(*_: object) -> None:
            raise RuntimeError("the log was 66")

        with monkeypatch.context() as patched:
            patched.setattr(nodes.b.store, "read", broken)
            nodes.b.store.interrupt()
            await settled()
        message, fault = caplog.messages
        assert message.endswith("the store: its channel was lost")
        assert fault.startswith(f"room {ann.place_taken.code} was not read: RuntimeError\n")
        caplog.clear()
        await nodes.a.command(ann, Fill)
        assert dan.view.seats == ann.view.seats


async def test_a_channel_that_comes_back_before_the_store_does_tells_players_to_wait() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.a.store.refusing = True
        nodes.a.store.interrupt()
        await settled()
        assert ann.notices == ["stale"]
        nodes.a.store.refusing = False
        await nodes.move(500)
        assert ann.notices == ["stale", "live"]
