"""How a file of records is read. What the lines say is tested with the rules: `tests.server.games.test_record`."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from protocol.record import LONGEST_BYTES, BadRecord, faults, lines, read, write
from server.games.registry import GAMES

LINE = json.dumps(json.loads((Path(__file__).parents[1] / "golden/fair/vectors.json").read_bytes())["records"][0])


def test_a_record_that_has_a_key_twice_is_none_wherever_that_is() -> None:
    for twice in (LINE[:-1] + ', "deal": 1}', LINE.replace('"secret": ', '"secret": "", "secret": ', 1)):
        with pytest.raises(BadRecord, match="a key stands in it twice"):
            read(twice)


def test_a_line_that_is_too_long_is_cut_and_the_last_and_no_record() -> None:
    (first, second) = lines(BytesIO(b"\n{}\n" + b" " * LONGEST_BYTES + b" {}\n{}\n"))
    assert first == (2, b"{}\n")
    assert second[0] == 3
    with pytest.raises(BadRecord, match="longer than any record"):
        read(second[1])


def test_the_proof_of_another_deal_is_a_fault() -> None:
    record = read(LINE)
    pack = GAMES[record.game].pack
    assert list(faults(record, pack)) == []
    record.extra["deal"] += 1
    assert list(faults(record, pack)) == ["the proof is one of another deal"]


def test_a_record_is_written_as_it_was_read() -> None:
    assert json.loads(write(read(LINE))) == json.loads(LINE)
