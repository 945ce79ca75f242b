"""A beginner at Paohuzi who finds the best arrangement of its hand and counts cards, but does not look ahead.

It knows the cards and groups of the game, and of the deal only what its view shows.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, reduce
from itertools import chain
from math import prod
from random import Random
from typing import NamedTuple

from protocol.notation import Action, Card, groups_of
from protocol.view import DealView, Group, TableView
from server.bots.base import UNLIMITED
from server.games.base import Seat
from server.games.paohuzi.cards import COPIES, GUARDS, LANE, Hand, cards_of, count, hand_of, holds
from server.games.paohuzi.groups import CHIS, GROUPS, IDENTICAL, LEAST_HUXI, PAO, PENG, Fixed

# A hand is weighed in points. Half or double of any weight gains nothing that 200 deals, played from each seat, can
# show: against two random bots, or against two of this one.

GROUP = 10.0
"""What a whole group is worth. The other weights are set against this one."""

HUXI = 1.5
"""What a huxi is worth."""

MOST_TO_COME = 6
OUT_OF_REACH = 10.0
"""What each huxi costs that a win would lack even if every group still to be laid brought the most that three cards do.
"""

BY_CHI = 0.1
BY_PENG = 0.45
"""How likely one unseen copy of a card comes in time to be chied, or to be penged by whoever shows it.

Who hopes for more lets too many a chi go: with 0.2 for `BY_CHI` it wins 29 % fewer deals against two random bots, with
0.3 58 % fewer.
"""

LINK = 0.0005
"""For a single card: of each group that it may still grow into, by each way to pick the copies that it takes."""

_IMPOSSIBLE = -1_000.0

CHI: Mapping[tuple[Card, ...], Group] = {chi.cards: chi for chi in CHIS}


def _worth(group: Group) -> float:
    return GROUP + HUXI * (group.value or 0)


class _Step(NamedTuple):
    """A card that makes a group whole, how likely one copy of it comes in time, and what the group is worth then."""

    card: Card
    chance: float
    worth: float


def _near() -> Mapping[Hand, tuple[_Step, ...]]:
    """Every two cards that lack one of a group."""
    steps: dict[Hand, list[_Step]] = {}
    for group in chain(CHIS, (IDENTICAL[PENG, card] for card in LANE)):
        chance = BY_PENG if group.kind == PENG else BY_CHI
        for card in dict.fromkeys(group.cards):
            held = hand_of(group.cards) - (1 << LANE[card])
            steps.setdefault(held, []).append(_Step(card, chance, _worth(group)))
    return {held: tuple(found) for held, found in steps.items()}


def _links(card: Card) -> Iterator[tuple[Card, Card, float]]:
    """The two cards that make a chi group with this one, and what that is worth."""
    for chi in CHIS:
        if card in chi.cards:
            place = chi.cards.index(card)
            one, other = chi.cards[:place] + chi.cards[place + 1 :]
            yield one, other, _worth(chi)


WHOLE = tuple((hand_of(chi.cards), _worth(chi)) for chi in CHIS)
NEAR = tuple((held, cards_of(held), steps) for held, steps in _near().items())
LINKS = {card: tuple(_links(card)) for card in LANE}


class EasyBot:
    """Wins when it can, claims what makes its hand better, and discards the card that it needs least."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        assert view.deal is not None
        assert view.you is not None
        actions = view.prompt.actions
        if "win" in actions:
            return "win"
        if len(actions) == 1:
            return actions[0]
        held = held_in(view.deal, view.you.seat)
        most = _arranging(held)
        if "pass" not in actions:
            return f"discard {_estimate(held, most)[1]}"
        worth = {action: round(_estimate(held.after(action), most)[0], 6) for action in actions}
        # In random order, so that it does not always prefer the first of two equal claims; `pass` before an equal one.
        return max(rng.sample(actions, len(actions)), key=lambda action: (worth[action], action == "pass"))


