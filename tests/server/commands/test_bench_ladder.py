import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.__main__ import app
from server.bots.base import RandomBot
from server.commands import bench_engine, bench_ladder
from server.commands.bench_ladder import DEALS, Rung, duels, ladder, page
from server.duels import Duel, Summary

DUEL = Duel("chuo-pai", "easy", "random", 1)
FOUND = Summary(
    deals=1000,
    difference=3.85,
    ci95=(3.71, 3.99),
    certain=True,
    win_share=0.78,
    win_ci95=(0.76, 0.801),
    decided=3000,
    choices=40_000,
    mean_ms=0.071,
    p99_ms=0.23,
    sd=1.42,
    fresh_sd=1.5,
)


def test_every_level_is_measured_against_each_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    levels: tuple[Any, ...] = ("hard", "random", "easy")
    monkeypatch.setattr(bench_ladder, "BOTS", {("paohuzi", level): RandomBot() for level in levels})
    assert list(duels()) == [
        Duel("paohuzi", "easy", "random", 1),
        Duel("paohuzi", "hard", "random", 1),
        Duel("paohuzi", "hard", "easy", 1),
    ]


def test_every_row_has_its_number_of_deals() -> None:
    assert {(duel.candidate, duel.reference) for duel in duels()} <= set(DEALS)


def test_a_row_has_all_that_was_found() -> None:
    cells = ("1,000", "**+3.85** (+3.71 to +3.99)", "78.0 % (76.0 to 80.1)", "0.07, 0.23", "1.42, 1.50")
    assert f"| chuo-pai | easy | random | {' | '.join(cells)} |" in page([Rung(DUEL, FOUND)], 20).splitlines()


def test_what_is_not_surely_above_zero_is_not_bold() -> None:
    unsure = FOUND._replace(difference=0.1, ci95=(-0.1, 0.3), win_share=None, win_ci95=None, mean_ms=None, p99_ms=None)
    assert "| chuo-pai | easy | random | 1,000 | +0.10 (-0.10 to +0.30) |  |  | 1.42, 1.50 |" in page(
        [Rung(DUEL, unsure)], 20
    )


def test_the_page_has_one_table_and_says_how_fast_the_machine_is() -> None:
    text = page([Rung(DUEL, FOUND)] * 2, 19.6)
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 4
    assert len({line.count("|") for line in table}) == 1
    assert "20 million turns" in text


def test_the_page_says_what_duplicates_save() -> None:
    other = DUEL._replace(game="paohuzi")
    rungs = [Rung(DUEL, FOUND), Rung(DUEL, FOUND._replace(sd=0.75)), Rung(other, FOUND._replace(sd=1.5))]
    assert "in chuo-pai 1.1 to 4.0 times, in paohuzi 1.0 to 1.0 times." in page(rungs, 20)


@pytest.fixture
def two_rungs(monkeypatch: pytest.MonkeyPatch) -> None:
    def few() -> Iterator[Duel]:
        yield Duel("chuo-pai", "easy", "random", 1)
        yield Duel("paohuzi", "easy", "random", 1)

    monkeypatch.setattr(bench_ladder, "duels", few)
    monkeypatch.setattr(bench_engine, "CALIBRATION_TURNS", 100_000)


def test_the_command_of_a_row_finds_it_again(two_rungs: None, capsys: pytest.CaptureFixture[str]) -> None:
    ladder(deals=6)
    printed = capsys.readouterr()
    rows = [line for line in printed.out.splitlines() if line.startswith(("| chuo-pai", "| paohuzi"))]
    commands = [shlex.split(line) for line in printed.out.splitlines() if line.startswith("paizhuo-server bench bots")]
    assert len(rows) == len(commands) == 2
    for row, command in zip(rows, commands, strict=True):
        app(command[1:])
        again = capsys.readouterr().out
        (difference,) = re.findall(r"difference  ([+-]\d+\.\d\d)", again)
        assert difference in row
        assert again.splitlines()[0] in printed.err


def test_each_row_is_of_its_own_number_of_deals(
    two_rungs: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_ladder, "DEALS", {("easy", "random"): 3})
    ladder()
    assert capsys.readouterr().out.count("| easy | random | 3 |") == 2


def test_the_committed_page_has_every_rung() -> None:
    committed = (Path(__file__).parents[3] / "docs" / "ladder.md").read_text()
    for duel in duels():
        assert f"| {duel.game} | {duel.candidate} | {duel.reference} |" in committed
        assert f"bench bots {duel.game} --candidate {duel.candidate} --reference {duel.reference} --deals" in committed
