import json
import re

import pytest

from protocol.errors import ExitCode
from server.commands import CommandFailed
from server.commands.record import record
from server.commands.verify import verify
from server.games.registry import GAMES


def printed(capsys: pytest.CaptureFixture[str], game: str = "chuo-pai", **arguments: object) -> str:
    record(game, **arguments)  # type: ignore[arg-type]
    return capsys.readouterr().out


def test_records_are_printed_one_to_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, deals=3, seed=5).splitlines()
    assert [json.loads(line)["game"] for line in lines] == ["chuo-pai"] * 3
    assert "legal" not in json.loads(lines[0])["steps"][0]


def test_the_same_arguments_print_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, deals=2, seed=9) == printed(capsys, deals=2, seed=9)


def test_house_rules_and_bots_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = printed(capsys, bots="random,random,random", options='{"max_combination": 3}', legal=True).splitlines()
    fields = json.loads(line)
    assert fields["options"] == {"max_combination": 3}
    assert all(step["action"] in step["legal"] for step in fields["steps"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "mahjong"}, "unknown game 'mahjong'; the games here are: chuo-pai"),
        ({"bots": "clever"}, "the levels are: random"),
        ({"bots": "random,random"}, "neither one level nor three"),
        ({"options": "[1]"}, "no JSON object"),
        ({"options": '{"jokers": 1}'}, "no option 'jokers'"),
        ({"options": '{"max_combination": 40}'}, "from 2 to 12"),
    ],
)
def test_wrong_arguments_end_with_a_sentence_and_the_usage_code(arguments: dict[str, str], sentence: str) -> None:
    with pytest.raises(CommandFailed, match=re.escape(sentence)) as failed:
        record(**{"game": "chuo-pai"} | arguments)  # type: ignore[arg-type]
    assert failed.value.exit_code == ExitCode.USAGE


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_thousand_recorded_deals_verify(
    game: str, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("records") / "deals.jsonl"
    file.write_text(printed(capsys, game, deals=1000, seed=1, legal=True))
    assert verify(str(file)) == ExitCode.OK
    assert capsys.readouterr().out == "1000 deals verified, 0 discrepancies\n"
