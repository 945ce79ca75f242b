"""The last cards of a deal played out exactly, when all of them are known.

Every seat does what is best for its own score, the first of equal choices. In a window the seats declare in turn, from
the one that has shown the card on, each knowing what was declared before; the best claim is then carried out as ever.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from server.bots.paohuzi.kernel import LEAST, SHIFT, WINS, Claim, Table, declared, size, tun
from server.games.base import SEATS, Seat

CARDS_IN_PLAY: Final = 9
"""Loose cards of all seats and cards of the stock. With so few a search takes about as long as a few rollouts."""

Scores = tuple[int, int, int]


class _Window(NamedTuple):
    """`offers`: by place behind the seat that has shown card `x`. The seat `me` (or -1) has declared `mine`."""

    x: int
    offers: tuple[list[Claim], ...]
    me: Seat
    mine: Claim | None


def cards_in_play(table: Table) -> int:
    return sum(map(size, table.loose)) + len(table.stock) - table.at


def best_scores(table: Table, me: Seat, choice: Claim | int | None, x: int, *, revealed: bool) -> Scores:
    """What all seats score after this choice of one: a card to discard, or a claim on `x` (None: a pass).

    `revealed`: whether `table.turn` has revealed `x` or discarded it.
    """
    if isinstance(choice, int):
        return _discarded(table, me, choice)
    return _window(table, x, revealed, me, choice)


def _discarded(table: Table, seat: Seat, card: int) -> Scores:
    after = table.copy()
    after.discard(seat, card)
    return _window(after, card, revealed=False)


def _window(table: Table, x: int, revealed: bool, me: Seat = -1, mine: Claim | None = None) -> Scores:
    offers = tuple(table.offers(place, x, revealed) for place in SEATS)
    return _declaring(table, _Window(x, offers, me, mine), ())


def _declaring(table: Table, window: _Window, claims: tuple[Claim | None, ...]) -> Scores:
    place = len(claims)
    if place == len(SEATS):
        return _settled(table, window, claims)
    seat = (table.turn + place) % 3
    if seat == window.me:
        return _declaring(table, window, (*claims, window.mine))
    options: list[Claim | None] = [*window.offers[place], None]
    return _best(seat, [_declaring(table, window, (*claims, option)) for option in options])


def _settled(table: Table, window: _Window, claims: Sequence[Claim | None]) -> Scores:
    after = table.copy()
    seat, claim = declared(after, window.x, window.offers, claims)
    if claim is None:
        return _reveal(after)
    if claim.kind == WINS:
        return _won(seat, after.win_huxi(seat, window.x))
    after.carry(seat, window.x, claim)
    return _melded(after, seat)


def _melded(table: Table, seat: Seat, *, may_win: bool = False) -> Scores:
    """The seat has laid a meld: it discards, wins, is dead, or the next one reveals."""
    results = [_won(seat, table.win_huxi(seat, -1))] if may_win else []
    if table.over[seat] > 0:
        results += [_discarded(table, seat, card) for card in _in_order(table.loose[seat])]
        if not results:
            table.dead[seat] = True
    return _best(seat, results) if results else _reveal(table)


def _in_order(loose: int) -> list[int]:
    return [card for card in range(20) if loose >> SHIFT[card] & 3]


def _reveal(table: Table) -> Scores:
    if table.at == len(table.stock):
        return 0, 0, 0
    x = table.stock[table.at]
    table.at += 1
    seat = table.turn = (table.turn + 1) % 3
    if table.must_meld(seat, x):
        return _melded(table, seat, may_win=not table.dead[seat] and table.win_huxi(seat, -1) >= LEAST)
    return _window(table, x, revealed=True)


def _best(seat: Seat, results: Sequence[Scores]) -> Scores:
    return max(results, key=lambda scores: scores[seat])


def _won(seat: Seat, huxi: int) -> Scores:
    scores = [-tun(huxi)] * 3
    scores[seat] = 2 * tun(huxi)
    return scores[0], scores[1], scores[2]
