"""What players notice when the store or the channel between nodes fails: at most a pause."""

import asyncio
from typing import Literal

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Act, Autopilot, Create, Fill, Leave, Remove, Start
from server.node.presence import HEARTBEAT_MS
from server.rooms.due import LOBBY_KEPT_MS
from server.rooms.events import Acted, Commit, encode_commit
from server.rooms.refusal import Refusal
from server.store.base import EMPTY, Position, seal, unseal
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, refusal, running_nodes, running_third

Lost = Literal["landed", "lost"]
Player = tuple[RunningNode, RecordedViewer]


async def playing(nodes: Nodes) -> list[Player]:
    """Ann on node a, Bea on node b and a bot; it is a player's turn."""
    ann = await nodes.a.create()
    bea = await nodes.b.join(ann.place_taken.code, "Bea")
    await nodes.a.command(ann, Start, fill="easy")
    players = [(nodes.a, ann), (nodes.b, bea)]
    while not any(viewer.view.prompt for _, viewer in players):
        await nodes.move(700)
    return players


def whose_turn(players: list[Player]) -> Player:
    (turn,) = [(node, viewer) for node, viewer in players if viewer.view.prompt is not None]
    return turn


def code_of(players: list[Player]) -> str:
    return players[0][1].place_taken.code


def acts(nodes: Nodes, code: str) -> list[Acted]:
    return [event for commit in nodes.commits(code) for event in commit.events if isinstance(event, Acted)]


# A lost reply


@pytest.mark.parametrize("lost", ["landed", "lost"])
async def test_an_action_is_done_once_whether_its_reply_or_the_request_was_lost(lost: Lost) -> None:
    async with running_nodes() as nodes:
        players = await playing(nodes)
        node, viewer = whose_turn(players)
        before = acts(nodes, code_of(players))
        prompt = viewer.prompt
        node.store.lose_reply = lost
        await node.act(viewer)
        done = acts(nodes, code_of(players))[len(before) :]
        assert done == [Acted(viewer.seat, prompt.actions[0], "player")]
        for _, each in players:
            assert each.view.deal is not None
            assert len(each.view.deal.history) == len(before) + 1


@pytest.mark.parametrize("lost", ["landed", "lost"])
async def test_a_room_is_made_and_a_seat_taken_once_when_replies_are_lost(lost: Lost) -> None:
    async with running_nodes() as nodes:
        nodes.a.store.lose_reply = lost
        ann = await nodes.a.create()
        nodes.b.store.lose_reply = lost
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        assert [seat.name for seat in ann.view.seats] == ["Ann", "Bea", ""]
        nodes.a.store.lose_reply = lost
        again = await nodes.a.resume(bea.place_taken.ticket)
        assert bea.replaced
        assert again.seat == 1
        assert len(nodes.commits(ann.place_taken.code)) == 3


async def test_a_command_repeated_after_everything_was_lost_is_done_once() -> None:
    async with running_nodes() as nodes:
        players = await playing(nodes)
        node, viewer = whose_turn(players)
        before = len(acts(nodes, code_of(players)))
        you = viewer.view.you
        assert you is not None
        act = Act(you.n + 1, viewer.prompt.id, viewer.prompt.actions[0])
        node.store.lose_reply, node.store.unreadable = "landed", True
        assert await refusal(node.hub.command(viewer, act)) is ErrorCode.STORE_UNAVAILABLE
        node.store.unreadable = False
        await node.hub.command(viewer, act)
        await node.hub.command(viewer, act)
        assert len(acts(nodes, code_of(players))) == before + 1


# Two nodes at once


async def test_two_nodes_that_write_at_once_write_one_after_the_other() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        viewers = [RecordedViewer() for _ in range(4)]
        found = await asyncio.gather(
            *(
                (nodes.a if number % 2 else nodes.b).hub.join(viewer, "Bea", code)
                for number, viewer in enumerate(viewers)
            ),
            return_exceptions=True,
        )
        await settled()
        assert [outcome is None for outcome in found].count(True) == 2
        seated = [viewer for viewer in viewers if viewer.told]
        assert sorted(viewer.seat for viewer in seated) == [1, 2]
        assert len({seat.name for seat in ann.view.seats}) == 3


