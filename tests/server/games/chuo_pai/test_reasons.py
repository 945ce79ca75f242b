"""Why cards form none of the choices: every reason in an example, and each true of any position."""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.notation import CHUO_PAI_CARDS, groups_of, join
from protocol.reasons import WhyCode
from protocol.view import Reason
from server.games.base import SEATS, Options, Seat
from server.games.chuo_pai.cards import COMBINATIONS, FAMILIES, PACK, cards_of
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PLAYS
from server.games.chuo_pai.reasons import known_to, seen_in
from server.games.chuo_pai.state import State
from tests.deals import seen
from tests.server.games.chuo_pai.conftest import Position

GAME = ChuoPai()
ACTIONS = sorted(PLAYS)
CODES = frozenset(
    {
        WhyCode.OFFERED,
        WhyCode.DEAL_OVER,
        WhyCode.NO_SUCH_ACTION,
        WhyCode.NO_CARDS,
        WhyCode.NOT_YOUR_TURN,
        WhyCode.NOT_IN_HAND,
        WhyCode.MUST_LEAD,
        WhyCode.MUST_BEAT,
        WhyCode.NO_PLAY,
        WhyCode.TOO_MANY_CARDS,
        WhyCode.OTHER_KIND,
        WhyCode.OTHER_FAMILY,
        WhyCode.OTHER_COUNT,
        WhyCode.SAME_RANK,
        WhyCode.LOWER_RANK,
    }
)


def why(state: State, seat: Seat, text: str, options: Options | None = None) -> Reason:
    return GAME.why(seen(GAME, state, seat, options), text)


LEADING = ("66 36 36 36 22 26 35", "33", "12")
FOLLOWING = ("22 22", "33 55 55 11 26 13 23 35", "12")

EXAMPLES = [
    (LEADING, "", "36+66", Reason("offered", number=8)),
    (LEADING, "", "play 66+36", Reason("offered", number=8)),
    (LEADING, "", "66 36 36", Reason("offered", number=9)),
    (LEADING, "", "pass", Reason("must_lead")),
    (LEADING, "", "dance", Reason("no_such_action")),
    (LEADING, "", "play 67", Reason("no_such_action")),
    (LEADING, "", "pass 66", Reason("no_such_action")),
    (LEADING, "", "", Reason("no_cards")),
    (LEADING, "", "play", Reason("no_cards")),
    (LEADING, "", "66 66 33", Reason("not_in_hand", ("33", "66"))),
    (LEADING, "", "26+35", Reason("no_play", ("26", "35"))),
    (LEADING, "", "36 36 36 66", Reason("too_many_cards", number=3)),
    (FOLLOWING, "play 22", "pass", Reason("must_beat", ("22",), seat=0)),
    (FOLLOWING, "play 22", "13 23", Reason("other_kind", ("22",), seat=0)),
    (FOLLOWING, "play 22", "26", Reason("other_family", ("22",), seat=0)),
    (FOLLOWING, "play 22", "55 55", Reason("other_count", ("22",), 1, 0)),
    (FOLLOWING, "play 66", "55", Reason("lower_rank", ("66",), seat=0)),
    (FOLLOWING, "play 26", "35", Reason("same_rank", ("26",), seat=0)),
    (FOLLOWING, "play 14+13", "55 55", Reason("other_kind", ("13", "14"), seat=0)),
]


@pytest.mark.parametrize(("hands", "highest", "text", "reason"), EXAMPLES)
def test_the_plainest_reason_is_given(
    position: Position, hands: tuple[str, str, str], highest: str, text: str, reason: Reason
) -> None:
    highest = " ".join(["play", *map(join, map(sorted, groups_of(highest)))]) if highest else ""
    turn = 1 if highest else 0
    state = position(*hands, turn=turn, highest=highest or None, max_combination=3)
    assert why(state, turn, text, {"max_combination": 3}) == reason
    assert why(state, 2, text) == Reason("not_your_turn", seat=turn)


def test_nothing_can_be_played_after_the_end(position: Position) -> None:
    over = GAME.apply(position("66", "", "12 12"), 0, "play 66")
    over = GAME.apply(over, 2, "pass")
    assert why(over, 2, "12") == Reason("deal_over")


def test_every_code_has_an_example() -> None:
    assert {reason.code for *_, reason in EXAMPLES} | {"deal_over", "not_your_turn"} == CODES


# Whatever is picked


def family(card: str) -> int:
    return next(place for place, ranks in enumerate(FAMILIES) if any(card in rank for rank in ranks))


def rank(card: str) -> int:
    """The lower the better."""
    return next(place for place, same in enumerate(FAMILIES[family(card)]) if card in same)


def combination(cards: list[str]) -> int | None:
    """The place of the combination that these are, 0 for the highest."""
    for place, (named, matching) in enumerate(COMBINATIONS):
        if named in cards and set(cards) - {named} and set(cards) <= {named, *matching}:
            return place
    return None


