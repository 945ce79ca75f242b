"""What a seat knows of a deal: its own cards, all that lies open, and what each course of play proves about the others.

Proofs, for the identity X and a seat's concealed cards:
* loose copies are at most two, three are a kan from the deal, and four would have been laid as a ti;
* who reveals X and lays neither wei nor ti has no kan of it and at most one loose copy, and will never get another;
* who discards X had it loose, so it has no kan of it and at most one copy more;
* who pengs or lays a wei of X has none left; the cards of its chis were loose, and none of the claimed one is left;
* the dealer's last card is in its hand until one like it has left that hand;
* a dead hand has no loose card, and nobody was dealt five kans, who would have won at once.
"""

from collections import Counter
from typing import NamedTuple

from protocol.notation import groups_of
from protocol.view import DealView, Group, TableView, Zone
from server.bots.paohuzi.kernel import BIT, GROUPS, NUMBER, Table
from server.games.base import SEATS, Seat
from server.games.paohuzi.cards import COPIES, Hand, hand_of

LOOSE_COPIES = 2
MOST_KANS = 4


class Shown(NamedTuple):
    """A card that stood in public and that nobody claimed; `revealed` from the stock, or discarded, by the seat."""

    seat: Seat
    card: int
    revealed: bool


class Hidden(NamedTuple):
    """What is known of another seat's concealed `cards`: by identity, the most loose copies and whether a kan may be.

    `held`: an identity of which it certainly has one, or -1. `claimed`: for each chi whose claimed card is not known,
    those that it could have been, of one of which nothing is left.
    """

    seat: Seat
    cards: int
    most: tuple[int, ...]
    kan: tuple[bool, ...]
    held: int
    claimed: tuple[tuple[int, ...], ...]
    dead: bool


class Sight(NamedTuple):
    """Everything that follows from a view. `unseen`: copies of each card that may be anywhere else.

    `table`: all that lies open and the seat's own cards; of the others' hands and the stock it has nothing.
    `public`: the card in question, or -1. `stale`: by seat, the cards that it let pass in public, as it might have
    claimed them; `chi_stale`: those that it might have chied.
    """

    me: Seat
    table: Table
    public: int
    revealed: bool
    unseen: tuple[int, ...]
    stock: int
    hidden: tuple[Hidden, ...]
    shown: tuple[Shown, ...]
    stale: tuple[Hand, Hand, Hand]
    chi_stale: tuple[Hand, Hand, Hand]


def sight(view: TableView) -> Sight:
    assert view.deal is not None
    assert view.you is not None
    deal, me = view.deal, view.you.seat
    zones = {(zone.name, zone.seat): zone for zone in deal.zones}
    facts = {(fact.label, fact.seat): fact.value for fact in deal.facts}
    table = Table()
    table.passed_reveal = bool(view.room.options.get("chi_passed_reveal", False))
    turn = facts["turn", None]
    assert isinstance(turn, int)
    table.turn = turn
    seen = Counter[int]()
    for seat in SEATS:
        table.dead[seat] = ("dead", seat) in facts
        for meld in zones["melds", seat].groups:
            lay(table, seat, meld)
            seen.update(NUMBER[card] for card in meld.cards)
    for group in zones["hand", me].groups:
        seen.update(NUMBER[card] for card in group.cards)
        if group.kind == "kan":
            lay(table, me, group)
        else:
            table.loose[me] = hand_of(group.cards)
    table.counted(me)
    barred = facts.get(("barred", me), "")
    assert isinstance(barred, str)
    table.barred[me] = sum([BIT[NUMBER[card]] for card in barred.split("+") if card])
    seen.update(NUMBER[card] for group in zones["discards", None].groups for card in group.cards)
    public, revealed, standing = -1, False, zones["public", None].groups
    if standing and standing[0].kind != "dealt":
        public, revealed = NUMBER[standing[0].cards[0]], standing[0].kind == "revealed"
        seen[public] += 1
    shown = _shown(deal, zones["discards", None])
    discarded = _discarded(deal)
    stale, chi_stale = _stale(table, shown)
    for seat in SEATS:
        if seat != me:
            table.barred[seat] = sum(map(BIT.__getitem__, discarded[seat]))
    held = NUMBER[str(facts["dealer_card", None])]
    dealer = facts["dealer", None]
    hidden = tuple(
        _hidden(
            seat,
            zones["hand", seat].count,
            zones["melds", seat].groups,
            discarded[seat],
            {each.card for each in shown if each.revealed and each.seat == seat}
            | ({public} if revealed and turn == seat else set()),
            held if dealer == seat else -1,
            dead=table.dead[seat],
            deal=deal,
        )
        for seat in ((me + 1) % 3, (me + 2) % 3)
    )
    unseen = tuple(COPIES - seen[number] for number in range(20))
    stock = zones["stock", None].count
    return Sight(me, table, public, revealed, unseen, stock, hidden, shown, stale, chi_stale)


