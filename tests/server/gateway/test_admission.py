"""Whom a server lets in: no sockets, and time by hand."""

import logging
from collections import Counter
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import TurnedAway
from server.gateway import admission
from server.gateway.admission import (
    ANSWERED_AT_ONCE,
    ANSWERED_PER_S,
    COOLING_MS,
    FORGIVEN_MS,
    FULL_RETRY_MS,
    REFUSED_AT_ONCE,
    SPARE_CONNECTIONS,
    Admission,
    Visit,
)
from server.limits import Limits

ANN, BO, PROXY = "203.0.113.7", "203.0.113.8", "10.0.0.1"


class Door:
    """An admission, and the time."""

    def __init__(self, **limits: object) -> None:
        self.turned_away = Counter[str]()
        self.admission = Admission(Limits(**limits), self.turned_away)  # type: ignore[arg-type]  # as each test has them
        self.now_ms = 1_000_000

    def accept(self, peer: str) -> Visit:
        visit = self.admission.accept(peer, self.now_ms)
        assert visit is not None
        return visit

    def ask(self, visit: Visit, *forwarded_for: str) -> tuple[TurnedAway, int] | None:
        return self.admission.ask(visit, forwarded_for, self.now_ms)

    def enter(self, peer: str, *forwarded_for: str) -> Visit:
        """One that is let in."""
        visit = self.accept(peer)
        assert self.ask(visit, *forwarded_for) is None
        return visit

    def refused(self, peer: str, *forwarded_for: str) -> tuple[TurnedAway, int]:
        """One that is told why it is not, and goes."""
        visit = self.accept(peer)
        refusal = self.ask(visit, *forwarded_for)
        assert refusal is not None
        self.leave(visit)
        return refusal

    def leave(self, *visits: Visit) -> None:
        for visit in visits:
            self.admission.leave(visit, self.now_ms)


def test_an_address_may_open_many_connections_at_once_but_not_for_long() -> None:
    door = Door(address_connects=2)
    for _ in range(20):
        door.leave(door.enter(ANN))
    assert door.refused(ANN) == (TurnedAway.RATE_LIMITED, 500)
    door.enter(BO)
    door.now_ms += 500
    door.enter(ANN)
    assert door.turned_away == {TurnedAway.RATE_LIMITED: 1}


def test_an_address_has_so_many_connections_and_the_next_when_one_ends() -> None:
    door = Door(address_connections=3)
    visits = [door.enter(ANN) for _ in range(3)]
    assert door.refused(ANN) == (TurnedAway.TOO_MANY_CONNECTIONS, FULL_RETRY_MS)
    door.enter(BO)
    door.leave(visits[0])
    door.enter(ANN)


def test_beyond_what_can_be_answered_connections_are_cut_off() -> None:
    door = Door(address_connections=3)
    visits = [door.accept(ANN) for _ in range(3 + SPARE_CONNECTIONS)]
    assert door.admission.accept(ANN, door.now_ms) is None
    assert door.turned_away == {"cut_off": 1}
    door.enter(BO)
    door.leave(*visits)
    door.enter(ANN)


def test_all_together_have_so_many_connections() -> None:
    door = Door(max_connections=4)
    visits = [door.enter(f"203.0.113.{number}") for number in range(4)]
    assert door.refused(ANN) == (TurnedAway.SERVER_FULL, FULL_RETRY_MS)
    waiting = [door.accept(f"198.51.100.{number}") for number in range(SPARE_CONNECTIONS)]
    assert door.admission.accept(ANN, door.now_ms) is None
    door.leave(*visits, *waiting)
    assert door.admission.connections == 0
    door.enter(ANN)


def test_whoever_is_closed_for_flooding_comes_back_after_a_while_and_others_at_once() -> None:
    door = Door()
    stays, floods = door.enter(ANN), door.enter(ANN)
    floods.account.cool(door.now_ms)
    door.leave(floods)
    assert door.refused(ANN) == (TurnedAway.RATE_LIMITED, COOLING_MS)
    assert stays.account.connections == 1
    door.enter(BO)
    door.now_ms += COOLING_MS
    door.enter(ANN)


def test_whoever_floods_again_is_kept_out_for_longer_until_it_is_forgiven() -> None:
    door = Door()
    kept_out_ms = []
    for _ in range(6):
        visit = door.enter(ANN)
        visit.account.cool(door.now_ms)
        visit.account.cool(door.now_ms + 1)
        door.leave(visit)
        kept_out_ms.append(visit.account.cool_at_ms - door.now_ms - 1)
        door.now_ms = visit.account.cool_at_ms
    assert kept_out_ms == [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]
    door.now_ms += FORGIVEN_MS
    visit = door.enter(ANN)
    visit.account.cool(door.now_ms)
    assert visit.account.cool_at_ms == door.now_ms + COOLING_MS


def test_whoever_goes_on_asking_after_many_refusals_is_not_even_answered() -> None:
    door = Door(address_connects=0.1)
    door.leave(door.enter(ANN))
    for _ in range(REFUSED_AT_ONCE):
        assert door.refused(ANN)[0] is TurnedAway.RATE_LIMITED
    assert door.admission.accept(ANN, door.now_ms) is None
    door.enter(BO)
    door.now_ms += 10_000
    door.enter(ANN)


