from hypothesis import given
from hypothesis import strategies as st

from server.gateway.bucket import Bucket


def test_a_burst_passes_and_then_one_at_a_time() -> None:
    bucket = Bucket(per_s=20, burst=40)
    assert [bucket.spend(5000) for _ in range(40)] == [0] * 40
    assert bucket.spend(5000) == 50
    assert bucket.spend(5049) == 1
    assert bucket.spend(5050) == 0
    assert bucket.spend(5050) == 50


def test_what_was_refused_costs_nothing() -> None:
    bucket = Bucket(per_s=10, burst=1)
    assert bucket.spend(0) == 0
    assert [bucket.spend(0) for _ in range(1000)] == [100] * 1000
    assert bucket.spend(100) == 0


def test_rest_fills_it_up_to_the_burst_and_no_further() -> None:
    bucket = Bucket(per_s=10, burst=3)
    assert [bucket.spend(1_000_000) for _ in range(4)] == [0, 0, 0, 100]


def test_less_than_one_a_second_passes_as_well() -> None:
    bucket = Bucket(per_s=0.5, burst=2)
    assert [bucket.spend(0) for _ in range(3)] == [0, 0, 2000]
    assert bucket.spend(2000) == 0


def test_what_was_not_needed_is_given_back() -> None:
    bucket = Bucket(per_s=10, burst=1)
    assert bucket.wait_ms(0) == 0
    assert bucket.spend(0) == 0
    assert bucket.wait_ms(0) == 100
    assert not bucket.is_full(99)
    bucket.give_back()
    assert bucket.is_full(0)
    assert bucket.spend(0) == 0


@given(st.lists(st.integers(0, 500), min_size=1, max_size=200))
def test_no_window_lets_more_through_than_the_burst_and_the_rate(pauses_ms: list[int]) -> None:
    bucket, now_ms, passed_at_ms = Bucket(per_s=20, burst=5), 0, []
    for pause_ms in pauses_ms:
        now_ms += pause_ms
        if bucket.spend(now_ms) == 0:
            passed_at_ms.append(now_ms)
    for first, start_ms in enumerate(passed_at_ms):
        for count, end_ms in enumerate(passed_at_ms[first:], start=1):
            assert count <= 5 + (end_ms - start_ms) / 50


@given(st.integers(0, 2**53), st.integers(1, 100))
def test_after_the_time_it_names_it_lets_one_through(now_ms: int, burst: int) -> None:
    bucket = Bucket(per_s=7, burst=burst)
    while not (wait_ms := bucket.spend(now_ms)):
        pass
    assert bucket.spend(now_ms + wait_ms) == 0
