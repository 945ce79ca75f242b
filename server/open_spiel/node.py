"""One node of the game tree: the deal with all that is hidden, and what each player remembers of it.

Immutable, so that clones share it. The deck is dealt card by card; then the rules of the game go on, and claims that
several seats declare at the same time are made one after another: the seat that shows the card first, then clockwise.
What a seat has declared is remembered by that seat alone.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from protocol.notation import Action, Card, join
from protocol.view import Happening, OptionValue
from server.games.base import SEATS, Deck, Game, Seat, settled

CHANCE = -1
TERMINAL = -4
"""As `pyspiel.PlayerId` has them."""

PASS: Action = "pass"  # noqa: S105 a move, no password

HAND = "hand"
"""The kind of what becomes public at the end: the cards that a seat has left."""


class Node(Struct, frozen=True, gc=False):
    """`player` decides, or `CHANCE` or `TERMINAL`. `dealt`: the deck as far as it is dealt.

    `state` is the rules' own, None while the deck is dealt. `starts`: by seat, the cards that it was dealt. `told`:
    what has become public, one line each, as `KIND SEAT CARDS`. `own`: by seat, what it has declared in secret, as
    `PLACE ACTION`, the place being how many lines it had been told. `margin`: what counts in the end is a seat's score
    less the mean of the two others'.
    """

    options: Mapping[str, OptionValue]
    first: Seat
    player: int = CHANCE
    dealt: tuple[Card, ...] = ()
    state: Any = None
    starts: tuple[str, str, str] = ("", "", "")
    told: tuple[str, ...] = ()
    own: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] = ((), (), ())
    margin: bool = False

    def __copy__(self) -> "Node":
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> "Node":
        return self


Decks = Callable[[Node, Seat, Random], Iterator[Deck]]
"""Decks without end that a player at a node may think possible, as likely as its bot takes them to be."""


class Table(Struct, frozen=True):
    """How a game's rules become a tree. `actions` by their numbers, and `numbers` by their actions.

    `kinds`: of what becomes public, those that do not follow from the others. `hands`: which places of the deck a seat
    is dealt; `from_first`: counted from the first seat on, else from seat 0.
    """

    rules: Game[Any]
    cards: tuple[Card, ...]
    actions: tuple[Action, ...]
    numbers: Mapping[Action, int]
    decks: Decks
    kinds: tuple[str, ...]
    hands: tuple[slice, slice, slice]
    from_first: bool

    def left(self, node: Node) -> list[int]:
        """While the deck is dealt: how many copies of each card are left."""
        dealt, copies = Counter(node.dealt), len(self.rules.pack) // len(self.cards)
        return [copies - dealt[card] for card in self.cards]

    def deal(self, node: Node, card: Card) -> Node:
        """With one more card of the deck; with the last one, the deal begins."""
        dealt = (*node.dealt, card)
        if len(dealt) < len(self.rules.pack):
            return replace(node, dealt=dealt)
        return self.begin(node, dealt)

    def begin(self, root: Node, deck: Deck) -> Node:
        """After a whole deck. `root`: any node with the same house rules."""
        one, two, three = (join(self.dealt_to(deck, root.first, seat)) for seat in SEATS)
        before = Node(root.options, root.first, dealt=deck, starts=(one, two, three), margin=root.margin)
        return self._settled(before, self.rules.start(deck, root.first, root.options))

    def dealt_to(self, dealt: Deck, first: Seat, seat: Seat) -> tuple[Card, ...]:
        """What the seat has of a deck, or of the part of it that is dealt, in ascending order."""
        hand = self.hands[(seat - first) % len(SEATS) if self.from_first else seat]
        return tuple(sorted(dealt[hand], key=self.cards.index))

    def apply(self, node: Node, action: Action) -> Node:
        """After a choice of the player who decides. Raises `IllegalAction`."""
        seat = node.player
        after = self.rules.apply(node.state, seat, action)
        if self.rules.window(node.state):
            entry = f"{len(node.told)} {action}"
            one, two, three = [(*own, entry) if each == seat else own for each, own in enumerate(node.own)]
            node = replace(node, own=(one, two, three))
        return self._settled(node, after)

    def reached(self, root: Node, deck: Deck, steps: Iterable[tuple[Seat, Action]], player: Seat) -> Node:
        """Where a deal has come to in which claims were declared in any order, and `player` is asked.

        Who would have been asked in this order and was not in that one, because a better claim was certain, passes;
        so does who is asked before the player and has not declared yet. Neither changes what the player knows.
        """
        rules = self.rules
        declared: dict[tuple[int, Seat], Action] = {}
        chosen: list[Action] = []
        state = settled(rules, rules.start(deck, root.first, root.options))
        for seat, action in steps:
            if rules.window(state):
                declared[rules.moment(state), seat] = action
            else:
                chosen.append(action)
            state = settled(rules, rules.apply(state, seat, action))
        choices = iter(chosen)
        node = self.begin(root, deck)
        while rules.moment(node.state) < rules.moment(state) or node.player != player:
            if rules.window(node.state):
                action = declared.get((rules.moment(node.state), node.player), PASS)
            else:
                action = next(choices)
            node = self.apply(node, action)
        return node

    def scores(self, state: Any, *, margin: bool) -> list[float]:
        """Of a deal that is over."""
        result = self.rules.result(state)
        assert result is not None
        scores = result.scores
        return [(3 * score - sum(scores)) / 2 if margin else float(score) for score in scores]

    def _settled(self, node: Node, after: Any) -> Node:
        """Where the state leads to: the next choice, or the end."""
        rules = self.rules
        before, told = node.state, node.told
        while True:
            told += tuple([line(each) for each in rules.happened(before, after) if each.kind in self.kinds])
            asked = rules.asked(after)
            if asked or not rules.window(after):
                break
            before, after = after, rules.go_on(after)
        if not asked:
            told += tuple(self._left_over(after))
        return replace(node, player=next_of(rules, after), state=after, told=told)

    def _left_over(self, state: Any) -> list[str]:
        """The hands, which are open once the deal is over."""
        zones = [zone for zone in self.rules.view(state, None).zones if zone.name == HAND]
        return [f"{HAND} {zone.seat} {' '.join([join(group.cards) for group in zone.groups])}" for zone in zones]


def next_of(rules: Game[Any], state: Any) -> int:
    """Who decides: of several who are asked, the one who showed the card or comes first after that seat."""
    asked = rules.asked(state)
    if len(asked) == 1:
        (seat,) = asked
        return seat
    if not asked:
        return TERMINAL
    return min(asked, key=lambda seat: (seat - state.turn) % len(SEATS))


def line(happening: Happening) -> str:
    """`KIND SEAT CARDS`, as far as there are any."""
    parts = [happening.kind]
    if happening.seat is not None:
        parts.append(str(happening.seat))
    if happening.cards:
        parts.append(join(happening.cards))
    if happening.name:
        parts.append(happening.name)
    return " ".join(parts)
