"""Why an action of Paohuzi is none of those that a seat may choose, from what that seat itself can see."""

from collections import Counter
from collections.abc import Iterator
from functools import reduce
from itertools import combinations_with_replacement
from typing import NamedTuple

from protocol.notation import PAOHUZI_CARDS, Action, Card, join
from protocol.reasons import WhyCode
from protocol.view import Group, Reason, TableView
from server.games.base import Seat
from server.games.paohuzi.cards import cards_of, hand_of
from server.games.paohuzi.claims import PASS, WIN, options
from server.games.paohuzi.groups import CHI, CHIS, GROUPS, KAN, LEAST_HUXI, PAO, PENG, Fixed, whole_huxi
from server.games.paohuzi.holding import Holding
from server.games.paohuzi.state import State

DISCARD = "discard"
REVEALED = "revealed"
DEALT = "dealt"

_VERBS = (WIN, PAO, PENG, CHI, PASS, DISCARD)
_CHI_CARDS = frozenset(group.cards for group in CHIS)
_ORDER = {card: place for place, card in enumerate(PAOHUZI_CARDS)}

Cards = tuple[Card, ...]


class Standing(NamedTuple):
    """What one seat knows of the deal. `turn` is None once it is over.

    `discarded`: the cards that the seat has discarded. `offered`: what it is asked to choose from. `auto_pass`: its
    switch is on.
    """

    seat: Seat
    turn: Seat | None
    held: Holding
    public: Group | None
    chi_passed_reveal: bool
    discarded: frozenset[Card]
    offered: tuple[Action, ...]
    auto_pass: bool = False

    @property
    def card(self) -> Card:
        """The public card, whose claims are open; "" where there is none."""
        return "" if self.public is None or self.public.kind == DEALT else self.public.cards[0]

    @property
    def revealed(self) -> bool:
        return self.public is not None and self.public.kind == REVEALED

    @property
    def distance(self) -> int:
        """Places behind the seat whose turn it is."""
        return (self.seat - (self.turn or 0)) % 3

    @property
    def may_chi(self) -> bool:
        """Whether the public card is this seat's to chi."""
        if self.revealed:
            return self.distance == 0 or (self.distance == 1 and self.chi_passed_reveal)
        return self.distance == 1

    def claims(self) -> tuple[Action, ...]:
        """All that the seat could declare on the public card, had it not done so yet."""
        if self.distance == 0 and not self.revealed:
            return ()
        return options(self.held, self.card, self.distance, revealed=self.revealed, may_chi=self.may_chi)


def known_to(state: State, seat: Seat) -> Standing:
    return Standing(
        seat,
        None if state.result is not None else state.turn,
        state.holdings[seat],
        state.public,
        state.chi_passed_reveal,
        _discarded(state.history, seat),
        state.asked.get(seat, ()),
    )


def seen_in(view: TableView, *, chi_passed_reveal: bool) -> Standing:
    """`view` is that of a seat, while there is a deal."""
    deal, you = view.deal, view.you
    assert deal is not None
    assert you is not None
    facts = {fact.label: fact.value for fact in deal.facts if fact.seat in (None, you.seat)}
    zones = {zone.name: zone.groups for zone in deal.zones if zone.seat in (None, you.seat)}
    melds = zones["melds"]
    kans = tuple(group for group in zones["hand"] if group.kind == KAN)
    loose = [card for group in zones["hand"] if group.kind != KAN for card in group.cards]
    held = Holding(
        hand_of(loose),
        tuple(kan.cards[0] for kan in kans),
        melds,
        reduce(Fixed.plus, (*melds, *kans), Fixed()),
        tuple(str(facts["barred"]).split("+")) if "barred" in facts else (),
        "dead" in facts,
    )
    return Standing(
        you.seat,
        int(facts["turn"]) if "turn" in facts else None,
        held,
        next(iter(zones["public"]), None),
        chi_passed_reveal,
        _discarded(deal.history, you.seat),
        () if view.prompt is None else view.prompt.actions,
        you.auto_pass,
    )


def _discarded(history: tuple[str, ...], seat: Seat) -> frozenset[Card]:
    own = f"{seat} {DISCARD} "
    entries = [entry.partition(" ")[2] for entry in history]
    return frozenset(entry.removeprefix(own) for entry in entries if entry.startswith(own))


def why(at: Standing, text: str) -> Reason:
    """`text`: an action, or cards alone: one to discard, or those of a claim, with the public card or without it."""
    if at.turn is None:
        return Reason(WhyCode.DEAL_OVER)
    if not at.card and at.seat != at.turn:
        return Reason(WhyCode.NOT_YOUR_TURN, seat=at.turn)
    verb, groups = _read(text)
    cards = tuple(card for group in groups for card in group)
    if not set(cards) <= set(PAOHUZI_CARDS) or (not verb and text.strip() and not cards):
        return Reason(WhyCode.NO_SUCH_ACTION)
    if at.card:
        return _no_claim(at, verb, groups, cards)
    if verb in (WIN, DISCARD, "") and _discard(verb, cards) in at.offered:
        return _offered(at, _discard(verb, cards))
    return _no_discard(at, verb, cards)


