"""A load that could not be measured is refused before it begins."""

import sys

import pytest

from tests import load


def test_so_short_a_time_that_memory_cannot_be_compared_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["load", "calm", "--minutes", "0.1"])
    with pytest.raises(SystemExit, match="2"):
        load.main()
    assert "--minutes: a shorter time than 1.7 is too short to compare memory" in capsys.readouterr().err
