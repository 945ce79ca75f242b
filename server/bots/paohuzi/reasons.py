"""What speaks for an action of Paohuzi, as far as a seat's view shows. Each reason is certain, whatever others hold."""

from collections import Counter
from collections.abc import Iterator

from protocol.notation import Action, Card
from protocol.reasons import HintCode
from protocol.view import DealView, Reason, TableView
from server.bots.paohuzi.arranging import Held, held_in
from server.games.base import SEATS, Seat
from server.games.paohuzi.cards import LANE, Hand, cards_of
from server.games.paohuzi.groups import CHIS, LEAST_HUXI, WEI, most_huxi

Cards = tuple[Card, ...]


def reasons(view: TableView, action: Action) -> Iterator[Reason]:
    """The strongest first. `action` is one of several that the view offers."""
    assert view.prompt is not None
    assert view.deal is not None
    assert view.you is not None
    me = view.you.seat
    held, dead = held_in(view.deal, me), _dead(view.deal, me)
    if action == "win":
        yield Reason(HintCode.COMPLETE, number=most_huxi(held.laid, held.loose, held.card or None))
    elif action == "pass":
        claims = [claim for claim in view.prompt.actions if claim not in ("win", "pass")]
        if claims and all(held.after(claim).whole <= held.whole for claim in claims):
            yield Reason(HintCode.NO_MORE_GROUPS)
        yield from _waiting(held, dead=dead)
    elif action.startswith("discard "):
        card = action.removeprefix("discard ")
        left = held._replace(loose=held.loose - (1 << LANE[card]))
        yield from _waiting(left, dead=dead)
        if _alone(card, held.loose):
            yield Reason(HintCode.LONE_CARD, (card,))
        if left.whole == held.whole > 0:
            yield Reason(HintCode.KEEPS_GROUPS, number=held.whole)
        yield from _safe(view.deal, me, card, held)
    else:
        yield from _of_claim(held, held.after(action), dead=dead)


def _of_claim(before: Held, after: Held, *, dead: bool) -> Iterator[Reason]:
    more = after.whole - before.whole
    if more > 0:
        yield Reason(HintCode.MORE_GROUPS, number=more)
    huxi = after.laid.huxi
    if huxi > before.laid.huxi:
        yield Reason(HintCode.BRINGS_HUXI, number=huxi - before.laid.huxi)
    if before.laid.huxi < LEAST_HUXI <= huxi:
        yield Reason(HintCode.ENOUGH_HUXI, number=huxi)
    if not after.discards:
        yield from _waiting(after, dead=dead)
    if more == 0:
        yield Reason(HintCode.KEEPS_GROUPS, number=after.whole)


def _waiting(held: Held, *, dead: bool) -> Iterator[Reason]:
    """For which cards, that may still come, the hand waits."""
    cards = tuple(card for card in LANE if held.unseen[card] and most_huxi(held.laid, held.loose, card) >= LEAST_HUXI)
    if cards and not dead:
        yield Reason(HintCode.WAITS_FOR, tuple(sorted(cards, key=_by_code)))


def _by_code(card: Card) -> tuple[bool, int]:
    return card[0] == "b", int(card[1:])


def _alone(card: Card, loose: Hand) -> bool:
    """No other loose card can lie in a group with this one."""
    others = Counter(cards_of(loose - (1 << LANE[card])))
    partners = {other for chi in CHIS if card in chi.cards for other in (Counter(chi.cards) - Counter([card]))}
    return not any(others[other] for other in (card, *partners))


def _safe(deal: DealView, me: Seat, card: Card, held: Held) -> Iterator[Reason]:
    """Who certainly cannot claim the discard."""
    following = (me + 1) % len(SEATS)
    open_ = [seat for seat in SEATS if seat != me and not _dead(deal, seat) and not _has_discarded(deal, seat, card)]
    no_chi = following not in open_ or not any(
        all(held.unseen[each] >= copies for each, copies in (Counter(chi.cards) - Counter([card])).items())
        for chi in CHIS
        if card in chi.cards
    )
    wei = any(
        group.kind == WEI and group.cards[0] == card
        for zone in deal.zones
        if zone.name == "melds" and zone.seat != me
        for group in zone.groups
    )
    no_peng = not wei and held.unseen[card] < (2 if open_ else 3)
    if no_chi and no_peng:
        yield Reason(HintCode.SAFE)
    elif no_chi:
        yield Reason(HintCode.NO_CHI, seat=following)
    elif no_peng:
        yield Reason(HintCode.NO_PENG)


def _dead(deal: DealView, seat: Seat) -> bool:
    return any(fact.label == "dead" and fact.seat == seat for fact in deal.facts)


def _has_discarded(deal: DealView, seat: Seat, card: Card) -> bool:
    """Then it may neither chi nor peng such a card again."""
    return any(entry.partition(" ")[2] == f"{seat} discard {card}" for entry in deal.history)