def _offered(at: Standing, action: Action) -> Reason:
    return Reason(WhyCode.OFFERED, number=at.offered.index(action) + 1)


def _discard(verb: str, cards: Cards) -> Action:
    return WIN if verb == WIN else f"{DISCARD} {join(cards)}"


def _no_discard(at: Standing, verb: str, cards: Cards) -> Reason:
    held = at.held
    if verb == WIN:
        return _no_win(at)
    if not at.offered:
        return Reason(WhyCode.NO_DISCARD_DUE)
    if verb not in (DISCARD, ""):
        return Reason(WhyCode.DISCARD_DUE)
    if not held.loose:
        return Reason(WhyCode.ONLY_WIN)
    if not cards:
        return Reason(WhyCode.NO_CARDS)
    return _not_loose(held, cards) or Reason(WhyCode.ONE_CARD)


def _no_win(at: Standing) -> Reason:
    """Why nobody wins who is at the turn, or has the public card before them."""
    if at.card and not at.revealed:
        return Reason(WhyCode.NEEDS_REVEAL, (at.card,))
    if at.held.dead:
        return Reason(WhyCode.DEAD)
    huxi = whole_huxi(at.held.fixed, at.held.loose, at.card or None)
    if huxi < 0:
        return Reason(WhyCode.NOT_COMPLETE)
    if huxi < LEAST_HUXI:
        return Reason(WhyCode.TOO_FEW_HUXI, number=huxi)
    return Reason(WhyCode.NEEDS_REVEAL if at.public is None else WhyCode.NO_OPENING_WIN)


def _no_claim(at: Standing, verb: str, groups: tuple[Cards, ...], cards: Cards) -> Reason:
    card, meant = at.card, _meant(at, verb, groups, cards)
    for action in meant:
        if action in at.offered:
            return _offered(at, action)
    claims = at.claims()
    if any(action in claims for action in meant):
        if at.auto_pass and WIN not in claims:
            return Reason(WhyCode.AUTO_PASS)
        return Reason(WhyCode.DECLARED, (card,))
    if verb == DISCARD or (not verb and len(cards) == 1):
        return Reason(WhyCode.CARD_IN_QUESTION, (card,), seat=at.turn)
    if verb == PASS:
        return Reason(WhyCode.NOTHING_TO_CLAIM, (card,))
    if not cards and verb in ("", CHI):
        return Reason(WhyCode.NO_CARDS)
    if at.distance == 0 and not at.revealed:
        return Reason(WhyCode.OWN_DISCARD, (card,))
    if verb == WIN:
        return _no_win(at)
    if verb in (PAO, PENG) and set(cards) - {card}:
        return Reason(WhyCode.OTHER_CARD, (card,))
    if PAO in meant:
        code = WhyCode.PAO_NEEDS_REVEAL if card in at.held.fixed.threes else WhyCode.NO_THREE
        return Reason(code, (card,))
    return _barred(at) or (_no_peng(at) if PENG in meant else _no_chi(at, meant, groups, cards))


def _barred(at: Standing) -> Reason | None:
    """Why the seat can neither chi nor peng the card, whatever it holds."""
    if at.held.dead:
        return Reason(WhyCode.DEAD)
    if at.card in at.held.barred:
        code = WhyCode.BARRED_BY_DISCARD if at.card in at.discarded else WhyCode.BARRED_BY_PASS
        return Reason(code, (at.card,))
    return None


def _no_peng(at: Standing) -> Reason:
    if at.card in at.held.kans:
        return Reason(WhyCode.LOCKED_IN_KAN, (at.card,))
    copies = at.held.loose_copies(at.card)
    return Reason(WhyCode.NO_PAIR, (at.card,), copies) if copies != 2 else Reason(WhyCode.NO_DISCARD_LEFT)


def _no_chi(at: Standing, meant: list[Action], groups: tuple[Cards, ...], cards: Cards) -> Reason:
    card, held = at.card, at.held
    if not at.may_chi:
        return Reason(WhyCode.NOT_YOUR_CHI, (card,), seat=at.turn if at.revealed else ((at.turn or 0) + 1) % 3)
    if card in held.kans:
        return Reason(WhyCode.LOCKED_IN_KAN, (card,))
    if not meant:
        if amiss := _not_loose(held, _beside(at, cards)):
            return amiss
        if not all(group in _CHI_CARDS for group in groups):
            return Reason(WhyCode.NO_GROUP, next(group for group in groups if group not in _CHI_CARDS))
        return Reason(WhyCode.WITHOUT_CARD, next(group for group in groups if card not in group))
    named = [tuple(part.split("+")) for part in meant[0].split(" ")[1:]]
    laid = Counter(each for group in named for each in group)
    if amiss := _not_loose(held, tuple((laid - Counter([card])).elements())):
        return amiss
    copies = held.loose_copies(card) + 1
    return Reason(WhyCode.COPIES_LEFT, (card,), copies) if laid[card] != copies else Reason(WhyCode.NO_DISCARD_LEFT)


