import math

from server.durations import Durations


def test_every_time_is_in_all_classes_that_end_with_it_or_later() -> None:
    durations = Durations((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 7.0):
        durations.add(seconds)
    assert list(durations.up_to()) == [(0.1, 2), (1.0, 3), (math.inf, 4)]
    assert durations.sum_s == 0.05 + 0.1 + 0.5 + 7.0
