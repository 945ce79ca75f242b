"""The way into rooms, from two nodes on one store."""

import asyncio

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Act, Create, Fill, Leave, Remove, Start
from server.node.codes import room_codes
from server.node.presence import HEARTBEAT_MS
from server.node.room import AT_ONCE
from server.node.unfolding import Unfolding
from server.rooms.events import Acted
from server.rooms.refusal import Refusal
from server.store.base import Full
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import TIMING, Nodes, refusal, running_nodes, running_third
from tests.simulated_store import SimulatedStore

SECRET = "mcbb3dqJw0SGZ7yY2rTnLg"


async def three_across(nodes: Nodes) -> tuple[RecordedViewer, RecordedViewer, RecordedViewer]:
    """Ann and Cem on node a, Bea on node b; play has begun."""
    ann = await nodes.a.create()
    code = ann.place_taken.code
    bea = await nodes.b.join(code, "Bea")
    cem = await nodes.a.join(code, "Cem")
    await nodes.a.command(ann, Start)
    return ann, bea, cem


async def test_a_room_made_on_one_node_is_played_and_watched_from_another() -> None:
    async with running_nodes() as nodes:
        ann, bea, cem = await three_across(nodes)
        dan = await nodes.b.watch(ann.place_taken.code)
        assert (ann.seat, bea.seat, cem.seat) == (0, 1, 2)
        players = {0: (nodes.a, ann), 1: (nodes.b, bea), 2: (nodes.a, cem)}
        for _ in range(30):
            (turn,) = [seat for seat, (_, viewer) in players.items() if viewer.view.prompt is not None]
            node, viewer = players[turn]
            await node.act(viewer)
            histories = {each.view.deal.history for each in (ann, bea, cem, dan) if each.view.deal is not None}
            assert len(histories) == 1
            assert len({each.view.seats for each in (ann, bea, cem, dan)}) == 1
        assert [kind for kind in ann.happened if kind in ("led", "played", "passed")] == [
            kind for kind in bea.happened if kind in ("led", "played", "passed")
        ]
        assert dan.view.prompt is None


async def test_a_code_may_be_typed_in_any_case_with_hyphens_and_spaces() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea = await nodes.b.join(f" {code[:4].lower()}-{code[4:]} ", "Bea")
        assert bea.place_taken.code == code


@pytest.mark.parametrize("code", ["", "ABC", "ABCDEFG0", "ABCDEFGHJ", "../../etc", "ABCDEFGH"])
async def test_a_code_that_opens_nothing_is_refused_and_leaves_nothing_open(code: str) -> None:
    async with running_nodes() as nodes:
        for request in (nodes.a.hub.join(RecordedViewer(), "Bea", code), nodes.a.hub.watch(RecordedViewer(), code)):
            assert await refusal(request) is ErrorCode.NO_SUCH_ROOM
        assert not nodes.a.store.followed
        assert nodes.world.changes == 0


async def test_who_sits_or_watches_cannot_sit_down_elsewhere() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        for request in (
            nodes.a.hub.join(ann, "Ann", code),
            nodes.a.hub.watch(ann, code),
            nodes.a.hub.resume(ann, ann.place_taken.ticket),
        ):
            assert await refusal(request) is ErrorCode.IN_A_ROOM


async def test_a_spectator_commands_nothing_and_a_stranger_less() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.a.watch(ann.place_taken.code)
        assert await refusal(nodes.a.hub.command(dan, Start(1))) is ErrorCode.NOT_SEATED
        assert await refusal(nodes.a.hub.command(RecordedViewer(), Start(1))) is ErrorCode.NOT_SEATED
        assert await refusal(nodes.a.hub.say(RecordedViewer(), "Dan", "hello")) is ErrorCode.NOT_SEATED


async def test_a_detached_stranger_is_passed_over() -> None:
    async with running_nodes() as nodes:
        await nodes.a.drop(RecordedViewer())


# Tickets


async def test_the_newest_connection_has_the_seat_wherever_it_comes_from() -> None:
    async with running_nodes() as nodes:
        ann, bea, _ = await three_across(nodes)
        question = ann.view.prompt or bea.view.prompt
        again = await nodes.b.resume(ann.place_taken.ticket)
        assert ann.replaced
        assert not again.replaced
        assert again.place_taken == ann.place_taken
        assert again.view.deal == ann.view.deal
        assert (again.view.prompt or bea.view.prompt) == question or question is None
        shown = len(ann.told)
        assert await refusal(nodes.a.hub.command(ann, Leave(9))) is ErrorCode.NOT_SEATED
        await nodes.a.drop(ann)
        assert len(ann.told) == shown
        assert not again.replaced
        assert again.view.seats[0].connected


