"""A server that means harm says whatever the types of the protocol allow, or no message at all: no front end breaks,
and nothing that it says reaches a terminal raw.

What it can say is read off those types, so a message or a field is tried as soon as it exists.
"""

import asyncio
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from client_cli.commands.seating import Seating
from client_cli.console import Console
from client_cli.failure import CommandFailed
from client_cli.frontend import FrontEnd
from client_cli.last_choices import LastChoices
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo
from client_cli.tui.lobby import rooms_screen
from client_cli.tui.lobby.play_screen import PlayScreen
from client_cli.tui.lobby.rooms_screen import RoomsScreen
from protocol.codec import SUBPROTOCOLS, Malformed, client_codec
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import EMOTES, Join, Rooms, RoomSummary, ServerMessage, Watch, Welcome
from protocol.notation import CARDS
from protocol.reasons import HintCode, WhyCode
from tests.client_cli.test_any_server import WORDS
from tests.client_cli.test_words_happenings import SENTENCES
from tests.client_cli.tui.lobby.lobbies import book, visiting
from tests.fuzz.frames import Kinds
from tests.fuzz.values import HOSTILE

CARD = [*CARDS["chuo-pai"], *CARDS["paohuzi"], *HOSTILE]
KINDS = (
    *("empty", "human", "bot", "hand", "dealt", "set", "chi", "peng", "kan", "win", "draw"),
    *("stale", "live", "reset", "newer", "draining"),
    *sorted({happening.kind for happening, _, _ in SENTENCES}),
)


def _one_of(*values: Any) -> Any:
    return lambda rng: rng.choice(values)


def _cards(rng: Random) -> list[str]:
    return rng.choices(CARD, k=rng.choice((0, 1, 2, 3, 5)))


def _action(rng: Random) -> str:
    verb = rng.choice(("play", "pass", "discard", "chi", "peng", "pao", "win", rng.choice(HOSTILE)))
    return " ".join((verb, *("+".join(_cards(rng)) for _ in range(rng.randrange(3)))))


MEANT = {
    "game": _one_of("chuo-pai", "paohuzi", *HOSTILE),
    "games": _one_of(["chuo-pai", "paohuzi"], list(HOSTILE)),
    "phase": _one_of("open", "dealing", "playing", "between", "over", *HOSTILE),
    "pace": _one_of("none", "fast", *HOSTILE),
    "kind": _one_of(*KINDS, *HOSTILE),
    "label": _one_of("turn", "round", "highest", "points", "huxi", "dealer", "public", *HOSTILE),
    "cards": _cards,
    "action": _action,
    "actions": lambda rng: [_action(rng) for _ in range(rng.choice((1, 3, 30)))],
    "history": lambda rng: [f"{rng.randrange(3)} {rng.randrange(3)} {_action(rng)}" for _ in range(rng.choice((0, 5)))],
    "code": _one_of(*ErrorCode, *WhyCode, *HintCode, *HOSTILE),
    "emote": _one_of(*EMOTES, "", *HOSTILE),
    "level": _one_of("easy", "hard", None, *HOSTILE),
    "text": _one_of(*HOSTILE, "".join(HOSTILE)),
    "reason": _one_of("left", "removed", "closed"),
}


def said_by_servers(rng: Random) -> Iterator[ServerMessage]:
    """Any messages, one after the other, views more often than others."""
    subprotocol = rng.choice(SUBPROTOCOLS)
    kinds, codec = Kinds(subprotocol, MEANT, of_servers=True), client_codec(subprotocol)
    views = [message for message in kinds.messages if message.tag == "table"]
    while True:
        for message in (*views * 8, *kinds.messages):
            payload = kinds.whole(message, rng)
            with suppress(Malformed):  # one value that means something may not fit where another of its name does
                yield codec.decode(payload.decode() if kinds.text else payload)