async def test_a_command_that_lost_the_race_is_decided_again() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        await asyncio.gather(
            nodes.a.hub.command(ann, Fill(1, "easy", 2)), nodes.b.hub.command(bea, Autopilot(1, on=True))
        )
        await settled()
        for viewer in (ann, bea):
            assert [seat.kind for seat in viewer.view.seats] == ["human", "human", "bot"]
            assert viewer.view.seats[1].autopilot


async def test_a_player_and_their_bot_who_act_at_once_answer_one_question_once() -> None:
    async with running_nodes() as nodes:
        players = await playing(nodes)
        node, viewer = whose_turn(players)
        prompt = viewer.prompt
        await node.command(viewer, Autopilot, on=True)
        you = viewer.view.you
        assert you is not None
        act = Act(you.n + 1, prompt.id, prompt.actions[-1])
        before = len(acts(nodes, code_of(players)))
        await asyncio.gather(nodes.move(700), node.hub.command(viewer, act), return_exceptions=True)
        await settled()
        answers = [acted for acted in acts(nodes, code_of(players))[before:] if acted.seat == viewer.seat]
        assert len(answers) == 1


async def test_time_in_a_log_never_goes_back_though_the_clocks_of_nodes_differ() -> None:
    async with running_nodes() as nodes:
        players = await playing(nodes)
        nodes.b.store.ahead_ms = -5_000
        for _ in range(4):
            for node, viewer in players:
                await node.command(viewer, Autopilot, on=False)
        times = [commit.at_ms for commit in nodes.commits(code_of(players))]
        assert times == sorted(times)


# The store is out of reach


async def test_while_the_store_refuses_nothing_is_done_and_later_everything_is() -> None:
    async with running_nodes() as nodes:
        players = await playing(nodes)
        node, viewer = whose_turn(players)
        view, prompt = viewer.view, viewer.prompt
        you = view.you
        assert you is not None
        act = Act(you.n + 1, prompt.id, prompt.actions[0])
        nodes.a.store.refusing = nodes.b.store.refusing = True
        for _ in range(3):
            assert await refusal(node.hub.command(viewer, act)) is ErrorCode.STORE_UNAVAILABLE
        assert viewer.view == view
        assert viewer.notices == ["stale"]
        assert await refusal(node.hub.say(viewer, "", "hello")) is ErrorCode.STORE_UNAVAILABLE
        for request in (
            node.hub.rooms(),
            node.hub.check(),
            node.hub.create(RecordedViewer(), "Eva", Create("chuo-pai")),
        ):
            assert await refusal(request) is ErrorCode.STORE_UNAVAILABLE
        await nodes.move(5_000)
        nodes.a.store.refusing = nodes.b.store.refusing = False
        await nodes.move(500)
        assert viewer.notices == ["stale", "live"]
        await node.hub.check()
        await node.hub.command(viewer, act)
        await settled()
        assert viewer.view != view


async def test_a_bot_waits_for_the_store_and_then_plays() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        code = ann.place_taken.code
        await nodes.a.command(ann, Autopilot, on=True)
        nodes.a.store.refusing = True
        await nodes.move(10_000)
        before = len(acts(nodes, code))
        nodes.a.store.refusing = False
        await nodes.move(5_000)
        assert len(acts(nodes, code)) > before
        assert ann.notices == ["stale", "live"]


async def test_players_are_told_that_the_store_is_back_when_their_room_can_be_read_again() -> None:
    async with running_nodes() as nodes:
        players = await playing(nodes)
        node, viewer = whose_turn(players)
        node.store.unreadable, node.store.lose_reply = True, "landed"
        assert await refusal(node.act(viewer)) is ErrorCode.STORE_UNAVAILABLE
        await nodes.move(10_000)
        assert viewer.notices == ["stale"]
        node.store.unreadable = False
        await nodes.move(500)
        assert viewer.notices == ["stale", "live"]
        you = viewer.view.you
        assert you is not None
        assert you.n > 0


# What is published may be missed, late, or come twice


async def test_missed_entries_are_caught_up_with_the_next_one() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.deaf = True
        await nodes.a.command(ann, Fill, seat=1)
        await nodes.a.command(ann, Fill, seat=2)
        assert [seat.kind for seat in dan.view.seats] == ["human", "empty", "empty"]
        nodes.b.store.deaf = False
        await nodes.a.command(ann, Autopilot, on=True)
        assert dan.view.seats == ann.view.seats
        assert dan.happened.count("bot_sat") == 2


