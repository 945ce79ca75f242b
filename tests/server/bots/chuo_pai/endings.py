"""Deals that come down to few cards, and a plain count of what one seat may think possible in them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations
from random import Random

from server.bots.base import RandomBot
from server.bots.ladder import bot_for
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import NAIL, PACK, TWO_RED, Hand, cards_of, count, hand_of
from server.games.chuo_pai.plays import PASS, PLAYS, answers, leads
from server.games.chuo_pai.state import State
from tests.deals import states

World = tuple[Hand, Hand, Hand]


def dealt(sizes: Sequence[int], max_combination: int, rng: Random) -> State:
    """A round to be led by the first seat that holds cards, from hands of such sizes; at least two hold some."""
    cards = rng.sample(PACK, sum(sizes))
    ends = list(accumulate(sizes))
    hands = [hand_of(cards[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
    leader = next(seat for seat in SEATS if hands[seat])
    return State(
        max_combination=max_combination,
        hands=(hands[0], hands[1], hands[2]),
        piles=((), (), ()),
        round=1,
        leader=leader,
        turn=leader,
        table=(),
        history=(),
        legal=leads(hands[leader], max_combination),
    )


def endings(deals: int, most: int, seed: int = 0) -> Iterator[State]:
    """States with a choice and at most so many cards in play, of deals among easy and random bots."""
    easy = bot_for("chuo-pai", "easy")
    for deal in range(deals):
        rng = Random(f"{seed}/{deal}")
        for state in states("chuo-pai", rng.choices((easy, RandomBot()), k=3), rng):
            if len(state.legal) > 1 and sum(map(count, state.hands)) <= most:
                yield state


def possible(state: State, seat: Seat) -> dict[World, int]:
    """Every deal of the unseen cards under which all went as it did, with the ways to deal it, each card its own."""
    one, two = (seat + 1) % 3, (seat + 2) % 3
    unseen = cards_of(state.hands[one] + state.hands[two])
    ways: Counter[World] = Counter()
    for chosen in combinations(range(len(unseen)), count(state.hands[one])):
        hands = list(state.hands)
        hands[one] = hand_of(unseen[place] for place in chosen)
        hands[two] = hand_of(unseen) - hands[one]
        ways[hands[0], hands[1], hands[2]] += 1
    return {world: many for world, many in ways.items() if _explains(world, state)}


def _explains(world: World, state: State) -> bool:
    """Whether the deal could have come to this with these hands now, told backwards to the deal itself."""
    hands = list(world)
    lines = [line.split(" ", 2) for line in state.history]
    for place in range(len(lines) - 1, -1, -1):
        number, seat, action = lines[place]
        if action != PASS:
            hands[int(seat)] += PLAYS[action].taken
            continue
        highest = next(play for of, _, play in reversed(lines[:place]) if of == number and play != PASS)
        if answers(hands[int(seat)], highest) != (PASS,):
            return False
    bonuses = [any(group.kind == "bonus" for group in pile) for pile in state.piles]
    both = [{NAIL, TWO_RED} <= {*cards_of(hands[seat])} for seat in SEATS]
    either = [bool({NAIL, TWO_RED} & {*cards_of(hands[seat])}) for seat in SEATS]
    return not any(either[seat] if bonuses[seat] else both[seat] for seat in SEATS)
