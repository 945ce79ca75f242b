"""What a seat is told that asks about its own question, and who is told nothing."""

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Act, Because, Hint, ServerMessage, Start
from protocol.view import Reason
from server.bots.ladder import reasons_for, strongest
from server.node.advice import HINT_TIMEOUT_MS, NO_HINT
from server.rooms.refusal import Refusal
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, running_nodes


async def asked_at_a_table(nodes: Nodes) -> RecordedViewer:
    """Ann, who is asked for a play, against two bots."""
    ann = await nodes.a.create(fill="easy")
    while ann.view.prompt is None:
        await nodes.move(1_000)
    return ann


async def hinted(nodes: Nodes, viewer: RecordedViewer) -> ServerMessage:
    """What the viewer is told that asks node a for a hint."""
    nodes.a.hub.hint(viewer, viewer.prompt.id)
    await settled()
    return viewer.told[-1]


def refused(node: RunningNode, viewer: RecordedViewer, prompt: int) -> ErrorCode:
    """The code with which a hint is refused at once."""
    with pytest.raises(Refusal) as refusal:
        node.hub.hint(viewer, prompt)
    return refusal.value.code


async def test_a_hint_is_what_the_best_bot_would_do_from_the_view_of_the_seat() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        hint = await hinted(nodes, ann)
        assert isinstance(hint, Hint)
        assert hint.prompt == ann.prompt.id
        assert hint.action in ann.prompt.actions
        assert nodes.a.pool.views[-1].deal == ann.view.deal
        assert nodes.a.pool.views[-1].prompt == ann.prompt
        assert nodes.a.pool.levels[-1] == strongest("chuo-pai") == "hard"
        assert hint.reasons == reasons_for("chuo-pai", ann.view, hint.action)
        assert await hinted(nodes, ann) == hint


async def test_the_only_choice_needs_no_bot() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="random")
        for _ in range(200):
            await nodes.move(1_000)
            if ann.view.prompt is not None and len(ann.prompt.actions) == 1:
                break
            if ann.view.prompt is not None:
                await nodes.a.act(ann)
        thought = len(nodes.a.pool.views)
        (only,) = ann.prompt.actions
        assert await hinted(nodes, ann) == Hint(ann.prompt.id, only, (Reason("forced"),))
        assert len(nodes.a.pool.views) == thought


async def test_a_hint_changes_nothing_and_nobody_else_is_told() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        dan = await nodes.b.watch(ann.place_taken.code)
        told, written = (len(ann.told) + 1, len(dan.told)), nodes.world.changes
        await hinted(nodes, ann)
        assert ((len(ann.told), len(dan.told)), nodes.world.changes) == (told, written)


async def test_a_hint_is_only_for_the_own_open_question() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        dan = await nodes.b.watch(ann.place_taken.code)
        prompt = ann.prompt.id
        thought = len(nodes.a.pool.views)
        assert refused(nodes.b, dan, prompt) is ErrorCode.NOT_SEATED
        assert refused(nodes.a, RecordedViewer(), prompt) is ErrorCode.NOT_SEATED
        assert refused(nodes.a, ann, prompt + 1) is ErrorCode.NOT_ASKED
        await nodes.a.command(ann, Act, prompt=prompt, action=ann.prompt.actions[0])
        assert refused(nodes.a, ann, prompt) is ErrorCode.NOT_ASKED
        while ann.view.prompt is None:
            await nodes.move(1_000)
        thought = len(nodes.a.pool.views)
        assert refused(nodes.a, ann, prompt) is ErrorCode.STALE_PROMPT
        assert len(nodes.a.pool.views) == thought


async def test_a_bot_that_fails_gives_no_hint() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        nodes.a.pool.failing = True
        assert await hinted(nodes, ann) == NO_HINT
        assert nodes.a.pool.limits_ms[-1] == HINT_TIMEOUT_MS


async def test_a_player_acts_while_the_bot_still_thinks_of_a_hint() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        nodes.a.pool.think_ms = 500
        prompt = ann.prompt.id
        nodes.a.hub.hint(ann, prompt)
        await settled()
        await nodes.a.act(ann)
        assert ann.view.prompt is None
        assert not isinstance(ann.told[-1], Hint)
        await nodes.move(500)
        assert [message.prompt for message in ann.told if isinstance(message, Hint)] == [prompt]


async def test_hints_are_thought_of_one_after_another() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        nodes.a.pool.think_ms = 100
        for _ in range(3):
            nodes.a.hub.hint(ann, ann.prompt.id)
        await settled()
        thought = len(nodes.a.pool.views)
        for more in range(3):
            assert len(nodes.a.pool.views) == min(thought + more, thought + 2)
            await nodes.move(100)
        assert sum(isinstance(message, Hint) for message in ann.told) == 3


async def test_who_has_gone_is_told_no_hint() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        nodes.a.pool.think_ms = 100
        nodes.a.hub.hint(ann, ann.prompt.id)
        await settled()
        await nodes.a.drop(ann)
        await nodes.move(100)
        assert not any(isinstance(message, Hint) for message in ann.told)


async def test_a_reason_is_given_with_a_question_and_without_one() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        assert nodes.a.hub.why(ann, 0, "66") == Because(0, Reason("no_deal"))
        await nodes.a.command(ann, Start, fill="easy")
        while ann.view.prompt is None:
            await nodes.move(1_000)
        prompt = ann.prompt.id
        told, written = len(ann.told), nodes.world.changes
        assert nodes.a.hub.why(ann, prompt, ann.prompt.actions[0]) == Because(prompt, Reason("offered", number=1))
        assert nodes.a.hub.why(ann, prompt, "dance") == Because(prompt, Reason("no_such_action"))
        await settled()
        assert (len(ann.told), nodes.world.changes) == (told, written)
        await nodes.a.command(ann, Act, prompt=prompt, action=ann.prompt.actions[0])
        assert nodes.a.hub.why(ann, 0, "66").reason.code == "not_your_turn"


async def test_a_reason_is_only_for_players_and_for_the_question_that_they_see() -> None:
    async with running_nodes() as nodes:
        ann = await asked_at_a_table(nodes)
        dan = await nodes.b.watch(ann.place_taken.code)
        for viewer, prompt, code in (
            (dan, 0, ErrorCode.NOT_SEATED),
            (ann, 0, ErrorCode.STALE_PROMPT),
            (ann, ann.prompt.id + 1, ErrorCode.STALE_PROMPT),
        ):
            with pytest.raises(Refusal) as refusal:
                nodes.a.hub.why(viewer, prompt, "66")
            assert refusal.value.code is code
