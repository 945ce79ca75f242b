"""Budgets follow from what waits and from what was learned, and thoughts become as long as they may be."""

from collections.abc import Callable

import pytest

from server.bots.base import UNLIMITED
from server.bots.budget import BACKLOG_MS, PATIENCE_PART, Pace, allowed_ms, overloaded


def test_a_thought_nobody_waits_for_may_take_what_is_left_of_its_part_of_the_patience() -> None:
    assert allowed_ms(2000, 0, (), 1) == 2000 * PATIENCE_PART
    assert allowed_ms(2000, 50, (), 1) == 2000 * PATIENCE_PART - 50
    assert allowed_ms(100, 50, (), 1) == 0, "then the first guess has to do"
    assert allowed_ms(100, 0, (1,), 8) == 100 * PATIENCE_PART, "an urgent one never takes longer"


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("burst", [1, 10, 100, 1000])
def test_of_a_burst_nobody_waits_longer_than_a_backlog(workers: int, burst: int) -> None:
    """All are asked at once; each worker takes the next as soon as it is free."""
    free_ms, begun_ms = [0.0] * workers, 0.0
    for left in reversed(range(burst)):
        worker = free_ms.index(min(free_ms))
        begun_ms = free_ms[worker]
        free_ms[worker] += allowed_ms(10_000, begun_ms, [begun_ms] * left, workers)
    assert begun_ms <= BACKLOG_MS
    assert begun_ms > BACKLOG_MS * 0.6 or burst <= workers, "and nothing of that time is wasted"


def test_what_has_waited_long_enough_waits_for_no_thought() -> None:
    assert allowed_ms(10_000, 0, (3, BACKLOG_MS + 1), 1) == 0
    assert overloaded((3, BACKLOG_MS + 1))
    assert not overloaded((3, BACKLOG_MS))


def thoughts_ms(pace: Pace, allowed: float, thought_ms: Callable[[int, int], float], count: int) -> list[float]:
    """What so many thoughts take, each within the budget of its time. `thought_ms`: of its number and budget."""
    taken = []
    for number in range(count):
        budget = pace.budget(allowed)
        taken.append(thought_ms(number, budget))
        pace.learn(budget, taken[-1])
    return taken


@pytest.mark.parametrize("rollout_ms", [0.01, 0.1, 3.0])
@pytest.mark.parametrize("allowed", [1.0, 4.0, 8.0])
def test_thoughts_become_as_long_as_they_may_be(rollout_ms: float, allowed: float) -> None:
    taken = thoughts_ms(Pace(), allowed, lambda _, budget: rollout_ms * budget, 200)
    mean_ms = sum(taken[100:]) / 100
    assert max(allowed - rollout_ms, rollout_ms) * 0.9 < mean_ms < max(allowed, rollout_ms) * 1.1, "whole rollouts"


def test_no_budget_leads_to_longer_thoughts_than_there_is_time_for() -> None:
    assert max(thoughts_ms(Pace(), 250.0, lambda _, budget: 0.01 * budget, 200)) <= 250.0


def test_on_average_also_where_many_choices_need_no_thought() -> None:
    taken = thoughts_ms(Pace(), 4.0, lambda number, budget: 0.1 * budget if number % 3 else 0.2, 400)
    assert sum(taken[100:]) / 300 == pytest.approx(4.0, rel=0.15)


def full_strength(_number: int, budget: int) -> float:
    """A bot that needs no more than 300 rollouts."""
    return min(budget, 300) * 0.1


def test_a_bot_that_needs_less_gets_all_that_it_needs() -> None:
    assert thoughts_ms(Pace(), 250.0, full_strength, 100)[50:] == [30.0] * 50


def test_a_sudden_load_is_met_within_a_second_and_full_strength_comes_back_after_it() -> None:
    pace = Pace()
    thoughts_ms(pace, 250.0, full_strength, 500)
    under_load = thoughts_ms(pace, 2.0, full_strength, 500)
    longer = [ms for ms in under_load if ms > 4.0]
    assert sum(longer) < 1000
    assert sum(under_load[-100:]) / 100 == pytest.approx(2.0, rel=0.15)
    assert thoughts_ms(pace, 250.0, full_strength, 60)[-1] == 30.0


def test_a_budget_is_never_less_than_one_nor_without_end() -> None:
    pace = Pace()
    assert pace.budget(0.0) == 1
    for _ in range(1000):
        pace.learn(UNLIMITED, 0.0)
    assert pace.budget(10_000.0) == UNLIMITED
