"""A deal of the real rules as the kernel has it."""

from server.bots.paohuzi.kernel import BIT, NUMBER, Claim, Table
from server.bots.paohuzi.sight import lay
from server.games.base import SEATS, Seat
from server.games.paohuzi.groups import IDENTICAL, KAN
from server.games.paohuzi.state import State


def table_of(state: State) -> Table:
    table = Table()
    for seat in SEATS:
        holding = state.holdings[seat]
        for meld in (*holding.melds, *[IDENTICAL[KAN, card] for card in holding.kans]):
            lay(table, seat, meld)
        table.loose[seat] = holding.loose
        table.barred[seat] = sum(BIT[NUMBER[card]] for card in holding.barred)
        table.dead[seat] = holding.dead
        table.counted(seat)
    table.stock = tuple(NUMBER[card] for card in state.stock)
    table.turn = state.turn
    table.passed_reveal = state.chi_passed_reveal
    return table


def claims_in(state: State, seat: Seat) -> list[Claim]:
    """What the kernel offers a seat at a window, whatever has been declared."""
    assert state.claims is not None
    assert state.public is not None
    place, (card,) = (seat - state.turn) % 3, state.public.cards
    return table_of(state).offers(place, NUMBER[card], state.public.kind == "revealed")
