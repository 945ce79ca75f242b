"""The last cards, against a plain search through the real rules."""

from itertools import islice
from random import Random

import pytest

from protocol.view import Group
from server.bots.paohuzi.endgame import CARDS_IN_PLAY, best_scores, cards_in_play
from server.bots.paohuzi.kernel import NUMBER, Claim
from server.games.base import Seat, settled
from server.games.paohuzi.cards import LANE, PACK
from server.games.paohuzi.claims import Claims
from server.games.paohuzi.groups import CHIS, IDENTICAL, KAN, Fixed
from server.games.paohuzi.holding import Holding
from server.games.paohuzi.state import State
from server.games.registry import GAMES
from tests.server.bots.paohuzi.tables import claims_in, table_of

GAME = GAMES["paohuzi"]
Scores = tuple[int, int, int]


def drawn(rng: Random) -> State:
    """A deal near its end, on the table as if it had come there: few loose cards, and few in the stock.

    Cards lie where they may win, not as any course of play would leave them.
    """
    left = list(PACK)
    rng.shuffle(left)
    holdings = tuple(_holding(rng, left, groups) for groups in rng.sample((rng.choice((5, 6)), 6, 6), 3))
    loose = sum(20 - holding.fixed.cards + max(0, holding.fixed.fours - 1) for holding in holdings)
    stock = tuple(left.pop() for _ in range(rng.randint(1, max(1, CARDS_IN_PLAY - loose))))
    seat = rng.randrange(3)
    state = State(
        chi_passed_reveal=rng.random() < 0.5,
        dealer=0,
        dealer_card="s1",
        holdings=(holdings[0], holdings[1], holdings[2]),
        stock=stock,
        discards=(),
        turn=seat,
        public=Group(("s1",), "dealt", seat),
        claims=Claims(seat, ((), (), ())),
        asked={},
        moment=0,
        history=(),
        told=(),
    )
    drawn_up: State = settled(GAME, state)
    return drawn_up


def _holding(rng: Random, left: list[str], groups: int) -> Holding:
    """So many groups, and the loose cards that belong to them, more often than not near one another."""
    fixed, melds, kans = Fixed(), [], []
    while len(fixed.groups) < groups:
        card = rng.choice(left)
        kind = rng.choice(("peng", "wei", "chi", "chi", "chi", "chi", "kan", "pao"))
        group = rng.choice([chi for chi in CHIS if card in chi.cards]) if kind == "chi" else IDENTICAL[kind, card]
        if all(left.count(each) >= group.cards.count(each) for each in group.cards):
            for each in group.cards:
                left.remove(each)
            fixed = fixed.plus(group)
            if kind == KAN:
                kans.append(card)
            else:
                melds.append(group)
    loose = 0
    wanted = 20 - fixed.cards + max(0, fixed.fours - 1)
    while wanted:
        card = rng.choice(left)
        near = [chi for chi in CHIS if card in chi.cards]
        for each in (card, rng.choice(rng.choice(near).cards)):
            if wanted and each in left and loose >> LANE[each] & 7 < 2:
                left.remove(each)
                loose += 1 << LANE[each]
                wanted -= 1
    return Holding(loose, tuple(kans), tuple(melds), fixed)


def plainly(state: State) -> Scores:
    """What comes of a deal when each seat, in turn from the one that has shown the card, does its best."""
    if state.result is not None:
        return state.result.scores
    seat = min(state.asked, key=lambda each: (each - state.turn) % 3)
    return max((after(state, seat, action) for action in state.asked[seat]), key=lambda scores: scores[seat])


def after(state: State, seat: Seat, action: str) -> Scores:
    return plainly(settled(GAME, GAME.apply(state, seat, action)))


def fixed_choice(state: State, me: Seat, action: str) -> Scores:
    """The same when one seat has already made up its mind."""
    if state.claims is None:
        return after(state, me, action)
    seat = min(state.asked, key=lambda each: (each - state.turn) % 3)
    if seat == me:
        return after(state, me, action)
    options = []
    for other in state.asked[seat]:
        following = GAME.apply(state, seat, other)
        decided = me not in GAME.asked(following)
        options.append(plainly(settled(GAME, following)) if decided else fixed_choice(following, me, action))
    return max(options, key=lambda scores: scores[seat])


def questions(seed: int) -> list[tuple[State, Seat]]:
    """Every question of a deal near its end, at which no seat has declared yet."""
    rng = Random(seed)
    state = drawn(rng)
    found = []
    while state.asked:
        if state.claims is None or not any(state.claims.declared):
            found += [(state, seat) for seat in state.asked]
        seat = min(state.asked)
        state = settled(GAME, GAME.apply(state, seat, rng.choice(state.asked[seat])))
    return found


def checked(state: State, me: Seat) -> bool:
    """Whether there was a choice that mattered."""
    table = table_of(state)
    assert cards_in_play(table) <= CARDS_IN_PLAY + 1
    x = -1 if state.claims is None or state.public is None else NUMBER[state.public.cards[0]]
    revealed = state.public is not None and state.public.kind == "revealed"
    claims = {claim.action: claim for claim in claims_in(state, me)} if state.claims else {}
    values = {}
    for action in state.asked[me]:
        if action == "win" and state.claims is None:
            continue
        choice: Claim | int | None
        choice = NUMBER[action.removeprefix("discard ")] if action.startswith("discard ") else claims.get(action)
        values[action] = best_scores(table, me, choice, x, revealed=revealed)[me]
        assert values[action] == fixed_choice(state, me, action)[me], action
    return len(set(values.values())) > 1


def test_every_choice_is_worth_what_a_search_through_the_rules_finds() -> None:
    assert sum(checked(*question) for seed in range(150) for question in questions(seed)) > 30


@pytest.mark.slow
def test_ten_thousand_positions_of_the_last_cards() -> None:
    positions = (question for seed in range(1_000, 1_000_000) for question in questions(seed))
    mattered = sum(checked(*question) for question in islice(positions, 10_000))
    assert mattered > 1_000, "few of these positions had a choice that mattered"