def lay(table: Table, seat: Seat, group: Group) -> None:
    number = NUMBER[group.cards[0]]
    table.groups[seat] += 1
    table.huxi[seat] += group.value or 0
    table.fours[seat] += len(group.cards) == COPIES
    if group.kind == "peng":
        table.pengs[seat] |= BIT[number]
    elif group.kind == "wei":
        table.weis[seat] |= BIT[number]
    elif group.kind == "kan":
        table.kans[seat] |= BIT[number]
    assert table.groups[seat] <= GROUPS


def _entries(deal: DealView) -> list[tuple[int, Seat, str]]:
    entries = []
    for entry in deal.history:
        moment, seat, action = entry.split(" ", 2)
        entries.append((int(moment), int(seat), action))
    return entries


def _discarded(deal: DealView) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """What each seat has discarded from its hand."""
    found = Counter[int](), Counter[int](), Counter[int]()
    for _, seat, action in _entries(deal):
        verb, _, card = action.partition(" ")
        if verb == "discard":
            found[seat][NUMBER[card]] += 1
    return found


def _shown(deal: DealView, discards: Zone) -> tuple[Shown, ...]:
    """The discards, told apart by the moments of the history: each card that nobody claimed took one."""
    entries = _entries(deal)
    piles = iter(discards.groups)
    found: list[Shown] = []
    before = -1 if entries and entries[0][0] == 0 else 0
    discarder = -1
    for moment, seat, action in [*entries, (1 << 30, -1, "")]:
        for _ in range(moment - 1 - before):
            pile = next(piles, None)
            if pile is None:
                break
            assert pile.seat is not None
            found.append(Shown(pile.seat, NUMBER[pile.cards[0]], discarder < 0))
            discarder = -1
        before = moment
        discarder = seat if action.startswith("discard ") else -1
    return tuple(found)


def _stale(table: Table, shown: tuple[Shown, ...]) -> tuple[tuple[Hand, Hand, Hand], tuple[Hand, Hand, Hand]]:
    passed, unchied = [0, 0, 0], [0, 0, 0]
    for seat, card, revealed in shown:
        for distance in range(3):
            other = (seat + distance) % 3
            if distance or revealed:
                passed[other] |= BIT[card]
            if distance == (0 if revealed else 1) or (revealed and distance == 1 and table.passed_reveal):
                unchied[other] |= BIT[card]
    return (passed[0], passed[1], passed[2]), (unchied[0], unchied[1], unchied[2])


def _hidden(
    seat: Seat,
    cards: int,
    melds: tuple[Group, ...],
    discarded: Counter[int],
    revealed: set[int],
    held: int,
    *,
    dead: bool,
    deal: DealView,
) -> Hidden:
    most = [0 if dead else LOOSE_COPIES] * 20
    kan = [True] * 20
    for number, copies in discarded.items():
        most[number] -= copies
        kan[number] = False
    for meld in melds:
        for number, copies in Counter(NUMBER[card] for card in meld.cards).items():
            most[number] -= copies
            kan[number] = False
            if number == held:
                held = -1
    for number in revealed:
        most[number] = min(most[number], 1)
        kan[number] = False
    if held in discarded:
        held = -1
    claimed = []
    for _, claimant, action in _entries(deal):
        if claimant == seat and action.startswith("chi "):
            groups = [{NUMBER[card] for card in group} for group in groups_of(action)]
            claimed.append(tuple(sorted(set.intersection(*groups))))
    return Hidden(seat, cards, tuple(max(0, copies) for copies in most), tuple(kan), held, tuple(claimed), dead)
