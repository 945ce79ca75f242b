"""Paohuzi played on by integers and tables, fast enough to play a deal to its end many times within one decision.

A card is a number from 0 to 19, its lane in a hand. The rules are those of `server.games.paohuzi`, which tests hold
this against, action by action. All cards are known here: what a seat could not know belongs in nobody's choice.

Only whole numbers, tuples, lists and dictionaries, so that the module can be compiled as it stands.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from protocol.notation import Action, Card
from server.games.paohuzi.cards import GUARDS, LANE, Hand, hand_of
from server.games.paohuzi.groups import BIG, BIG_HUXI, CHIS, IDENTICAL, KAN, PAO, PENG, SMALL, SMALL_HUXI, TI

CARDS: Final[tuple[Card, ...]] = tuple(sorted(LANE, key=LANE.__getitem__))
"""By number, which is that of the lane."""

NUMBER: Final = {card: number for number, card in enumerate(CARDS)}
BIT: Final = tuple(1 << LANE[card] for card in CARDS)
SHIFT: Final = tuple(LANE[card] for card in CARDS)
ONES: Final = sum(BIT)
TWOS: Final = ONES << 1

GROUPS: Final = 7
LEAST: Final = 15
IMPOSSIBLE: Final = -1_000
HAND_SIZE: Final = 20


def _worth(kind: str) -> tuple[int, ...]:
    return tuple(IDENTICAL[kind, card].value or 0 for card in CARDS)


TI_HUXI: Final = _worth(TI)
PAO_HUXI: Final = _worth(PAO)
THREE_HUXI: Final = _worth(KAN)
"""Of a wei or kan."""
PENG_HUXI: Final = _worth(PENG)

# Kinds of claims.
WINS: Final = 0
PAOS: Final = 1
PENGS: Final = 2
CHIED: Final = 3


class Claim(NamedTuple):
    """What a seat may declare. `taken`: its loose cards that go down with the public card, into so many `groups`.

    The `rank` is that of the claim for the seat that showed the card; each place behind it counts one more for a win
    or chi.
    """

    kind: int
    rank: int
    action: Action
    taken: Hand = 0
    groups: int = 0
    huxi: int = 0


WIN: Final = Claim(WINS, 0, "win")
PASS_RANK: Final = 7
GROW: Final = tuple(Claim(PAOS, 3, "pao") for _ in CARDS)
PAIRED: Final = tuple(Claim(PENGS, 3, "peng", 2 * BIT[x], 1, PENG_HUXI[x]) for x in range(20))


def _chis(number: int) -> tuple[tuple[Claim, ...], ...]:
    """Every choice of groups that could be laid with the card, by how many loose copies of it they take."""
    card = CARDS[number]
    order = sorted(CARDS, key=lambda each: (each[0] == "b", int(each[1:]))).index
    containing = sorted((chi for chi in CHIS if card in chi.cards), key=lambda chi: [*map(order, chi.cards)])
    found: list[list[Claim]] = [[], [], []]

    def add(start: int, cards: tuple[Card, ...], groups: tuple[int, ...]) -> None:
        if groups:
            taken = list(cards)
            taken.remove(card)
            if any(taken.count(each) > 2 for each in taken):
                return
            chosen = [containing[place] for place in groups]
            action = " ".join(["chi", *("+".join(chi.cards) for chi in chosen)])
            huxi = sum(chi.value or 0 for chi in chosen)
            claim = Claim(CHIED, 4, action, hand_of(taken), len(groups), huxi)
            found[taken.count(card)].append(claim)
        if len(groups) < 3:
            for place in range(start, len(containing)):
                add(place, cards + containing[place].cards, (*groups, place))

    add(0, (), ())
    return tuple(tuple(sorted(claims, key=lambda claim: claim.groups)) for claims in found)


CHOICES: Final = tuple(_chis(number) for number in range(20))
NEAR: Final = tuple(
    sum(7 << LANE[each] for each in {each for chi in CHIS if card in chi.cards for each in chi.cards} - {card})
    for card in CARDS
)
"""All copies of the cards that can lie in a chi with this one."""

_CHI_FROM: Final = {
    bit << LANE[card]: tuple(
        (hand_of(chi.cards), chi.value or 0) for chi in CHIS if min(chi.cards, key=LANE.__getitem__) == card
    )
    for card in CARDS
    for bit in (1, 2)
}
_PAIR_FROM: Final = {bit << LANE[card]: 2 << LANE[card] for card in CARDS for bit in (1, 2)}

_MOST_GAIN: Final = 6
"""What a winning card adds at most outside chi groups: as a big peng's fourth card."""

_MEMORY: Final = 60_000
"""Hands and rests of hands that are remembered, in each of two tables: all are forgotten when one is full."""
_chi_memo: dict[Hand, int] = {}
_choices_memo: dict[int, tuple[Claim, ...]] = {}


def size(hand: Hand) -> int:
    return (hand & ONES).bit_count() + 2 * (hand & TWOS).bit_count()