def assert_harmless(shown: str) -> None:
    raw = [
        sign for sign in shown.replace("\n", "") if unicodedata.category(sign) in {"Cc", "Cf", "Co", "Cn", "Cs", "Zl"}
    ]
    assert not raw


@pytest.mark.parametrize("seed", range(8))
def test_line_mode_says_only_harmless_words_whatever_a_server_says(
    seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = Random(seed)
    console = Console(None, sys.stdout, sys.stderr)
    said = said_by_servers(rng)
    for _ in range(12):
        conversation = Conversation(Session("Anna", rng.choice((Join("K7QF2MXR"), Watch("K7QF2MXR")))))
        conversation.opened()
        with suppress(CommandFailed):
            for _ in range(12):
                for line in conversation.received(next(said)).lines:
                    console.show(line)
                for line in conversation.typed(rng.choice(WORDS)).lines:
                    console.show(line)
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) > 100
    assert_harmless(shown)


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_a_frame_of_a_server_is_a_message_or_malformed(subprotocol: str) -> None:
    kinds, rng, codec = Kinds(subprotocol, MEANT, of_servers=True), Random(1), client_codec(subprotocol)
    read = 0
    for _ in range(3_000):
        frame = kinds.any(rng)
        try:
            message = codec.decode(frame.payload.decode(errors="replace") if frame.text else frame.payload)
        except Malformed:
            continue
        assert isinstance(message, ServerMessage)
        read += 1
    assert 500 < read < 2_500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
async def test_the_full_screen_shows_only_harmless_text_whatever_a_server_says(seed: int) -> None:
    rng, said = Random(seed), said_by_servers(Random(seed))
    fronts: list[FrontEnd] = []
    over = asyncio.Event()

    async def sits(front: FrontEnd) -> ExitCode:
        fronts.append(front)
        await over.wait()
        return ExitCode.OK

    app = Paizhuo(sits, Settings())
    async with app.run_test(size=rng.choice(((80, 24), (130, 40)))) as pilot:
        await pilot.pause()
        (front,) = fronts
        shown = set[str]()
        for _ in range(6):
            session = Session("Anna", rng.choice((Join("K7QF2MXR"), Watch("K7QF2MXR"))))
            conversation = Conversation(session)
            conversation.opened()
            with suppress(CommandFailed):
                for _ in range(10):
                    for line in conversation.received(next(said)).lines:
                        front.show(line)
                    front.changed(session)
                    await pilot.pause()
                    rows = [
                        "".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()
                    ]
                    assert_harmless("".join(rows))
                    shown.update(rows)
        over.set()
    assert len(shown) > 100


@pytest.mark.parametrize("seed", range(2))
async def test_the_lobby_shows_only_harmless_text_whatever_a_server_says_of_its_rooms_and_rules(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIZHUO_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    said = said_by_servers(Random(seed))
    rooms = next(each for each in said if isinstance(each, Rooms) and each.rooms)
    told = [each.house_rules for each in islice(said, 500) if isinstance(each, Welcome) and each.house_rules]
    rules = tuple(rule for each in told for many in each.values() for rule in many)[:8]

    async def nearby(_name: str) -> tuple[int, list[tuple[str, RoomSummary]]]:
        return 1, [("ws://10.0.0.1:8470/ws", room) for room in rooms.rooms]

    monkeypatch.setattr(rooms_screen, "rooms_nearby", nearby)
    async with visiting() as visit:
        await visit.opens(RoomsScreen("", lambda _: None, "Anna", lambda _: None, lambda _: None, lan=True))
        assert_harmless(visit.text())
        await visit.presses("down", "down", "enter")
        assert_harmless(visit.text())
        rule_book = book({"chuo-pai": rules, "paohuzi": rules})
        await visit.opens(PlayScreen(LastChoices(), lambda _: None, visit.app, rule_book, Seating(name="Anna")))
        assert_harmless(visit.text())
        for _ in rules:
            await visit.presses("down", "right")
            assert_harmless(visit.text())
