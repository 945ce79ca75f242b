"""Pairs of Paohuzi deals with the same public history, in one of which somebody may claim a card that nobody may
claim in the other: what a third seat is sent must not tell them apart.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

from protocol.notation import Action
from server.games.base import Deck, IllegalAction, Seat
from server.games.paohuzi.game import Paohuzi
from server.games.paohuzi.state import State
from tests.server.rooms.driven import deck

GAME = Paohuzi()
PASSES = 0.8
"""How often a claim is let go in a course: the higher, the more cards are only seen."""

Steps = Mapping[int, tuple[Seat, Action]]
"""At which moment which seat discards or makes the claim that is carried out. Everybody else passes."""


class Twins(NamedTuple):
    """Seat 0 deals in both. `steps` lead both through the same public history up to moment `last`."""

    decks: tuple[Deck, Deck]
    steps: Steps
    last: int


def answer(steps: Steps, moment: int, seat: Seat) -> Action:
    """What a seat that is asked at this moment does."""
    who, action = steps.get(moment, (seat, "pass"))
    return action if who == seat else "pass"


def followed(cards: Deck, steps: Steps, last: int) -> Iterator[State]:
    """Every state up to the moment `last`. Raises `IllegalAction` where the steps are no course of this deal."""
    state = GAME.start(cards, 0, {})
    yield state
    while state.moment < last:
        asked = GAME.asked(state)
        if asked:
            seat = min(asked, key=lambda seat: answer(steps, state.moment, seat) == "pass")
            state = GAME.apply(state, seat, answer(steps, state.moment, seat))
        else:
            state = GAME.go_on(state)
        yield state


def begun(seed: int, length: int) -> tuple[Deck, Steps, int]:
    """A deal, a course of it of at most so many moments that does not end it, and the moment that it leads to."""
    rng, cards = Random(seed), deck(seed, "paohuzi")
    state, last = GAME.start(cards, 0, {}), 0
    while state.result is None and state.moment < length:
        last = state.moment
        asked = GAME.asked(state)
        if not asked:
            state = GAME.go_on(state)
            continue
        seat = min(asked)
        passes = "pass" in asked[seat] and rng.random() < PASSES
        state = GAME.apply(state, seat, "pass" if passes else rng.choice(asked[seat]))
    steps = {int(moment): (int(who), action) for moment, who, action in (e.split(" ", 2) for e in state.history)}
    return cards, {moment: step for moment, step in steps.items() if moment < last}, last


def _asked(cards: Deck, steps: Steps, last: int, viewer: Seat | None) -> tuple[list[object], list[object]] | None:
    """What the viewer is shown of it, and which others are asked in its windows."""
    seen: list[object] = []
    others: list[object] = []
    try:
        for state in followed(cards, steps, last):
            shown = GAME.view(state, viewer), None if viewer is None else GAME.asked(state).get(viewer)
            if not seen or seen[-1] != shown:
                seen.append(shown)
            if GAME.window(state):
                others.append((state.moment, set(GAME.asked(state)) - {viewer}))
    except (IllegalAction, ValueError):
        return None
    return seen, others


def twins(seed: int, length: int, viewer: Seat | None) -> Twins | None:
    """None where a few tries find no twin in which others are asked in some window and here are not."""
    cards, steps, last = begun(seed, length)
    one = _asked(cards, steps, last, viewer)
    if one is None:
        return None
    rng = Random(seed)
    hidden = [place for seat, places in enumerate(_PLACES) if seat != viewer for place in places]
    for _ in range(200):
        swapped = list(cards)
        for _ in range(rng.randint(1, 3)):
            mine, its = rng.sample(hidden, 2)
            swapped[mine], swapped[its] = swapped[its], swapped[mine]
        other = _asked(tuple(swapped), steps, last, viewer)
        if other is not None and other[0] == one[0] and other[1] != one[1]:
            return Twins((cards, tuple(swapped)), steps, last)
    return None


_PLACES = (range(20), range(21, 41), range(41, 61), range(61, 80))
"""Where in a deck the hands of seats 0, 1, 2 and the stock are; the dealer's last card is public."""