def chi_huxi(loose: Hand, pairs: int) -> int:
    """The most huxi of these cards in chi groups and so many pairs (0 or 1); below 0 if they cannot be grouped."""
    if not loose:
        return IMPOSSIBLE if pairs else 0
    key = loose << 1 | pairs
    known = _chi_memo.get(key)
    if known is not None:
        return known
    lowest = loose & -loose
    guarded = loose | GUARDS
    most = IMPOSSIBLE
    for taken, huxi in _CHI_FROM[lowest]:
        if (guarded - taken) & GUARDS == GUARDS:
            found = huxi + chi_huxi(loose - taken, pairs)
            most = max(most, found)
    if pairs:
        taken = _PAIR_FROM[lowest]
        if (guarded - taken) & GUARDS == GUARDS:
            found = chi_huxi(loose - taken, 0)
            most = max(most, found)
    if len(_chi_memo) >= _MEMORY:
        _chi_memo.clear()
    _chi_memo[key] = most
    return most


def chi_choices(x: int, loose: Hand) -> tuple[Claim, ...]:
    """Every chi of the public card `x` that these loose cards allow."""
    near = loose & (NEAR[x] | 7 << SHIFT[x])
    key = near << 5 | x
    known = _choices_memo.get(key)
    if known is None:
        guarded = near | GUARDS
        known = tuple(
            [claim for claim in CHOICES[x][near >> SHIFT[x] & 7] if (guarded - claim.taken) & GUARDS == GUARDS]
        )
        if len(_choices_memo) >= _MEMORY:
            _choices_memo.clear()
        _choices_memo[key] = known
    return known


class Table:
    """All cards of a deal. Each list has one entry a seat, and a set of identities has one bit at each one's lane.

    `over`: how many cards a seat has beyond those that it may keep. `stock` is revealed from `at`. `turn`: who has
    shown the public `card`, or must discard.
    """

    __slots__ = (
        "at",
        "barred",
        "dead",
        "fours",
        "groups",
        "huxi",
        "kans",
        "loose",
        "over",
        "passed_reveal",
        "pengs",
        "stock",
        "turn",
        "weis",
    )

    def __init__(self) -> None:
        self.loose: list[Hand] = [0, 0, 0]
        self.kans: list[Hand] = [0, 0, 0]
        self.weis: list[Hand] = [0, 0, 0]
        self.pengs: list[Hand] = [0, 0, 0]
        self.groups = [0, 0, 0]
        self.huxi = [0, 0, 0]
        self.fours = [0, 0, 0]
        self.over = [0, 0, 0]
        self.barred: list[Hand] = [0, 0, 0]
        self.dead = [False, False, False]
        self.stock: tuple[int, ...] = ()
        self.at = 0
        self.turn = 0
        self.passed_reveal = False

    def copy(self) -> "Table":
        other = Table.__new__(Table)
        other.loose = self.loose[:]
        other.kans = self.kans[:]
        other.weis = self.weis[:]
        other.pengs = self.pengs[:]
        other.groups = self.groups[:]
        other.huxi = self.huxi[:]
        other.fours = self.fours[:]
        other.over = self.over[:]
        other.barred = self.barred[:]
        other.dead = self.dead[:]
        other.stock = self.stock
        other.at = self.at
        other.turn = self.turn
        other.passed_reveal = self.passed_reveal
        return other

    def counted(self, seat: int) -> None:
        """Set `over`, from all else."""
        fours = self.fours[seat]
        owned = size(self.loose[seat]) + 3 * self.groups[seat] + fours
        self.over[seat] = owned - HAND_SIZE - (fours - 1 if fours > 1 else 0)

    def win_huxi(self, seat: int, x: int) -> int:
        """The huxi of the best complete hand with the public card `x`, or without one (-1); below 15 for none."""
        loose, huxi, groups, fours = self.loose[seat], self.huxi[seat], self.groups[seat], self.fours[seat]
        if x < 0:
            return _complete(loose, groups, huxi, fours)
        bit = BIT[x]
        most = _complete(loose + bit, groups, huxi, fours)
        if loose & bit << 1:
            most = max(most, _complete(loose - 2 * bit, groups + 1, huxi + PENG_HUXI[x], fours))
        elif (self.kans[seat] | self.weis[seat]) & bit:
            most = max(most, _complete(loose, groups, huxi + PAO_HUXI[x] - THREE_HUXI[x], fours + 1))
        elif self.pengs[seat] & bit:
            most = max(most, _complete(loose, groups, huxi + PAO_HUXI[x] - PENG_HUXI[x], fours + 1))
        return most

    def growth(self, seat: int, unseen: Sequence[int]) -> int:
        """How many huxi the seat's groups of three would gain if the fourth card of each came that is still unseen."""
        most = 0
        for x, copies in enumerate(unseen):
            if copies:
                bit = BIT[x]
                if self.kans[seat] & bit:
                    most += TI_HUXI[x] - THREE_HUXI[x]
                elif self.weis[seat] & bit:
                    most += PAO_HUXI[x] - THREE_HUXI[x]
                elif self.pengs[seat] & bit:
                    most += PAO_HUXI[x] - PENG_HUXI[x]
        return most

    def discard(self, seat: int, x: int) -> None:
        bit = BIT[x]
        self.loose[seat] -= bit
        self.barred[seat] |= bit
        self.over[seat] -= 1
        self.turn = seat

    def grow(self, seat: int, x: int, huxi: int) -> None:
        """A ti or pao of `x`, which is worth `huxi`, in place of the seat's three."""
        bit = BIT[x]
        if self.pengs[seat] & bit:
            self.pengs[seat] -= bit
            self.huxi[seat] += huxi - PENG_HUXI[x]
        else:
            if self.kans[seat] & bit:
                self.kans[seat] -= bit
            else:
                self.weis[seat] -= bit
            self.huxi[seat] += huxi - THREE_HUXI[x]
        self.fours[seat] += 1
        if self.fours[seat] == 1:
            self.over[seat] += 1
        self.turn = seat

    def must_meld(self, seat: int, x: int) -> bool:
        """Lay the ti or wei that the seat must make of `x`, which it reveals, if there is one."""
        bit = BIT[x]
        if self.loose[seat] & bit << 1:
            self.loose[seat] -= 2 * bit
            self.weis[seat] |= bit
            self.groups[seat] += 1
            self.huxi[seat] += THREE_HUXI[x]
            self.over[seat] += 1
            self.turn = seat
            return True
        if self.kans[seat] & bit:
            self.grow(seat, x, TI_HUXI[x])
            return True
        return False

    def claims(self, seat: int, x: int, distance: int, revealed: bool, may_chi: bool) -> list[Claim]:
        """What the seat may declare, best first, `pass` left out; `distance`: places behind the one who showed `x`."""
        found: list[Claim] = []
        bit = BIT[x]
        loose, dead = self.loose[seat], self.dead[seat]
        if revealed and not dead:
            whole = loose + bit
            bound = self.huxi[seat] + SMALL_HUXI[whole & SMALL] + BIG_HUXI[whole & BIG]
            if bound + _MOST_GAIN >= LEAST and self.win_huxi(seat, x) >= LEAST:
                found.append(WIN)
        if (self.kans[seat] | self.weis[seat]) & bit or (revealed and self.pengs[seat] & bit):
            found.append(GROW[x])
        if dead or self.barred[seat] & bit:
            return found
        due = self.over[seat] >= 0
        if distance and loose & bit << 1 and not (due and loose == bit << 1):
            found.append(PAIRED[x])
        if may_chi and loose & NEAR[x] and not self.kans[seat] & bit:
            found += [claim for claim in chi_choices(x, loose) if not (due and claim.taken == loose)]
        return found

    def offers(self, place: int, x: int, revealed: bool) -> list[Claim]:
        """What the seat so many places behind `turn`, which has revealed or discarded `x`, may declare."""
        if place == 0:
            return self.claims(self.turn, x, 0, True, True) if revealed else []
        may_chi = place == 1 and (not revealed or self.passed_reveal)
        return self.claims((self.turn + place) % 3, x, place, revealed, may_chi)

    def carry(self, seat: int, x: int, claim: Claim) -> None:
        """Lay what the seat has claimed, no win, and let it be its turn."""
        if claim.kind == PAOS:
            self.grow(seat, x, PAO_HUXI[x])
        else:
            self.loose[seat] -= claim.taken
            if claim.kind == PENGS:
                self.pengs[seat] |= BIT[x]
            self.groups[seat] += claim.groups
            self.huxi[seat] += claim.huxi
            self.over[seat] += 1
        self.turn = seat


