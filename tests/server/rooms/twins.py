"""Pairs of decks that one viewer cannot tell apart by a course of play."""

from random import Random

from server.games.base import SEATS, Deck, IllegalAction, Seat
from server.games.chuo_pai.game import HAND_SIZE, ChuoPai
from tests.server.rooms.driven import deck

GAME = ChuoPai()


def begun(seed: int, length: int) -> tuple[Deck, list[str]]:
    """A deck, and a course of at most so many actions that does not end its deal; seat 0 leads."""
    rng, cards = Random(seed), deck(seed)
    state = GAME.start(cards, 0, {})
    actions: list[str] = []
    while len(actions) < length:
        action = rng.choice(state.legal)
        state = GAME.apply(state, state.turn, action)
        if not state.legal:
            break
        actions.append(action)
    return cards, actions


def _course(cards: Deck, actions: list[str]) -> list[tuple[Seat, str]] | None:
    """Who does what, if these actions are a course that a deal of this deck can take; it must not end the deal."""
    state, course = GAME.start(cards, 0, {}), []
    for action in actions:
        course.append((state.turn, action))
        try:
            state = GAME.apply(state, state.turn, action)
        except IllegalAction:
            return None
    return course if state.legal else None


def twin(cards: Deck, actions: list[str], viewer: Seat | None, rng: Random) -> Deck | None:
    """Another deck, with cards of others that they have not shown swapped, in which the deal took the same course."""
    course = _course(cards, actions)
    one, other = rng.sample([seat for seat in SEATS if seat != viewer], 2)
    places = list(range(HAND_SIZE))
    for _ in range(60):
        swapped = list(cards)
        for _ in range(rng.randint(1, 3)):
            mine, its = one * HAND_SIZE + rng.choice(places), other * HAND_SIZE + rng.choice(places)
            swapped[mine], swapped[its] = swapped[its], swapped[mine]
        candidate = tuple(swapped)
        if GAME.start(candidate, 0, {}).piles != GAME.start(cards, 0, {}).piles:
            continue
        if _course(candidate, actions) != course:
            continue
        if GAME.start(candidate, 0, {}).hands != GAME.start(cards, 0, {}).hands:
            return candidate
    return None
