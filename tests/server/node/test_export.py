from random import Random

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Ready, Start
from server.games.record import discrepancies, outcome, read
from server.games.registry import GAMES
from server.node.watch import LAST_RETRY_MS
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import TIMING, Nodes, RunningNode, refusal, running_nodes


async def play_a_deal(nodes: Nodes, places: list[tuple[RunningNode, RecordedViewer]], rng: Random) -> None:
    while places[0][1].view.room.phase in ("dealing", "playing"):
        for node, viewer in places:
            if viewer.view.prompt is not None:
                await node.act(viewer, rng.choice(viewer.prompt.actions))
        await nodes.move(TIMING.beat_ms)


@pytest.mark.parametrize("game", GAMES)
async def test_players_and_spectators_of_any_node_export_finished_deals(game: str) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(game=game, deals=2)
        code = ann.place_taken.code
        places = [
            (nodes.a, ann),
            (nodes.b, await nodes.b.join(code, "Bea")),
            (nodes.a, await nodes.a.join(code, "Cem")),
        ]
        dan = await nodes.b.watch(code)
        await nodes.a.command(ann, Start)
        assert await refusal(nodes.a.hub.export(ann, 1)) is ErrorCode.DEAL_NOT_OVER
        await play_a_deal(nodes, places, Random(1))
        lines = [await node.hub.export(viewer, 1) for node, viewer in (*places, (nodes.b, dan))]
        (line,) = set(lines)
        record = read(line)
        assert list(discrepancies(record)) == []
        assert ann.view.result is not None
        assert record.result == outcome(ann.view.result)
        for node, viewer in places:
            await node.command(viewer, Ready)
        assert await nodes.a.hub.export(ann, 1) == line
        assert await refusal(nodes.a.hub.export(ann, 2)) is ErrorCode.DEAL_NOT_OVER
        await play_a_deal(nodes, places, Random(2))
        assert ann.view.room.phase == "over"
        assert read(await nodes.b.hub.export(dan, 2)).deck != record.deck


async def test_the_log_is_not_read_for_a_deal_that_is_known_not_to_be_over() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.a.command(ann, Start, fill="easy")
        nodes.a.store.unreadable = True
        for deal in (1, 2, 32):
            assert await refusal(nodes.a.hub.export(ann, deal)) is ErrorCode.DEAL_NOT_OVER


async def test_bots_are_named_in_a_record_like_players() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.a.command(ann, Start, fill="easy")
        await play_a_deal(nodes, [(nodes.a, ann)], Random(3))
        names = [seat.name for seat in ann.view.seats]
        assert read(await nodes.a.hub.export(ann, 1)).extra == {"names": names, "deal": 1, "deals": 1}
        assert names[1:] == ["Bot 2", "Bot 3"]


async def test_only_who_is_in_the_room_exports_from_it() -> None:
    async with running_nodes() as nodes:
        await nodes.a.create()
        assert await refusal(nodes.a.hub.export(RecordedViewer(), 1)) is ErrorCode.NOT_SEATED


async def test_what_the_store_does_not_give_cannot_be_exported() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.a.command(ann, Start, fill="easy")
        await play_a_deal(nodes, [(nodes.a, ann)], Random(3))
        nodes.a.store.unreadable = True
        assert await refusal(nodes.a.hub.export(ann, 1)) is ErrorCode.STORE_UNAVAILABLE
        nodes.a.store.unreadable = False
        await nodes.move(LAST_RETRY_MS)
        nodes.world.damage(ann.place_taken.code, 1)
        assert await refusal(nodes.a.hub.export(ann, 1)) is ErrorCode.ROOM_DAMAGED
