"""Tickets are kept privately, whole, and one by one."""

import json
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from client_cli.fairness import KeptRound
from client_cli.tickets import FORGOTTEN_AFTER_S, Found, SavedSeat, TicketStore, user_tickets

SEAT = SavedSeat("ws://h:8470/ws", "K7QF2MXR", 1, "张三", "K7QF2MXR.secret", 1000.0)
LATER = SavedSeat("ws://h:8470/ws", "K7QF2MXR", 2, "Budi", "K7QF2MXR.other", 2000.0)


@pytest.fixture
def store(tmp_path: Path) -> TicketStore:
    return TicketStore(tmp_path / "state" / "seats")


def test_a_kept_seat_is_found_again_newest_first(store: TicketStore) -> None:
    store.keep(SEAT)
    store.keep(LATER)
    assert store.unfinished(2001.0) == Found((LATER, SEAT), ())


def test_a_seat_that_was_saved_without_other_servers_is_still_one(store: TicketStore, tmp_path: Path) -> None:
    store.keep(SEAT)
    (file,) = (tmp_path / "state" / "seats").iterdir()
    old = json.loads(file.read_text())
    assert old.pop("servers") == []
    file.write_text(json.dumps(old))
    assert store.unfinished(1001.0) == Found((SEAT,), ())


def test_what_was_drawn_for_deals_to_come_is_kept_with_the_seat(store: TicketStore, tmp_path: Path) -> None:
    drawn = KeptRound(2, 1, "0a" * 32, "0b" * 32, shown=True, pledges=("", "0c" * 32, ""))
    store.keep(replace(SEAT, rounds=(drawn,)))
    assert store.unfinished(1001.0).seats[0].rounds == (drawn,)
    (file,) = (tmp_path / "state" / "seats").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_nothing_is_unfinished_at_first(store: TicketStore) -> None:
    assert store.unfinished(0.0) == Found((), ())


def test_keeping_a_seat_again_replaces_it(store: TicketStore) -> None:
    store.keep(SEAT)
    renewed = SavedSeat(SEAT.url, SEAT.code, SEAT.seat, SEAT.name, "K7QF2MXR.new", 3000.0)
    store.keep(renewed)
    assert store.unfinished(3000.0).seats == (renewed,)


def test_a_dropped_seat_is_gone_and_dropping_it_twice_is_fine(store: TicketStore) -> None:
    store.keep(SEAT)
    store.keep(LATER)
    store.drop(SEAT.url, SEAT.code, SEAT.seat)
    store.drop(SEAT.url, SEAT.code, SEAT.seat)
    assert store.unfinished(2001.0).seats == (LATER,)


def test_seats_that_no_room_can_remember_are_not_offered(store: TicketStore) -> None:
    store.keep(SEAT)
    assert store.unfinished(SEAT.saved_s + FORGOTTEN_AFTER_S).seats == ()


def test_nobody_else_can_read_a_ticket(store: TicketStore, tmp_path: Path) -> None:
    store.keep(SEAT)
    directory = tmp_path / "state" / "seats"
    (file,) = directory.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_a_file_that_is_no_seat_is_named_and_the_others_still_found(store: TicketStore, tmp_path: Path) -> None:
    store.keep(SEAT)
    broken = tmp_path / "state" / "seats" / "broken.json"
    broken.write_bytes(b'{"url":"ws://h/ws","code":\xff')
    store.keep(replace(SEAT, seat=7))
    found = store.unfinished(1001.0)
    assert found.seats == (SEAT,)
    assert len(found.unreadable) == 2
    assert broken in found.unreadable


def test_a_write_that_fails_leaves_the_old_ticket_whole(
    store: TicketStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.keep(SEAT)

    def fails(_self: Path, _target: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="the disk is full"):
        store.keep(SavedSeat(SEAT.url, SEAT.code, SEAT.seat, SEAT.name, "K7QF2MXR.new", 3000.0))
    assert store.unfinished(1001.0).seats == (SEAT,)
    assert len(list((tmp_path / "state" / "seats").iterdir())) == 1


def test_the_users_own_tickets_lie_where_the_system_keeps_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    user_tickets().keep(SEAT)
    assert user_tickets().unfinished(1001.0).seats == (SEAT,)
    assert len(list(tmp_path.rglob("*.json"))) == 1
