"""What all tests of the client stand on."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client_cli.sittings import Person


@pytest.fixture(autouse=True)
def interrupts_reach_programs() -> Iterator[None]:
    """A shell starts `make test &` with SIGINT ignored, and programs that tests start would inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the person who runs the tests prefers, and how large their terminal is, is nothing to the tests."""
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", *filter(_is_setting, os.environ)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PAIZHUO_CONFIG", str(tmp_path_factory.getbasetemp() / "no-config.toml"))


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    somebody = Person(tmp_path / "seats")
    yield somebody
    somebody.goes()


def _is_setting(variable: str) -> bool:
    return variable.startswith("PAIZHUO_")
