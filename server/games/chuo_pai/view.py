"""What may be seen of a deal of Chuo Pai: by one seat, by a spectator, and what each step makes public."""

from collections.abc import Iterator

from protocol.notation import join
from protocol.view import DealView, Fact, Group, Happening, Zone
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import cards_of
from server.games.chuo_pai.plays import PASS, PLAYS
from server.games.chuo_pai.state import State

BONUS = "bonus"


def view(state: State, seat: Seat | None) -> DealView:
    """Zones `hand`, `pile` (each seat's) and `round`; facts `round`, `leader`, `turn`, `highest` and `points`."""
    return DealView(zones=tuple(_zones(state, seat)), facts=tuple(_facts(state)), history=state.history)


def points(state: State) -> tuple[int, int, int]:
    """Cards in each seat's pile."""
    first, second, third = (sum(len(group.cards) for group in pile) for pile in state.piles)
    return first, second, third


def happened(before: State | None, after: State) -> tuple[Happening, ...]:
    """What `start` or one `apply` made public, in order."""
    if before is None:
        return tuple(Happening("bonus", seat, pile[0].cards) for seat, pile in enumerate(after.piles) if pile)
    return tuple(_one_action(before, after))


def _zones(state: State, viewer: Seat | None) -> Iterator[Zone]:
    for seat in SEATS:
        cards = cards_of(state.hands[seat])
        open_ = seat == viewer or not state.legal
        yield Zone("hand", len(cards), seat, (Group(cards, "hand"),) if open_ and cards else ())
    for seat, held in enumerate(points(state)):
        yield Zone("pile", held, seat, state.piles[seat])
    plays = [(seat, PLAYS[action]) for seat, action in state.table]
    yield Zone(
        "round",
        sum(len(play.cards) for _, play in plays),
        groups=tuple(Group(play.cards, play.kind, seat) for seat, play in plays),
    )


def _facts(state: State) -> Iterator[Fact]:
    yield Fact("round", state.round)
    yield Fact("leader", state.leader)
    if state.legal:
        yield Fact("turn", state.turn)
    if state.table:
        owner, action = state.table[-1]
        yield Fact("highest", join(PLAYS[action].cards), owner)
    for seat, held in enumerate(points(state)):
        yield Fact("points", held, seat)


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
