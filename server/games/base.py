"""What a game is: pure functions over an immutable state.

No clock, no chance, no I/O: the deck comes in shuffled. What the rules do by themselves happens inside `apply`, or,
where a public card must stand for a while before it is settled, inside `go_on`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from protocol.messages import HouseRule
from protocol.notation import Action, Card
from protocol.view import DealView, Happening, OptionValue, Reason, Result, TableView

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


def check_deck(deck: Deck, pack: Deck) -> None:
    """Raises `BadDeck` unless the deck is the pack in some order."""
    if len(deck) != len(pack):
        raise BadDeck(f"the deck has {len(deck)} cards instead of {len(pack)}")
    right = Counter(pack)
    for card, copies in Counter(deck).items():
        if card not in right:
            raise BadDeck(f"the deck has a card {card!r}, which is none of this game")
        if copies > right[card]:
            raise BadDeck(f"the deck has {copies} copies of {card} instead of {right[card]}")


def chosen_rules(game: str, rules: Iterable[HouseRule], given: Options) -> Options:
    """All house rules of a game, defaults filled in. Raises `BadOption`."""
    known = {rule.name: rule for rule in rules}
    for name, value in given.items():
        if name not in known:
            raise BadOption(f"{game} has no option {name!r}; it has: {', '.join(known)}")
        least, most = known[name].least, known[name].most
        if least is None or most is None:
            if not isinstance(value, bool):
                raise BadOption(f"{name} is {value}; it must be true or false")
        elif isinstance(value, bool) or not least <= value <= most:
            raise BadOption(f"{name} is {value}; it must be a whole number from {least} to {most}")
    return {name: rule.default for name, rule in known.items()} | dict(given)


class Game(Protocol[S]):
    """The interface of a game. `asked` is the one definition of legality; `apply` accepts exactly its members."""

    name: str
    version: int
    """Of the rules, from 1: another one whenever a course of play of before would now lead to another state."""

    pack: Deck
    """All cards of the game in ascending order, copies included."""

    house_rules: tuple[HouseRule, ...]
    """What a host may choose."""

    def options(self, given: Options) -> Options:
        """All house rules of a deal, defaults filled in. Raises `BadOption`."""

    def start(self, deck: Deck, first: Seat, options: Options) -> S:
        """The deal after everything that happens before the first decision. Raises `BadDeck` and `BadOption`."""

    def asked(self, state: S) -> Mapping[Seat, tuple[Action, ...]]:
        """Who must decide now, and between which actions; no seat without an option.

        Empty when the deal is over, or when the rules go on by themselves: see `go_on`.
        """

    def apply(self, state: S, seat: Seat, action: Action) -> S:
        """The state after one accepted action. Raises `IllegalAction`; `state` is unchanged in any case.

        In a window it records the seat's declaration and nothing more: that is settled by `go_on`.
        """

    def window(self, state: S) -> bool:
        """Whether a public card stands whose claims are open, or are certain but not carried out yet.

        Who is asked in a window, and what has been declared, is secret.
        """

    def go_on(self, state: S) -> S:
        """What the rules do by themselves, up to the next public card, the next decision or the end.

        Raises `ValueError` unless the state is a window in which nobody is asked.
        """

    def moment(self, state: S) -> int:
        """Grows exactly when something public changes: not by a declaration in a window."""

    def view(self, state: S, seat: Seat | None) -> DealView:
        """What one seat, or a spectator (None), may see."""

    def views(self, state: S, seats: Iterable[Seat | None]) -> list[DealView]:
        """What each of them may see: `view` for all, with what they share worked out once."""

    def happened(self, before: S | None, after: S) -> tuple[Happening, ...]:
        """What became public by `start` (`before` is None), by one `apply` or by one `go_on`, in order."""

    def result(self, state: S) -> Result | None:
        """None until the deal is over."""

    def why(self, view: TableView, text: str) -> Reason:
        """Why `text`, an action or cards alone, is none of the actions that a seat's view offers; the plainest reason.

        `view` shows a deal. There is a reason for any text.
        """

    def essence(self, state: S) -> tuple[object, ...]:
        """What the state is made of, as plain values that msgpack knows: all that the further course depends on, and
        nothing that follows from it. Equal in every release of the same version.
        """


def settled(game: Game[S], state: S) -> S:
    """The state in which somebody must decide, or the deal is over."""
    while game.window(state) and not game.asked(state):
        state = game.go_on(state)
    return state
