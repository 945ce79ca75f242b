"""`paizhuo doctor` says everything at once, for people and for programs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from client_cli.commands import doctor as command
from client_cli.doctor import Check
from client_cli.settings import Settings
from protocol.errors import ExitCode

Found = Callable[..., tuple[int, str]]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Found:
    """Runs it without a server of our own and without a network."""

    def one(name: str) -> Callable[..., object]:
        async def check(*_: object) -> Check:
            return Check(name, "ok", "fine")

        return check

    async def way(url: str) -> list[Check]:
        return [Check("tcp", "failure", f"no way to {url}", "Go there on foot")]

    for name in ("server", "store", "lan"):
        monkeypatch.setattr(command, f"{name}_check", one(name))
    monkeypatch.setattr(command, "reach_checks", way)
    monkeypatch.setattr(command, "routable_address", lambda: "127.0.0.1")
    monkeypatch.setattr(command, "seats_directory", lambda: tmp_path / "seats")
    monkeypatch.setattr("sys.stdin", None)

    def run(*arguments: str, json: bool = False) -> tuple[int, str]:
        code = command.doctor(*arguments, json=json)
        return code, capsys.readouterr().out

    return run


def test_people_read_a_line_for_each_check_and_rows_to_look_at(found: Found) -> None:
    code, out = found()
    assert code == ExitCode.OK
    lines = out.splitlines()
    assert "ok: Own server: fine" in lines
    assert lines[-1].endswith("| Emoji")


def test_what_is_broken_has_the_last_word(found: Found) -> None:
    code, out = found("cards.example.org")
    assert code == ExitCode.FAILURE
    assert "FAILURE: Connection: no way to wss://cards.example.org/ws. Go there on foot\n" in out


def test_programs_get_one_object_for_each_check(found: Found) -> None:
    code, out = found("cards.example.org", json=True)
    checks = json.loads(out)
    assert code == ExitCode.FAILURE
    assert {tuple(check) for check in checks} == {("check", "state", "found", "remedy")}
    assert checks[-1]["check"] == "tcp"


def test_wrong_settings_are_a_finding_and_not_the_end(
    found: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text("colour = 1\n")
    monkeypatch.setenv("PAIZHUO_CONFIG", str(tmp_path / "config.toml"))
    code, out = found()
    assert code == ExitCode.FAILURE
    assert "FAILURE: Settings: " in out
    assert "Mend it with: paizhuo config edit" in out


def test_the_server_of_the_settings_is_looked_at(found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().server == ""
    monkeypatch.setenv("PAIZHUO_SERVER", "10.0.0.2")
    assert "no way to ws://10.0.0.2:8470/ws" in found()[1]
