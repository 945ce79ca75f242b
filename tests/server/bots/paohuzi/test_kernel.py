"""The kernel against the real rules, which play the same deals by the same policy."""

from itertools import islice
from random import Random

import pytest

from server.bots.paohuzi.kernel import CARDS, NUMBER, Claim
from server.bots.paohuzi.rollout import Policy, played
from server.games.base import Seat, settled
from server.games.paohuzi.state import State
from server.games.registry import GAMES
from tests.server.bots.paohuzi.tables import claims_in, table_of
from tests.server.games.paohuzi.positions import chunked

GAME = GAMES["paohuzi"]


def dealt(rng: Random) -> State:
    """Decks of all kinds, under all house rules."""
    deck = chunked(rng) if rng.random() < 0.5 else tuple(rng.sample(GAME.pack, len(GAME.pack)))
    rules = {"dealer_opening_win": rng.random() < 0.5, "chi_passed_reveal": rng.random() < 0.5}
    state: State = settled(GAME, GAME.start(deck, rng.randrange(3), rules))
    return state


def card_of(state: State) -> int:
    """The public card in question, or -1."""
    return -1 if state.claims is None or state.public is None else NUMBER[state.public.cards[0]]


def offered(state: State, seat: Seat) -> tuple[str, ...]:
    """As the kernel has it, of a seat at a window."""
    claims = claims_in(state, seat)
    return (*(claim.action for claim in claims), "pass") if claims else ()


def choice(state: State, seat: Seat, action: str) -> Claim | int | None:
    if action.startswith("discard "):
        return NUMBER[action.removeprefix("discard ")]
    return next((claim for claim in claims_in(state, seat) if claim.action == action), None)


def by_rules(state: State, policy: Policy, me: Seat, action: str) -> int:
    """The score of `me` after this action, when all else is done by the policy."""
    state = GAME.apply(state, me, action)
    while asked := GAME.asked(state := settled(GAME, state)):
        seat = min(asked)
        table = table_of(state)
        if state.claims is not None:
            claim = policy.claim(table, seat, card_of(state), claims_in(state, seat))
            action = claim.action if claim else "pass"
        else:
            action = "win" if "win" in asked[seat] else f"discard {CARDS[policy.discard(table, seat)]}"
        state = GAME.apply(state, seat, action)
    assert state.result is not None
    return state.result.scores[me]


def agree(seed: int, *, tries: int) -> int:
    """A deal by random actions, at each of which the offers agree; and some, followed to the end by the policy."""
    rng = Random(seed)
    state = dealt(rng)
    compared = 0
    while asked := GAME.asked(state):
        if state.claims is not None and not any(state.claims.declared):
            for seat in range(3):
                assert offered(state, seat) == asked.get(seat, ()), f"seed {seed}"
        seat = min(asked)
        if tries and not (state.claims and any(state.claims.declared)) and rng.random() < 0.3:
            tries -= 1
            table = table_of(state)
            policy = Policy([4] * 20, table.loose[seat])
            for action in islice(asked[seat], 4):
                if action == "win" and state.claims is None:
                    continue
                mine = choice(state, seat, action)
                revealed = state.public is not None and state.public.kind == "revealed"
                score = played(table.copy(), policy, seat, mine, card_of(state), revealed)
                assert score == by_rules(state, policy, seat, action), f"seed {seed}, {action}"
                compared += 1
        state = settled(GAME, GAME.apply(state, seat, rng.choice(asked[seat])))
    return compared


def test_the_kernel_follows_the_rules_action_by_action() -> None:
    assert sum(agree(seed, tries=2) for seed in range(60)) > 200


@pytest.mark.slow
def test_the_kernel_follows_the_rules_through_thousands_of_deals() -> None:
    assert sum(agree(seed, tries=1) for seed in range(1000, 2500)) > 2000
