"""What may be seen of a deal of Paohuzi: by one seat, or by a spectator."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from protocol.notation import join
from protocol.view import DealView, Fact, Group, Zone
from server.games.base import SEATS, Seat
from server.games.paohuzi.cards import Hand, cards_of, hand_of
from server.games.paohuzi.groups import IDENTICAL, KAN
from server.games.paohuzi.holding import Holding
from server.games.paohuzi.state import State


def views(state: State, seats: Iterable[Seat | None]) -> list[DealView]:
    """Zones `hand` and `melds` (each seat's), `discards`, `public` and `stock`.

    Facts `dealer`, `dealer_card`, `turn`, and by seat `huxi` (of the melds) and `dead`; a seat's own are `own_huxi`
    (melds and kans) and `barred`.
    """
    common, facts = tuple(_common_zones(state)), tuple(_common_facts(state))
    return [
        DealView((*_hands(state, seat), *common), (*facts, *_own_facts(state, seat)), state.history) for seat in seats
    ]


def _hands(state: State, viewer: Seat | None) -> Iterator[Zone]:
    for seat, holding in enumerate(state.holdings):
        open_ = seat == viewer or state.result is not None
        yield Zone("hand", holding.concealed, seat, tuple(_concealed(holding)) if open_ else ())


def _common_zones(state: State) -> Iterator[Zone]:
    for seat, holding in enumerate(state.holdings):
        yield Zone("melds", sum([len(meld.cards) for meld in holding.melds]), seat, holding.melds)
    yield Zone("discards", len(state.discards), groups=state.discards)
    yield Zone("public", int(state.public is not None), groups=(state.public,) if state.public else ())
    yield Zone("stock", len(state.stock))


def _concealed(holding: Holding) -> Iterator[Group]:
    for card in holding.kans:
        yield IDENTICAL[KAN, card]
    if holding.loose:
        yield _loose(holding.loose)


# Most of a view is as it was in the view before: what few values decide is made once.


@lru_cache(1 << 10)
def _loose(hand: Hand) -> Group:
    return Group(cards_of(hand), "hand")


@lru_cache(1 << 10)
def _fact(label: str, value: int | str, seat: Seat | None = None) -> Fact:
    return Fact(label, value, seat)


def _common_facts(state: State) -> Iterator[Fact]:
    yield _fact("dealer", state.dealer)
    yield _fact("dealer_card", state.dealer_card)
    if state.result is None:
        yield _fact("turn", state.turn)
    for seat in SEATS:
        yield _fact("huxi", state.holdings[seat].meld_huxi, seat)
    for seat in SEATS:
        if state.holdings[seat].dead:
            yield _fact("dead", 1, seat)


def _own_facts(state: State, viewer: Seat | None) -> Iterator[Fact]:
    if viewer is not None:
        own = state.holdings[viewer]
        yield _fact("own_huxi", own.fixed.huxi, viewer)
        if own.barred:
            yield _fact("barred", join(cards_of(hand_of(own.barred))), viewer)
