"""A whole deal on the real server in each language: all that is said is in it, and what is typed may be."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from client_cli.language import LANGUAGES, choose_language, tr
from client_cli.vocabulary import LOCAL, shown
from protocol.errors import ExitCode
from tests.client_cli.english import in_english
from tests.client_cli.player import Player

pytestmark = pytest.mark.slow

ASKED = [
    "help",
    "hand",
    "cards",
    "remaining",
    "table",
    "history",
    "last",
    "rules",
    "rules score",
    "actions",
    "hint",
    "why 1",
    "emote",
    "emote hello",
    "say",
    "ask",
    "ask on",
    "auto",
    "auto pass",
    "remove",
    "save",
    "replay",
    "last deals",
]
"""What a person may want to know before the first choice, as it is typed in English."""


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    choose_language("en")


def spoken(player: Player, language: str, *arguments: str, typed: Sequence[str]) -> tuple[int, list[str], str]:
    choose_language(language)
    lines = [shown(line) for line in typed]
    return player.plays(*arguments, "--language", language, "--name", "Anna", typed="".join(f"{it}\n" for it in lines))


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
@pytest.mark.parametrize("language", LOCAL)
def test_a_whole_deal_is_in_the_language_of_the_player(tmp_path: Path, language: str, game: str) -> None:
    typed = [*ASKED, *["1"] * 120]
    code, transcript, notes = spoken(Player(tmp_path), language, "play", game, "--plain", typed=typed)
    assert (code, notes) == (ExitCode.OK, "")
    choose_language(language)
    assert any(tr("The match is over.") in line for line in transcript)
    assert {line: found for line in transcript if (found := in_english(line))} == {}


def test_english_sentences_are_found() -> None:
    assert in_english("Budi wins the round with 66 (Heaven): 1 point.")
    assert not in_english("Budi menang ronde ini dengan 66 (Langit): 1 poin.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_goes_wrong_is_said_in_the_language_of_the_environment(tmp_path: Path, language: str) -> None:
    player = Player(tmp_path)
    player.environment |= {"PAIZHUO_LANGUAGE": language}
    code, transcript, notes = player.plays("resume")
    choose_language(language)
    assert (code, transcript) == (ExitCode.NO_SUCH_ROOM, [])
    assert notes == f"paizhuo: {tr('there is no unfinished game on this machine')}\n"
