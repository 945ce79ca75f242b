"""How long something took, many times over: counted in classes, so that it costs next to nothing to keep."""

from bisect import bisect_left
from collections.abc import Iterator

LATENCY_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Classes for what a player waits for."""


class Durations:
    """Times in seconds. `bounds_s`: the upper ends of the classes, rising; what is longer has a class of its own."""

    def __init__(self, bounds_s: tuple[float, ...]) -> None:
        self.bounds_s = bounds_s
        self.sum_s = 0.0
        self._counts = [0] * (len(bounds_s) + 1)

    def add(self, seconds: float) -> None:
        self.sum_s += seconds
        self._counts[bisect_left(self.bounds_s, seconds)] += 1

    def up_to(self) -> Iterator[tuple[float, int]]:
        """Each bound, infinity last, and how many took so long at most."""
        total = 0
        for bound_s, count in zip((*self.bounds_s, float("inf")), self._counts, strict=True):
            total += count
            yield bound_s, total
