"""Two versions of the server side by side: a room into which the newer one has written is only shown by the older."""

import msgspec
import pytest
from msgspec.structs import replace

from protocol.errors import ErrorCode
from protocol.messages import Autopilot, Create, Fill, Leave, Start
from server.node.codes import room_codes
from server.rooms.digest import FOLD, digest_of
from server.rooms.events import AutopilotSet, Commit, RoomCreated, encode_commit
from server.rooms.fold import fold
from tests.moved_clock import settled
from tests.server.node.nodes import refusal, running_nodes

SECRET = "mcbb3dqJw0SGZ7yY2rTnLg"

UNKNOWN_EVENT = msgspec.msgpack.encode([b"id", "c", 0, [["danced", 0]], None, b""])
OTHER_DIGEST = encode_commit(Commit(b"id", "c", 0, (AutopilotSet(0, on=True),), None, b"8 bytes!", FOLD))


@pytest.mark.parametrize("payload", [UNKNOWN_EVENT, OTHER_DIGEST])
async def test_a_room_that_a_newer_server_has_written_in_is_shown_and_not_played(
    payload: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace="fast")
        code = ann.place_taken.code
        dan = await nodes.b.watch(code)
        await nodes.move(700)
        nodes.world.forge(code, payload)
        for node in (nodes.a, nodes.b):
            node.store.interrupt()
        await settled()
        seats = ann.view.seats
        assert [viewer.notices for viewer in (ann, dan)] == [["newer"], ["newer"]]
        entries = nodes.world.log(code)
        assert await refusal(nodes.a.command(ann, Autopilot, on=True)) is ErrorCode.ROOM_NEWER
        assert await refusal(nodes.a.hub.export(ann, 1)) is ErrorCode.ROOM_NEWER
        for node in (nodes.a, nodes.b):
            assert await refusal(node.resume(ann.place_taken.ticket)) is ErrorCode.ROOM_NEWER
            assert await refusal(node.join(code, "Bea")) is ErrorCode.ROOM_NEWER
            eva = await node.watch(code)
            assert eva.view.seats == seats
            assert eva.notices == ["newer"]
        await nodes.a.hub.say(ann, "", "hello")
        await nodes.move(600_000)
        assert nodes.world.log(code) == entries
        assert ann.view.seats == seats
        assert not ann.unseated
        assert ann.notices == ["newer"], "told once"
        assert caplog.messages
        for message in caplog.messages:
            assert "danced" not in message
        caplog.clear()


async def test_who_would_open_a_room_again_that_is_newer_is_sent_to_another_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_nodes() as nodes:
        await nodes.a.create(secret=SECRET)
        nodes.world.forge(next(room_codes(SECRET)), UNKNOWN_EVENT)
        assert await refusal(nodes.b.create(secret=SECRET)) is ErrorCode.ROOM_NEWER
        caplog.clear()


async def test_of_a_room_with_newer_rules_nothing_can_be_shown(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        nodes.occupy("ABCDEFGH", "Eva")
        (commit,) = nodes.commits("ABCDEFGH")
        created, taken = commit.events
        assert isinstance(created, RoomCreated)
        nodes.world.roll_back("ABCDEFGH", 0)
        nodes.world.forge("ABCDEFGH", encode_commit(replace(commit, events=(replace(created, rules=2), taken))))
        for request in (nodes.a.watch("ABCDEFGH"), nodes.a.join("ABCDEFGH", "Bea"), nodes.a.resume("ABCDEFGH.x")):
            assert await refusal(request) is ErrorCode.ROOM_NEWER
        assert not nodes.a.store.followed
        caplog.clear()


async def test_every_commit_carries_the_digest_of_the_state_that_it_leads_to() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        await nodes.b.join(code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.move(5_000)
        state = None
        for commit in nodes.commits(code):
            state = fold(state, commit)
            assert commit.digest == digest_of(state)
            assert commit.fold == FOLD


async def test_a_room_that_lost_what_the_newer_server_wrote_is_played_again(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        nodes.world.forge(code, UNKNOWN_EVENT)
        nodes.a.store.interrupt()
        await settled()
        assert await refusal(nodes.a.command(ann, Fill)) is ErrorCode.ROOM_NEWER
        nodes.world.roll_back(code, 1)
        nodes.a.store.interrupt()
        await settled()
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.move(700)
        assert ann.view.deal is not None
        caplog.clear()


async def test_viewers_of_a_newer_room_may_go(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.a.watch(ann.place_taken.code)
        nodes.world.forge(ann.place_taken.code, UNKNOWN_EVENT)
        nodes.a.store.interrupt()
        await settled()
        await nodes.a.command(dan, Leave)
        await nodes.a.drop(ann)
        assert not nodes.a.store.followed
        await nodes.a.hub.create(ann, "Ann", Create("chuo-pai"))
        caplog.clear()
