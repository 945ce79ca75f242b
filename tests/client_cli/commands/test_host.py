"""`paizhuo host` on the real server: others join by what it prints, and it stops when the host goes."""

import io
import re
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from client_cli import words
from client_cli.commands.host import host, host_here, house_rules, routable_address, server_again, tls_flags
from client_cli.commands.seating import Seating
from client_cli.console import Console
from client_cli.failure import CommandFailed
from protocol.errors import ExitCode
from protocol.messages import Create
from server import exposure
from tests.client_cli.player import Player, lines_until


def types(program: subprocess.Popen[str], *lines: str) -> None:
    assert program.stdin is not None
    program.stdin.write("".join(f"{line}\n" for line in lines))
    program.stdin.flush()


@pytest.mark.slow
def test_two_people_and_a_bot_play_a_match_of_two_deals(tmp_path: Path) -> None:
    player = Player(tmp_path)
    terms = ("--deals", "2", "--port", "0", "--option", "max_combination=4", "--public")
    with player.starts("host", "chuo-pai", *terms, "--name", "Anna", "--auto") as host:
        (*_, invitation) = lines_until(host, "Others join with")
        found = re.search(r"paizhuo join (\S+@\S+) ", invitation)
        assert found
        server = found[1].partition("@")[2]
        _, listed, _ = player.plays("rooms", server)
        assert "Chuo Pai of Anna, 2 seats free, 2 deals, no clock" in listed[0]
        with player.starts("join", found[1].lower(), "--name", "Budi") as guest:
            lines_until(host, "Budi sits down on seat 2.")
            types(host, "fill", "start")
            lines_until(guest, "The match begins.")
            types(guest, *["#1"] * 40, "auto on")
            transcript = lines_until(guest, "Deal 1 of 2 is over.")
            assert any(line.startswith("You ") for line in transcript)
            lines_until(guest, "for deal 2 of 2")
            types(guest, "ready")
            lines_until(guest, "The match is over.")
            assert guest.wait() == ExitCode.OK
        assert lines_until(host, "The match is over.")
        assert host.wait() == ExitCode.OK
    assert not list(tmp_path.rglob("*.json")), "no ticket outlives its match"


@pytest.mark.slow
@pytest.mark.parametrize(("flags", "interface"), [((), "127.0.0.1"), (("--lan",), "0.0.0.0")])
def test_a_host_who_goes_keeps_the_seat_and_is_told_how_to_come_back(
    tmp_path: Path, flags: tuple[str, ...], interface: str
) -> None:
    player = Player(tmp_path)
    code, transcript, notes = player.plays("host", "chuo-pai", "--port", "0", *flags, typed="quit\n")
    assert code == ExitCode.OK
    assert "2 seats are free." in transcript[-1]
    server = rf"paizhuo-server serve --host {re.escape(interface)} --port [1-9]\d* --store sqlite:\S+/rooms.sqlite3"
    assert re.fullmatch(rf"Your server stops now; .*:\n{server}\npaizhuo resume \S+\n", notes)
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_the_way_to_a_server_shows_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIZHUO_STORE", "redis://user:secret@store/0")
    assert server_again("0.0.0.0", 9000) == "paizhuo-server serve --host 0.0.0.0 --port 9000"
    monkeypatch.setenv("PAIZHUO_STORE", "sqlite:/home/a b/rooms")
    assert server_again("0.0.0.0", 9000).endswith("--port 9000 --store 'sqlite:/home/a b/rooms'")
    again = server_again("0.0.0.0", 9000, tls_flags(Path("/home/a b/own.pem")))
    assert "--port 9000 --tls-cert '/home/a b/own.pem' --tls-key '/home/a b/own.pem' --store" in again
    monkeypatch.delenv("PAIZHUO_STORE")
    assert server_again("127.0.0.1", 8470).endswith("--host 127.0.0.1 --port 8470")