def declared(
    table: Table, x: int, offers: Sequence[Sequence[Claim]], claims: Sequence[Claim | None]
) -> tuple[int, Claim | None]:
    """The seat whose claim on `x` is carried out, and the claim, or -1 and None. Bars those that have passed in vain.

    `offers` and `claims`: by place behind the seat at `turn`; None for a pass.
    """
    chosen: Claim | None = None
    claimant, taken = -1, PASS_RANK
    for place, claim in enumerate(claims):
        if claim is not None:
            rank = claim.rank if claim.rank == 3 else claim.rank + place
            if rank < taken:
                claimant, taken, chosen = place, rank, claim
    for place, claim in enumerate(claims):
        if claim is None:
            for offer in offers[place]:
                if offer.kind >= PENGS:
                    if (3 if offer.kind == PENGS else 4 + place) <= taken:
                        table.barred[(table.turn + place) % 3] |= BIT[x]
                    break
    return (-1 if chosen is None else (table.turn + claimant) % 3), chosen


def _complete(loose: Hand, groups: int, huxi: int, fours: int) -> int:
    pairs = 1 if fours else 0
    # Few loose cards bring huxi, so most hands need no search.
    if huxi + SMALL_HUXI[loose & SMALL] + BIG_HUXI[loose & BIG] < LEAST:
        return IMPOSSIBLE
    if size(loose) != 3 * (GROUPS - groups) - pairs:
        return IMPOSSIBLE
    return huxi + chi_huxi(loose, pairs)


def tun(huxi: int) -> int:
    """What a win of so many huxi costs each of the two others."""
    return 1 + (huxi - LEAST) // 3
