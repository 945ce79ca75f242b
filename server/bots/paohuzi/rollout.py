"""A deal of Paohuzi played to its end by a quick policy: it takes the best groups first and drops what is left over."""

from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

from server.bots.paohuzi.kernel import (
    BIT,
    CARDS,
    GROUPS,
    LEAST,
    NUMBER,
    PAO_HUXI,
    PAOS,
    PENG_HUXI,
    SHIFT,
    THREE_HUXI,
    TWOS,
    WIN,
    WINS,
    Claim,
    Table,
    declared,
    tun,
)
from server.bots.paohuzi.plan import BARRED_CHI, BARRED_PENG, PARTS
from server.games.paohuzi.cards import GUARDS, Hand, hand_of
from server.games.paohuzi.groups import CHIS

# Found by trial: with these the quick policy loses least by what the plans of `plan` say of its choices, in 1,051
# positions of deals among the bots that were `easy` then, which counted cards: about as little as those did.

BY_CHI = 0.133
BY_PENG = 0.365
"""How likely one unseen copy of a card comes in time to be chied, or to be penged."""

MISSING = -1.54
"""The logarithm of how likely a group is made of which the hand does not have two cards."""

LACK = 0.34
"""What each huxi costs, in logarithms, that a win would lack."""

HUXI = 0.227
"""What each huxi of a group counts when the best groups are taken first."""


class Slot(NamedTuple):
    """Two or three cards that are a group or lack one card of it; `logs`: the logarithm of how likely it is made."""

    cards: Hand
    logs: float
    huxi: float


WHOLE: Final = tuple(Slot(hand_of(chi.cards), 0.0, float(chi.value or 0)) for chi in CHIS)
_LINKS: Final = tuple(
    tuple(
        (tuple(NUMBER[other] for other in (*chi.cards[:place], *chi.cards[place + 1 :])), 1 + (chi.value or 0) / 6)
        for chi in CHIS
        if card in chi.cards
        for place in [chi.cards.index(card)]
    )
    for card in CARDS
)

Valued = tuple[float, int]


class Policy:
    """What hands are worth to their seats, as far as the `unseen` copies of each card tell: one for all seats.

    `barred`: cards that may no longer be claimed, for a policy that is one seat's alone.
    """

    def __init__(self, unseen: Sequence[int], mine: Hand, barred: Hand = 0) -> None:
        slots = list(WHOLE)
        for part in PARTS:
            missed = 1.0
            hoped = weight = 0.0
            for number, huxi in part.missing:
                each = BY_PENG if number == part.pair else BY_CHI
                if barred & BIT[number]:
                    each *= BARRED_PENG if number == part.pair else BARRED_CHI
                missed *= (1 - each) ** unseen[number]
                hoped += unseen[number] * each * huxi
                weight += unseen[number] * each
            if weight:
                slots.append(Slot(part.cards, log(1 - missed), hoped / weight))
        self.slots = sorted(slots, key=lambda slot: -(slot.logs + HUXI * slot.huxi))
        within = [unseen[number] + (mine >> SHIFT[number] & 3) for number in range(20)]
        self.alone = [sum([worth * within[one] * within[other] for (one, other), worth in links]) for links in _LINKS]
        self.memo: dict[tuple[Hand, int, int, int, bool], Valued] = {}

    def value(self, loose: Hand, groups: int, huxi: int, fours: int, due: bool) -> Valued:
        """The logarithm of how likely the hand is completed, and the card that it discards if one is due (or -1)."""
        needed = LEAST - huxi if huxi < LEAST else 0
        key = loose, groups, needed, fours, due
        known = self.memo.get(key)
        if known is None:
            self.memo[key] = known = self._valued(loose, GROUPS - groups, needed, fours, due)
        return known

    # The best groups first, each where its cards are not taken yet; the rest is for discards.
    def _valued(self, loose: Hand, places: int, needed: int, fours: int, due: bool) -> Valued:
        guarded = loose | GUARDS
        found = [slot for slot in self.slots if (guarded - slot[0]) & GUARDS == GUARDS]
        rest, total, huxi = loose, 0.0, 0.0
        last = 0
        lasts = 0.0
        paired = not fours
        for cards, logs, more in found:
            if not places:
                break
            if ((rest | GUARDS) - cards) & GUARDS == GUARDS:
                rest -= cards
                places -= 1
                if not paired and cards & TWOS and cards & (cards - 1) == 0:
                    paired = True
                    continue
                total += logs
                huxi += more
                last, lasts = cards, logs
        total += MISSING * places
        if huxi < needed:
            total -= LACK * (needed - huxi)
        if not due:
            return total, -1
        if rest:
            return total, self._least(rest)
        if not last:
            return total + MISSING, self._least(loose) if loose else -1
        return total - lasts + MISSING, self._least(last)  # all cards are in groups: one must be broken

    def _least(self, cards: Hand) -> int:
        """The card that has least to grow together with; -1 of none."""
        best, least = -1, 1e9
        while cards:
            lowest = cards & -cards
            number = (lowest.bit_length() - 1) // 3
            cards &= ~(7 << SHIFT[number])
            if self.alone[number] < least:
                best, least = number, self.alone[number]
        return best

    def claim(self, table: Table, seat: int, x: int, offers: Sequence[Claim]) -> Claim | None:
        """The claim that makes the seat's hand better, or None for a pass."""
        if offers[0].kind == WINS:
            return WIN
        loose, groups, huxi, fours = table.loose[seat], table.groups[seat], table.huxi[seat], table.fours[seat]
        over = table.over[seat]
        best = self.value(loose, groups, huxi, fours, over > 0)[0]
        chosen: Claim | None = None
        for claim in offers:
            if claim.kind == PAOS:
                before = PENG_HUXI[x] if table.pengs[seat] & BIT[x] else THREE_HUXI[x]
                due = over + (1 if fours == 0 else 0) > 0
                worth = self.value(loose, groups, huxi + PAO_HUXI[x] - before, fours + 1, due)[0]
            else:
                worth = self.value(loose - claim.taken, groups + claim.groups, huxi + claim.huxi, fours, over >= 0)[0]
            if worth > best + 1e-9:
                best, chosen = worth, claim
        return chosen

    def discard(self, table: Table, seat: int) -> int:
        """Of a seat with loose cards."""
        return self.value(table.loose[seat], table.groups[seat], table.huxi[seat], table.fours[seat], True)[1]


