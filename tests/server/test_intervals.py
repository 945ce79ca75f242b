from collections.abc import Callable
from math import inf, sqrt
from random import Random

import pytest

from server.intervals import Watched, of_mean, of_ratio, student_t


@pytest.mark.parametrize(
    ("freedom", "bound"),
    [(1, 12.70620), (2, 4.30265), (3, 3.18245), (4, 2.77645), (9, 2.26216), (30, 2.04227), (120, 1.97993)],
)
def test_students_t_is_that_of_the_tables(freedom: int, bound: float) -> None:
    assert student_t(freedom) == pytest.approx(bound, abs=5e-6)


def test_students_t_of_many_values_is_nearly_the_normal_one() -> None:
    assert 1.95996 < student_t(100_000) < 1.96000


def test_the_interval_of_a_mean_worked_by_hand() -> None:
    """1, 2, 3, 4, 5: mean 3, variance 10/4, standard error sqrt(2.5/5), 2.77645 of them to each side."""
    assert of_mean([1, 2, 3, 4, 5]) == pytest.approx((3 - 2.77645 * sqrt(0.5), 3 + 2.77645 * sqrt(0.5)), abs=1e-5)


def test_the_interval_of_a_ratio_worked_by_hand() -> None:
    """3 of 6; residuals (0, 0.5, -0.5) / 2 have the variance 1/16, so the standard error is sqrt(1/48)."""
    reach = 4.30265 * sqrt(1 / 48)
    assert of_ratio([1.5, 1.5, 0], [3, 2, 1]) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-5)


def normal(rng: Random) -> float:
    return rng.gauss(0, 2)


def won_or_lost(rng: Random) -> float:
    """As in Paohuzi: mostly one loses a little, now and then one wins much."""
    return 8.0 if rng.random() < 0.2 else -2.0


@pytest.mark.parametrize("value", [normal, won_or_lost])
def test_an_ordinary_interval_misses_the_truth_in_one_of_twenty_runs(value: Callable[[Random], float]) -> None:
    rng = Random(1)
    missed = 0
    for _ in range(1000):
        low, high = of_mean([value(rng) for _ in range(60)])
        missed += not low <= 0 <= high
    assert 30 <= missed <= 75


@pytest.mark.parametrize("value", [normal, won_or_lost])
def test_a_watched_interval_seldom_ever_misses_the_truth_and_an_ordinary_one_often_does(
    value: Callable[[Random], float],
) -> None:
    rng = Random(2)
    once_certain = once_outside = 0
    for _ in range(250):
        watched = Watched()
        values = []
        certain = outside = False
        for count in range(1, 301):
            values.append(value(rng))
            watched.add(values[-1])
            certain |= watched.certain
            if count >= Watched.LEAST and count % 25 == 0:
                low, high = of_mean(values)
                outside |= not low <= 0 <= high
        once_certain += certain
        once_outside += outside
    # Of 2,000 runs to 1,000 values it was 3.6 and 4.6 %.
    assert once_certain <= 250 * 0.08
    assert once_outside >= 250 * 0.12


def test_a_watched_interval_becomes_certain_of_a_difference() -> None:
    rng = Random(3)
    watched = Watched()
    count = 0
    while not watched.certain:
        watched.add(rng.gauss(0.5, 1))
        count += 1
    assert Watched.LEAST <= count < 200
    assert watched.interval[0] > 0


def test_a_watched_interval_is_that_of_the_formula() -> None:
    """200 values, half 1 and half -1: the variance is 200/199, rho^2 is 7.9366 / 200 and so t rho^2 + 1 = 8.9366."""
    watched = Watched()
    for value in [1, -1] * 100:
        watched.add(value)
    reach = sqrt(2 * 8.9366 / (200 * 7.9366) * 4.0908 * 200 / 199)
    assert watched.interval == pytest.approx((-reach, reach), rel=1e-4)


def test_a_watched_interval_concludes_nothing_from_few_values() -> None:
    watched = Watched()
    for _ in range(Watched.LEAST - 1):
        watched.add(1)
    assert watched.interval == (-inf, inf)
    assert not watched.certain
    watched.add(1)
    assert watched.certain
