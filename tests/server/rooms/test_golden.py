"""Logs of rooms that earlier releases wrote: every release must fold them to the states that those came to."""

from pathlib import Path

import msgspec
import pytest

from server.games.record import discrepancies
from server.rooms.digest import digest_of
from server.rooms.events import Commit, decode_commit
from server.rooms.fold import fold
from server.rooms.records import finished_deal
from server.rooms.view import table_view
from server.store.base import EMPTY, unseal

LOGS = sorted((Path(__file__).parents[2] / "golden" / "rooms").glob("*.log"))


def commits_of(file: Path) -> list[Commit]:
    position, commits = EMPTY, []
    for entry in msgspec.msgpack.decode(file.read_bytes(), type=list[bytes]):
        payload, position = unseal(position, entry)
        commits.append(decode_commit(payload))
    return commits


def test_both_games_have_a_log() -> None:
    assert {file.name.rpartition("-")[0] for file in LOGS} >= {"chuo-pai", "paohuzi"}


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.name)
def test_a_golden_log_folds_to_the_digests_that_stand_in_it(file: Path) -> None:
    commits, state = commits_of(file), None
    assert len(commits) > 50
    for commit in commits:
        state = fold(state, commit)
        assert commit.digest == digest_of(state)
        for viewer in (0, 1, 2, None):
            assert table_view(state, viewer, (0, 1, 2), commit.at_ms).room.code == state.code


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.name)
def test_the_deals_of_a_golden_log_are_records_that_verify(file: Path) -> None:
    for number in (1, 2):
        record = finished_deal(commits_of(file), number)
        assert record is not None
        assert list(discrepancies(record)) == []
