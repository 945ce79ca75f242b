"""Who may claim a public card, which claim goes first, when that is certain, and who is barred afterwards.

Everything here is secret until a claim is carried out.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

from msgspec import Struct

from protocol.notation import PAOHUZI_CARDS, Action, Card, join
from protocol.view import Group
from server.games.base import Seat
from server.games.paohuzi.cards import LANE, Hand, hand_of, holds
from server.games.paohuzi.groups import CHIS, IDENTICAL, PAO, PENG
from server.games.paohuzi.holding import Holding

WIN: Final = "win"
PASS: Final = "pass"  # noqa: S105 a move, no password


class Chi(NamedTuple):
    """One choice of groups. `taken`: the loose cards that go into them beside the public card."""

    action: Action
    groups: tuple[Group, ...]
    taken: Hand


def _chis(card: Card) -> Iterator[tuple[int, Chi]]:
    """Every choice of groups that could be laid with the card, by how many loose copies of it they take (0 to 2)."""
    order = PAOHUZI_CARDS.index
    holding = sorted((chi for chi in CHIS if card in chi.cards), key=lambda chi: [*map(order, chi.cards)])
    for size in (1, 2, 3):
        for groups in combinations_with_replacement(holding, size):
            cards = [each for group in groups for each in group.cards]
            cards.remove(card)
            if all(cards.count(each) <= 2 for each in cards):  # no seat has three loose copies of anything
                action = " ".join(["chi", *(join(group.cards) for group in groups)])
                yield cards.count(card), Chi(action, groups, hand_of(cards))


_CHIS: Mapping[Card, tuple[tuple[Chi, ...], ...]] = {
    card: tuple(tuple(chi for copies, chi in _chis(card) if copies == held) for held in (0, 1, 2))
    for card in PAOHUZI_CARDS
}

CHI_NAMED: Mapping[tuple[Card, Action], Chi] = {
    (card, chi.action): chi for card, choices in _CHIS.items() for chis in choices for chi in chis
}


_NEAR: Mapping[Card, Hand] = {
    card: sum(7 << LANE[each] for each in {each for chi in CHIS if card in chi.cards for each in chi.cards})
    for card in PAOHUZI_CARDS
}
"""All copies of the cards that can lie in a chi with this one."""


@lru_cache(1 << 11)
def _chis_of(card: Card, near: Hand) -> tuple[Chi, ...]:
    """The choices that a hand has whose cards near this one are these."""
    return tuple(chi for chi in _CHIS[card][near >> LANE[card] & 7] if holds(near, chi.taken))


def options(held: Holding, card: Card, distance: int, *, revealed: bool, may_chi: bool) -> tuple[Action, ...]:
    """What a seat may declare on a public card, best first and `pass` last; empty if it has no claim.

    `distance`: places behind the seat that revealed or discarded the card, whose own is 0.
    """
    found: list[Action] = []
    if revealed and held.complete(card):
        found.append(WIN)
    if card in held.fixed.threes and (revealed or IDENTICAL[PENG, card] not in held.melds):
        found.append(PAO)
    pair = distance and held.loose >> LANE[card] & 7 == 2
    if (pair or may_chi) and card not in held.barred and not held.dead:
        if pair and held.keeps_a_discard(2 << LANE[card]):
            found.append(PENG)
        if may_chi and card not in held.kans:
            chis = _chis_of(card, held.loose & _NEAR[card])
            found += [chi.action for chi in chis if held.keeps_a_discard(chi.taken)]
    return (*found, PASS) if found else ()


class Claims(Struct, frozen=True, gc=False):
    """The window on one public card: what each seat may declare, and what it has, "" where nothing yet."""

    owner: Seat
    offered: tuple[tuple[Action, ...], ...]
    declared: tuple[Action, ...] = ("", "", "")

    def asked(self) -> dict[Seat, tuple[Action, ...]]:
        """Who must declare still: nobody once a declared claim beats all that could come."""
        still = {seat: actions for seat, actions in enumerate(self.offered) if actions and not self.declared[seat]}
        if not still:
            return still
        could = min([_rank(self.owner, seat, actions[0]) for seat, actions in still.items()])
        certain = [_rank(self.owner, seat, action) < could for seat, action in enumerate(self.declared) if action]
        return {} if any(certain) else still

    def declare(self, seat: Seat, action: Action) -> "Claims":
        declared = (*self.declared[:seat], action, *self.declared[seat + 1 :])
        return Claims(self.owner, self.offered, declared)

    def outcome(self) -> tuple[tuple[Seat, Action] | None, list[Seat]]:
        """The claim that is carried out, and the seats that are barred. Only when nobody is asked.

        Barred are those that passed a chi or peng which no better claim took from them; a seat that declared a win or
        pao instead has taken the card, or lost it to a win.
        """
        if not any(self.declared):
            return None, []
        claim: tuple[Seat, Action] | None = None
        taken = _PASS_RANK
        passed: list[Seat] = []
        for seat, action in enumerate(self.declared):
            if action == PASS:
                passed.append(seat)
            elif action and (rank := _rank(self.owner, seat, action)) < taken:
                claim, taken = (seat, action), rank
        return claim, [seat for seat in passed if self._chi_or_peng_rank(seat) <= taken]

    def _chi_or_peng_rank(self, seat: Seat) -> int:
        """Of the better one that the seat was offered."""
        for option in self.offered[seat]:
            if option == PENG or option.startswith("chi"):
                return _rank(self.owner, seat, option)
        return _PASS_RANK + 1


_PASS_RANK = 7
_RANKS = {PAO: 3, PENG: 3, PASS: _PASS_RANK}


def _rank(owner: Seat, seat: Seat, action: Action) -> int:
    """The lower the better: win by distance from the owner; pao and peng, which only one seat can have; chi by
    distance; pass."""
    rank = _RANKS.get(action)
    if rank is None:
        rank = (seat - owner) % 3 + (0 if action == WIN else 4)
    return rank
