"""What may be seen of a deal of Paohuzi: by one seat, or by a spectator."""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from protocol.notation import Card, join
from protocol.view import DealView, Fact, Group, Zone
from server.games.base import SEATS, Seat
from server.games.paohuzi.cards import Hand, cards_of, hand_of
from server.games.paohuzi.groups import IDENTICAL, KAN
from server.games.paohuzi.state import State


def views(state: State, seats: Iterable[Seat | None]) -> list[DealView]:
    """Zones `hand` and `melds` (each seat's), `discards`, `public` and `stock`.

    Facts `dealer`, `dealer_card`, `turn`, and by seat `huxi` (of the melds) and `dead`; a seat's own are `own_huxi`
    (melds and kans) and `barred`.
    """
    shown = [_hand(seat, held.loose, held.kans) for seat, held in enumerate(state.holdings)]
    hidden = [_hidden(seat, zone.count) for seat, zone in enumerate(shown)] if state.result is None else shown
    common, facts = tuple(_common_zones(state)), tuple(_common_facts(state))
    return [
        DealView(
            (*[shown[each] if each == seat else hidden[each] for each in SEATS], *common),
            facts if seat is None else (*facts, *_own_facts(state, seat)),
            state.history,
        )
        for seat in seats
    ]


def _common_zones(state: State) -> Iterator[Zone]:
    for seat, holding in enumerate(state.holdings):
        yield Zone("melds", sum([len(meld.cards) for meld in holding.melds]), seat, holding.melds)
    yield Zone("discards", len(state.discards), groups=state.discards)
    yield Zone("public", int(state.public is not None), groups=(state.public,) if state.public else ())
    yield Zone("stock", len(state.stock))


# Most of a view is as it was in the view before: what few values decide is made once.


@lru_cache(1 << 10)
def _hand(seat: Seat, loose: Hand, kans: tuple[Card, ...]) -> Zone:
    groups = [IDENTICAL[KAN, card] for card in kans]
    if loose:
        groups.append(Group(cards_of(loose), "hand"))
    return Zone("hand", sum([len(group.cards) for group in groups]), seat, tuple(groups))


@cache
def _hidden(seat: Seat, cards: int) -> Zone:
    return Zone("hand", cards, seat)


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


def _own_facts(state: State, viewer: Seat) -> Iterator[Fact]:
    own = state.holdings[viewer]
    yield _fact("own_huxi", own.fixed.huxi, viewer)
    if own.barred:
        yield _barred(own.barred, viewer)


@lru_cache(1 << 10)
def _barred(cards: tuple[Card, ...], seat: Seat) -> Fact:
    return Fact("barred", join(cards_of(hand_of(cards))), seat)
