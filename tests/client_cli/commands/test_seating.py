"""What the commands share: what ends them from outside ends them in order, and what they draw and say is in bounds."""

import asyncio
import io
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from client_cli.commands.seating import new_secret, player_name, remind, run
from client_cli.console import Console
from client_cli.tickets import SavedSeat, TicketStore, now_s
from protocol.codec import MSGPACK, client_codec, server_codec
from protocol.errors import ExitCode
from protocol.messages import MAX_NAME_CHARACTERS, Join

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("first", SIGNALS)
def test_a_second_signal_does_not_break_off_the_end_that_the_first_has_asked_for(first: signal.Signals) -> None:
    tidied = []

    async def program() -> ExitCode:
        try:
            signal.raise_signal(first)
            await asyncio.Event().wait()
        finally:
            for again in SIGNALS:
                signal.raise_signal(again)
            tidied.append(True)
        return ExitCode.OK

    with pytest.raises(SystemExit) as ended:
        run(program())
    assert ended.value.code == 128 + first
    assert tidied


@pytest.mark.parametrize(
    ("interactive", "codes", "said"),
    [
        (True, (), ""),
        (True, ("AAAA",), "a game unfinished, AAAA at 10.0.0.1, seat 1 as Anna. To go back: paizhuo resume\n"),
        (True, ("AAAA", "BBBB"), "You have left 2 games unfinished. To go back to one: paizhuo resume\n"),
        (False, ("AAAA",), ""),
    ],
)
def test_somebody_at_a_terminal_is_reminded_of_unfinished_games_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, interactive: bool, codes: tuple[str, ...], said: str
) -> None:
    tickets = TicketStore(tmp_path)
    monkeypatch.setattr("client_cli.commands.seating.user_tickets", lambda: tickets)
    for code in codes:
        tickets.keep(SavedSeat("ws://10.0.0.1:8470/ws", code, 0, "Anna", f"{code}.t", now_s()))
    notes = io.StringIO()
    console = Console(None, io.StringIO(), notes)
    console.interactive = interactive
    remind(console)
    assert notes.getvalue().endswith(said)
    assert notes.getvalue().count("\n") == bool(said)


def test_a_secret_is_new_for_each_seat_and_of_the_shape_that_servers_take() -> None:
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    for secret in secrets:
        server_codec(MSGPACK).decode(client_codec(MSGPACK).encode(Join("K7QF2MXR", secret)))


def test_a_name_is_no_longer_than_the_protocol_lets_it_be() -> None:
    assert player_name("张" * 100) == "张" * MAX_NAME_CHARACTERS


def test_a_name_that_is_no_utf_8_is_still_one_that_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert player_name("An\udcffna") == "An\ufffdna"
    monkeypatch.setattr("getpass.getuser", lambda: "\udcff")
    assert player_name() == "\ufffd"


@pytest.mark.parametrize("error", [ImportError, KeyError, OSError])
def test_whoever_has_no_login_name_is_a_player(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def unknown() -> str:
        raise error

    monkeypatch.setattr("getpass.getuser", unknown)
    assert player_name() == "Player"
