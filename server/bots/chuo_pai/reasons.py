"""What speaks for a play of Chuo Pai, as far as a seat's view shows. Each reason is certain, whatever others hold."""

from collections import Counter
from collections.abc import Iterator

from protocol.notation import Action, Card
from protocol.reasons import HintCode
from protocol.view import Reason, TableView
from server.bots.chuo_pai.easy import HIGHER, Count, counted
from server.games.base import Seat
from server.games.chuo_pai.cards import COMBINATIONS, LANE
from server.games.chuo_pai.plays import PASS, PLAYS, answers


def reasons(view: TableView, action: Action) -> Iterator[Reason]:
    """The strongest first. `action` is one of several that the view offers."""
    assert view.prompt is not None
    assert view.deal is not None
    assert view.you is not None
    me, cards = view.you.seat, PLAYS[action].cards
    count = counted(view.deal, me)
    others = [each for each in view.prompt.actions if each != action]
    hands = [zone for zone in view.deal.zones if zone.name == "hand"]
    held = Counter(card for hand in hands for group in hand.groups for card in group.cards)  # only the own is open
    if holds := _holds(count, action):
        points = _last_points(view, me, len(cards), left=sum(held.values()) - len(cards))
        if points is None:
            yield Reason(HintCode.TAKES_ROUND, number=len(cards))
        else:
            yield Reason(HintCode.WINS_DEAL, number=points)
        yield Reason(holds)
    play = PLAYS[action]
    ranks = [
        it.rank for it in map(PLAYS.__getitem__, others) if it.family == play.family and len(it.cards) == len(cards)
    ]
    if ranks and min(ranks) >= play.rank and max(ranks) > play.rank:
        yield Reason(HintCode.LOWEST)
    if len(cards) == 1 and _alone(cards[0], held):
        yield Reason(HintCode.LONE_CARD, cards)
    if any(fact.label == "highest" for fact in view.deal.facts) and (kept := _kept(cards, held, others)):
        yield Reason(HintCode.KEEPS_TOGETHER, kept)
    left = held - Counter(cards)
    if not holds and (top := tuple(card for card in sorted(left) if not _beaten(card, count))):
        yield Reason(HintCode.KEEPS_TOP, top)


def _holds(count: Count, action: Action) -> HintCode | None:
    """Why nobody will beat the play, if that is certain."""
    if not count.threat:
        return HintCode.LAST_IN_ROUND
    if len(PLAYS[action].cards) > count.threat:
        return HintCode.TOO_FEW_CARDS
    return HintCode.UNBEATABLE if answers(count.unseen, action) == (PASS,) else None


def _last_points(view: TableView, me: Seat, won: int, *, left: int) -> int | None:
    """The points of a seat that ends the deal with a play that nobody beats, and that nobody has more of."""
    assert view.deal is not None
    points = {fact.seat: int(fact.value) for fact in view.deal.facts if fact.label == "points"}
    hands = [left if zone.seat == me else zone.count for zone in view.deal.zones if zone.name == "hand"]
    points[me] += won
    return points[me] if hands.count(0) >= 2 and points[me] == max(points.values()) else None


def _alone(card: Card, held: Counter[Card]) -> bool:
    """Neither is there another copy, nor a combination that it is part of."""
    if held[card] > 1:
        return False
    for named, matching in COMBINATIONS:
        partners = matching if card == named else (named,) if card in matching else ()
        if any(held[partner] for partner in partners):
            return False
    return True


def _kept(cards: tuple[Card, ...], held: Counter[Card], others: list[Action]) -> tuple[Card, ...]:
    """The copies that another choice would part, and this one does not touch."""
    parted = {
        card
        for each in others
        for card, taken in Counter(PLAYS[each].cards).items()
        if taken < held[card] and card not in cards
    }
    return tuple(card for card in sorted(parted) for _ in range(held[card]))


def _beaten(card: Card, count: Count) -> bool:
    return any(count.unseen >> LANE[higher] & 7 for higher in HIGHER[card])
