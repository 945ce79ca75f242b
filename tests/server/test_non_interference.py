"""Two deals that differ only in cards which one viewer cannot see send that viewer the same bytes, in the same order.

The whole server runs twice, with its real gateway on real sockets; decks are dealt as the test wants them.
"""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from functools import partial
from random import Random
from typing import Any, NamedTuple

import pytest

from protocol.codec import JSON
from protocol.messages import Act, AskHint, Because, Hint, Ready, Refused, SeatCommand, Why
from protocol.notation import Action, Card, groups_of
from protocol.view import BotLevel, TableView
from server.bots.pool import BotPool
from server.bots.worker import Answer, Question, answered, framed
from server.games.base import Deck, Seat
from server.games.chuo_pai.cards import NAIL, PACK, TWO_RED
from server.games.chuo_pai.game import HAND_SIZE
from server.games.registry import game_named
from tests.e2e.clients import Client, client, history, look_on, open_room, start
from tests.moved_clock import MovedClock
from tests.server.dealt import dealing_server
from tests.simulated_store import World

GAME = game_named("chuo-pai")
BOT: Seat = 2
SPECTATOR = None

Script = tuple[tuple[Seat, Action], ...]
Frames = dict[Seat | None, list[bytes]]
"""What each viewer was sent; a bot, what its worker was."""

LEAST_ACTIONS = 10


class Deal(NamedTuple):
    """Where every card is dealt, and who begins."""

    deck: Deck
    first: Seat

    @property
    def state(self) -> Any:
        return GAME.start(self.deck, self.first, {})


class ScriptedPool(BotPool):
    """Bots that follow the script, and then think for ever. `frames`: the bytes that a worker would be sent."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.frames: list[bytes] = []
        self._script = script

    async def choose(self, game: str, level: BotLevel, view: TableView, seed: int, timeout_ms: int) -> Action:
        self.frames.append(framed(Question(game, level, seed, view)))
        at = len(history(view))
        if at == len(self._script):
            await asyncio.Event().wait()
        return self._script[at][1]

    async def answer(self, question: Question, timeout_ms: int) -> Answer | None:
        return answered(question)


def two_deals(rng: Random, viewer: Seat | None) -> tuple[Deal, Deal]:
    """The same but for up to three cards that two seats other than the viewer's have swapped, and for the order in
    which those seats got their cards."""
    deck = rng.sample(PACK, len(PACK))
    hands = [deck[seat * HAND_SIZE : (seat + 1) * HAND_SIZE] for seat in range(3)]
    first = rng.randrange(3)
    one, other = rng.sample(sorted({0, 1, 2} - {viewer}), 2)
    swapped = [list(hand) for hand in hands]
    for hand in (swapped[one], swapped[other]):
        rng.shuffle(hand)
    public = {NAIL, TWO_RED}  # those of an opening bonus are laid open
    places = [p for p in range(HAND_SIZE) if not {swapped[one][p], swapped[other][p]} & public]
    for place in rng.sample(places, rng.randint(1, 3)):
        swapped[one][place], swapped[other][place] = swapped[other][place], swapped[one][place]
    return Deal(tuple(deck), first), Deal(tuple(card for hand in swapped for card in hand), first)


def common_script(rng: Random, deals: tuple[Deal, Deal]) -> Script:
    """Actions that are legal in both deals and touch no card in which they differ, as far as that goes; up to the turn
    of a player, so that no bot goes on by itself."""
    (deck, _), (swapped, _) = deals
    hands = [
        [Counter(cards[HAND_SIZE * seat : HAND_SIZE * (seat + 1)]) for seat in range(3)] for cards in (deck, swapped)
    ]
    differing: list[set[Card]] = [set((one - other) + (other - one)) for one, other in zip(*hands, strict=True)]
    states = [deal.state for deal in deals]
    script: list[tuple[Seat, Action]] = []
    length = 0
    while True:
        (seat,) = GAME.asked(states[0])
        length = length if seat == BOT else len(script)
        both = [set(GAME.asked(state)[seat]) for state in states]
        fitting = sorted(a for a in both[0] & both[1] if not differing[seat] & {c for g in groups_of(a) for c in g})
        if not fitting:
            return tuple(script[:length])
        script.append((seat, rng.choice(fitting)))
        states = [GAME.apply(state, *script[-1]) for state in states]


async def played(deal: Deal, script: Script) -> Frames:
    """The deal along the script, every player trying at each step what it may not do."""
    clock, pool = MovedClock(), ScriptedPool(script)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(dealing_server(World(clock), pool, *deal, beat_ms=0))
        ann = await stack.enter_async_context(client(url, "Ann"))
        bo = await stack.enter_async_context(client(url, "Bo", subprotocol=JSON))
        spectator = await stack.enter_async_context(client(url, "Cy"))
        players = {0: ann, 1: bo}
        await look_on(spectator, await open_room(ann, bo))
        await start(ann)
        for at in range(len(script) + 1):
            for viewer in (ann, bo, spectator):
                await viewer.seen(partial(_reached, at))
            await clock.move(2000)  # or the rate would run out
            for player in players.values():
                await _try_what_is_forbidden(player)
                await _ask_for_help(player)
            if at < len(script) and script[at][0] in players:
                player = players[script[at][0]]
                await player.do(Act(player.next_n, player.prompt.id, script[at][1]))
        return {0: ann.frames, 1: bo.frames, BOT: pool.frames, SPECTATOR: spectator.frames}


def _reached(actions: int, view: TableView) -> bool:
    return view.deal is not None and len(history(view)) >= actions


async def _try_what_is_forbidden(player: Client) -> None:
    n, prompt = player.next_n, player.view.prompt
    asked = prompt.id if prompt else 1000
    forbidden: tuple[SeatCommand, ...] = (
        *(
            Act(n, asked, f"play {card}")
            for card in sorted(set(PACK))
            if prompt and f"play {card}" not in prompt.actions
        ),
        Act(n, asked, "play 11+11+11+11+11"),
        Act(n, asked + 1, "pass"),
        Ready(n),
    )
    for message in forbidden:
        assert isinstance(await player.answer(message), Refused)


async def _ask_for_help(player: Client) -> None:
    prompt = player.view.prompt
    for text in ("66", "11 11", "26+35", "play 13+14", "pass"):
        await player.send(Why(prompt.id if prompt else 0, text))
        await player.until(Because)
    if prompt:
        await player.send(AskHint(prompt.id))
        await player.until(Hint)


@pytest.mark.parametrize("viewer", [0, 1, BOT, SPECTATOR])
@pytest.mark.parametrize("seed", range(4))
async def test_cards_that_a_viewer_cannot_see_change_no_byte_of_what_it_is_sent(viewer: Seat | None, seed: int) -> None:
    rng = Random(f"{viewer}/{seed}")
    script: Script = ()
    while len(script) < LEAST_ACTIONS:
        deals = two_deals(rng, viewer)
        script = common_script(rng, deals)
    one, other = [await played(deal, script) for deal in deals]
    assert one[viewer] == other[viewer]
    assert one != other