def test_where_many_addresses_are_refused_at_once_only_some_are_answered_and_others_are_let_in() -> None:
    door = Door(address_connects=0.1)
    addresses = [f"198.51.100.{number}" for number in range(100)]
    for address in addresses:
        door.leave(door.enter(address))
    for number in range(ANSWERED_AT_ONCE):
        assert door.refused(addresses[number % 100])[0] is TurnedAway.RATE_LIMITED
    assert door.admission.accept(addresses[0], door.now_ms) is None
    door.enter(ANN)
    door.now_ms += 1000
    for number in range(ANSWERED_PER_S):
        assert door.refused(addresses[number])[0] is TurnedAway.RATE_LIMITED
    assert door.admission.accept(addresses[0], door.now_ms) is None


def test_who_is_full_is_asked_for_its_health_all_the_same() -> None:
    door = Door(max_connections=1)
    door.enter(ANN)
    for number in range(ANSWERED_AT_ONCE + 1):
        assert door.refused(f"2001:db8:{number:x}::1")[0] is TurnedAway.SERVER_FULL
    door.leave(door.accept(BO))


def test_a_blocked_address_is_told_for_how_long_and_let_in_again_afterwards() -> None:
    door = Door()
    door.admission.block(ip_address(ANN), door.now_ms + 60_000)
    assert door.refused(ANN) == (TurnedAway.BLOCKED, 60_000)
    door.enter(BO)
    door.now_ms += 59_000
    assert {str(network): left for network, left in door.admission.blocked(door.now_ms).items()} == {f"{ANN}/32": 1000}
    door.now_ms += 1000
    assert door.admission.blocked(door.now_ms) == {}
    door.enter(ANN)


def test_no_more_addresses_are_blocked_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MOST_BLOCKS", 1)
    door = Door()
    door.admission.block(ip_address(ANN), door.now_ms + 1)
    door.admission.block(ip_address(ANN), door.now_ms + 2)
    with pytest.raises(ValueError, match="cannot be blocked"):
        door.admission.block(ip_address(BO), door.now_ms + 1)


def test_households_of_ipv6_count_as_one_address() -> None:
    door = Door(address_connections=2)
    for number in (1, 2):
        door.enter(f"2001:db8:7:1::{number}")
    assert door.refused("2001:db8:7:1::3")[0] is TurnedAway.TOO_MANY_CONNECTIONS
    door.enter("2001:db8:7:2::1")


def test_clients_behind_a_trusted_proxy_count_each_for_itself() -> None:
    door = Door(trusted_proxy=("10.0.0.0/8",), address_connections=1)
    visits = [door.enter(PROXY, client) for client in (ANN, BO)]
    assert door.refused(PROXY, f"198.51.100.1, {ANN}")[0] is TurnedAway.TOO_MANY_CONNECTIONS
    door.leave(*visits)
    door.enter(PROXY, ANN)


def test_a_trusted_proxy_that_does_not_say_for_whom_it_asks_counts_as_one_address() -> None:
    door = Door(trusted_proxy=("10.0.0.0/8",), address_connections=1)
    door.enter(PROXY)
    assert door.refused(PROXY)[0] is TurnedAway.TOO_MANY_CONNECTIONS
    door.enter(PROXY, ANN)


def test_a_proxy_nobody_has_named_counts_as_one_address_and_that_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    door = Door(address_connections=2)
    for client in (ANN, BO):
        door.enter(PROXY, client)
    assert door.refused(PROXY, "198.51.100.1")[0] is TurnedAway.TOO_MANY_CONNECTIONS
    (record,) = caplog.records
    assert PROXY in record.getMessage()
    assert "--trusted-proxy" in record.getMessage()


def test_an_exempt_address_has_no_limit_but_that_of_all() -> None:
    door = Door(exempt=("127.0.0.0/8",), address_connections=1, address_connects=0.1, max_connections=50)
    for _ in range(50):
        door.enter("127.0.0.1")
    assert door.refused("127.0.0.1")[0] is TurnedAway.SERVER_FULL


def test_what_an_address_did_is_remembered_after_it_has_gone_and_forgotten_when_it_matters_no_more() -> None:
    door = Door(address_connects=1)
    for _ in range(10):
        door.leave(door.enter(ANN))
    assert door.admission.remembered == 1
    assert door.refused(ANN)[0] is TurnedAway.RATE_LIMITED
    door.now_ms += 10_000
    door.leave(door.enter(BO))
    assert door.admission.remembered == 1


def test_many_addresses_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MOST_REMEMBERED", 100)
    door = Door()
    stays = door.enter(ANN)
    for number in range(2_000):
        door.leave(door.enter(f"2001:db8:{number:x}::1"))
    assert door.admission.remembered == 101
    door.leave(stays)


@given(st.lists(st.tuples(st.sampled_from((ANN, BO, PROXY)), st.booleans(), st.integers(0, 3000)), max_size=60))
def test_whoever_comes_and_goes_is_counted_right(course: list[tuple[str, bool, int]]) -> None:
    door = Door(trusted_proxy=(PROXY,), address_connections=5, max_connections=9, address_connects=1)
    here: list[Visit] = []
    for peer, comes, pause_ms in course:
        door.now_ms += pause_ms
        if comes:
            visit = door.admission.accept(peer, door.now_ms)
            if visit is not None:
                here.append(visit)
                door.ask(visit, ANN)
        elif here:
            door.leave(here.pop(0))
        assert door.admission.connections == len(here)
        by_account = {visit.account: 0 for visit in here}
        for visit in here:
            by_account[visit.account] += visit.counted_as is not None
        assert all(account.connections == count for account, count in by_account.items())