class Held(NamedTuple):
    """The seat's own cards, the public `card` in question, and how many copies of each card it has not seen."""

    loose: Hand
    laid: Fixed
    card: Card
    unseen: Mapping[Card, int]

    @property
    def discards(self) -> bool:
        """Whether the seat has a card too many."""
        return count(self.loose) + self.laid.cards > 20 + max(0, self.laid.fours - 1)

    def after(self, action: Action) -> "Held":
        if action == "pass":
            return self
        if action == PAO:
            return self._replace(laid=self.laid.grown(IDENTICAL[PAO, self.card]))
        groups = [IDENTICAL[PENG, self.card]] if action == PENG else [CHI[cards] for cards in groups_of(action)]
        own = sum(hand_of(group.cards) for group in groups) - (1 << LANE[self.card])
        return self._replace(loose=self.loose - own, laid=reduce(Fixed.plus, groups, self.laid))


def held_in(deal: DealView, me: Seat) -> Held:
    loose, laid, public = 0, Fixed(), ""
    seen: Counter[Card] = Counter()
    for zone in deal.zones:
        for group in zone.groups:
            if group.kind == "dealt":  # still in the dealer's hand
                continue
            seen.update(group.cards)
            if zone.name == "public":
                public = group.cards[0]
            elif zone.seat == me and group.kind == "hand":
                loose = hand_of(group.cards)
            elif zone.seat == me:
                laid = laid.plus(group)
    return Held(loose, laid, public, {card: COPIES - seen[card] for card in LANE})


_Arranged = tuple[float, Card]
"""What cards are worth, less the one that is discarded, and this one; "" where no discard is due."""

_Most = Callable[[Hand, int, bool], _Arranged]
"""Of all arrangements of these cards the best, with a pair that needs no third (1) or without (0); less a discard?"""


def _estimate(held: Held, most: _Most) -> _Arranged:
    """Of the whole hand, groups that are fixed included."""
    laid = held.laid
    lacking = LEAST_HUXI - laid.huxi - MOST_TO_COME * (GROUPS - len(laid.groups))
    fixed = GROUP * len(laid.groups) + HUXI * laid.huxi - OUT_OF_REACH * max(0, lacking)
    worth, discard = most(held.loose, min(1, laid.fours), held.discards)
    return fixed + worth, discard


def _arranging(held: Held) -> _Most:
    """The search through a hand and all parts of it, from the lowest card up, which remembers what it has found."""
    ways = _ways(held)

    @cache
    def most(cards: Hand, pairs: int, due: bool) -> _Arranged:
        if not cards:
            return (_IMPOSSIBLE if due else 0.0), ""
        card, found = ways[cards & -cards]
        best, discard = _IMPOSSIBLE, ""
        if due:
            best, discard = most(cards - (1 << LANE[card]), pairs, False)[0], card
        guarded = cards | GUARDS
        for taken, worth, paired in found:
            if paired <= pairs and (guarded - taken) & GUARDS == GUARDS:
                rest, least = most(cards - taken, pairs - paired, due)
                if rest + worth > best:
                    best, discard = rest + worth, least
        return best, discard

    return most


def _ways(held: Held) -> Mapping[Hand, tuple[Card, list[tuple[Hand, float, int]]]]:
    """By the lowest bit of some cards: the lowest of them, and what it may be part of, with what that is worth.

    The last number is 1 for a pair as the one that a complete hand may have.
    """
    within = {card: held.unseen[card] + (held.loose >> lane & 7) for card, lane in LANE.items()}
    alone = {
        card: LINK * sum([worth * within[one] * within[other] for one, other, worth in LINKS[card]]) for card in LANE
    }
    ways = {}
    for card, lane in LANE.items():
        ways[1 << lane] = ways[2 << lane] = card, [(1 << lane, alone[card], 0), (2 << lane, GROUP, 1)]
    for cards, worth in WHOLE:
        if holds(held.loose, cards):
            ways[cards & -cards][1].append((cards, worth, 0))
    for cards, two, steps in NEAR:
        if holds(held.loose, cards):
            worth = _hope(steps, held.unseen)
            if worth > alone[two[0]] + alone[two[1]]:  # else they are worth no less apart
                ways[cards & -cards][1].append((cards, worth, 0))
    return ways


def _hope(steps: tuple[_Step, ...], unseen: Mapping[Card, int]) -> float:
    """What a part of a group is worth: that of the groups it may become, times the chance that it becomes one."""
    chances = [unseen[card] * chance for card, chance, _ in steps]
    if not any(chances):
        return 0.0
    missed = prod([(1 - chance) ** unseen[card] for card, chance, _ in steps])
    return (1 - missed) * sum([unseen[card] * chance * worth for card, chance, worth in steps]) / sum(chances)
