"""Confidence intervals for means of independent values, of a number fixed beforehand or watched all along."""

from collections.abc import Sequence
from functools import cache
from math import atan, cos, exp, inf, lgamma, log, log1p, pi, sin, sqrt
from statistics import NormalDist, fmean, stdev

Interval = tuple[float, float]

ALPHA = 0.05
"""All intervals here are 95 % intervals."""


@cache
def student_t(freedom: int) -> float:
    """How many standard errors a 95 % interval goes to each side. `freedom`: degrees of freedom, at least 1."""
    bound = NormalDist().inv_cdf(1 - ALPHA / 2)
    # The probability grows ever more slowly with the bound, so these steps come from below and never go too far.
    while (step := (1 - ALPHA - _within(bound, freedom)) / (2 * _density(bound, freedom))) > 1e-12 * bound:
        bound += step
    return bound


def _density(t: float, freedom: int) -> float:
    logarithm = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - (freedom + 1) / 2 * log1p(t * t / freedom)
    return exp(logarithm) / sqrt(pi * freedom)


def _within(bound: float, freedom: int) -> float:
    """The probability of a value from -bound to bound: Abramowitz and Stegun 26.7.3 and 26.7.4, exact."""
    angle = atan(bound / sqrt(freedom))
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for below in range(2 + odd, freedom, 2):
        term *= square * (below - 1) / below
        total += term
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def of_mean(values: Sequence[float]) -> Interval:
    """By Student's t. At least two values, their number not chosen by looking at them."""
    return _around(fmean(values), student_t(len(values) - 1) * stdev(values) / sqrt(len(values)))


def of_ratio(parts: Sequence[float], wholes: Sequence[float]) -> Interval:
    """Of the sum of `parts` to that of `wholes`, not zero, where pairs are independent: by the delta method."""
    whole = fmean(wholes)
    ratio = fmean(parts) / whole
    residuals = [(part - ratio * of) / whole for part, of in zip(parts, wholes, strict=True)]
    return _around(ratio, student_t(len(parts) - 1) * stdev(residuals) / sqrt(len(parts)))


def _around(middle: float, reach: float) -> Interval:
    return middle - reach, middle + reach


class Watched:
    """The mean of values that are looked at one by one, until enough is known.

    An ordinary 95 % interval that is looked at after every value excludes the truth sooner or later, in far more than
    5 % of all runs. This one is a confidence sequence: in 95 % of all runs it holds the truth after every value at
    once, so it is still honest at a moment that was chosen by looking at it. Its reach is that of Robbins' normal
    mixture, with a variance estimated from the values, and the central limit theorem in place of normal ones
    (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and asymptotic confidence
    sequences", 2021, theorem 2.2); that is why nothing is concluded from fewer than `LEAST` values. The price is the
    width: from 50 to 1,000 values 1.5 to 1.6 times that of the ordinary interval, least at `NARROWEST`. A mean at which
    one stopped because it is far from zero leans away from zero a little; the interval allows for that.
    """

    LEAST = 50
    NARROWEST = 200

    def __init__(self) -> None:
        self._values = 0
        self._mean = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        self._values += 1
        before = value - self._mean
        self._mean += before / self._values
        self._squares += before * (value - self._mean)

    @property
    def interval(self) -> Interval:
        """Infinite below `LEAST` values."""
        if self._values < self.LEAST:
            return -inf, inf
        count = self._values
        spread = -2 * log(ALPHA)
        grown = count * (spread + log(spread + 1)) / self.NARROWEST + 1
        reach = sqrt(2 * grown / (grown - 1) * log(sqrt(grown) / ALPHA) * self._squares / (count - 1) / count)
        return _around(self._mean, reach)

    @property
    def certain(self) -> bool:
        """Whether the interval lies on one side of zero."""
        low, high = self.interval
        return low > 0 or high < 0
