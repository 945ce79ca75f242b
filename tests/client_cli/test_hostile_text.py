"""What comes from outside reaches stdout and stderr as text that does nothing, whichever way it comes."""

import json
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

from client_cli import words
from client_cli.__main__ import main
from client_cli.console import Console, write_line
from client_cli.endings import refuse
from client_cli.failure import CommandFailed
from client_cli.language import choose_language
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.tickets import SavedSeat, TicketStore, seats_directory
from protocol.errors import ErrorCode
from protocol.messages import Because, Hint, Join, Notice, Refused, RoomSummary, Said, ServerMessage, Table, Unseated
from protocol.record import write
from protocol.view import Fact, Group, Happening, Prompt, Reason, SeatView, TableView, Zone
from server.games.record import read
from tests.client_cli.conversations import WELCOME, sit_down
from tests.client_cli.replays import golden_lines
from tests.client_cli.tables import table, view

URL = "ws://10.0.0.1/ws"
HOSTILE = "\x1b]52;c;AA\x07\x9b2J\r\n[red]\u202ez\u0300\u0301\u200b\x7f"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PAIZHUO_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setattr(sys, "stdin", None)
    yield tmp_path
    choose_language("en")


def assert_harmless(shown: str) -> None:
    assert shown.strip()
    assert not [
        sign for sign in shown.replace("\n", "") if unicodedata.category(sign) in {"Cc", "Cf", "Co", "Cn", "Zl"}
    ]
    assert "Traceback" not in shown


def config_of(home: Path) -> None:
    (home / "config.toml").write_text(f"name = {json.dumps(HOSTILE)}\n")


def wrong_config_of(home: Path) -> None:
    (home / "config.toml").write_text(f"{json.dumps(HOSTILE)} = 1\ntheme = {json.dumps(HOSTILE)}\n")


def broken_config_of(home: Path) -> None:
    (home / "config.toml").write_bytes(HOSTILE.encode())


def record_of(home: Path) -> None:
    names = {"names": (HOSTILE, f"{HOSTILE}2", f"{HOSTILE}3")}
    (home / "deal").write_bytes(write(replace(read(golden_lines("paohuzi")[0]), extra=names)))


def broken_record_of(home: Path) -> None:
    (home / "deal").write_bytes(json.dumps({"format": HOSTILE, HOSTILE: HOSTILE}).encode())


def seat_of(_home: Path) -> None:
    TicketStore(seats_directory()).keep(SavedSeat("ws://10.0.0.1/ws", HOSTILE[-5:], 0, HOSTILE, "X.secret", 4e9))


def nothing(_home: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        (nothing, (HOSTILE,)),
        (nothing, (f"--{HOSTILE}",)),
        (nothing, ("play", HOSTILE)),
        (nothing, ("play", "chuo-pai", f"--{HOSTILE}")),
        (nothing, ("play", "chuo-pai", "--option", f"{HOSTILE}={HOSTILE}")),
        (nothing, ("play", "chuo-pai", "--theme", HOSTILE)),
        (nothing, ("--language", HOSTILE, "rules")),
        (nothing, ("join", f"{HOSTILE}@{HOSTILE}")),
        (nothing, ("rooms", HOSTILE)),
        (nothing, ("rules", HOSTILE)),
        (nothing, ("rules", "chuo-pai", HOSTILE)),
        (nothing, ("replay", HOSTILE)),
        (nothing, ("resume", HOSTILE)),
        (nothing, ("config", "set", "theme", HOSTILE)),
        (nothing, ("config", "set", HOSTILE, "1")),
        (nothing, ("config", "get", HOSTILE)),
        (config_of, ("config", "show")),
        (config_of, ("config", "show", "--origin")),
        (config_of, ("config", "show", "--json")),
        (config_of, ("config", "get", "name")),
        (config_of, ("rooms",)),
        (wrong_config_of, ("config", "show")),
        (broken_config_of, ("config", "show")),
        (record_of, ("replay", "DEAL", "--plain")),
        (record_of, ("replay", "DEAL", "--json")),
        (broken_record_of, ("replay", "DEAL", "--plain")),
        (seat_of, ("resume", "--list")),
        (seat_of, ("resume", "--list", "--json")),
    ],
)
def test_no_file_and_no_argument_reaches_the_terminal_raw(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    made: Callable[[Path], None],
    arguments: tuple[str, ...],
) -> None:
    made(home)
    monkeypatch.setattr(sys, "argv", ["paizhuo", *(str(home / "deal") if it == "DEAL" else it for it in arguments)])
    with pytest.raises(SystemExit):
        main()
    shown = capsys.readouterr()
    assert_harmless(shown.out + shown.err)
    if "--json" in arguments:
        assert json.dumps(HOSTILE)[1:-1] in json.dumps([json.loads(line) for line in shown.out.splitlines()])


