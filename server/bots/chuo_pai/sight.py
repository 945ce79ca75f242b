"""What one seat's view implies about the other hands, beyond the cards that are out: proofs, never guesses.

Who passed holds no play that beats the highest one, and never will, since hands only shrink. Who showed the opening
bonus has no Nail and no Two Red left; who did not was not dealt both kinds.
"""

from typing import NamedTuple

from protocol.notation import Action, Card
from protocol.view import TableView
from server.bots.chuo_pai.easy import HIGHER, counted
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import COMBINATIONS, COPIES, FAMILIES, LANE, NAIL, TWO_RED, Hand, hand_of
from server.games.chuo_pai.plays import LARGEST_COMBINATION, MAX_COMBINATION, PASS, PLAYS, Play


class Bound(NamedTuple):
    """A hand once held no combination of one name with more than `most` cards. `named` and `matching`: how many cards
    of each kind it has played since.
    """

    most: int
    named: int = 0
    matching: int = 0

    @property
    def room(self) -> int:
        """The most cards of such a combination that the hand may still hold."""
        return self.most - self.named - self.matching

    def allows(self, named: int, matching: int) -> bool:
        """Whether the hand may still hold so many cards of each kind."""
        named, matching = named + self.named, matching + self.matching
        return not named or not matching or named + matching <= self.most


class Hidden(NamedTuple):
    """What is certain of one other hand.

    `most`: the most copies that it can hold of each identity. `bounds`: what was proved for each of `COMBINATIONS`.
    `apart`: a hand without the opening bonus, so that it was not dealt both kinds; how many Nails and Two Reds it has
    played; None for a hand with the bonus.
    """

    seat: Seat
    size: int
    most: dict[Card, int]
    bounds: tuple[tuple[Bound, ...], ...]
    apart: tuple[int, int] | None

    def may_beat(self, play: Play, unseen: Hand) -> bool:
        """Whether it is not certain that the hand cannot."""
        size = len(play.cards)
        if size > self.size:
            return False
        if play.family < len(FAMILIES):
            return any(min(unseen >> LANE[card] & 7, self.most[card]) >= size for card in HIGHER[play.cards[0]])
        for (named, matching), bounds in zip(COMBINATIONS[: -play.rank], self.bounds, strict=False):
            one = min(unseen >> LANE[named] & 7, self.most[named])
            other = sum(min(unseen >> LANE[card] & 7, self.most[card]) for card in matching)
            if one and other and one + other >= size and all(bound.room >= size for bound in bounds):
                return True
        return False

    def allows_bonus_cards(self, nails: int, two_reds: int) -> bool:
        """Whether the hand may still hold so many of each."""
        if self.apart is None:
            return not nails and not two_reds
        return not (nails + self.apart[0] and two_reds + self.apart[1])


class Sight(NamedTuple):
    """A deal as the seat at turn sees it. For the leader of a round, `highest` is "" and `owner` the seat itself.

    `hidden`: the other two hands, clockwise from the seat. Together they hold `unseen`.
    """

    seat: Seat
    hand: Hand
    unseen: Hand
    hidden: tuple[Hidden, Hidden]
    points: tuple[int, int, int]
    leader: Seat
    highest: Action
    owner: Seat
    max_combination: int

    @property
    def followers(self) -> int:
        """How many seats act after this one in the round, those without cards included."""
        return (self.leader - self.seat - 1) % len(SEATS)

    def holds(self, play: Play) -> bool:
        """Whether it is certain that nobody will beat the seat's play."""
        return not any(hand.may_beat(play, self.unseen) for hand in self.hidden[: self.followers])


def sight(view: TableView) -> Sight:
    """`view` is that of a seat that is asked."""
    deal, you = view.deal, view.you
    assert deal is not None
    assert you is not None
    me = you.seat
    held, bonuses = [0, 0, 0], set()
    hand: Hand = 0
    for zone in deal.zones:
        if zone.name == "hand" and zone.seat is not None:
            held[zone.seat] = zone.count
            if zone.seat == me:
                hand = hand_of(card for group in zone.groups for card in group.cards)
        elif zone.name == "pile" and any(group.kind == "bonus" for group in zone.groups):
            bonuses.add(zone.seat)
    traces = {seat: _Trace(seat in bonuses) for seat in SEATS if seat != me}
    highest, owner, number = "", me, ""
    for line in deal.history:
        of_round, who, action = line.split(" ", 2)
        seat = int(who)
        if action == PASS:
            if seat != me:
                traces[seat].passed(PLAYS[highest])
            continue
        if seat != me:
            traces[seat].played(PLAYS[action])
        highest, owner, number = action, seat, of_round
    facts = {(fact.label, fact.seat): fact.value for fact in deal.facts}
    leads = number != str(facts["round", None])
    first, second = (
        Hidden(seat, held[seat], *traces[seat].proved()) for seat in ((me + 1) % len(SEATS), (me + 2) % len(SEATS))
    )
    return Sight(
        seat=me,
        hand=hand,
        unseen=counted(deal, me).unseen,
        hidden=(first, second),
        points=(int(facts["points", 0]), int(facts["points", 1]), int(facts["points", 2])),
        leader=int(facts["leader", None]),
        highest="" if leads else highest,
        owner=me if leads else owner,
        max_combination=int(view.room.options.get(MAX_COMBINATION, LARGEST_COMBINATION)),
    )


class _Trace:
    """What one seat's actions prove about its hand, as they are read in order."""

    def __init__(self, bonus: bool) -> None:
        self._most = dict.fromkeys(LANE, COPIES)
        self._bounds: list[list[Bound]] = [[] for _ in COMBINATIONS]
        self._bonus = bonus
        self._nails = self._two_reds = 0
        if bonus:
            self._most[NAIL] = self._most[TWO_RED] = 0

    def passed(self, highest: Play) -> None:
        size = len(highest.cards)
        if highest.family == len(FAMILIES):
            for bounds in self._bounds[: -highest.rank]:
                bounds.append(Bound(size - 1))
        else:
            for card in HIGHER[highest.cards[0]]:
                self._most[card] = min(self._most[card], size - 1)

    def played(self, play: Play) -> None:
        for card in play.cards:
            self._most[card] -= 1
            self._nails += card == NAIL
            self._two_reds += card == TWO_RED
            for bounds, (named, matching) in zip(self._bounds, COMBINATIONS, strict=True):
                if bounds and (card == named or card in matching):
                    bounds[:] = [
                        Bound(most, one + (card == named), other + (card in matching)) for most, one, other in bounds
                    ]

    def proved(self) -> tuple[dict[Card, int], tuple[tuple[Bound, ...], ...], tuple[int, int] | None]:
        apart = None if self._bonus else (self._nails, self._two_reds)
        return self._most, tuple(map(tuple, self._bounds)), apart
