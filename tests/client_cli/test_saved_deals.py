"""Records on this machine are found by what is in them."""

import json
import os
from pathlib import Path

from client_cli import saved_deals as module
from client_cli.saved_deals import SavedDeals, saved_deals, usual_folders
from tests.client_cli.replays import GOLDEN

CHUO_PAI, PAOHUZI = (GOLDEN / f"{game}.jsonl" for game in ("chuo-pai", "paohuzi"))


def put(path: Path, content: bytes, age_s: int) -> Path:
    path.write_bytes(content)
    os.utime(path, (1_000_000 - age_s,) * 2)
    return path


def test_records_of_all_folders_are_found_the_newest_first(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    first = json.loads(CHUO_PAI.read_bytes().splitlines()[0]) | {"names": ["Anna", "张三", "Bot 3"]}
    old = put(here / "old.jsonl", json.dumps(first).encode() + b"\n", 100)
    new = put(there / "new.jsonl", PAOHUZI.read_bytes() + b"\n", 10)
    assert saved_deals((here, there)) == (
        SavedDeals(new, "paohuzi", 20, ()),
        SavedDeals(old, "chuo-pai", 1, ("Anna", "张三", "Bot 3")),
    )


def test_what_is_no_record_is_passed_over(tmp_path: Path) -> None:
    for number, content in enumerate(
        [b"", b"hello\n", b"\xff\n", b'{"format":"other/1","game":"x"}\n', b"[1]\n", b"["]
    ):
        put(tmp_path / f"{number}.jsonl", content, 0)
    put(tmp_path / "deal.txt", CHUO_PAI.read_bytes(), 0)
    (tmp_path / "folder.jsonl").mkdir()
    assert saved_deals((tmp_path, tmp_path / "none")) == ()


def test_there_is_an_end_to_the_list(tmp_path: Path) -> None:
    line = CHUO_PAI.read_bytes().splitlines()[0]
    for number in range(module.MOST_SHOWN + 3):
        put(tmp_path / f"{number}.jsonl", line, number)
    found = saved_deals((tmp_path,))
    assert [saved.path.stem for saved in found] == [str(number) for number in range(module.MOST_SHOWN)]


def test_deals_are_looked_for_where_one_is_and_where_the_program_keeps_its_state(tmp_path: Path) -> None:
    here, kept = usual_folders()
    assert here == Path()
    assert kept.name == "deals"
