"""Which of several moves is best, when each try of one costs time: sequential halving over shared worlds.

All moves that are still in question are tried in the same world before the next one is dealt, so that the luck of the
deal weighs on all alike and only differences between moves remain. After each of log2(moves) rounds, which share the
budget equally, the worse half is given up. Source: Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed
bandits" (2013), with worlds in place of independent pulls.

Few tries of close moves say little. So what is thought of the moves beforehand may count as so many tries of each.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

Move = TypeVar("Move")
World = TypeVar("World")


def best(
    moves: Sequence[Move],
    worlds: Iterator[World],
    value: Callable[[Move, World], float],
    budget: int,
    prior: Sequence[float] = (),
    weight: float = 0,
) -> Move:
    """The move with the highest mean value. `moves`: at least one, the most promising first, which also breaks ties.

    Calls `value` at most `budget` times. A budget for fewer tries than there are moves leaves the last ones untried.
    `prior`: the value that each move is thought to have beforehand, which counts as much as `weight` tries of it.
    """
    left = list(range(min(len(moves), max(1, budget))))
    rounds = (len(left) - 1).bit_length()
    totals = [weight * prior[place] for place in left] if prior else [0.0] * len(left)
    for number in range(rounds):
        tries = budget // ((rounds - number) * len(left))
        for world in islice(worlds, tries):
            for place in left:
                totals[place] += value(moves[place], world)
        budget -= tries * len(left)
        left = sorted(left, key=lambda place: (-totals[place], place))[: (len(left) + 1) // 2]
    return moves[left[0]]
