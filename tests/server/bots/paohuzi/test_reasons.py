"""What speaks for an action of Paohuzi is true, whatever lies in the other hands and in the stock."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from random import Random

from msgspec.structs import replace

from protocol.notation import Action
from protocol.reasons import HintCode
from protocol.view import Reason
from server.bots.ladder import bot_for
from server.bots.paohuzi.reasons import reasons
from server.games.base import SEATS, Seat, settled
from server.games.paohuzi.cards import cards_of, hand_of
from server.games.paohuzi.claims import Claims
from server.games.paohuzi.groups import LEAST_HUXI
from server.games.paohuzi.holding import Holding
from server.games.paohuzi.state import State
from tests.deals import seen
from tests.server.games.paohuzi.positions import GAME, chunked
from tests.server.games.paohuzi.slow import CHIS


@cache
def most_groups(cards: tuple[str, ...]) -> int:
    """By trial: of these cards, in ascending order, the first lies in a group or in none."""
    if not cards:
        return 0
    rest = Counter(cards)
    groups = [Counter(chi) for chi in CHIS if cards[0] in chi and Counter(chi) <= rest]
    return max([most_groups(cards[1:]), *(1 + most_groups(ordered(rest - group)) for group in groups)])


def ordered(cards: Counter[str]) -> tuple[str, ...]:
    return cards_of(hand_of(cards.elements()))


class Case:
    """An action in a position, seen with all cards open. `others_pass`: what comes of it if nobody else claims."""

    def __init__(self, state: State, seat: Seat, action: Action, reason: Reason) -> None:
        self.state, self.seat, self.action, self.reason = state, seat, action, reason
        self.held = state.holdings[seat]
        self.after = others_pass(state, seat, action)
        self.then = self.after.holdings[seat]
        self.card = state.public.cards[0] if state.claims is not None and state.public is not None else None

    @property
    def more(self) -> int:
        return whole(self.then) - whole(self.held)

    def hidden(self, card: str) -> bool:
        """Is one left that the seat has not seen? It may lie in another hand."""
        others = [self.state.holdings[seat] for seat in SEATS if seat != self.seat]
        return card in self.state.stock or any(card in (*cards_of(held.loose), *held.kans) for held in others)

    def waits(self) -> bool:
        held = self.then if self.action != "pass" else self.held
        return all(held.complete(card) and self.hidden(card) for card in self.reason.cards)

    def offers(self, *verbs: str) -> bool:
        """Is somebody offered one of these claims on the discard?"""
        state = GAME.apply(self.state, self.seat, self.action)
        assert state.claims is not None
        return any(action.split()[0] in verbs for actions in state.claims.offered for action in actions)

    def alone(self) -> bool:
        (card,) = self.reason.cards
        rest = Counter(cards_of(self.held.loose)) - Counter([card])
        return not rest[card] and not any(
            card in chi and any(other in rest for other in Counter(chi) - Counter([card])) for chi in CHIS
        )


def whole(held: Holding) -> int:
    return len(held.fixed.groups) + most_groups(cards_of(held.loose))


def others_pass(state: State, seat: Seat, action: Action) -> State:
    """What some have declared already is taken back."""
    if state.claims is not None:
        claims = Claims(state.claims.owner, state.claims.offered)
        state = replace(state, claims=claims, asked=claims.asked())
    state = GAME.apply(state, seat, action)
    if action.startswith("discard"):
        return state
    while state.claims is not None and state.asked:
        state = GAME.apply(state, min(state.asked), "pass")
    return GAME.go_on(state) if state.claims is not None else state


HOLDS: Mapping[str, Callable[[Case], bool]] = {
    HintCode.COMPLETE: lambda case: (
        case.held.complete(case.card)
        and sum(group.value or 0 for group in case.held.arranged(case.card)) == case.reason.number
    ),
    HintCode.BRINGS_HUXI: lambda case: case.then.fixed.huxi - case.held.fixed.huxi == case.reason.number,
    HintCode.ENOUGH_HUXI: lambda case: case.held.fixed.huxi < LEAST_HUXI <= case.then.fixed.huxi == case.reason.number,
    HintCode.MORE_GROUPS: lambda case: case.more == case.reason.number,
    HintCode.KEEPS_GROUPS: lambda case: case.more == 0 and whole(case.held) == case.reason.number,
    HintCode.NO_MORE_GROUPS: lambda case: all(
        Case(case.state, case.seat, claim, case.reason).more <= 0
        for claim in case.state.asked[case.seat]
        if claim not in ("win", "pass")
    ),
    HintCode.WAITS_FOR: lambda case: case.waits(),
    HintCode.LONE_CARD: lambda case: case.alone(),
    HintCode.SAFE: lambda case: not case.offers("chi", "peng", "pao"),
    HintCode.NO_CHI: lambda case: case.reason.seat == (case.seat + 1) % 3 and not case.offers("chi"),
    HintCode.NO_PENG: lambda case: not case.offers("peng", "pao"),
}


def test_every_reason_is_true_and_every_one_is_met() -> None:
    rng = Random(7)
    met: Counter[str] = Counter()
    for deal in range(100):
        bot = bot_for("paohuzi", "easy" if deal % 2 else "random")
        state = settled(GAME, GAME.start(chunked(rng), rng.randrange(3), {"dealer_opening_win": True}))
        while state.asked:
            for seat, actions in state.asked.items():
                if len(actions) < 2:
                    continue
                for action in {rng.choice(actions), actions[0]}:
                    for reason in reasons(seen(GAME, state, seat), action):
                        assert HOLDS[reason.code](Case(state, seat, action, reason)), (action, reason)
                        met[reason.code] += 1
            seat = rng.choice(sorted(state.asked))
            state = settled(GAME, GAME.apply(state, seat, bot.choose(seen(GAME, state, seat), rng)))
    assert set(met) == set(HOLDS), met


def test_a_beginner_s_choice_has_a_reason_mostly() -> None:
    rng, bot = Random(5), bot_for("paohuzi", "easy")
    explained: list[bool] = []
    for _ in range(15):
        state = settled(GAME, GAME.start(chunked(rng), rng.randrange(3), {}))
        while state.asked:
            seat = min(state.asked)
            view = seen(GAME, state, seat)
            action = bot.choose(view, rng)
            if len(state.asked[seat]) > 1:
                explained.append(bool(list(reasons(view, action))))
            state = settled(GAME, GAME.apply(state, seat, action))
    assert sum(explained) > 0.8 * len(explained)
