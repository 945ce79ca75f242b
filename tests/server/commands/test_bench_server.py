import asyncio
import json
from pathlib import Path

import msgspec
import pytest

from protocol.errors import ExitCode
from server.commands import CommandFailed, bench_server
from server.commands.bench_server import Found, server


def test_an_unknown_game_is_wrong_usage() -> None:
    with pytest.raises(CommandFailed, match="unknown game") as failed:
        server(game="mahjong")
    assert failed.value.exit_code == ExitCode.USAGE


FOUND = Found(1000.0, 0.4, 1500.0, 0.2, 0.667, 1.5, 2.5, 20.0)


def test_the_figures_come_as_json_or_in_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = []

    async def measured(store: str, game: str, rooms: int, seconds: float) -> Found:
        stores.append(store)
        return FOUND

    monkeypatch.setattr(bench_server, "measured", measured)
    server(json=True)
    assert msgspec.json.decode(capsys.readouterr().out, type=Found) == FOUND
    server(store="redis://127.0.0.1/0", rooms=7)
    out = capsys.readouterr().out
    assert "chuo-pai, 7 rooms" in out
    assert "ratio 0.67" in out
    assert "p50 1.5 ms, p99 2.5 ms" in out
    assert "20.0 KiB" in out
    assert stores[0].startswith("sqlite:")
    assert not Path(stores[0].removeprefix("sqlite:")).parent.exists()
    assert stores[1] == "redis://127.0.0.1/0"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
def test_both_servers_are_played(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    server(rooms=4, seconds=1.5, game=game, json=True)
    figures = json.loads(capsys.readouterr().out)
    assert list(figures) == [
        "moves_per_s",
        "cpu_s_per_1000_moves",
        "bare_moves_per_s",
        "bare_cpu_s_per_1000_moves",
        "ratio",
        "p50_ms",
        "p99_ms",
        "kib_per_idle_seat",
    ]
    assert figures["moves_per_s"] > 0
    assert figures["ratio"] == figures["moves_per_s"] / figures["bare_moves_per_s"]
    assert 0 < figures["p50_ms"] <= figures["p99_ms"]


async def test_a_part_that_ends_too_early_ends_the_benchmark() -> None:
    async with asyncio.timeout(30), bench_server.process("server.commands.bench_bare", "serve") as bare:
        assert bare.stdin is not None
        bare.stdin.close()
        with pytest.raises(CommandFailed, match="ended too early"):
            await bench_server.said(bare, int)
