"""What a seat has not seen, dealt anew."""

from collections.abc import Sequence
from functools import reduce
from random import Random

from msgspec.structs import replace

from server.games.base import SEATS
from server.games.paohuzi.cards import cards_of, count
from server.games.paohuzi.claims import Claims, options
from server.games.paohuzi.groups import IDENTICAL, KAN, Fixed
from server.games.paohuzi.holding import Holding, dealt
from server.games.paohuzi.state import State


def hidden_exchanged(state: State, seat: int, rng: Random) -> State:
    """The same deal with all that the seat has not seen dealt anew, and with other declarations of the others."""
    others = [other for other in SEATS if other != seat]
    while True:
        hidden = [*state.stock]
        for other in others:
            hidden += [*cards_of(state.holdings[other].loose), *3 * state.holdings[other].kans]
        rng.shuffle(hidden)
        holdings = list(state.holdings)
        for other in others:
            size = count(holdings[other].loose) + 3 * len(holdings[other].kans)
            holdings[other], hidden = concealing(holdings[other], hidden[:size]), hidden[size:]
        if all(len(holdings[other].melds) == len(state.holdings[other].melds) for other in others):
            break
    first, second, third = holdings
    exchanged = replace(state, holdings=(first, second, third), stock=tuple(hidden))
    if state.claims is None:
        return exchanged
    window = declared_anew(exchanged, seat, rng)
    return replace(exchanged, claims=window, asked=window.asked())


def concealing(holding: Holding, cards: Sequence[str]) -> Holding:
    """With these cards in hand instead of its own; a ti among them is one meld more."""
    new = dealt(tuple(cards))
    melds = (*holding.melds, *new.melds)
    fixed = reduce(Fixed.plus, (*melds, *[IDENTICAL[KAN, card] for card in new.kans]), Fixed())
    return replace(holding, loose=new.loose, kans=new.kans, melds=melds, fixed=fixed)


def declared_anew(state: State, seat: int, rng: Random) -> Claims:
    """A window on the same card in which the others are asked by their own cards, and some have declared."""
    assert state.claims is not None
    assert state.public is not None
    (card,) = state.public.cards
    owner, revealed = state.claims.owner, state.public.kind == "revealed"
    offered = list(state.claims.offered)
    for other in SEATS:
        if other != seat and (revealed or other != owner):
            distance = (other - owner) % 3
            may_chi = distance == (0 if revealed else 1)
            offered[other] = options(state.holdings[other], card, distance, revealed=revealed, may_chi=may_chi)
    window = Claims(owner, tuple(offered))
    for other, actions in window.asked().items():
        declared = window.declare(other, rng.choice(actions))
        if other != seat and seat in declared.asked():
            window = declared
    return window