def _not_loose(held: Holding, cards: Cards) -> Reason | None:
    """What keeps some of these from being used as loose cards."""
    missing = Counter(cards) - Counter(cards_of(held.loose))
    if locked := tuple(card for card in missing if card in held.kans):
        return Reason(WhyCode.LOCKED_IN_KAN, locked)
    return Reason(WhyCode.NOT_IN_HAND, tuple(missing.elements())) if missing else None


def _meant(at: Standing, verb: str, groups: tuple[Cards, ...], cards: Cards) -> list[Action]:
    """The claims that are meant, in the text form of actions; for cards alone all that they could be."""
    if verb in (WIN, PASS):
        return [] if cards else [verb]
    if verb in (PAO, PENG):
        return [] if set(cards) - {at.card} else [verb]
    if verb == CHI and groups and all(group in _CHI_CARDS and at.card in group for group in groups):
        return [_chi(groups)]
    if not verb and len(cards) > 1 and set(cards) == {at.card}:
        return [PAO if at.card in at.held.fixed.threes else PENG]
    if verb == DISCARD or len(cards) < 2 or len(groups) not in (1, len(cards)):
        return []
    return [_chi(chosen) for chosen in _groupings(at.card, cards)]


def _groupings(card: Card, cards: Cards) -> Iterator[tuple[Cards, ...]]:
    """The chi groups that hold the card and that these cards make, with the card or without it."""
    wanted = [Counter(cards), Counter((*cards, card))]
    holding = [group for group in _CHI_CARDS if card in group]
    for size in (1, 2, 3):
        for chosen in combinations_with_replacement(holding, size):
            if Counter(each for group in chosen for each in group) in wanted:
                yield chosen


def _beside(at: Standing, cards: Cards) -> Cards:
    """The cards that must be loose, if one of them may be the public one."""
    counted = Counter(cards)
    if counted[at.card] > at.held.loose_copies(at.card):
        counted -= Counter([at.card])
    return tuple(counted.elements())


def _chi(groups: tuple[Cards, ...]) -> Action:
    ordered = sorted(groups, key=lambda group: [_ORDER[card] for card in group])
    return " ".join([CHI, *map(join, ordered)])


def _read(text: str) -> tuple[str, tuple[Cards, ...]]:
    """The verb, "" where it is left out, and the groups of cards in ascending order."""
    parts = text.lower().split()
    verb = parts[0] if parts and parts[0] in _VERBS else ""
    groups = [part.split("+") for part in (parts[1:] if verb else parts)]
    if len(groups) > 1 and all(len(group) == 1 for group in groups):
        groups = [[card for group in groups for card in group]]
    return verb, tuple(tuple(sorted(filter(None, group), key=lambda card: _ORDER.get(card, -1))) for group in groups)


def sentence(reason: Reason) -> str:
    """The reason in English, of an action that a seat may not choose."""
    cards, seat = join(reason.cards), reason.seat
    match reason.code:
        case WhyCode.DEAL_OVER:
            return "the deal is over"
        case WhyCode.NOT_YOUR_TURN:
            return f"it is the turn of seat {seat}"
        case WhyCode.NOT_IN_HAND:
            return f"the hand has no loose {cards}"
        case WhyCode.LOCKED_IN_KAN:
            return f"{cards} is locked in a kan"
        case WhyCode.DEAD:
            return "a dead hand never wins, chis or pengs"
        case WhyCode.NOT_COMPLETE | WhyCode.TOO_FEW_HUXI:
            return f"the hand is not complete: {GROUPS} groups that use every card and count at least {LEAST_HUXI} huxi"
        case WhyCode.NEEDS_REVEAL | WhyCode.NO_OPENING_WIN:
            return "nobody wins but with a card that is revealed from the stock"
        case WhyCode.NO_THREE | WhyCode.PAO_NEEDS_REVEAL:
            return f"a pao takes a kan or wei of {cards}, or, if {cards} is revealed, a peng"
        case WhyCode.NO_PAIR:
            return f"a peng takes exactly two loose {cards}"
        case WhyCode.BARRED_BY_DISCARD | WhyCode.BARRED_BY_PASS:
            return f"the seat is barred from {cards}: it has discarded one, or let one go"
        case WhyCode.NOT_YOUR_CHI:
            return f"{cards} is another seat's to chi"
        case WhyCode.COPIES_LEFT:
            return f"every loose {cards} must go into a group that holds it"
        case WhyCode.NO_DISCARD_LEFT:
            return "no loose card would be left to discard"
        case WhyCode.NO_GROUP | WhyCode.WITHOUT_CARD:
            return f"{cards} is no chi group with the card in question"
        case WhyCode.DISCARD_DUE | WhyCode.NO_CARDS | WhyCode.ONE_CARD:
            return "a discard is due: one loose card"
        case WhyCode.NO_DISCARD_DUE:
            return "no discard is due"
        case WhyCode.CARD_IN_QUESTION:
            return f"nothing is discarded while {cards} is in question"
        case WhyCode.ONLY_WIN:
            return "there is no loose card to discard: only win is left"
        case WhyCode.NO_SUCH_ACTION:
            return "this is no action: discard with a card, win, pao, peng, chi with its groups, or pass"
    return "this is no action as it is offered: cards and groups stand in ascending order"
