"""What takes long begins first in every process, and no test is lost or run twice."""

from pathlib import Path
from typing import Any, cast

import pytest

from tests.order import dealt, is_long


class Test:
    """As much of a test as its order depends on."""

    __test__ = False

    def __init__(self, path: str, number: int, *marks: Any) -> None:
        self.path = Path(path)
        self.number = number
        self.marks = marks

    def get_closest_marker(self, _name: str) -> Any:
        return self.marks[0] if self.marks else None


def some(path: str, count: int, *marks: pytest.MarkDecorator) -> list[pytest.Item]:
    return cast("list[pytest.Item]", [Test(path, number, *(each.mark for each in marks)) for number in range(count)])


SLOW = pytest.mark.slow
LONG = [*some("z", 1, pytest.mark.slow(long=True)), *some("y", 2, pytest.mark.slow(long=True))]
ALL = [*some("a", 7), *some("b", 3, SLOW), *some("c", 4), *some("d", 2, SLOW), *some("e", 1, SLOW), *LONG]


@pytest.mark.parametrize("processes", [1, 2, 3, 7, 40])
def test_all_run_once(processes: int) -> None:
    order = dealt(ALL, processes)
    assert len(order) == len(ALL)
    assert {id(each) for each in order} == {id(each) for each in ALL}


def test_both_processes_begin_with_what_takes_longest_and_end_with_what_is_quick() -> None:
    order = dealt(ALL, 2)
    first, second = order[: len(order) // 2], order[len(order) // 2 :]
    assert [is_long(each) for each in first[:3]] == [True, True, False]
    assert [str(each.path) for each in first] == ["z", "y", *"bbb", "e", *"aaaa"]
    assert [str(each.path) for each in second] == ["y", *"dd", *"aaa", *"cccc"]


def test_alone_they_run_in_the_same_order() -> None:
    assert [str(each.path) for each in dealt(ALL, 1)] == [*"zyy", *"bbb", *"dd", "e", *"aaaaaaa", *"cccc"]