async def test_two_connections_with_one_ticket_at_once_leave_one_at_the_table() -> None:
    async with running_nodes() as nodes:
        ann, _, _ = await three_across(nodes)
        viewers = [RecordedViewer() for _ in range(4)]
        await asyncio.gather(
            *(
                (nodes.a if number % 2 else nodes.b).hub.resume(viewer, ann.place_taken.ticket)
                for number, viewer in enumerate(viewers)
            )
        )
        await settled()
        assert [viewer.replaced for viewer in viewers].count(False) == 1
        assert ann.replaced


@pytest.mark.parametrize("spoil", ["{}x", "x{}", "x", ".", "{}.{}", "-.-", ""])
async def test_a_ticket_that_opens_nothing_changes_nothing(spoil: str) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        ticket = ann.place_taken.ticket
        written = nodes.world.changes
        for node in (nodes.a, nodes.b):
            wrong = spoil.replace("{}", ticket)
            assert await refusal(node.hub.resume(RecordedViewer(), wrong)) is ErrorCode.BAD_TICKET
        assert nodes.world.changes == written
        assert not ann.replaced
        assert nodes.b.store.followed == set()


async def test_the_ticket_of_a_seat_that_was_left_or_taken_away_is_void_on_every_node() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea, cem = await nodes.b.join(code, "Bea"), await nodes.b.join(code, "Cem")
        await nodes.b.command(bea, Leave)
        await nodes.a.command(ann, Remove, seat=2)
        assert (bea.unseated, cem.unseated) == (["left"], ["removed"])
        dan = await nodes.b.join(code, "Dan")
        written = nodes.world.changes
        for viewer in (bea, cem):
            for node in (nodes.a, nodes.b):
                wrong = node.hub.resume(RecordedViewer(), viewer.place_taken.ticket)
                assert await refusal(wrong) is ErrorCode.BAD_TICKET
        assert nodes.world.changes == written
        assert dan.seat == bea.seat
        assert dan.place_taken.ticket != bea.place_taken.ticket


async def test_a_ticket_outlives_every_connection_and_node() -> None:
    async with running_nodes() as nodes:
        ann, bea, cem = await three_across(nodes)
        for node, viewer in ((nodes.a, ann), (nodes.b, bea), (nodes.a, cem)):
            await node.drop(viewer)
        assert not nodes.a.store.followed | nodes.b.store.followed
        again = await nodes.b.resume(ann.place_taken.ticket)
        assert again.view.deal == ann.view.deal
        assert again.view.prompt == ann.view.prompt


async def test_wherever_a_deal_is_cut_off_it_goes_on_at_the_same_question_on_a_new_node() -> None:
    async with running_nodes() as nodes:
        players = list(await three_across(nodes))
        tickets = [viewer.place_taken.ticket for viewer in players]
        code = players[0].place_taken.code
        cuts = 0
        while True:
            before = [viewer.view for viewer in players]
            async with running_third(nodes) as third:
                players = [await third.resume(ticket) for ticket in tickets]
                assert [viewer.view for viewer in players] == before
                if before[0].room.phase == "over":
                    break
                (asked,) = [viewer for viewer in players if viewer.view.prompt is not None]
                await third.act(asked)
                cuts += 1
        assert cuts == sum(isinstance(event, Acted) for commit in nodes.commits(code) for event in commit.events)


async def test_a_command_without_an_answer_is_sent_again_to_another_node_and_done_once() -> None:
    async with running_nodes() as nodes:
        ann, bea, cem = await three_across(nodes)
        (asked,) = [viewer for viewer in (ann, bea, cem) if viewer.view.prompt is not None]
        you, prompt = asked.view.you, asked.prompt
        assert you is not None
        act = Act(you.n + 1, prompt.id, prompt.actions[0])
        await (nodes.b if asked is bea else nodes.a).hub.command(asked, act)
        other = nodes.a if asked is bea else nodes.b
        again = await other.resume(asked.place_taken.ticket)
        await other.hub.command(again, act)
        different = Act(act.n, prompt.id, prompt.actions[-1])
        assert await refusal(other.hub.command(again, different)) is ErrorCode.NUMBER_USED
        assert again.view.deal is not None
        assert len(again.view.deal.history) == 1


