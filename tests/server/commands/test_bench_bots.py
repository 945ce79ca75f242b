import json
import re
import subprocess
import sys
from typing import Any

import pytest

from protocol.errors import ExitCode
from server import players
from server.commands import CommandFailed
from server.commands.bench_bots import bots
from server.players import PlayerMissing

ARGUMENTS: dict[str, Any] = {"game": "chuo-pai", "candidate": "easy", "reference": "random", "deals": 4}


def printed(capsys: pytest.CaptureFixture[str], **changed: Any) -> str:
    bots(**ARGUMENTS | changed)
    return capsys.readouterr().out


def test_json_has_the_agreed_keys(capsys: pytest.CaptureFixture[str]) -> None:
    fields = json.loads(printed(capsys, seed=3, budget=9, options='{"max_combination": 4}', json=True))
    assert list(fields)[:8] == [
        "game",
        "candidate",
        "reference",
        "deals",
        "difference",
        "ci95",
        "win_share",
        "ms_per_move",
    ]
    assert (fields["game"], fields["candidate"], fields["reference"], fields["deals"]) == (
        "chuo-pai",
        "easy",
        "random",
        4,
    )
    low, high = fields["ci95"]
    assert low < fields["difference"] < high
    assert 0 < fields["win_share"] <= 1
    assert set(fields["ms_per_move"]) == {"mean", "p99"}
    assert 0 < fields["ms_per_move"]["mean"] <= fields["ms_per_move"]["p99"]
    assert (fields["seed"], fields["budget"], fields["reference_budget"]) == (3, 9, None)
    assert fields["options"] == {"max_combination": 4}
    assert set(fields["sd"]) == {"duplicate", "fresh"}


def test_the_text_says_who_is_better_and_what_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    head, difference, win_share, move, luck = printed(capsys, deals=40).splitlines()
    assert head == "chuo-pai: easy against two of random, 40 deals of three games each, seed 0"
    assert re.fullmatch(
        r"difference  \+\d\.\d\d points a game, 95 % interval \+\d\.\d\d to \+\d\.\d\d: easy is better", difference
    )
    assert re.search(r"\d\d\.\d % of 120 decided games, 95 % interval \d\d\.\d to \d\d\.\d %; parity", win_share)
    assert re.search(r"\d\.\d\d ms of CPU time, p99 \d+\.\d\d ms, of [\d,]+ moves", move)
    assert re.search(r"SD of a deal \d\.\d\d points; of three games on fresh deals \d\.\d\d", luck)


def test_the_text_does_not_take_sides_where_it_is_not_certain(capsys: pytest.CaptureFixture[str]) -> None:
    assert "+0.00 to +0.00: either may be better" in printed(capsys, candidate="random")


def test_the_text_says_who_is_worse(capsys: pytest.CaptureFixture[str]) -> None:
    assert "random is worse" in printed(capsys, candidate="random", reference="easy", deals=40)


def timeless(text: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(text)
    del fields["ms_per_move"]
    return fields


def test_any_number_of_processes_finds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    alone = timeless(printed(capsys, game="paohuzi", deals=60, until_certain=True, json=True))
    assert alone["deals"] == 50
    assert alone == timeless(printed(capsys, game="paohuzi", deals=60, until_certain=True, json=True, processes=2))


KILLED = """
import os, signal
from server.commands.bench_bots import all_played
from server.duels import Duel
with all_played(Duel("paohuzi", "easy", "easy"), 10_000, 2) as played:
    print(len(next(played).margins), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_do_not_outlive_a_program_that_is_killed() -> None:
    """They hold its standard output open: without an end of theirs there is no end of it."""
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        told, _ = program.communicate(timeout=60)
    assert told == "3\n"


INTERRUPTED = """
import os, signal
from contextlib import suppress
from multiprocessing import active_children
from threading import Event, Thread
from server.commands.bench_bots import all_played
from server.duels import Duel

enough = Event()

def press() -> None:
    while not enough.wait(0.001):
        for child in active_children():
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(child.pid, signal.SIGINT)

if __name__ == "__main__":
    pressing = Thread(target=press)
    pressing.start()
    with all_played(Duel("chuo-pai", "random", "random"), 2, 2) as played:
        print(len(list(played)))
    enough.set()
    pressing.join()
"""


def test_processes_leave_ctrl_c_to_their_parent_even_while_they_start() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stdout, ended.stderr) == ("2\n", "")


def test_another_seed_finds_something_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert timeless(printed(capsys, json=True)) != timeless(printed(capsys, json=True, seed=1))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"game": "mahjong"}, "unknown game 'mahjong'; the games here are: chuo-pai, paohuzi"),
        ({"candidate": "clever"}, "no bot 'clever' plays chuo-pai; there are: random, easy"),
        ({"reference": "clever"}, "no bot 'clever' plays chuo-pai; there are: random, easy"),
        ({"options": "[1]"}, "no JSON object"),
        ({"options": '{"jokers": 1}'}, "no option 'jokers'"),
        ({"until_certain": True}, "give more --deals"),
    ],
)
def test_wrong_arguments_end_with_a_sentence_and_the_usage_code(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CommandFailed, match=re.escape(sentence)) as failed:
        bots(**ARGUMENTS | changed)
    assert failed.value.exit_code == ExitCode.USAGE


def test_a_player_that_is_not_installed_is_a_failure_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def maker(game: str, budget: int | None) -> players.Player:
        raise PlayerMissing("pip install it")

    monkeypatch.setattr(players, "OTHERS", {"stranger": maker})
    with pytest.raises(CommandFailed, match="pip install it") as failed:
        bots(**ARGUMENTS | {"reference": "stranger"})
    assert failed.value.exit_code == ExitCode.FAILURE