def window(table: Table, policy: Policy, x: int, revealed: bool, me: int, mine: Claim | None) -> int:
    """Settle the claims on `x`, which `table.turn` has shown; `me` (or -1) declares `mine`, the others as they like.

    Returns the seat that has claimed it, + 3 if it is a win, or -1.
    """
    offers = []
    claims: list[Claim | None] = []
    for place in range(3):
        offered = table.offers(place, x, revealed)
        claim: Claim | None = None
        if offered:
            seat = (table.turn + place) % 3
            claim = mine if seat == me else policy.claim(table, seat, x, offered)
            if claim is WIN:
                return seat + 3
        offers.append(offered)
        claims.append(claim)
    seat, claim = declared(table, x, offers, claims)
    if claim is not None:
        table.carry(seat, x, claim)
    return seat


def played(table: Table, policy: Policy, me: int, mine: Claim | int | None, x: int, revealed: bool) -> int:
    """The score of `me` after its choice: a card to discard, or a claim (None: a pass) on the public card `x`."""
    if isinstance(mine, int):
        table.discard(me, mine)
        x, revealed, forced, mine = mine, False, -1, None
    else:
        forced = me
    while True:
        if x >= 0:
            claimant = window(table, policy, x, revealed, forced, mine)
            forced = -1
            if claimant >= 3:
                won = tun(table.win_huxi(claimant - 3, x))
                return 2 * won if claimant - 3 == me else -won
            seat = claimant
        else:
            seat = table.turn
        if seat >= 0 and table.over[seat] > 0:  # it has laid a meld
            if table.loose[seat]:
                x, revealed = policy.discard(table, seat), False
                table.discard(seat, x)
                continue
            table.dead[seat] = True
        if table.at == len(table.stock):
            return 0
        x = table.stock[table.at]
        table.at += 1
        seat = table.turn = (table.turn + 1) % 3
        if table.must_meld(seat, x):
            if not table.dead[seat] and table.win_huxi(seat, -1) >= LEAST:
                won = tun(table.win_huxi(seat, -1))
                return 2 * won if seat == me else -won
            x = -1
        else:
            revealed = True