async def test_a_log_holds_no_ticket_but_only_its_hash() -> None:
    async with running_nodes() as nodes:
        players = await three_across(nodes)
        log = b"".join(nodes.world.log(players[0].place_taken.code))
        for viewer in players:
            secret = viewer.place_taken.ticket.partition(".")[2]
            assert secret.encode() not in log


async def test_the_ticket_of_a_room_whose_time_has_run_out_is_void() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.a.drop(ann)
        await nodes.move(31 * 60_000)
        assert await refusal(nodes.a.hub.resume(RecordedViewer(), ann.place_taken.ticket)) is ErrorCode.BAD_TICKET


# Codes


async def test_a_used_code_is_never_used_again() -> None:
    async with running_nodes() as nodes:
        first, second, third, *_ = room_codes(SECRET)
        for code in (first, second):
            nodes.occupy(code, "Eva")
        before = [nodes.world.log(code) for code in (first, second)]
        bea = await nodes.a.create("Bea", secret=SECRET)
        again = await nodes.b.create("Bea", secret=SECRET)
        assert bea.replaced
        assert again.place_taken == bea.place_taken
        assert again.place_taken.code == third
        assert [nodes.world.log(code) for code in (first, second)] == before
        assert (await nodes.b.join(first, "Cem")).view.seats[0].name == "Eva"


async def test_a_long_log_that_a_creator_meets_is_not_folded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = list[int]()
    at_once = Unfolding.at_once

    def counted(unfolding: Unfolding) -> Unfolding:
        lengths.append(len(at_once(unfolding).news.commits))
        return unfolding

    monkeypatch.setattr(Unfolding, "at_once", counted)
    async with running_nodes() as nodes:
        bea = await nodes.a.create("Bea", secret=SECRET)
        await nodes.a.command(bea, Start, fill="easy")
        while len(nodes.commits(bea.place_taken.code)) <= 2 * AT_ONCE:
            if bea.view.prompt is not None:
                await nodes.a.act(bea)
            await nodes.move(TIMING.beat_ms)
        again = await nodes.b.create("Bea", secret=SECRET)
        assert again.place_taken == bea.place_taken
        assert again.view.deal == bea.view.deal
        assert max(lengths) <= AT_ONCE


async def test_without_a_free_code_the_creator_is_told_to_try_again() -> None:
    async with running_nodes() as nodes:
        for code in room_codes(SECRET):
            nodes.occupy(code, "Eva")
        before = [nodes.world.log(code) for code in room_codes(SECRET)]
        for node in (nodes.a, nodes.b):
            assert await refusal(node.create("Bea", secret=SECRET)) is ErrorCode.NO_FREE_CODE
        assert [nodes.world.log(code) for code in room_codes(SECRET)] == before
        assert nodes.a.store.followed | nodes.b.store.followed == set()


async def test_a_code_that_is_taken_while_the_first_answer_is_lost_is_left_to_the_other_room() -> None:
    async with running_nodes() as nodes:
        first, second, *_ = room_codes(SECRET)

        async def occupy() -> None:
            nodes.occupy(first, "Eva")

        nodes.b.store.before.append(occupy)
        nodes.b.store.lose_reply = "lost"
        bea = await nodes.b.create("Bea", secret=SECRET)
        assert bea.place_taken.code == second
        assert [seat.name for seat in nodes.state(first).seats] == ["Eva", "", ""]


# Rooms that end, and rooms that nobody is in


async def test_who_leaves_can_sit_down_elsewhere_and_the_room_is_let_go() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        await nodes.a.command(ann, Leave)
        assert ann.unseated == ["left"]
        assert not nodes.a.store.followed
        await nodes.a.hub.create(ann, "Ann", Create("chuo-pai"))
        assert len(nodes.a.store.followed) == 1


async def test_a_node_lets_a_room_go_whose_last_viewer_there_was_removed_from_elsewhere() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea = await nodes.b.join(code, "Bea")
        await nodes.a.command(ann, Remove, seat=1)
        assert bea.unseated == ["removed"]
        assert nodes.b.store.followed == set()
        bea = await nodes.b.join(code, "Bea")
        await nodes.a.resume(bea.place_taken.ticket)
        assert bea.replaced
        assert nodes.b.store.followed == set()


