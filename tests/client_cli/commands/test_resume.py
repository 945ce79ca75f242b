"""Saved seats are listed without what opens them."""

import json
from pathlib import Path

import pytest

from client_cli.commands.resume import resume
from client_cli.failure import CommandFailed
from client_cli.tickets import SavedSeat, TicketStore
from protocol.errors import ExitCode

URL = "ws://10.0.0.1:8470/ws"


@pytest.fixture
def seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TicketStore:
    store = TicketStore(tmp_path)
    monkeypatch.setattr("client_cli.commands.resume.user_tickets", lambda: store)
    monkeypatch.setattr("sys.stdin", None)
    return store


def test_they_are_listed_for_people_and_for_programs(seats: TicketStore, capsys: pytest.CaptureFixture[str]) -> None:
    seats.keep(SavedSeat(URL, "K7QF2MXR", 0, "Anna", "K7QF2MXR.secret", 4e9))
    seats.keep(SavedSeat(URL, "OLDER", 2, "Budi\x1b[2J", "OLDER.secret", 3e9, (URL, "ws://10.0.0.2:8470/ws")))
    assert resume(list_=True) == ExitCode.OK
    assert capsys.readouterr().out.splitlines() == [
        "K7QF-2MXR at 10.0.0.1, seat 1 as Anna",
        "OLDER at 10.0.0.1, seat 3 as Budi\\x1b[2J",
    ]
    assert resume(list_=True, json=True) == ExitCode.OK
    out = capsys.readouterr().out
    assert "secret" not in out
    assert json.loads(out) == [
        {"code": "K7QF2MXR", "seat": 1, "name": "Anna", "servers": [URL], "saved_s": 4e9},
        {"code": "OLDER", "seat": 3, "name": "Budi\x1b[2J", "servers": [URL, "ws://10.0.0.2:8470/ws"], "saved_s": 3e9},
    ]
    resume("older", list_=True)
    assert capsys.readouterr().out.startswith("OLDER at ")


def test_without_seats_there_is_nothing_to_list(seats: TicketStore) -> None:
    with pytest.raises(CommandFailed) as none:
        resume(list_=True)
    assert none.value.exit_code == ExitCode.NO_SUCH_ROOM


def test_json_is_for_a_list(seats: TicketStore) -> None:
    with pytest.raises(CommandFailed, match="--json is for --list") as wrong:
        resume(json=True)
    assert wrong.value.exit_code == ExitCode.USAGE