NAMED = (
    SeatView(0, "human", HOSTILE, connected=True),
    SeatView(1, "human", f"{HOSTILE}2"),
    SeatView(2, "bot", HOSTILE, HOSTILE),
)
ROOM = RoomSummary(HOSTILE, HOSTILE, HOSTILE, 2, 1, HOSTILE)
HAPPENED = (
    Happening("sat", 1, name=HOSTILE),
    Happening("led", 1, (HOSTILE,)),
    Happening("peng", 2, (HOSTILE,) * 3),
    Happening("deal_over", value=1, scores=(1, 2, 3)),
    Happening("match_over", scores=(1, 2, 3)),
)
ZONES = (Zone("hand", 1, 0, (Group((HOSTILE,), HOSTILE),)), Zone("round", 1, None, (Group((HOSTILE,), HOSTILE, 1),)))
FACTS = (Fact("highest", HOSTILE, 1), Fact("round", HOSTILE), Fact("turn", 1), Fact("points", HOSTILE, 1))


def hostile_table() -> TableView:
    shown = view(
        prompt=Prompt(1, (f"play {HOSTILE}", HOSTILE)),
        seats=NAMED,
        zones=ZONES,
        facts=FACTS,
        history=(HOSTILE, f"1 1 {HOSTILE}"),
    )
    return replace(shown, room=replace(shown.room, code=HOSTILE, options={HOSTILE: HOSTILE}, pace=HOSTILE))


def refusal_of_entry() -> str:
    conversation = Conversation(Session("Anna", Join("K7QF2MXR")))
    conversation.opened()
    conversation.received(WELCOME)
    with pytest.raises(CommandFailed) as failed:
        conversation.received(Refused(ErrorCode.ROOM_FULL, HOSTILE))
    return failed.value.sentence


def closing(reason: str) -> str:
    with pytest.raises(CommandFailed) as failed:
        refuse(ConnectionClosedError(Close(1008, reason), None))
    return failed.value.sentence


WORDS = (
    "help",
    "hand",
    "table",
    "cards",
    "actions",
    "history",
    "last",
    "remaining",
    "",
    HOSTILE,
    f"why {HOSTILE}",
    "last deals",
)


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi", HOSTILE])
@pytest.mark.parametrize(
    "message",
    [
        Table(hostile_table(), HAPPENED),
        Said(HOSTILE, HOSTILE, 1),
        Said(HOSTILE, HOSTILE, None, HOSTILE),
        Refused(ErrorCode.RATE_LIMITED, HOSTILE, 1),
        Refused(HOSTILE, HOSTILE),
        Notice(HOSTILE),
        Unseated(HOSTILE),
        Hint(1, f"play {HOSTILE}", (Reason(HOSTILE, (HOSTILE,)), Reason("keeps_together", (HOSTILE,)))),
        Because(1, Reason("not_in_hand", (HOSTILE,))),
    ],
)
def test_no_message_of_a_server_reaches_the_terminal_raw(
    game: str, message: ServerMessage, capsys: pytest.CaptureFixture[str]
) -> None:
    first = hostile_table()
    first = replace(first, room=replace(first.room, game=game))
    if isinstance(message, Table):
        message = replace(message, view=replace(message.view, room=first.room))
    conversation = sit_down(table(first))
    console = Console(None, sys.stdout, sys.stderr)
    for lines in (conversation.received(message).lines, *(conversation.typed(word).lines for word in WORDS)):
        for line in lines:
            console.show(line)
    shown = capsys.readouterr().out
    assert_harmless(shown)
    assert "[red]" in shown, "markup is text"


@pytest.mark.parametrize(
    "sentence", [refusal_of_entry, lambda: closing(HOSTILE[:40]), lambda: words.room_summary(ROOM, URL)]
)
def test_no_refusal_and_no_list_of_rooms_reaches_the_terminal_raw(
    sentence: Callable[[], str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_line(f"paizhuo: {sentence()}", sys.stderr)
    assert_harmless(capsys.readouterr().err)