async def test_a_spectator_of_a_room_that_closes_is_told_so() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        await nodes.a.command(ann, Leave)
        assert dan.unseated == ["closed"]
        assert "closed" in dan.happened
        assert not nodes.b.store.followed
        assert await refusal(nodes.b.hub.watch(RecordedViewer(), ann.place_taken.code)) is ErrorCode.NO_SUCH_ROOM


async def test_when_the_last_viewer_is_gone_the_room_costs_nothing_and_goes_on_later() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace="fast")
        while ann.view.prompt is None:
            await nodes.move(700)
        question = ann.prompt
        await nodes.a.drop(ann)
        await nodes.move(2 * HEARTBEAT_MS)  # until all is told twice, and answered
        assert nodes.clock.sleepers == 0
        assert not nodes.a.store.followed
        written = nodes.world.changes
        await nodes.move(3_600_000)
        assert nodes.world.changes == written
        again = await nodes.b.resume(ann.place_taken.ticket)
        assert (again.prompt.id, again.prompt.actions) == (question.id, question.actions)
        assert again.prompt.remaining_ms is not None
        assert again.prompt.remaining_ms >= 10_000
        await nodes.b.act(again)
        await nodes.move(700)
        assert "played" in again.happened or "passed" in again.happened


async def test_a_room_that_only_spectators_are_in_stands_still() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace="fast")
        dan = await nodes.a.watch(ann.place_taken.code)
        await nodes.a.drop(ann)
        assert not dan.view.seats[0].connected
        await nodes.move(2 * HEARTBEAT_MS)  # until all is told twice, and answered
        assert nodes.clock.sleepers == 0
        written = nodes.world.changes
        await nodes.move(3_600_000)
        assert nodes.world.changes == written


# The list of rooms


async def test_the_store_is_asked_for_the_list_once_for_all_who_ask_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, may_answer = list[int](), asyncio.Event()
    right = SimulatedStore.listed

    async def slow(store: SimulatedStore) -> tuple[bytes, ...]:
        asked.append(len(asked))
        await may_answer.wait()
        return await right(store)

    monkeypatch.setattr(SimulatedStore, "listed", slow)
    async with running_nodes() as nodes:
        ann = await nodes.a.create(listed=True)
        asking = [asyncio.create_task(nodes.a.hub.rooms())]
        await settled()
        asking += [asyncio.create_task(nodes.a.hub.rooms()) for _ in range(20)]
        await settled()
        assert asked == [0]
        may_answer.set()
        lists = await asyncio.gather(*asking)
        assert asked == [0, 1], "who asked later must see what was made meanwhile"
        assert {tuple(room.code for room in each) for each in lists} == {(ann.place_taken.code,)}


async def listed(nodes: Nodes) -> list[str]:
    return [summary.code for summary in await nodes.b.hub.rooms()]


async def test_a_public_room_is_listed_while_it_waits_for_players() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(listed=True)
        await nodes.a.create("Secret")
        code = ann.place_taken.code
        (summary,) = await nodes.b.hub.rooms()
        assert (summary.code, summary.game, summary.host, summary.free) == (code, "chuo-pai", "Ann", 2)
        await nodes.move(10 * 60_000)
        assert await listed(nodes) == [code]
        await nodes.a.command(ann, Fill)
        assert await listed(nodes) == []
        await nodes.a.command(ann, Remove, seat=2)
        (summary,) = await nodes.b.hub.rooms()
        assert summary.free == 1
        await nodes.a.command(ann, Start, fill="easy")
        assert await listed(nodes) == []


async def test_a_room_is_not_listed_once_its_players_are_gone() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(listed=True)
        dan = await nodes.b.watch(ann.place_taken.code)
        await nodes.a.drop(ann)
        assert await listed(nodes) == []
        again = await nodes.a.resume(ann.place_taken.ticket)
        assert await listed(nodes) == [ann.place_taken.code]
        await nodes.b.drop(dan)
        assert await listed(nodes) == [ann.place_taken.code]
        await nodes.a.drop(again)
        assert await listed(nodes) == []


async def test_a_room_whose_node_died_drops_off_the_list_by_itself() -> None:
    async with running_nodes() as nodes:
        await nodes.a.create(listed=True)
        nodes.a.store.refusing = True
        await nodes.move(61_000)
        assert await listed(nodes) == []


# Chat