async def test_after_an_interruption_of_the_channel_rooms_are_read_again() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.deaf = True
        await nodes.a.command(ann, Fill)
        nodes.b.store.deaf = False
        nodes.b.store.interrupt()
        await settled()
        assert dan.view.seats == ann.view.seats


async def test_a_deaf_node_catches_up_when_its_own_players_act() -> None:
    async with running_nodes() as nodes:
        players = await playing(nodes)
        nodes.a.store.deaf = nodes.b.store.deaf = True
        node, viewer = whose_turn(players)
        await node.act(viewer)
        for each, onlooker in players:
            await each.command(onlooker, Autopilot, on=False)
        histories = {each.view.deal.history for _, each in players if each.view.deal is not None}
        assert len(histories) == 1


async def test_entries_that_come_twice_or_in_the_wrong_order_are_shown_once_and_in_order() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.stutters = True
        await nodes.a.command(ann, Fill, seat=1)
        assert dan.happened.count("bot_sat") == 1
        nodes.b.store.stutters, nodes.b.store.delays = False, True
        await nodes.a.command(ann, Fill, seat=2)
        await nodes.a.command(ann, Start)
        await nodes.move(700)
        nodes.b.store.deliver()
        await settled()
        assert dan.view.deal == (await nodes.a.watch(ann.place_taken.code)).view.deal
        assert dan.happened[:4] == ["bot_sat", "bot_sat", "match_started", "deal_started"]


# A store that lost what it had acknowledged, or damaged it


async def two_fills_lost(nodes: Nodes) -> tuple[RecordedViewer, RecordedViewer]:
    """Ann on node a and a spectator on node b, of a log that was three entries long and now is one."""
    ann = await nodes.a.create()
    dan = await nodes.b.watch(ann.place_taken.code)
    await nodes.a.command(ann, Fill, seat=1)
    await nodes.a.command(ann, Fill, seat=2)
    nodes.world.roll_back(ann.place_taken.code, 1)
    return ann, dan


