"""A deal of Paohuzi between two actions, hidden cards and secret declarations included."""

from collections.abc import Mapping

from msgspec import Struct

from protocol.notation import Action, Card
from protocol.view import Group, Happening, Result
from server.games.base import Seat
from server.games.paohuzi.claims import Claims
from server.games.paohuzi.holding import Holding


class State(Struct, frozen=True, gc=False):
    """One of three: `claims` are open or certain, the seat at `turn` must discard or win, or there is a `result`.

    `turn` discards, or has discarded or revealed the card in question. `public` is that card, also while the dealer
    makes its first discard, and the winning card at the end. `stock` is revealed from its front. `moment` counts what
    made something public, and `told` is what the last one made public. `history`: claims that were carried out and
    discards, as `"MOMENT SEAT ACTION"`.
    """

    chi_passed_reveal: bool
    dealer: Seat
    dealer_card: Card
    holdings: tuple[Holding, Holding, Holding]
    stock: tuple[Card, ...]
    discards: tuple[Group, ...]
    turn: Seat
    public: Group | None
    claims: Claims | None
    asked: Mapping[Seat, tuple[Action, ...]]
    moment: int
    history: tuple[str, ...]
    told: tuple[Happening, ...]
    result: Result | None = None
