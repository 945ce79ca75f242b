"""What docs/openspiel.md says."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel: make openspiel")

import pyspiel

import server.open_spiel  # noqa: F401 registers the games

PAGE = (Path(__file__).parents[3] / "docs/openspiel.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "docs/openspiel.md", "exec"), {})
    scores = [float(score) for score in capsys.readouterr().out.strip("[]\n").split(",")]
    assert len(scores) == 3
    assert sum(scores) == 0


def test_the_table_of_both_games_is_true() -> None:
    rows = {
        cells[0]: cells[1:]
        for line in PAGE.splitlines()
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 3
    }
    for column, name in enumerate(("python_chuo_pai", "python_paohuzi")):
        game = pyspiel.load_game(name)
        assert set(re.findall(r"`(\w+)`", rows["parameters"][column])) == set(game.get_parameters())
        assert rows["actions"][column] == str(game.num_distinct_actions())
        sizes = [game.information_state_tensor_size(), game.observation_tensor_size()]
        assert rows["information state tensor, observation tensor"][column] == "; ".join(f"{size:,}" for size in sizes)
        bounds = f"{game.min_utility():.0f} to {game.max_utility():.0f}"
        assert bounds in rows["returns"][column]