async def test_what_is_said_reaches_everybody_at_the_table_on_every_node() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea, dan = await nodes.b.join(code, "Bea"), await nodes.b.watch(code)
        await nodes.b.hub.say(bea, "not my name", "hello")
        await nodes.b.hub.say(dan, "Dan", "who leads?")
        await settled()
        for viewer in (ann, bea, dan):
            assert [(said.name, said.text, said.seat) for said in viewer.said] == [
                ("Bea", "hello", 1),
                ("Dan", "who leads?", None),
            ]


async def test_what_is_said_changes_no_view_and_is_not_kept() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        shown, written = len(ann.tables), nodes.world.changes
        await nodes.a.hub.say(ann, "Ann", "hello")
        await settled()
        assert (len(ann.tables), nodes.world.changes) == (shown, written)


async def test_an_act_for_a_question_that_is_settled_is_refused_on_either_node() -> None:
    async with running_nodes() as nodes:
        ann, bea, cem = await three_across(nodes)
        node, viewer = next(
            (node, viewer)
            for node, viewer in ((nodes.a, ann), (nodes.b, bea), (nodes.a, cem))
            if viewer.view.prompt is not None
        )
        prompt = viewer.prompt
        await node.act(viewer)
        stale = Act(50, prompt.id, prompt.actions[0])
        assert await refusal(node.hub.command(viewer, stale)) is ErrorCode.STALE_PROMPT


async def test_a_node_that_missed_how_a_seat_was_taken_does_not_call_its_ticket_bad() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        await nodes.b.watch(code)
        nodes.b.store.deaf = True
        bea = await nodes.a.join(code, "Bea")
        assert (await nodes.b.resume(bea.place_taken.ticket)).seat == bea.seat


async def test_a_node_that_missed_how_a_seat_was_given_up_does_not_call_the_room_full() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea, _ = await nodes.a.join(code, "Bea"), await nodes.a.join(code, "Cem")
        await nodes.b.watch(code)
        nodes.b.store.deaf = True
        await nodes.a.command(bea, Leave)
        assert (await nodes.b.join(code, "Dan")).seat == bea.seat


async def test_a_store_that_takes_no_new_rooms_is_told_as_a_full_server() -> None:
    async with running_nodes() as nodes:

        async def full() -> None:
            raise Full("it is nearly full: raise its maxmemory")

        nodes.a.store.before.append(full)
        with pytest.raises(Refusal, match="The server is full") as refused:
            await nodes.a.create()
        assert (refused.value.code, refused.value.retry_ms) == (ErrorCode.STORE_UNAVAILABLE, 5000)
        await nodes.a.create()


async def test_the_operator_of_another_node_closes_a_room_and_all_are_told() -> None:
    async with running_nodes() as nodes:
        ann, bea, cem = await three_across(nodes)
        await nodes.b.hub.close_room(ann.place_taken.code)
        await settled()
        assert [viewer.unseated for viewer in (ann, bea, cem)] == [["closed_by_operator"]] * 3
        assert await refusal(nodes.a.hub.join(RecordedViewer(), "Dan", ann.place_taken.code)) is ErrorCode.NO_SUCH_ROOM
        await settled()
        assert not nodes.a.hub.rooms_here
        assert not nodes.b.hub.rooms_here


async def test_the_operator_of_another_node_takes_a_seat_away() -> None:
    async with running_nodes() as nodes:
        ann, bea, _ = await three_across(nodes)
        await nodes.b.hub.expel(ann.place_taken.code, 0)
        await settled()
        assert ann.unseated == ["removed"]
        assert bea.view.seats[0].kind == "bot"


async def test_a_room_tells_when_it_was_made_also_at_a_node_that_came_later() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        made_ms = nodes.a.hub.rooms_here[0].created_ms
        await nodes.clock.move(5_000)
        await nodes.b.join(ann.place_taken.code, "Bea")
        assert nodes.b.hub.rooms_here[0].created_ms == made_ms > 0


async def test_a_guessed_ticket_does_not_tell_whether_there_is_such_a_room() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        told = set()
        for ticket in (f"{ann.place_taken.code}.guessed", "ABCDEFGH.guessed"):
            with pytest.raises(Refusal) as refused:
                await nodes.a.hub.resume(RecordedViewer(), ticket)
            told.add((refused.value.code, refused.value.text, refused.value.retry_ms))
        assert len(told) == 1
