"""All cards of one seat of Paohuzi, and what becomes of them by a meld or a discard."""

from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from protocol.notation import Card
from protocol.view import Group
from server.games.paohuzi.cards import LANE, Hand, count, parted
from server.games.paohuzi.groups import IDENTICAL, KAN, LEAST_HUXI, TI, WEI, Fixed, arrangement, grown, most_huxi

OPENING_SIZE = 20


class Holding(Struct, frozen=True, gc=False):
    """Loose cards, cards locked in kans (each named by its card), and melds in the order in which they were laid.

    `fixed`: melds and kans. `barred`: the identities that the seat may no longer chi or peng.
    """

    loose: Hand
    kans: tuple[Card, ...]
    melds: tuple[Group, ...]
    fixed: Fixed
    barred: tuple[Card, ...] = ()
    dead: bool = False

    @property
    def owned(self) -> int:
        """How many cards the seat has in hand and in its melds."""
        return count(self.loose) + self.fixed.cards

    @property
    def meld_huxi(self) -> int:
        return sum([meld.value or 0 for meld in self.melds])

    def loose_copies(self, card: Card) -> int:
        return self.loose >> LANE[card] & 7

    def discard_due(self, claimed: int = 0) -> bool:
        """Whether the seat owns more cards than it may keep; `claimed`: with so many public cards more."""
        return self.owned + claimed > OPENING_SIZE + max(0, self.fixed.fours - 1)

    def keeps_a_discard(self, taken: Hand) -> bool:
        """Whether a chi or peng with these loose cards leaves one to discard, or needs none."""
        return taken != self.loose or not self.discard_due(claimed=1)

    def complete(self, card: Card | None) -> bool:
        """Whether the seat could win with this public card, or without one."""
        return not self.dead and most_huxi(self.fixed, self.loose, card) >= LEAST_HUXI

    def arranged(self, card: Card | None) -> tuple[Group, ...]:
        """The groups of the win, of a seat that is complete."""
        return arrangement(self.fixed, self.loose, card)

    def mandatory(self, card: Card) -> Group | None:
        """The ti or wei that the seat must make of a card that it reveals."""
        if card in self.kans:
            return IDENTICAL[TI, card]
        return IDENTICAL[WEI, card] if self.loose_copies(card) == 2 else None

    def discarded(self, card: Card) -> "Holding":
        """After the discard of a loose card, which bars its identity."""
        return replace(self, loose=self.loose - (1 << LANE[card]), barred=self._barred_also(card))

    def bar(self, card: Card) -> "Holding":
        return replace(self, barred=self._barred_also(card))

    def _barred_also(self, card: Card) -> tuple[Card, ...]:
        return self.barred if card in self.barred else (*self.barred, card)

    def laid(self, groups: tuple[Group, ...], taken: Hand) -> "Holding":
        """With new melds, of a public card and these loose ones."""
        fixed = reduce(Fixed.plus, groups, self.fixed)
        return replace(self, loose=self.loose - taken, melds=(*self.melds, *groups), fixed=fixed)

    def grown(self, four: Group) -> "Holding":
        """With a ti or pao in place of the meld of its card, or beside the melds if it comes from a kan."""
        fixed = self.fixed.grown(four)
        card = four.cards[0]
        if card in self.kans:
            kans = tuple(kan for kan in self.kans if kan != card)
            return replace(self, kans=kans, melds=(*self.melds, four), fixed=fixed)
        return replace(self, melds=grown(self.melds, four), fixed=fixed)


def dealt(cards: tuple[Card, ...]) -> Holding:
    """Every four identical cards laid down as a ti, every three locked as a kan."""
    loose, kans, fours = parted(cards)
    tis = tuple([IDENTICAL[TI, card] for card in fours])
    fixed = reduce(Fixed.plus, (*tis, *[IDENTICAL[KAN, card] for card in kans]), Fixed())
    return Holding(loose, kans, tis, fixed)
