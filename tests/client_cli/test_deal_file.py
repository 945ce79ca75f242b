"""A deal goes into a file of its own, and no file is ever overwritten."""

from pathlib import Path

import pytest

from client_cli.deal_file import usual_name, write_new


def test_a_record_is_one_line_of_a_new_file(tmp_path: Path) -> None:
    path = write_new(str(tmp_path / "deal.jsonl"), '{"game":"paohuzi"}')
    assert path == tmp_path / "deal.jsonl"
    assert path.read_bytes() == b'{"game":"paohuzi"}\n'


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    wanted = tmp_path / "deal.jsonl"
    wanted.write_text("mine")
    assert write_new(str(wanted), "first") == tmp_path / "deal-2.jsonl"
    assert write_new(str(wanted), "second") == tmp_path / "deal-3.jsonl"
    assert wanted.read_text() == "mine"


def test_the_home_directory_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert write_new("~/deal.jsonl", "{}") == tmp_path / "deal.jsonl"


def test_a_file_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none").touch()
    with pytest.raises(OSError, match="none"):
        write_new(str(tmp_path / "none" / "deal.jsonl"), "{}")


def test_folders_that_are_missing_are_made(tmp_path: Path) -> None:
    assert write_new(str(tmp_path / "a" / "b" / "deal.jsonl"), "{}").read_text() == "{}\n"


def test_a_name_alone_is_kept_elsewhere_where_it_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setattr("client_cli.deal_file.kept_deals", lambda: tmp_path / "kept")
    gone.rmdir()  # nothing can be written there any more, whoever one is
    assert write_new("deal.jsonl", "{}") == tmp_path / "kept" / "deal.jsonl"
    with pytest.raises(OSError, match="folder"):
        write_new("folder/deal.jsonl", "{}")


def test_no_server_names_a_folder() -> None:
    assert usual_name("chuo-pai", "K7QF2MXR", 2) == "chuo-pai-K7QF2MXR-2.jsonl"
    assert usual_name("~/.x", "../C:\\d\n", 1) == "___x-___C__d_-1.jsonl"
