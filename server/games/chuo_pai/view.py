"""What may be seen of a deal of Chuo Pai: by one seat, by a spectator, and what each step makes public."""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from protocol.notation import Action, join
from protocol.view import DealView, Fact, Group, Happening, Zone
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import Hand, cards_of, count
from server.games.chuo_pai.plays import PASS, PLAYS
from server.games.chuo_pai.state import State

BONUS = "bonus"


def views(state: State, seats: Iterable[Seat | None]) -> list[DealView]:
    """Zones `hand`, `pile` (each seat's) and `round`; facts `round`, `leader`, `turn`, `highest` and `points`."""
    held = points(state)
    shown = [_hand(seat, hand) for seat, hand in enumerate(state.hands)]
    hidden = [_hidden(seat, count(hand)) for seat, hand in enumerate(state.hands)] if state.legal else shown
    common, facts = tuple(_common_zones(state, held)), tuple(_facts(state, held))
    return [
        DealView((*[shown[each] if each == seat else hidden[each] for each in SEATS], *common), facts, state.history)
        for seat in seats
    ]


def points(state: State) -> tuple[int, int, int]:
    """Cards in each seat's pile."""
    first, second, third = [sum([len(group.cards) for group in pile]) for pile in state.piles]
    return first, second, third


def happened(before: State | None, after: State) -> tuple[Happening, ...]:
    """What `start` or one `apply` made public, in order."""
    if before is None:
        bonuses = ((seat, pile[0].cards) for seat, pile in enumerate(after.piles) if pile)
        return tuple(Happening("bonus", seat, cards, len(cards)) for seat, cards in bonuses)
    return tuple(_one_action(before, after))


def _common_zones(state: State, held: tuple[int, int, int]) -> Iterator[Zone]:
    for seat in SEATS:
        yield Zone("pile", held[seat], seat, state.piles[seat])
    plays = tuple([_played(seat, action) for seat, action in state.table])
    yield Zone("round", sum([len(play.cards) for play in plays]), groups=plays)


# Most of a view is as it was in the view before: what few values decide is made once.


@lru_cache(1 << 10)
def _hand(seat: Seat, hand: Hand) -> Zone:
    cards = cards_of(hand)
    return Zone("hand", len(cards), seat, (Group(cards, "hand"),) if cards else ())


@cache
def _hidden(seat: Seat, cards: int) -> Zone:
    return Zone("hand", cards, seat)


@cache
def _played(seat: Seat, action: Action) -> Group:
    play = PLAYS[action]
    return Group(play.cards, play.kind, seat)


@cache
def _highest(seat: Seat, action: Action) -> Fact:
    return Fact("highest", join(PLAYS[action].cards), seat)


@cache
def _fact(label: str, value: int, seat: Seat | None = None) -> Fact:
    return Fact(label, value, seat)


def _facts(state: State, held: tuple[int, int, int]) -> Iterator[Fact]:
    yield _fact("round", state.round)
    yield _fact("leader", state.leader)
    if state.legal:
        yield _fact("turn", state.turn)
    if state.table:
        yield _highest(*state.table[-1])
    for seat in SEATS:
        yield _fact("points", held[seat], seat)


def _one_action(before: State, after: State) -> Iterator[Happening]:
    seat = before.turn
    action = after.history[-1].split(" ", 2)[2]
    if action == PASS:
        yield Happening("passed", seat)
    else:
        yield Happening("played" if before.table else "led", seat, PLAYS[action].cards)
    for winner, pile in enumerate(after.piles):
        if len(pile) > len(before.piles[winner]):
            cards = pile[-1].cards
            yield Happening("round_won", winner, cards, len(cards))
            if after.legal and after.leader != winner:
                yield Happening("leads", after.leader)
