"""`paizhuo play` on the real server: from the question which game to the scores, with nothing left behind."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from client_cli import words, words_link
from protocol.errors import ExitCode
from tests.client_cli.player import Player

pytestmark = pytest.mark.slow


@pytest.fixture
def player(tmp_path: Path) -> Player:
    return Player(tmp_path)


def test_with_auto_a_deal_is_played_to_its_scores_without_input(player: Player) -> None:
    code, transcript, notes = player.plays("play", "chuo-pai", "--auto", "--plain", "--name", "Anna")
    assert code == ExitCode.OK
    assert transcript[-1].startswith("The match is over. Totals: ")
    assert any(line.startswith("Deal 1 of 1 is over. Points: ") for line in transcript)
    assert notes == ""
    assert player.left_behind() == []


def test_a_person_who_always_takes_the_first_choice_gets_to_the_scores(player: Player) -> None:
    code, transcript, notes = player.plays("play", typed="1\n" * 200)
    assert code == ExitCode.OK
    assert transcript[:3] == ["Which game?", "1) Chuo Pai", "2) Paohuzi"]
    assert transcript[-1].startswith("The match is over.")
    assert not [
        line for line in transcript if "not understood" in line or "not your turn" in line or "also a card" in line
    ]
    assert notes == ""


def test_with_auto_a_deal_of_paohuzi_is_played_and_explained(player: Player) -> None:
    options = ("--option", "dealer_opening_win=true", "--option", "chi_passed_reveal=on")
    code, transcript, notes = player.plays("play", "paohuzi", "--auto", "--name", "Anna", "--bots", "random", *options)
    assert (code, notes) == (ExitCode.OK, "")
    assert "Room " in transcript[1]
    assert transcript[1].endswith(": Paohuzi, not started, Chi of a revealed card: on, Dealer may win at once: on.")
    assert "Seat 2: Bot 2, a bot (random)." in transcript
    over = next(place for place, line in enumerate(transcript) if line.startswith("Deal 1 of 1 is over."))
    drawn = transcript[over - 1] == "The stock is empty and nobody has won: the deal is a draw."
    assert drawn is not transcript[over + 1].startswith("What counts: ")
    assert transcript[-1].startswith("The match is over. Totals: ")


def test_a_person_who_passes_everything_gets_to_the_end_of_a_deal_that_is_saved_and_verifies(
    player: Player, tmp_path: Path
) -> None:
    saved = tmp_path / "deal.jsonl"
    # in this order: once claims are passed, nothing may be asked again before the deal ends
    typed = f"save {saved}\nauto pass on\n" + "1\n" * 100
    code, transcript, notes = player.plays("play", "paohuzi", typed=typed)
    assert (code, notes) == (ExitCode.OK, "")
    assert transcript[-1] == words.saved_deal(str(saved))
    assert words.passing_on() in transcript
    verified = subprocess.run(
        [sys.executable, "-m", "server", "verify", str(saved)], capture_output=True, text=True, check=False
    )
    assert verified.returncode == ExitCode.OK
    assert "1 deals verified, 0 discrepancies" in verified.stdout + verified.stderr


@pytest.mark.parametrize("arguments", [("play",), ("play", "chuo-pai")])
def test_without_input_it_ends_in_order(player: Player, arguments: tuple[str, ...]) -> None:
    code, transcript, _ = player.plays(*arguments)
    assert code == ExitCode.OK
    assert transcript
    assert player.left_behind() == []


@pytest.mark.parametrize("arguments", [("play",), ("play", "chuo-pai"), ("host", "chuo-pai")])
def test_who_has_no_server_is_told_how_to_get_it_before_anything_is_asked(
    player: Player, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    name = "confusable_homoglyphs"
    (tmp_path / f"{name}.py").write_text(f'raise ModuleNotFoundError("No module named {name}")')
    player.environment["PYTHONPATH"] = str(tmp_path)
    assert player.plays(*arguments) == (ExitCode.FAILURE, [], f"paizhuo: {words_link.server_missing()}\n")


def test_an_unknown_game_is_refused_in_the_servers_words(player: Player) -> None:
    code, transcript, notes = player.plays("play", "whist")
    assert code == ExitCode.USAGE
    assert transcript == []
    assert "whist" in notes or "chuo-pai" in notes
    assert notes.count("\n") == 1


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_a_signal_ends_the_game_and_its_server(player: Player, number: signal.Signals, code: int) -> None:
    with player.starts("play", "chuo-pai") as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("Room ")
        program.send_signal(number)
        program.communicate()
        assert program.returncode == code
    assert player.left_behind() == []
