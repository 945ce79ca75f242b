"""What an attack costs those who play: how long their moves took with it, and in the rounds between without it."""

from collections.abc import Sequence
from statistics import median

from tests.soak import quantile

GOAL = 2
"""How many times as long the slowest hundredth of moves may take."""

Round = list[float]
"""How long moves took, in seconds."""


def shown(took_s: Round) -> str:
    p50, p99 = (1000 * quantile(took_s, part) for part in (0.5, 0.99))
    return f"{len(took_s)} moves, p50 {p50:.1f} ms, p99 {p99:.1f} ms"


def ratio(calm: Sequence[Round], attacked: Sequence[Round]) -> float:
    """Of the p99 of each round with the attack to that of the one without. The median: machines have bad moments."""
    return median(
        quantile(with_it, 0.99) / quantile(without, 0.99) for without, with_it in zip(calm, attacked, strict=True)
    )


def medians(calm: Sequence[Round], attacked: Sequence[Round]) -> str:
    told = []
    for name, rounds in (("left alone", calm), ("attacked", attacked)):
        p50, p99 = (1000 * median(quantile(one, part) for one in rounds) for part in (0.5, 0.99))
        told.append(f"{name} p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    return f"medians: {'; '.join(told)}; p99 {ratio(calm, attacked):.2f} times as long (goal: {GOAL})"
