"""In which order tests run where several processes share them: what takes long first, so that none ends far later.

A process of pytest-xdist gets one stretch of all tests, and takes from the end of another one when it is done.
"""

from collections.abc import Sequence
from itertools import chain, groupby, islice

import pytest


def dealt(items: Sequence[pytest.Item], processes: int) -> list[pytest.Item]:
    """Tests that are `slow(long=True)` go first, to each process its share; then files with a slow test, then all
    others. Files stay together, with what their tests share.
    """
    long = list(filter(is_long, items))
    files = [list(file) for _, file in groupby((each for each in items if not is_long(each)), key=lambda it: it.path)]
    slow = [file for file in files if any(map(is_slow, file))]
    others = chain.from_iterable(file for file in files if not any(map(is_slow, file)))
    shares = [long[place::processes] + list(chain(*slow[place::processes])) for place in range(processes)]
    order = list[pytest.Item]()
    for place, share in enumerate(shares):
        size = (len(items) - len(order)) // (processes - place)  # as xdist cuts them
        if place + 1 < processes:
            shares[place + 1] += share[size:]
        order += share[:size]
        order += islice(others, max(0, size - len(share)))
    return order


def is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def is_long(item: pytest.Item) -> bool:
    """Does it take half a minute or more?"""
    mark = item.get_closest_marker("slow")
    return mark is not None and bool(mark.kwargs.get("long"))
