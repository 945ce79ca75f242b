import json
from itertools import count

import pytest

from protocol.errors import ExitCode
from server.commands import CommandFailed, bench_engine
from server.commands.bench_engine import engine, measured
from server.games.registry import game_named


def test_rates_are_per_second_of_the_given_cpu_time() -> None:
    ticks = count()
    (run,) = measured(game_named("chuo-pai"), lambda: next(ticks) * 0.5, runs=1, run_s=0.1)
    assert run.playouts == 20 / 0.5
    assert run.calibration_millions == 2 / 0.5
    assert run.scaled_steps == run.steps * 20 / 4
    assert run.steps > 50 * run.playouts
    assert run.hands is None


def test_of_paohuzi_complete_hands_are_measured_too() -> None:
    ticks = count()
    (run,) = measured(game_named("paohuzi"), lambda: next(ticks) * 0.5, runs=1, run_s=0.1)
    assert run.hands == 100 / 0.5
    assert run.scaled_hands == run.hands * 20 / 4


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less of everything; figures mean nothing, their form does."""
    monkeypatch.setattr(bench_engine, "RUN_S", 0.001)
    monkeypatch.setattr(bench_engine, "CALIBRATION_TURNS", 100_000)


def test_the_table_has_a_line_for_each_figure(short: None, capsys: pytest.CaptureFixture[str]) -> None:
    engine()
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("chuo-pai, 5 runs, per CPU-second")
    assert [row[:40].strip() for row in rows] == [
        "calibration, million turns",
        "steps",
        "playouts",
        "steps at 20 million turns",
        "playouts at 20 million turns",
    ]


def test_the_table_of_paohuzi_has_lines_for_complete_hands(short: None, capsys: pytest.CaptureFixture[str]) -> None:
    engine("paohuzi")
    assert [row[:40].strip() for row in capsys.readouterr().out.splitlines()[-2:]] == [
        "complete hands",
        "complete hands at 20 million turns",
    ]


def test_json_is_one_object_of_medians(short: None, capsys: pytest.CaptureFixture[str]) -> None:
    engine("chuo-pai", json=True)
    figures = json.loads(capsys.readouterr().out)
    assert figures.pop("game") == "chuo-pai"
    assert figures.pop("runs") == 5
    assert set(figures) == {"calibration_millions", "steps", "playouts", "scaled_steps", "scaled_playouts"}
    assert all(figure > 0 for figure in figures.values())


def test_an_unknown_game_is_wrong_usage() -> None:
    with pytest.raises(CommandFailed, match="unknown game") as failed:
        engine("mahjong")
    assert failed.value.exit_code == ExitCode.USAGE