@pytest.mark.slow
def test_a_second_table_is_opened_on_the_server_that_runs(tmp_path: Path) -> None:
    player = Player(tmp_path)
    with player.starts("host", "chuo-pai", "--port", "0") as first:
        (*_, invitation) = lines_until(first, "Others join with")
        code, transcript, notes = player.plays("host", "chuo-pai", "--port", "0")
        assert (code, transcript) == (ExitCode.STORE_UNAVAILABLE, [])
        assert "paizhuo host chuo-pai --server 127.0.0.1:8470" in notes
        found = re.search(r"@(\S+) ", invitation)
        assert found
        code, transcript, _ = player.plays("host", "chuo-pai", "--server", found[1], typed="quit\n")
        assert code == ExitCode.OK
        assert "2 seats are free." in transcript[-1]
        types(first, "quit")


@pytest.mark.slow
def test_guests_are_told_that_the_server_stops_and_the_host_is_warned(tmp_path: Path) -> None:
    player = Player(tmp_path)
    with player.starts("host", "chuo-pai", "--port", "0", "--name", "Anna") as host:
        (*_, invitation) = lines_until(host, "Others join with")
        found = re.search(r"paizhuo join (\S+@\S+) ", invitation)
        assert found
        with player.starts("join", found[1], "--name", "Budi") as guest:
            lines_until(host, "Budi sits down on seat 2.")
            lines_until(host, "1 seat is free.")
            host.send_signal(signal.SIGINT)
            lines_until(host, words.interrupt_again())
            host.send_signal(signal.SIGINT)
            assert host.wait() == ExitCode.INTERRUPTED
            assert guest.stderr is not None
            assert re.match(r"127\.0\.0\.1:\d+ stops or restarts. Trying again ", guest.stderr.readline())
            guest.send_signal(signal.SIGINT)
            assert guest.wait() == ExitCode.INTERRUPTED


@pytest.mark.slow
def test_a_taken_port_is_one_clear_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, transcript, notes = Player(tmp_path).plays("host", "chuo-pai", "--port", str(port))
    assert code == ExitCode.FAILURE
    assert transcript == []
    assert notes.startswith(f"paizhuo: port {port} on 127.0.0.1 is taken")
    assert notes.count("\n") == 1


async def test_on_a_machine_that_strangers_reach_a_table_in_the_network_has_to_be_encrypted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exposure, "_own_addresses", lambda family: iter(["198.41.0.4"]))
    with pytest.raises(exposure.Exposed) as exposed:
        await exposure.refuse_strangers("0.0.0.0")

    @asynccontextmanager
    async def refused(*flags: str) -> AsyncIterator[str]:
        if flags:
            raise CommandFailed(ExitCode.FAILURE, str(exposed.value))
        yield ""

    monkeypatch.setattr("client_cli.commands.host.private_server", refused)
    console = Console(None, io.StringIO(), io.StringIO())
    with pytest.raises(CommandFailed, match=r"has to be encrypted: add --tls$") as failed:
        await host_here(console, Create("chuo-pai"), 0, lan=True, announce=False, seating=Seating(name="Anna"))
    assert failed.value.exit_code == ExitCode.USAGE


def test_tls_is_for_tables_that_others_can_reach() -> None:
    with pytest.raises(CommandFailed, match="--tls is for tables that other machines can join") as failed:
        host("chuo-pai", tls=True)
    assert failed.value.exit_code == ExitCode.USAGE


def test_the_address_in_the_network_is_never_this_machine_alone() -> None:
    assert routable_address()
    assert not routable_address().startswith("127.")


@pytest.mark.parametrize(
    "pair",
    [
        *("", "=4", "max_combination", "max_combination=", "a=1001", "a=-1001", "a=99999999", "a=--1", "a=²"),
        *("x" * 33 + "=4", "a=" + "9" * 100_000),
    ],
)
def test_a_rule_of_the_house_is_name_and_value(pair: str) -> None:
    with pytest.raises(CommandFailed) as failed:
        house_rules([pair])
    assert failed.value.exit_code == ExitCode.USAGE
    assert len(failed.value.sentence) < 150


def test_only_so_many_rules_can_be_asked_for() -> None:
    given = [f"rule_{number}=1" for number in range(17)]
    assert len(house_rules(given[:16])) == 16
    with pytest.raises(CommandFailed, match="at most 16"):
        house_rules(given)


def test_values_of_rules_are_numbers_or_switches() -> None:
    assert house_rules(["a=4", "b=-1000", "c=on", "d=FALSE", "e=1000"]) == {
        "a": 4,
        "b": -1000,
        "c": True,
        "d": False,
        "e": 1000,
    }
