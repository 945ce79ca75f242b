"""What all tests of the lobby stand on."""

from pathlib import Path

import pytest

from client_cli.language import choose_language


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A person who has never played, with a folder of their own."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PAIZHUO_CONFIG", str(tmp_path / "config.toml"))
    choose_language("en")
    return tmp_path
