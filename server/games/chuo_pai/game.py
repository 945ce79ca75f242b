"""Chuo Pai (戳牌) for three seats: the course of a deal, as pure functions over `State`.

A round: the leader plays, the others in turn beat the highest play if they can and pass if they cannot, the winner
piles up the winning play and leads again.
"""

from collections.abc import Iterable, Mapping

from protocol.messages import HouseRule
from protocol.notation import Action
from protocol.view import DealView, Group, Happening, Reason, Result, TableView
from server.games.base import SEATS, Deck, IllegalAction, Options, Seat, check_deck, chosen_rules
from server.games.chuo_pai import view
from server.games.chuo_pai.cards import NAIL, PACK, TWO_RED, Hand, cards_of, hand_of, lanes
from server.games.chuo_pai.plays import (
    LARGEST_COMBINATION,
    MAX_COMBINATION,
    PASS,
    PLAYS,
    SMALLEST_COMBINATION,
    answers,
    leads,
)
from server.games.chuo_pai.reasons import known_to, seen_in, sentence, why
from server.games.chuo_pai.state import State

HAND_SIZE = 28

_BONUS_LANES = lanes((NAIL, TWO_RED))


class ChuoPai:
    """The game as `server.games.base.Game`."""

    name = "chuo-pai"
    version = 1
    pack: Deck = PACK
    house_rules: tuple[HouseRule, ...] = (
        HouseRule(
            MAX_COMBINATION,
            LARGEST_COMBINATION,
            SMALLEST_COMBINATION,
            LARGEST_COMBINATION,
            "The most cards in a combination.",
        ),
    )

    def options(self, given: Options) -> Options:
        return chosen_rules(self.name, self.house_rules, given)

    def start(self, deck: Deck, first: Seat, options: Options) -> State:
        bound = self.options(options)[MAX_COMBINATION]
        check_deck(deck, PACK)
        hands: list[Hand] = []
        piles: list[tuple[Group, ...]] = []
        for seat in SEATS:
            dealt = hand_of(deck[seat * HAND_SIZE : (seat + 1) * HAND_SIZE])
            bonus = dealt & _BONUS_LANES if dealt & lanes((NAIL,)) and dealt & lanes((TWO_RED,)) else 0
            hands.append(dealt - bonus)
            piles.append((Group(cards_of(bonus), view.BONUS),) if bonus else ())
        return State(
            max_combination=bound,
            hands=(hands[0], hands[1], hands[2]),
            piles=tuple(piles),
            round=1,
            leader=first,
            turn=first,
            table=(),
            history=(),
            legal=leads(hands[first], bound),
        )

    def asked(self, state: State) -> Mapping[Seat, tuple[Action, ...]]:
        return {state.turn: state.legal} if state.legal else {}

    def apply(self, state: State, seat: Seat, action: Action) -> State:
        if seat != state.turn or action not in state.legal:
            raise IllegalAction(sentence(why(known_to(state, seat), action)))
        hands, table = state.hands, state.table
        if action != PASS:
            hands = _replaced(hands, seat, hands[seat] - PLAYS[action].taken)
            table = (*table, (seat, action))
        history = (*state.history, f"{state.round} {seat} {action}")
        turn = _next_holding(hands, seat, state.leader)
        if turn == state.leader:
            return _round_over(state, hands, table, history)
        return State(
            max_combination=state.max_combination,
            hands=hands,
            piles=state.piles,
            round=state.round,
            leader=state.leader,
            turn=turn,
            table=table,
            history=history,
            legal=answers(hands[turn], table[-1][1]),
        )

    def window(self, state: State) -> bool:  # noqa: ARG002 nothing is claimed in this game
        return False

    def go_on(self, state: State) -> State:  # noqa: ARG002 nothing is claimed in this game
        raise ValueError("the deal does not go on by itself: somebody must decide, or it is over")

    def moment(self, state: State) -> int:
        return len(state.history)

    def view(self, state: State, seat: Seat | None) -> DealView:
        return view.views(state, (seat,))[0]

    def views(self, state: State, seats: Iterable[Seat | None]) -> list[DealView]:
        return view.views(state, seats)

    def happened(self, before: State | None, after: State) -> tuple[Happening, ...]:
        return view.happened(before, after)

    def result(self, state: State) -> Result | None:
        if state.legal:
            return None
        scores = view.points(state)
        return Result(scores, tuple(seat for seat in SEATS if scores[seat] == max(scores)))

    def why(self, view: TableView, text: str) -> Reason:
        return why(seen_in(view, self.options(view.room.options)[MAX_COMBINATION]), text)

    def essence(self, state: State) -> tuple[object, ...]:
        return (
            state.max_combination,
            state.hands,
            state.piles,
            state.round,
            state.leader,
            state.turn,
            state.table,
            len(state.history),
        )


def _replaced(hands: tuple[Hand, Hand, Hand], seat: Seat, hand: Hand) -> tuple[Hand, Hand, Hand]:
    first, second, third = hands
    if seat == 0:
        return hand, second, third
    return (first, hand, third) if seat == 1 else (first, second, hand)


def _next_holding(hands: tuple[Hand, Hand, Hand], seat: Seat, until: Seat) -> Seat:
    """The next seat clockwise that holds cards, or `until` where the search ends."""
    seat = (seat + 1) % 3
    while seat != until and not hands[seat]:
        seat = (seat + 1) % 3
    return seat


def _round_over(
    state: State, hands: tuple[Hand, Hand, Hand], table: tuple[tuple[Seat, Action], ...], history: tuple[str, ...]
) -> State:
    """The winning play goes to its owner's pile; the next round begins, or the deal ends."""
    winner, action = table[-1]
    play = PLAYS[action]
    won = Group(play.cards, play.kind)
    piles = tuple([(*pile, won) if seat == winner else pile for seat, pile in enumerate(state.piles)])
    over = hands.count(0) >= 2
    leader = state.leader
    if not over:
        leader = winner if hands[winner] else _next_holding(hands, winner, winner)
    return State(
        max_combination=state.max_combination,
        hands=hands,
        piles=piles,
        round=state.round if over else state.round + 1,
        leader=leader,
        turn=leader,
        table=(),
        history=history,
        legal=() if over else leads(hands[leader], state.max_combination),
    )
