"""What ends a command from outside ends it in order."""

import asyncio
import signal
from collections.abc import Iterator

import pytest

from client_cli.commands.seating import player_name, run
from protocol.errors import ExitCode
from protocol.messages import MAX_NAME_CHARACTERS

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


def test_a_name_is_no_longer_than_the_protocol_lets_it_be() -> None:
    assert player_name("张" * 100) == "张" * MAX_NAME_CHARACTERS


def test_a_name_that_is_no_utf_8_is_still_one_that_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert player_name("An\udcffna") == "An\ufffdna"
    monkeypatch.setattr("getpass.getuser", lambda: "\udcff")
    assert player_name() == "\ufffd"