async def test_after_a_rollback_players_are_told_and_shown_the_truth(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann, dan = await two_fills_lost(nodes)
        await nodes.a.command(ann, Autopilot, on=True)
        nodes.b.store.interrupt()  # as a failover does
        await settled()
        for viewer in (ann, dan):
            assert viewer.notices == ["reset"]
            assert [seat.kind for seat in viewer.view.seats] == ["human", "empty", "empty"]
            assert viewer.view.seats[0].autopilot
        caplog.clear()


async def test_a_rollback_shows_a_fresh_view_even_where_it_changed_nothing_to_be_seen(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        await nodes.a.command(ann, Autopilot, on=False)
        view, shown = dan.view, len(dan.tables)
        nodes.world.roll_back(ann.place_taken.code, 1)
        nodes.b.store.interrupt()
        await settled()
        assert dan.notices == ["reset"]
        assert dan.view == view
        assert len(dan.tables) == shown + 1
        caplog.clear()


@pytest.mark.parametrize("regrown_to", [3, 4, 5])
async def test_a_log_that_regrew_elsewhere_is_never_taken_for_the_one_that_was_known(
    regrown_to: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_nodes() as nodes, running_third(nodes) as third:
        ann, dan = await two_fills_lost(nodes)
        nodes.a.store.deaf = nodes.b.store.deaf = True
        eva = await third.join(ann.place_taken.code, "Eva")
        for _ in range(3, regrown_to):
            await third.command(eva, Autopilot, on=False)
        nodes.a.store.deaf = nodes.b.store.deaf = False
        await third.command(eva, Autopilot, on=True)
        await nodes.move(2 * HEARTBEAT_MS)
        for viewer in (ann, dan):
            assert viewer.notices == ["reset"]
            assert viewer.view.seats == eva.view.seats
            assert not viewer.unseated
        caplog.clear()


async def test_a_rollback_that_loses_the_whole_room_ends_it(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.world.roll_back(ann.place_taken.code, 0)
        assert await refusal(nodes.a.command(ann, Fill)) is ErrorCode.NO_SUCH_ROOM
        assert ann.unseated == ["closed"]
        assert not nodes.a.store.followed
        caplog.clear()


async def test_whose_seat_was_lost_in_a_rollback_sees_no_hand_of_who_has_it_now(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea = await nodes.b.join(code, "Bea")
        nodes.world.roll_back(code, 1)
        nodes.a.store.deaf = nodes.b.store.deaf = True
        async with running_third(nodes) as third:
            eva = await third.join(code, "Eva")
            assert eva.seat == bea.seat
            shown = len(bea.tables)
            nodes.a.store.deaf = nodes.b.store.deaf = False
            await nodes.a.command(ann, Start, fill="easy")
            assert eva.view.deal is not None
        assert bea.sent_away == 1
        assert len(bea.tables) == shown
        assert not nodes.b.store.followed
        caplog.clear()


async def test_a_damaged_entry_ends_its_room_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann, eva = await nodes.a.create(), await nodes.a.create("Eva")
        code = ann.place_taken.code
        nodes.world.forge(code, encode_commit(Commit(b"", "", 0, (Acted(0, "pass", "bot"),))))
        assert await refusal(nodes.a.command(ann, Fill)) is ErrorCode.ROOM_DAMAGED
        assert ann.unseated == ["damaged"]
        assert await refusal(nodes.b.hub.join(RecordedViewer(), "Bea", code)) is ErrorCode.ROOM_DAMAGED
        await nodes.a.command(eva, Start, fill="easy")
        assert eva.view.deal is not None
        assert not eva.unseated
        assert {record.levelname for record in caplog.records} == {"ERROR"}
        caplog.clear()


async def test_a_flipped_bit_is_found_when_the_log_is_read(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.a.command(ann, Fill)
        nodes.world.damage(ann.place_taken.code, 2)
        assert await refusal(nodes.b.hub.watch(RecordedViewer(), ann.place_taken.code)) is ErrorCode.ROOM_DAMAGED
        caplog.clear()


async def test_a_bit_that_flips_on_the_way_to_a_node_ends_nothing() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.join(ann.place_taken.code, "Dan")
        nodes.b.store.deaf = True
        await nodes.a.command(ann, Fill)
        store, read = nodes.b.store, nodes.b.store.read

        async def flipped(room: str, after: Position) -> tuple[bytes, ...]:
            store.read = read  # type: ignore[method-assign]
            return tuple(entry[:-1] + bytes((entry[-1] ^ 1,)) for entry in await read(room, after))

        store.read = flipped  # type: ignore[method-assign]
        store.deaf = False
        await nodes.b.command(dan, Autopilot, on=True)
        assert not dan.unseated
        assert dan.view.seats == ann.view.seats
        assert dan.view.seats[2].kind == "bot"


async def test_an_entry_that_is_told_wrongly_is_looked_up_in_the_log() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        nodes.b.store.deaf = True
        await nodes.a.command(ann, Fill)
        nodes.b.store.deaf = False
        position = EMPTY
        (first, _) = nodes.world.log(ann.place_taken.code)
        _, position = unseal(position, first)
        wrong, _ = seal(position, encode_commit(Commit(b"", "", 0, (Acted(0, "pass", "bot"),))))
        nodes.b.store.publish(ann.place_taken.code, 2, wrong)
        await settled()
        assert not dan.unseated
        assert dan.view.seats == ann.view.seats


async def test_no_error_that_is_logged_shows_a_card_or_a_ticket(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        nodes.world.forge(
            ann.place_taken.code, encode_commit(Commit(b"", "", 0, (Acted(0, "play 66+66+66+66+66", "bot"),)))
        )
        await refusal(nodes.a.command(ann, Autopilot, on=True))
        assert caplog.messages
        for message in caplog.messages:
            assert "66" not in message
            assert ann.place_taken.ticket not in message
        caplog.clear()


async def test_a_ticket_to_a_damaged_room_is_not_called_bad(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.a.command(ann, Fill)
        nodes.world.damage(ann.place_taken.code, 2)
        assert await refusal(nodes.b.resume(ann.place_taken.ticket)) is ErrorCode.ROOM_DAMAGED
        caplog.clear()


async def test_what_is_the_matter_with_the_store_is_for_its_operator(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.a.store.refusing = True
        with pytest.raises(Refusal) as refused:
            await nodes.a.command(ann, Fill)
        assert refused.value.text == "Not saved, so not done."
        await settled()
        nodes.a.store.refusing = False
        assert "trouble with the store: the store is out of reach" in caplog.text
        caplog.clear()


async def test_a_spectator_leaves_and_may_sit_down_elsewhere() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.a.watch(ann.place_taken.code)
        await nodes.a.command(dan, Leave)
        assert dan.unseated == ["left"]
        await nodes.a.hub.create(dan, "Dan", Create("chuo-pai"))


# A seat that was lost with the entries that a store lost


async def test_who_sat_down_in_lost_entries_may_ask_for_the_seat_again(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        dan = await nodes.b.join(code, "Dan", "x" * 22)
        nodes.world.roll_back(code, 1)
        nodes.b.store.interrupt()
        await settled()
        assert (dan.notices, dan.sent_away, dan.replaced, dan.unseated) == (["reset"], 1, False, [])
        await nodes.b.drop(dan)
        assert await refusal(nodes.b.resume(dan.place_taken.ticket)) is ErrorCode.BAD_TICKET
        again = await nodes.b.join(code, "Dan", "x" * 22)
        assert again.place_taken == dan.place_taken
        caplog.clear()


async def test_who_was_removed_is_told_so_also_after_a_rollback(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        dan = await nodes.b.join(code, "Dan")
        await nodes.a.command(ann, Fill)
        nodes.b.store.deaf = True
        nodes.world.roll_back(code, 2)
        nodes.a.store.interrupt()
        await settled()
        await nodes.a.command(ann, Remove, seat=dan.seat)
        nodes.b.store.deaf = False
        nodes.b.store.interrupt()
        await settled()
        assert (dan.notices, dan.unseated, dan.sent_away) == (["reset"], ["removed"], 0)
        caplog.clear()


# A log whose time is over


async def test_a_room_that_ran_out_is_no_fault_of_the_store(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.a.watch(ann.place_taken.code)
        await nodes.a.drop(ann)
        await nodes.move(LOBBY_KEPT_MS)
        assert await refusal(nodes.a.resume(ann.place_taken.ticket)) is ErrorCode.BAD_TICKET
        assert dan.unseated == ["closed"]
        assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_room_that_is_gone_when_its_time_is_to_be_renewed_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        nodes.world.roll_back(ann.place_taken.code, 0)
        await nodes.move(LOBBY_KEPT_MS // 2)
        assert ann.unseated == ["closed"]
        assert [message.partition(": ")[2] for message in caplog.messages] == [
            "the store lost entries that were acknowledged"
        ]
        caplog.clear()


# A seat whose newest connection was lost with the entries that a store lost


async def test_a_player_whose_return_was_lost_in_a_rollback_keeps_the_seat(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        await nodes.a.command(ann, Fill)
        await nodes.move(1_000)
        again = await nodes.b.resume(ann.place_taken.ticket)
        nodes.world.roll_back(code, 2)
        nodes.b.store.interrupt()
        await settled()
        assert again.notices == ["reset"]
        assert not again.replaced
        await nodes.b.command(again, Start)
        assert nodes.state(code).phase == "playing"
        assert nodes.b.store.followed == {code}
        caplog.clear()


async def test_a_command_that_finds_the_rollback_is_carried_out(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        await nodes.move(1_000)
        again = await nodes.b.resume(ann.place_taken.ticket)
        nodes.world.roll_back(code, 1)
        await nodes.b.command(again, Fill)
        await nodes.b.command(again, Start)
        assert not again.replaced
        assert nodes.state(code).phase == "playing"
        caplog.clear()


async def test_who_came_back_elsewhere_after_the_rollback_is_the_newest(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes() as nodes, running_third(nodes) as third:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        await nodes.move(1_000)
        half_open = await nodes.b.resume(ann.place_taken.ticket)
        nodes.b.store.deaf = True
        nodes.world.roll_back(code, 1)
        await nodes.move(1_000)
        newest = await third.resume(ann.place_taken.ticket)
        nodes.b.store.deaf = False
        nodes.b.store.interrupt()
        await nodes.move(1_000)
        assert half_open.replaced
        assert not newest.replaced
        caplog.clear()
