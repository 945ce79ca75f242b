"""What speaks for a play of Chuo Pai is true, whatever lies in the other hands."""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

from protocol.notation import Action
from protocol.reasons import HintCode
from protocol.view import Reason
from server.bots.chuo_pai.reasons import reasons
from server.bots.ladder import MOST_REASONS, bot_for, reasons_for
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import cards_of, count
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PASS, PLAYS, answers, leads
from server.games.chuo_pai.state import State
from tests.deals import seen, states

GAME = ChuoPai()


class Case:
    """A play in a position, seen with all cards open."""

    def __init__(self, state: State, action: Action, reason: Reason) -> None:
        self.state, self.action, self.reason = state, action, reason
        self.seat: Seat = state.turn
        self.play = PLAYS[action]
        self.hand = Counter(cards_of(state.hands[self.seat]))
        self.left = self.hand - Counter(self.play.cards)
        self.others = [state.hands[seat] for seat in SEATS if seat != self.seat]
        self.after = GAME.apply(state, self.seat, action)

    def takes_the_round(self) -> bool:
        state = self.after
        while state.legal and state.round == self.state.round:
            if state.legal != (PASS,):
                return False
            state = GAME.apply(state, state.turn, PASS)
        won = sum(len(group.cards) for group in state.piles[self.seat])
        return won == len(self.play.cards) + sum(len(group.cards) for group in self.state.piles[self.seat])

    def ends_well(self) -> bool:
        state = self.after
        while state.legal == (PASS,):
            state = GAME.apply(state, state.turn, PASS)
        result = GAME.result(state)
        return result is not None and self.seat in result.winners and result.scores[self.seat] == self.reason.number

    def yet_to_act(self) -> list[int]:
        """The hands of those who play after this one in the round."""
        state, hands = self.after, []
        while state.legal and state.round == self.state.round:
            hands.append(state.hands[state.turn])
            state = GAME.apply(state, state.turn, state.legal[0])
        return hands

    def lowest(self) -> bool:
        alike = [
            PLAYS[each].rank
            for each in self.state.legal
            if PLAYS[each].family == self.play.family and len(PLAYS[each].cards) == len(self.play.cards)
        ]
        return self.play.rank == min(alike) < max(alike)

    def alone(self) -> bool:
        return [
            each for each in leads(self.state.hands[self.seat], 12) if set(self.play.cards) & {*PLAYS[each].cards}
        ] == [self.action]

    def kept(self) -> bool:
        cards = Counter(self.reason.cards)
        return all(
            copies == self.hand[card] == self.left[card] > 1
            and any(0 < PLAYS[each].cards.count(card) < copies for each in self.state.legal)
            for card, copies in cards.items()
        )

    def top(self) -> bool:
        return all(
            self.left[card] and answers(hand, f"play {card}") == (PASS,)
            for card in self.reason.cards
            for hand in self.others
        )


HOLDS: Mapping[str, Callable[[Case], bool]] = {
    HintCode.TAKES_ROUND: lambda case: case.takes_the_round() and case.reason.number == len(case.play.cards),
    HintCode.WINS_DEAL: lambda case: case.ends_well(),
    HintCode.LAST_IN_ROUND: lambda case: not case.yet_to_act(),
    HintCode.TOO_FEW_CARDS: lambda case: all(count(hand) < len(case.play.cards) for hand in case.yet_to_act()),
    HintCode.UNBEATABLE: lambda case: all(answers(hand, case.action) == (PASS,) for hand in case.others),
    HintCode.LOWEST: lambda case: case.lowest(),
    HintCode.LONE_CARD: lambda case: case.alone() and case.reason.cards == case.play.cards,
    HintCode.KEEPS_TOGETHER: lambda case: case.kept(),
    HintCode.KEEPS_TOP: lambda case: case.top() and len(case.reason.cards) > 0,
}


def test_every_reason_is_true_and_every_one_is_met() -> None:
    rng = Random(7)
    met: Counter[str] = Counter()
    for deal in range(50):
        bot = bot_for("chuo-pai", "easy" if deal % 2 else "random")
        for state in states("chuo-pai", (bot,) * 3, rng):
            if len(state.legal) < 2:
                continue
            view = seen(GAME, state, state.turn)
            for action in {bot.choose(view, rng), rng.choice(state.legal)}:
                found = list(reasons(view, action))
                for reason in found:
                    assert HOLDS[reason.code](Case(state, action, reason)), (action, reason)
                    met[reason.code] += 1
                assert len({reason.code for reason in found}) == len(found)
                assert reasons_for("chuo-pai", view, action) == tuple(found[:MOST_REASONS])
    assert set(met) == set(HOLDS), met


def test_a_beginner_s_play_has_a_reason_mostly() -> None:
    rng, bot = Random(5), bot_for("chuo-pai", "easy")
    explained = [
        bool(list(reasons(view, bot.choose(view, rng))))
        for _ in range(10)
        for state in states("chuo-pai", (bot,) * 3, rng)
        if len(state.legal) > 1
        for view in [seen(GAME, state, state.turn)]
    ]
    assert sum(explained) > 0.8 * len(explained)
