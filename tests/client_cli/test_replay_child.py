"""The rules are asked for a replay in a process of their own."""

import json
from pathlib import Path

import pytest

from client_cli import replay_child
from client_cli.failure import CommandFailed
from client_cli.replay_child import replay_lines, replay_of, replay_of_record
from protocol.errors import ExitCode
from tests.client_cli.replays import GOLDEN, golden_replay

PAOHUZI = GOLDEN / "paohuzi.jsonl"


@pytest.mark.slow
async def test_a_deal_of_a_file_is_replayed() -> None:
    assert await replay_of(str(PAOHUZI), 3) == golden_replay("paohuzi", 3)


@pytest.mark.slow
async def test_the_record_of_a_room_is_replayed_for_its_player() -> None:
    fields = json.loads(PAOHUZI.read_bytes().splitlines()[2])
    line = json.dumps(fields | {"names": ["Anna", "张三", "Bot 3"], "deal": 2, "deals": 3})
    replay = await replay_of_record(line, 1)
    view = replay.steps[-1].view
    assert replay.seat == 1
    assert [seat.name for seat in view.seats] == ["Anna", "张三", "Bot 3"]
    assert (view.room.deal, view.room.deals) == (2, 3)


@pytest.mark.slow
async def test_what_the_rules_refuse_ends_with_their_words_and_code(tmp_path: Path) -> None:
    file = tmp_path / "deal.jsonl"
    file.write_text('{"format": "paizhuo-record/2"}\n')
    with pytest.raises(CommandFailed) as failed:
        await replay_lines(str(file))
    assert failed.value.exit_code is ExitCode.VERIFICATION_FAILED
    assert failed.value.sentence == f"{file}:1: the format is 'paizhuo-record/2' instead of 'paizhuo-record/1'"


async def test_a_server_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def other(file: str, deal: int, record: str | None) -> bytes:
        return b'{"format":"paizhuo-replay/9","deal":1,"deals":1}\n'

    monkeypatch.setattr(replay_child, "replay_lines", other)
    with pytest.raises(CommandFailed, match="different versions"):
        await replay_of("deal.jsonl")
