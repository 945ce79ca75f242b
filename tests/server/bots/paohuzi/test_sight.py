"""What a view proves about the others, against what they really have."""

from random import Random

import pytest

from server.bots.base import RandomBot
from server.bots.ladder import bot_for
from server.bots.paohuzi.kernel import BIT, NUMBER, SHIFT
from server.bots.paohuzi.sight import Shown, sight
from server.games.base import SEATS, Seat, settled
from server.games.paohuzi.cards import cards_of
from server.games.paohuzi.state import State
from server.games.registry import GAMES
from tests.deals import seen
from tests.server.bots.paohuzi.tables import table_of
from tests.server.games.paohuzi.positions import chunked

GAME = GAMES["paohuzi"]
OPEN = ("groups", "huxi", "fours", "over", "loose", "kans", "weis", "pengs", "barred", "dead")


def course(seed: int) -> list[State]:
    """The states of one deal, in which two seats play at random and one plays well."""
    rng = Random(seed)
    bots = [RandomBot(), RandomBot(), bot_for("paohuzi", "easy")]
    rules = {"chi_passed_reveal": rng.random() < 0.5}
    deck = chunked(rng) if rng.random() < 0.5 else tuple(rng.sample(GAME.pack, len(GAME.pack)))
    found: list[State] = [settled(GAME, GAME.start(deck, rng.randrange(3), rules))]
    while asked := GAME.asked(found[-1]):
        seat = min(asked)
        action = bots[seat].choose(seen(GAME, found[-1], seat), rng)
        found.append(settled(GAME, GAME.apply(found[-1], seat, action)))
    return found[:-1]


@pytest.mark.parametrize("seed", range(40))
def test_what_is_proved_of_the_others_is_so(seed: int) -> None:
    for state in course(seed):
        for me in SEATS:
            proved(state, me)


def proved(state: State, me: Seat) -> None:
    known = sight(seen(GAME, state, me, {"chi_passed_reveal": state.chi_passed_reveal}))
    truth = table_of(state)
    for name in OPEN:
        assert getattr(known.table, name)[me] == getattr(truth, name)[me], name
    for name in ("weis", "pengs", "fours", "dead"):
        assert getattr(known.table, name) == getattr(truth, name)
    assert (known.table.turn, known.table.passed_reveal) == (truth.turn, truth.passed_reveal)
    left = list(known.unseen)
    for card in truth.stock:
        left[card] -= 1
    for hidden in known.hidden:
        loose, kans = truth.loose[hidden.seat], truth.kans[hidden.seat]
        assert hidden.cards == len(cards_of(loose)) + 3 * kans.bit_count()
        for number in range(20):
            copies = loose >> SHIFT[number] & 3
            assert copies <= hidden.most[number]
            assert hidden.kan[number] or not kans & BIT[number]
            left[number] -= copies + 3 * bool(kans & BIT[number])
        assert hidden.held < 0 or (loose >> SHIFT[hidden.held] & 3 or kans & BIT[hidden.held])
        assert all(any(not loose >> SHIFT[number] & 3 for number in claimed) for claimed in hidden.claimed)
        barred = state.holdings[hidden.seat].barred
        assert not known.table.barred[hidden.seat] & ~sum(BIT[NUMBER[card]] for card in barred)
    assert left == [0] * 20


@pytest.mark.parametrize("seed", range(10))
def test_cards_that_nobody_claimed_are_told_apart_by_where_they_came_from(seed: int) -> None:
    """Each state of the deal, those at which nobody is asked included."""
    rng = Random(seed)
    state: State = GAME.start(tuple(rng.sample(GAME.pack, len(GAME.pack))), seed % 3, {})
    passed: list[Shown] = []
    while state.result is None:
        if GAME.asked(state):
            seat = min(state.asked)
            assert sight(seen(GAME, state, seat)).shown == tuple(passed)
            state = GAME.apply(state, seat, rng.choice(state.asked[seat]))
            continue
        following = GAME.go_on(state)
        if len(following.discards) > len(state.discards):
            assert state.public is not None
            passed.append(Shown(state.turn, NUMBER[state.public.cards[0]], state.public.kind == "revealed"))
        state = following
    assert {shown.revealed for shown in passed} == {True, False}
