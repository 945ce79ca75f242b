from random import Random
from typing import NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protocol.messages import Act, ServerMessage, Start
from server.games.base import SEATS, Deck, Seat
from server.rooms.refusal import Refusal
from server.rooms.state import window
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import TIMING, RunningNode, running_nodes
from tests.server.rooms.hidden_windows import Twins, answer, twins
from tests.server.rooms.twins import begun, twin

TRIED = ("pass", "play 12+24", "play 66", "play 11+26+35", "play 99")
TRIED_IN_WINDOWS = ("pass", "win", "pao", "peng", "chi s1+s2+s3", "discard s1")


class Sent(NamedTuple):
    """What one viewer is sent, each message with its time, and how what it may not do was refused."""

    messages: list[tuple[int, ServerMessage]]
    refusals: list[str]


async def refusals(node: RunningNode, viewer: RecordedViewer, tried: tuple[str, ...] = TRIED) -> list[str]:
    """Of everything in `tried` that is no legal action of the viewer's now."""
    prompt, found = viewer.view.prompt, []
    for action in tried:
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


async def sent_in_windows(cards: Deck, course: Twins, viewer: Seat | None) -> Sent:
    """Over a course of Paohuzi by three people on two nodes: whoever is asked answers well within the beat."""
    async with running_nodes() as nodes:
        for node in (nodes.a, nodes.b):
            node.chance.decks.append(cards)
        ann = await nodes.a.create(game="paohuzi", pace="fast")
        code = ann.place_taken.code
        places = [
            (nodes.a, ann),
            (nodes.b, await nodes.b.join(code, "Bea")),
            (nodes.a, await nodes.a.join(code, "Cem")),
        ]
        dan = await nodes.b.watch(code)
        node, onlooker = (nodes.b, dan) if viewer is None else places[viewer]
        got = Sent([], [])

        async def act(*seats: Seat | None) -> None:
            """Those of them who are asked; whoever claims the card comes first."""
            asked = [seat for seat in SEATS if seat in seats and places[seat][1].view.prompt is not None]
            for seat in sorted(asked, key=lambda seat: answer(course.steps, moment, seat) == "pass"):
                at, player = places[seat]
                if player.view.prompt is not None:
                    await at.act(player, answer(course.steps, moment, seat))

        await nodes.a.command(ann, Start)
        while (moment := (state := nodes.state(code)).table.moment) < course.last:
            got.refusals.extend(await refusals(node, onlooker, TRIED_IN_WINDOWS))
            if not window(state):
                await act(*SEATS)
                continue
            await act(viewer)
            await nodes.move(TIMING.beat_ms // 2)
            await act(*(seat for seat in SEATS if seat != viewer))
            await nodes.move(TIMING.beat_ms - TIMING.beat_ms // 2 - 1)
            assert nodes.state(code).table.moment == moment
            await nodes.move(1)
            assert nodes.state(code).table.moment == moment + 1
            got.messages.extend((nodes.clock.monotonic_ms(), message) for message in onlooker.told[len(got.messages) :])
        return got


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 30), st.sampled_from((*SEATS, None)))
async def test_claims_that_others_may_make_change_no_message_and_no_moment(
    seed: int, length: int, viewer: Seat | None
) -> None:
    course = twins(seed, length, viewer)
    assume(course is not None)
    assert course is not None
    one, other = [await sent_in_windows(cards, course, viewer) for cards in course.decks]
    assert one == other
    assert one.messages
