"""What is private is whole or as it was, and never readable by others."""

import os
import stat
import sys
from pathlib import Path

import pytest

from client_cli.private_file import write_private


def test_it_is_written_and_replaced_with_nothing_left_over(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    for content in (b"one", b"two"):
        write_private(path, content)
        assert path.read_bytes() == content
        assert list(path.parent.iterdir()) == [path]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_write_that_fails_leaves_it_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_private(path, b"one")

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_private(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]