class Case:
    """A pick of cards in a position, seen with all cards open."""

    def __init__(self, state: State, seat: Seat, cards: list[str], reason: Reason) -> None:
        self.state, self.seat, self.cards, self.reason = state, seat, cards, reason
        self.asked = GAME.asked(state).get(seat, ())
        self.best = list(PLAYS[state.table[-1][1]].cards) if state.table else []
        self.missing = Counter(cards) - Counter(cards_of(state.hands[seat]))
        self.a_set = len(set(cards)) == 1
        self.a_play = self.a_set or combination(cards) is not None

    @property
    def following(self) -> bool:
        """Cards that could be played but for the highest play, which the reason names."""
        named = self.reason.cards == tuple(self.best) and self.reason.seat == self.state.table[-1][0]
        return self.a_play and not self.missing and named

    @property
    def alike(self) -> bool:
        """Of one family and size with the highest play."""
        if len(self.cards) != len(self.best) or self.a_set != (len(set(self.best)) == 1):
            return False
        return not self.a_set or family(self.cards[0]) == family(self.best[0])

    def lower_by(self) -> int:
        place = combination(self.cards)
        if place is None:
            return rank(self.cards[0]) - rank(self.best[0])
        best = combination(self.best)
        assert best is not None
        return place - best


HOLDS: Mapping[str, Callable[[Case], bool]] = {
    WhyCode.OFFERED: lambda case: case.asked[(case.reason.number or 0) - 1] == f"play {join(sorted(case.cards))}",
    WhyCode.NOT_YOUR_TURN: lambda case: case.reason.seat == case.state.turn != case.seat,
    WhyCode.NO_CARDS: lambda case: not case.cards,
    WhyCode.NOT_IN_HAND: lambda case: Counter(case.reason.cards) == case.missing != Counter(),
    WhyCode.NO_PLAY: lambda case: not case.a_play,
    WhyCode.TOO_MANY_CARDS: lambda case: (
        combination(case.cards) is not None and len(case.cards) > case.state.max_combination == case.reason.number
    ),
    WhyCode.OTHER_KIND: lambda case: case.following and case.a_set != (len(set(case.best)) == 1),
    WhyCode.OTHER_FAMILY: lambda case: case.following and family(case.cards[0]) != family(case.best[0]),
    WhyCode.OTHER_COUNT: lambda case: case.following and len(case.cards) != len(case.best) == case.reason.number,
    WhyCode.SAME_RANK: lambda case: case.following and case.alike and case.lower_by() == 0,
    WhyCode.LOWER_RANK: lambda case: case.following and case.alike and case.lower_by() > 0,
}


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_is_picked_there_is_a_reason_and_it_is_true(seed: int) -> None:
    rng = Random(seed)
    options = {"max_combination": rng.randint(2, 12)}
    state = GAME.start(tuple(rng.sample(PACK, len(PACK))), seed % 3, options)
    while asked := GAME.asked(state):
        for seat in SEATS:
            hand = cards_of(state.hands[seat])
            picks = [
                rng.sample(hand, rng.randint(0, min(4, len(hand)))),
                rng.choices(CHUO_PAI_CARDS, k=rng.randint(1, 3)),
                *(list(PLAYS[rng.choice(ACTIONS)].cards) for _ in range(5)),
                *([rng.choice(hand)] * rng.randint(1, 3) for _ in hand[:1]),
            ]
            for cards in picks:
                text = rng.choice(("", "play ")) + rng.choice("+ ").join(cards)
                reason = why(state, seat, text, options)
                assert HOLDS[reason.code](Case(state, seat, cards, reason)), (text, reason)
        ((seat, actions),) = asked.items()
        assert all(why(state, seat, action, options).code == "offered" for action in actions)
        if "pass" not in actions:
            assert why(state, seat, "pass", options).code == ("must_beat" if state.table else "must_lead")
        state = GAME.apply(state, seat, rng.choice(actions))
    assert why(state, 0, "66").code == "deal_over"


@given(st.integers(0, 2**32), st.text(max_size=20))
def test_there_is_a_reason_for_any_text(seed: int, text: str) -> None:
    state = GAME.start(tuple(Random(seed).sample(PACK, len(PACK))), 0, {})
    assert why(state, 0, text).code in CODES


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32))
def test_a_reason_knows_no_more_of_the_deal_than_the_view_shows(seed: int) -> None:
    rng = Random(seed)
    state = GAME.start(tuple(rng.sample(PACK, len(PACK))), seed % 3, {})
    while asked := GAME.asked(state):
        for seat in SEATS:
            one, other = [(seat + step) % 3 for step in (1, 2)]
            hands = list(state.hands)
            hands[one], hands[other] = hands[other], hands[one]
            exchanged = replace(state, hands=tuple(hands))
            assert seen_in(seen(GAME, state, seat), state.max_combination) == known_to(state, seat)
            if seat == state.turn:
                assert known_to(exchanged, seat) == known_to(state, seat)
        ((seat, actions),) = asked.items()
        state = GAME.apply(state, seat, rng.choice(actions))
