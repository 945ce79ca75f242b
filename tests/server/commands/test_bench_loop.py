import asyncio
import json
from asyncio.events import Handle

import pytest

from server.commands import bench_loop
from server.commands.bench_loop import Stopwatch, loop


async def _busy() -> None:
    sum(range(300_000))


async def test_every_callback_is_timed_and_the_slowest_is_named() -> None:
    stopwatch, run = Stopwatch(), Handle._run
    with stopwatch.on_every_callback():
        await asyncio.gather(asyncio.sleep(0), _busy(), asyncio.sleep(0))
    assert Handle._run is run
    assert len(stopwatch.cpu_ms) == len(stopwatch.wall_ms) >= 4
    assert stopwatch.slowest == _busy.__qualname__
    assert max(stopwatch.cpu_ms) > 0


@pytest.mark.slow
def test_figures_of_a_busy_server_come_as_json_or_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    loop(rooms=2, seconds=0.5, json=True)
    figures = json.loads(capsys.readouterr().out)
    assert figures["rooms"] == 2
    assert figures["moves_per_s"] > 0
    assert figures["callbacks"] > 0
    for spread in (figures["cpu_ms"], figures["wall_ms"], figures["thought_ms"], figures["answered_ms"]):
        assert 0 < spread["p50"] <= spread["p99"] <= spread["max"]
    assert figures["thought_ms"]["mean"] < figures["answered_ms"]["mean"], "the way to the worker and back"
    assert (figures["bots"], figures["late"]) == ("easy", 0)
    assert 0 < figures["budget_p10"] <= figures["budget_p50"]
    loop(rooms=1, seconds=0.5, game="paohuzi", bots="random")
    head, columns, *rows, last = capsys.readouterr().out.splitlines()
    assert head.startswith("1 rooms of paohuzi, 0.5 s, ")
    assert columns.split()[-4:] == ["mean", "p50", "p99", "max"]
    labels = ["CPU time", "wall time", "thought of random bots", "with the wait for it"]
    assert [row[: len(label)] for row, label in zip(rows[:4], labels, strict=True)] == labels
    assert rows[4].endswith(", 0 by easier bots, 0 too late")
    assert f"over {bench_loop.LIMIT_MS:.0f} ms" in last
