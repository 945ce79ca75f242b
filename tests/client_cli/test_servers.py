"""Which server is tried next, and when: in turn, never in step with others, and never one that is less protected."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_cli.servers import (
    BUSY,
    LONGEST_WAIT_S,
    MOST_SERVERS,
    OPENING_BESIDE_OTHERS_S,
    OPENING_S,
    Attempt,
    Servers,
    backoff_s,
)

A, B, C = (f"ws://10.0.0.{number}:8470/ws" for number in (1, 2, 3))


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def servers(*known: str, chance: float = 1.0, clock: Clock | None = None) -> Servers:
    return Servers(known[0], known, chance=lambda: chance, clock_s=clock or Clock())


@given(st.integers(0, 500), st.floats(0, 1))
def test_a_wait_is_anything_up_to_a_doubling_bound(failures: int, chance: float) -> None:
    wait_s = backoff_s(failures, chance)
    assert 0 <= wait_s <= LONGEST_WAIT_S
    assert wait_s <= 0.5 * 2**failures
    assert backoff_s(failures, 0.0) == 0.0
    assert backoff_s(BUSY + 10, 1.0) == LONGEST_WAIT_S


def test_the_server_that_broke_off_comes_first_and_then_all_in_turn_each_with_growing_waits() -> None:
    clock = Clock()
    three = servers(A, B, C, clock=clock)
    attempt = three.lost(A)
    tried: dict[str, list[float]] = {A: [], B: [], C: []}
    for _ in range(12):
        clock.now_s += attempt.wait_s
        tried[attempt.url].append(clock.now_s - 1000)
        attempt = three.silent(attempt.url)
    assert tried == {A: [0.5, 1.5, 3.5, 7.5], B: [0.5, 1.0, 2.0, 4.0], C: [0.5, 1.0, 2.0, 4.0]}


def test_a_server_that_shows_a_table_is_trusted_anew() -> None:
    one = servers(A)
    assert [one.lost(A), one.silent(A), one.silent(A)] == [Attempt(A, 0.5), Attempt(A, 1.0), Attempt(A, 2.0)]
    one.shown(A)
    assert one.lost(A) == Attempt(A, 0.5)


def test_a_server_that_takes_connections_and_breaks_them_is_not_the_only_one_tried() -> None:
    two = servers(A, B)
    assert [two.lost(A).url, two.lost(A).url] == [A, B]


@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_a_server_that_sends_players_away_is_left_almost_at_once(chance: float) -> None:
    two = servers(A, B, chance=chance)
    assert two.sent_away(A) == Attempt(B, chance * 0.5)


def test_a_server_that_sent_players_away_is_come_back_to_when_the_other_is_out_of_reach() -> None:
    clock = Clock()
    two = servers(A, B, clock=clock)
    attempt = two.sent_away(A, within_s=5.0)
    clock.now_s += attempt.wait_s
    tried = []
    while attempt.url == B:
        attempt = two.silent(B)
        clock.now_s += attempt.wait_s
        tried.append((attempt.url, clock.now_s - 1000))
    assert tried == [(B, 1.0), (B, 2.0), (B, 4.0), (A, 5.0)]


def test_the_only_server_is_come_back_to_after_the_time_that_it_named() -> None:
    assert servers(A).sent_away(A, within_s=5.0) == Attempt(A, 5.0)
    assert servers(A).sent_away(A, from_s=30.0, within_s=60.0) == Attempt(A, 60.0)
    assert servers(A, chance=0.0).sent_away(A, from_s=30.0, within_s=60.0) == Attempt(A, 30.0)


@pytest.mark.parametrize("known", [(A,), (A, B, C)])
def test_the_players_of_a_server_that_restarts_do_not_come_back_in_step(known: tuple[str, ...]) -> None:
    chance = random.Random(7)
    arrivals: dict[str, list[float]] = {url: [] for url in known}
    for _ in range(200):
        clock = Clock()
        player = Servers(A, chance=chance.random, clock_s=clock)
        player.learn(A, known)
        attempt = player.sent_away(A)
        clock.now_s += attempt.wait_s
        arrivals[attempt.url].append(clock.now_s - 1000)
        for _ in range(8):  # which is still down, as are the others
            attempt = player.silent(attempt.url)
            assert attempt.wait_s <= LONGEST_WAIT_S
            clock.now_s += attempt.wait_s
    if len(known) == 1:
        within_s = 2.0
    else:
        within_s = 0.5
        assert arrivals.pop(A) == []
        assert min(map(len, arrivals.values())) > 70, "each of the others takes its share"
    for times in arrivals.values():
        tenths = [sum(tenth <= time / within_s * 10 < tenth + 1 for time in times) for tenth in range(10)]
        assert sum(tenths) == len(times)
        assert max(tenths) < 3 * len(times) / 10


def test_a_server_tells_the_fingerprint_of_one_that_is_not_known_yet_and_of_no_other() -> None:
    first, second = f"wss://10.0.0.1:8470/ws#{'A' * 16}", f"wss://10.0.0.2:8470/ws#{'B' * 16}"
    one = servers(first)
    one.learn(first, [second])
    assert one.known == (first, second)
    for told in (["wss://10.0.0.1:8470/ws"], [f"wss://10.0.0.1:8470/ws#{'C' * 16}"], [second.partition("#")[0]]):
        one.learn(second, told)
        assert one.known == (first, second)


def test_what_a_server_says_of_others_is_bounded_and_keeps_the_first_and_the_present_one() -> None:
    one = servers(A)
    one.learn(A, [B])
    one.proved(B)
    one.learn(B, [f"ws://10.0.1.{number}:8470/ws" for number in range(100)])
    assert len(one.known) == MOST_SERVERS
    assert one.known[0] == B
    assert A in one.known


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("wss://cards.example.org/ws", "ws://cards.example.org/ws"),
        (A, "ws://127.0.0.1:8470/ws"),
        (A, "ws://localhost/ws"),
        (A, "http://10.0.0.2:8470/ws"),
        (A, "10.0.0.2:8470"),
        (A, "ws://anna:secret@10.0.0.2/ws"),
        (A, "ws://10.0.0.2:84700/ws"),
        (A, "ws://10.0.0.2 /ws"),
        (A, "ws://"),
        (A, "file:///etc/passwd"),
        (A, f"ws://{'x' * 300}/ws"),
    ],
)
def test_an_address_that_leads_nowhere_or_is_less_protected_is_passed_over(first: str, told: str) -> None:
    one = Servers(first)
    one.learn(first, [told])
    assert one.known == (first,)


def test_a_better_protected_address_and_one_of_the_same_machine_are_fine() -> None:
    for first, told in ((A, "wss://cards.example.org/ws"), ("ws://127.0.0.1:8470/ws", "ws://127.0.0.1:8471/ws")):
        one = Servers(first)
        one.learn(first, [told, told, first])
        assert one.known == (first, told)


@given(st.lists(st.text(max_size=30)))
def test_nothing_that_a_server_says_of_others_is_a_fault_of_ours(told: list[str]) -> None:
    one = Servers(A)
    one.learn(A, [*told, *(f"ws://{each}" for each in told)])
    assert A in one.known
    assert len(one.known) <= MOST_SERVERS


def test_a_server_of_no_use_is_dropped_but_never_the_last() -> None:
    two = servers(A, B)
    assert two.drop(B) == Attempt(A, 0.0)
    assert two.known == (A,)
    assert two.drop(A) is None


def test_only_servers_that_knew_the_seat_can_say_that_it_is_gone() -> None:
    three = Servers(A, (B, C))
    assert [three.is_proved(url) for url in (A, B, C)] == [True, True, False]
    three.proved(C)
    assert three.is_proved(C)
    assert three.known[0] == C


def test_after_a_night_all_begins_anew() -> None:
    two = servers(A, B)
    for _ in range(6):
        two.silent(A)
        two.silent(B)
    assert two.slept(A) == Attempt(A, 0.0)
    assert two.silent(A) == Attempt(B, 0.0)


def test_a_silent_server_is_waited_for_less_long_beside_others_but_longer_each_time() -> None:
    one, two = servers(A), servers(A, B)
    assert one.opening_s(A) == OPENING_S
    waits = []
    for _ in range(4):
        waits.append(two.opening_s(A))
        two.silent(A)
    assert waits == [OPENING_BESIDE_OTHERS_S, 4.0, 8.0, OPENING_S]
