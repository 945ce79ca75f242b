"""Hints, reasons and emotes between the real programs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from client_cli.language import choose_language
from client_cli.words_advice import EMOTES, emote
from tests.e2e.conftest import Servers
from tests.e2e.test_programs import running

pytestmark = pytest.mark.slow


@pytest.fixture
def indonesian() -> Iterator[None]:
    choose_language("id")
    yield
    choose_language("en")


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        (
            "chuo-pai",
            "66 66 66 66 11",
            r"^(You do not hold that|Cards that are played together|It is the turn)",
        ),
        ("paohuzi", "win", r"^(Your hand is not complete|Your hand is complete, but|Only a card that is revealed)"),
    ],
)
async def test_a_player_is_told_what_to_do_and_why_something_cannot_be_done(
    tmp_path: Path, game: str, text: str, reason: str
) -> None:
    async with running("play", game, "--plain", home=tmp_path) as player:
        await player.until(r"^(Round \d+, you|Round \d+, your turn|Your turn|You can claim it|YOU CAN WIN)")
        player.stdin.write(f"hint\n{text}\nwhy dance\n".encode())
        await player.until(r"^Hint: \S")
        await player.until("is none of the .* choices")
        await player.until(reason)
        await player.until("^That is neither an action of this game nor cards of it")


async def test_an_emote_is_read_in_the_language_of_its_reader(
    servers: Servers, tmp_path: Path, indonesian: None
) -> None:
    address = servers.first.address
    async with running(
        "host", "chuo-pai", "--server", address, "--name", "Ann", "--language", "en", home=tmp_path
    ) as ann:
        code = (await ann.until(r"paizhuo join (\S+)@"))[1]
        arguments = ("watch", f"{code}@{servers.second.address}", "--name", "Cy", "--language", "id")
        async with running(*arguments, home=tmp_path) as cy:
            await cy.until(code[:4])
            ann.stdin.write(b"emote good_game\n")
            assert emote("good_game", "") not in EMOTES.values()
            await cy.until(f"Ann .*{emote('good_game', '')}")
            await ann.until("Good game!")
