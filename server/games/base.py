"""What a game is: pure functions over an immutable state.

No clock, no chance, no I/O: the deck comes in shuffled, and what the rules do by themselves happens inside `apply`.
"""

from collections.abc import Mapping
from typing import Protocol, TypeVar

from protocol.notation import Action, Card
from protocol.view import DealView, Happening, OptionValue, Result

Seat = int
SEATS: tuple[Seat, ...] = (0, 1, 2)

Deck = tuple[Card, ...]
Options = Mapping[str, OptionValue]

S = TypeVar("S")


class IllegalAction(ValueError):
    """The action is not among those that the seat is asked for. The text says why, from public facts only."""


class BadOption(ValueError):
    """A house rule that the game does not know, or a value out of its range. The text says what is allowed."""


class BadDeck(ValueError):
    """A deck that is not exactly this game's cards. The text says what is wrong with it."""


class Game(Protocol[S]):
    """The interface of a game. `asked` is the one definition of legality; `apply` accepts exactly its members."""

    name: str
    pack: Deck
    """All cards of the game in ascending order, copies included."""

    def options(self, given: Options) -> Options:
        """All house rules of a deal, defaults filled in. Raises `BadOption`."""

    def start(self, deck: Deck, first: Seat, options: Options) -> S:
        """The deal after everything that happens before the first decision. Raises `BadDeck` and `BadOption`."""

    def asked(self, state: S) -> Mapping[Seat, tuple[Action, ...]]:
        """Who must decide now, and between which actions; empty when the deal is over."""

    def apply(self, state: S, seat: Seat, action: Action) -> S:
        """The state after one accepted action. Raises `IllegalAction`; `state` is unchanged in any case."""

    def view(self, state: S, seat: Seat | None) -> DealView:
        """What one seat, or a spectator (None), may see."""

    def happened(self, before: S | None, after: S) -> tuple[Happening, ...]:
        """What became public by `start` (`before` is None) or by one `apply`, in order."""

    def result(self, state: S) -> Result | None:
        """None until the deal is over."""
