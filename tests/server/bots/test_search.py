from itertools import count
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from server.bots.search import best


@given(st.integers(1, 40), st.integers(0, 2000))
def test_the_budget_is_never_exceeded_and_every_try_of_a_world_is_shared(moves: int, budget: int) -> None:
    tried: dict[int, list[int]] = {}

    def value(move: int, world: int) -> float:
        tried.setdefault(world, []).append(move)
        return 0

    chosen = best(range(moves), count(), value, budget)
    assert sum(map(len, tried.values())) <= budget
    assert chosen == 0, "of equals, the most promising"
    for earlier, later in zip(list(tried.values()), list(tried.values())[1:], strict=False):
        assert set(later) <= set(earlier), "who is given up does not come back"


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30, unique=True))
def test_without_noise_the_best_move_is_found(values: list[int]) -> None:
    assert best(values, count(), lambda move, _: move, 10 * len(values)) == max(values)


def test_luck_that_all_share_misleads_nobody() -> None:
    rng = Random(1)
    luck = iter(lambda: rng.gauss(0, 1000), None)
    assert best(range(16), luck, lambda move, world: world + move, 64) == 15


def test_more_tries_make_better_choices() -> None:
    def chosen(budget: int, seed: int) -> int:
        rng = Random(seed)
        return best(range(8), count(), lambda move, _: rng.gauss(move, 4), budget)

    few, many = (sum(chosen(budget, seed) for seed in range(200)) for budget in (8, 400))
    assert many > few


def test_what_is_thought_beforehand_counts_as_so_many_tries() -> None:
    def chosen(weight: float) -> int:
        # 20 tries for two moves: 10 of each, the second one point better in each.
        return best(range(2), count(), lambda move, _: move, 20, prior=(1, 0), weight=weight)

    assert [chosen(weight) for weight in (0, 9, 10, 11)] == [1, 1, 0, 0]


def test_without_tries_the_first_thought_decides() -> None:
    assert best("ab", count(), lambda move, _: move == "b", 1, prior=(1, 0), weight=1) == "a"
