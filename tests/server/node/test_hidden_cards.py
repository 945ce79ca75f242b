from random import Random
from typing import NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protocol.messages import Act, ServerMessage, Start
from server.games.base import SEATS, Deck, Seat
from server.rooms.refusal import Refusal
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import RunningNode, running_nodes
from tests.server.rooms.twins import begun, twin

TRIED = ("pass", "play 12+24", "play 66", "play 11+26+35", "play 99")


class Sent(NamedTuple):
    """What one viewer is sent, each message with its time, and how what it may not do was refused."""

    messages: list[tuple[int, ServerMessage]]
    refusals: list[str]


async def refusals(node: RunningNode, viewer: RecordedViewer) -> list[str]:
    """Of everything in `TRIED` that is no legal action of the viewer's now."""
    prompt, found = viewer.view.prompt, []
    for action in TRIED:
        if prompt is None or action not in prompt.actions:
            try:
                await node.hub.command(viewer, Act(1_000, 1 if prompt is None else prompt.id, action))
            except Refusal as refusal:
                found.append(f"{refusal.code} {refusal.text}")
            else:
                found.append("done")
    return found


async def sent(cards: Deck, actions: list[str], viewer: Seat | None) -> Sent:
    """Over a course of play by three people on two nodes."""
    async with running_nodes() as nodes:
        for node in (nodes.a, nodes.b):
            node.chance.decks.append(cards)
        ann = await nodes.a.create(pace="fast")
        code = ann.place_taken.code
        places = [
            (nodes.a, ann),
            (nodes.b, await nodes.b.join(code, "Bea")),
            (nodes.a, await nodes.a.join(code, "Cem")),
        ]
        node, onlooker = (nodes.b, await nodes.b.watch(code)) if viewer is None else places[viewer]
        got = Sent([], [])
        await nodes.a.command(ann, Start)
        for action in actions:
            got.refusals.extend(await refusals(node, onlooker))
            ((at, player),) = [(at, player) for at, player in places if player.view.prompt is not None]
            await at.act(player, action)
            got.messages.extend((nodes.clock.monotonic_ms(), message) for message in onlooker.told[len(got.messages) :])
            await nodes.move(700)
        assert [event for event in got.refusals if event == "done"] == []
        return got


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.sampled_from((*SEATS, None)))
async def test_cards_that_a_viewer_may_not_see_change_no_message_and_no_moment(
    seed: int, length: int, viewer: Seat | None
) -> None:
    cards, actions = begun(seed, length)
    other = twin(cards, actions, viewer, Random(seed))
    assume(other is not None)
    assert other is not None
    one, two = await sent(cards, actions, viewer), await sent(other, actions, viewer)
    assert one == two
    assert len(one.messages) >= len(actions)
