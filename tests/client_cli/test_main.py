"""The program as people start it: help, usage, output streams and exit codes."""

import asyncio
import errno
import json
import os
import pty
import re
import signal
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from client_cli import words, words_link, words_seats
from client_cli.__main__ import main
from client_cli.connection import PING_EVERY_S
from client_cli.language import choose_language
from client_cli.tickets import SavedSeat, TicketStore
from client_cli.waking import LATE_S, TICK_S
from protocol.errors import CloseCode, ErrorCode, ExitCode
from protocol.messages import (
    ClientMessage,
    Create,
    Hello,
    Join,
    ListRooms,
    Refused,
    Rooms,
    RoomSummary,
    Seated,
    Watch,
    Watching,
    Welcome,
)
from protocol.view import Happening
from tests.client_cli.scripted_server import Peer, Script, scripted
from tests.client_cli.tables import CODE, TICKET, leading, table, view

WAY_BACK = "Your seat is kept. Come back with: paizhuo resume K7QF-2MXR\n"
WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))
COMMANDS = ["play", "host", "join", "watch", "bot", "resume", "rooms", "rules", "doctor", "completion", "config"]
SHOWING = {"PAIZHUO_LANGUAGE", "PAIZHUO_PLAIN", "PAIZHUO_THEME", "PAIZHUO_ASCII", "PAIZHUO_DOMINOES"}
SETTINGS = {
    "bot": {"PAIZHUO_LANGUAGE", "PAIZHUO_NAME"},
    "play": SHOWING | {"PAIZHUO_BEAT_MS", "PAIZHUO_BOTS", "PAIZHUO_NAME"},
    "host": SHOWING | {"PAIZHUO_PORT", "PAIZHUO_BOTS", "PAIZHUO_NAME", "PAIZHUO_ANNOUNCE"},
    "join": SHOWING | {"PAIZHUO_NAME"},
    "watch": SHOWING | {"PAIZHUO_NAME"},
    "resume": SHOWING,
    "rules": {"PAIZHUO_LANGUAGE"},
}
OVER = table(view(phase="over"), Happening("match_over", scores=(3, 1, 2)))


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Start = Callable[..., Awaitable[Process]]
Run = Callable[..., Awaitable[Ran]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAIZHUO_")}
    own = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    return kept | own | {"LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "100"}


@pytest.fixture
def start(environment: dict[str, str]) -> Start:
    async def program(*arguments: str, **more: str) -> Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "client_cli", *arguments),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=environment | more,
        )

    return program


@pytest.fixture
def run(start: Start) -> Run:
    async def to_the_end(*arguments: str, typed: str = "", **more: str) -> Ran:
        process = await start(*arguments, **more)
        out, err = await process.communicate(typed.encode())
        assert process.returncode is not None
        return Ran(process.returncode, out.decode(), err.decode())

    return to_the_end


@pytest.fixture
def run_here(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Ran]]:
    """As `run`, but in this process: for what goes no further than the command line, at a tenth of the time."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def to_the_end(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["paizhuo", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ran(int(str(ended.value.code)), *capsys.readouterr())

    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield to_the_end
    choose_language("en")


def seats_of(environment: dict[str, str]) -> TicketStore:
    return TicketStore(Path(environment["XDG_STATE_HOME"]) / "paizhuo" / "seats")


def without_secret(message: ClientMessage) -> ClientMessage:
    """The program draws a new one for each seat."""
    return replace(message, secret=None) if isinstance(message, Create | Join) and message.secret else message


def answering(*answers: tuple[ClientMessage, tuple[object, ...]]) -> Script:
    """Expects each message in turn and gives its answers."""

    async def script(peer: Peer) -> None:
        for expected, said in answers:
            assert without_secret(await peer.hears()) == expected
            await peer.says(*said)  # type: ignore[arg-type]  # each test gives messages of the server
        await peer.waits()

    return script


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_examples(run_here: Callable[..., Ran], command: str) -> None:
    ran = run_here(command, "--help")
    assert ran.code == ExitCode.OK
    assert ran.out.startswith(f"Usage: paizhuo {command}")
    assert f"Examples:\n  paizhuo {command}" in ran.out
    assert set(re.findall(r"PAIZHUO_\w+", ran.out)) == SETTINGS.get(command, set())
    assert ran.err == ""


@pytest.mark.parametrize(("command", "variable"), [("host", "GAME"), ("watch", "ROOM"), ("resume", "FORGET")])
async def test_the_environment_never_says_what_to_do(run: Run, command: str, variable: str) -> None:
    without = await run(command)
    assert await run(command, **{f"PAIZHUO_{variable}": "1"}) == without
    assert without.code in (ExitCode.USAGE, ExitCode.NO_SUCH_ROOM)


@pytest.mark.parametrize("command", ["play", "host chuo-pai", "watch", "rooms"])
async def test_a_wrong_setting_is_refused_before_anything_is_done(run: Run, tmp_path: Path, command: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('# colours\ntheem = "dark"\n')
    room = [f"{CODE}@127.0.0.1:1"] if command == "watch" else []
    ran = await run(*command.split(), *room, PAIZHUO_CONFIG=str(file))
    assert (ran.code, ran.out) == (ExitCode.USAGE, "")
    assert ran.err == f"paizhuo: {file}, line 2: there is no setting 'theem': did you mean 'theme'?\n"


async def test_the_server_of_the_settings_is_used_where_none_is_named(run: Run) -> None:
    async def looks_on(peer: Peer) -> None:
        assert await peer.hears() == Hello("Wati")
        await looked_for_a_room(peer)

    listing = answering((Hello("Wati"), (WELCOME,)), (ListRooms(), (Rooms(()),)))
    async with scripted(looks_on, listing) as url:
        chosen = {"PAIZHUO_SERVER": url, "PAIZHUO_NAME": "Wati"}
        watched, listed = await run("watch", CODE, **chosen), await run("rooms", **chosen)
    assert watched.code == ExitCode.NO_SUCH_ROOM
    assert (listed.code, listed.out) == (ExitCode.OK, "")


async def looked_for_a_room(peer: Peer) -> None:
    await peer.says(WELCOME)
    assert await peer.hears() == Watch(CODE)
    await peer.says(Refused(ErrorCode.NO_SUCH_ROOM, "There is no such room."))
    await peer.waits()


@pytest.mark.parametrize(
    ("by", "given", "name"),
    [
        ("flag", "张三".encode(), "张三"),
        ("flag", b"\xff", "\ufffd"),
        ("environment", "张三".encode(), "张三"),
        ("login", "é".encode(), "é"),
    ],
)
async def test_a_name_is_read_as_utf_8_whatever_the_locale(
    environment: dict[str, str], by: str, given: bytes, name: str
) -> None:
    async def script(peer: Peer) -> None:
        assert await peer.hears() == Hello(name)
        await looked_for_a_room(peer)

    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    variables = {"PAIZHUO_NAME": given} if by == "environment" else {"LOGNAME": given} if by == "login" else {}
    async with scripted(script) as url:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "client_cli", "watch", url, CODE),
            *((b"--name", given) if by == "flag" else ()),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env={key.encode(): value.encode() for key, value in (environment | locale).items()}
            | {key.encode(): value for key, value in variables.items()},
        )
        _, err = await process.communicate()
    assert err.decode() == "paizhuo: There is no such room.\n"


@pytest.mark.parametrize("command", ["play", "--help"])
@pytest.mark.parametrize(("closed", "err"), [(">&-", "paizhuo: there is no output to write to\n"), (">&- 2>&-", "")])
def test_without_an_output_there_is_nothing_to_begin(
    environment: dict[str, str], command: str, closed: str, err: str
) -> None:
    line = f"{sys.executable} -m client_cli {command} {closed}"
    ran = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr.decode()) == (ExitCode.FAILURE, err)


@pytest.mark.parametrize(
    ("command", "code"), [("rules", ExitCode.OK), ("shuffle", ExitCode.USAGE), ("rules whist", ExitCode.USAGE)]
)
def test_without_a_place_for_complaints_only_those_are_lost(
    environment: dict[str, str], command: str, code: int
) -> None:
    line = f"{sys.executable} -m client_cli {command} 2>&-"
    ran = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (
        code,
        b"chuo-pai: Chuo Pai\npaohuzi: Paohuzi\n" if command == "rules" else b"",
    )


async def test_help_lists_all_commands_and_loads_none_of_them(run: Run) -> None:
    ran = await run("--help")
    assert all(f"  {command}: " in ran.out for command in COMMANDS)
    loaded = "import sys; from client_cli.__main__ import program; program()(['--help']); print(sorted(sys.modules))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", loaded, stdout=PIPE)
    out, _ = await process.communicate()
    assert b"'cyclopts'" in out
    heavy = ("websockets", "textual", "wcwidth", "client_cli.words", "client_cli.commands")
    assert [module for module in heavy if f"'{module}'".encode() in out] == []


async def test_line_mode_loads_nothing_of_the_full_screen(run: Run) -> None:
    script = answering((Hello("Anna"), (WELCOME,)), (Watch(CODE), (Refused(ErrorCode.NO_SUCH_ROOM, "No."),)))
    async with scripted(script) as url:
        ran = await run("watch", url, CODE, "--name", "Anna", "--plain", PYTHONPROFILEIMPORTTIME="1")
    loaded = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert {"client_cli.plain", "websockets.asyncio.client"} <= loaded
    assert not {"textual", "client_cli.tui", "rich.console", "zeroconf", "segno", "tomlkit"} & loaded


@pytest.mark.parametrize(
    "arguments",
    [
        ("shuffle",),
        ("play", "--loud"),
        ("host",),
        ("host", "chuo-pai", "--pace", "warp"),
        ("host", "chuo-pai", "--deals", "33"),
        ("host", "chuo-pai", "--port", "65536"),
        ("play", "chuo-pai", "--beat-ms", "-1"),
        ("host", "chuo-pai", "--option", "max_combination"),
        ("host", "chuo-pai", "--option", "max_combination=four"),
        ("host", "chuo-pai", "--option", "max_combination=99999"),
        ("host", "chuo-pai", "--option", "\udcff"),
        ("join", "\udcff"),
        ("rules", "x" * 50_000),
        ("play", "x" * 33),
        ("rooms", "x" * 3_000),
        ("join", "nowhere"),
        ("watch",),
        ("rooms",),
        ("rooms", "a b"),
        ("rooms", "127.0.0.1", "--lan"),
        ("host", "chuo-pai", "--announce"),
        ("watch", f"{CODE}@127.0.0.1", "--auto"),
        ("resume", CODE, "--name", "Anna"),
        ("resume", "--forget"),
        ("resume", "--json"),
        ("rules", "whist"),
        ("rules", "paohuzi", "trumps"),
        ("resume", "?!"),
        ("join", CODE, "--theme", "pink"),
        ("config", "set", "theme", "pink"),
        ("config", "get", "colour"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(run_here: Callable[..., Ran], arguments: tuple[str, ...]) -> None:
    ran = run_here(*arguments)
    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith("paizhuo: ")
    assert "Traceback" not in ran.err
    assert len(ran.err) < 300
    assert ran.out == ""


async def test_rules_are_data_on_stdout(run: Run) -> None:
    listed, page = await run("rules"), await run("rules", "chuo-pai", COLUMNS="60")
    assert (listed.code, listed.out, listed.err) == (ExitCode.OK, "chuo-pai: Chuo Pai\npaohuzi: Paohuzi\n", "")
    assert page.out.startswith("Chuo Pai for three players\n\n  Sections: 1. The goal, ")
    assert max(map(len, page.out.splitlines())) <= 60
    assert page.err == ""


@pytest.mark.parametrize("command", ["rules chuo-pai", "--help", "play --help"])
@pytest.mark.parametrize("reader", ["head -n 1", "true"])
def test_a_reader_that_stops_reading_is_no_error(environment: dict[str, str], command: str, reader: str) -> None:
    line = f"{sys.executable} -m client_cli {command} | {reader}"
    ran = subprocess.run(["bash", "-o", "pipefail", "-c", line], env=environment, capture_output=True, check=False)
    assert ran.returncode == 0
    assert ran.stderr == b""


@pytest.mark.parametrize("command", ["rules", "--help", "watch URL K7QF2MXR"])
async def test_an_output_that_takes_no_more_is_one_sentence(environment: dict[str, str], command: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.hears()
        await peer.says(WELCOME, Watching(CODE), table(view(me=None)))
        await peer.waits()

    async with scripted(*[script] * ("URL" in command)) as url:
        line = f"{sys.executable} -m client_cli {command.replace('URL', url)} >/dev/full"
        process = await asyncio.create_subprocess_shell(line, stdin=DEVNULL, stderr=PIPE, env=environment)
        _, err = await process.communicate()
    assert process.returncode == ExitCode.FAILURE
    assert err.decode() == f"paizhuo: the output cannot be written: {os.strerror(errno.ENOSPC)}\n"


async def test_rooms_are_listed_for_people_and_for_programs(run: Run) -> None:
    found = Rooms((RoomSummary(CODE, "chuo-pai", "Budi\x1b[2J", 2, 1, "none"),))
    script = answering((Hello("Anna"), (WELCOME,)), (ListRooms(), (found,)))
    async with scripted(script, script) as url:
        people = await run("rooms", url, PAIZHUO_JSON="1", LOGNAME="Anna")
        programs = await run("rooms", url.removeprefix("ws://").removesuffix("/ws"), "--json", LOGNAME="Anna")
    assert people.out.startswith(
        "K7QF-2MXR: Chuo Pai of Budi\\x1b[2J, 2 seats free, 1 deal, no clock. Join: paizhuo join "
    )
    (room,) = json.loads(programs.out)
    assert room["code"] == CODE
    assert room["free"] == 2
    assert programs.err == ""


async def test_a_server_without_rooms_says_so_beside_the_data(run: Run) -> None:
    script = answering((Hello("Anna"), (WELCOME,)), (ListRooms(), (Rooms(()),)))
    async with scripted(script) as url:
        ran = await run("rooms", url, LOGNAME="Anna")
    assert (ran.code, ran.out, ran.err) == (ExitCode.OK, "", f"{words.no_rooms()}\n")


@pytest.mark.parametrize(
    ("refusal", "exit_code"),
    [(ErrorCode.NO_SUCH_ROOM, ExitCode.NO_SUCH_ROOM), (ErrorCode.ROOM_FULL, ExitCode.REFUSED)],
)
async def test_a_room_that_cannot_be_had_has_its_exit_code(run: Run, refusal: ErrorCode, exit_code: int) -> None:
    script = answering((Hello("Anna"), (WELCOME,)), (Join(CODE), (Refused(refusal, "The server's words."),)))
    async with scripted(script) as url:
        ran = await run("join", url, "k7qf-2mxr", "--name", "Anna")
    assert (ran.code, ran.out, ran.err) == (exit_code, "", "paizhuo: The server's words.\n")


async def test_a_seat_in_a_room_that_cannot_be_read_now_is_kept(run: Run, environment: dict[str, str]) -> None:
    refusal = Refused(ErrorCode.ROOM_DAMAGED, "This room cannot be read now.")
    async with scripted(answering((Hello("Anna", TICKET), (WELCOME, refusal)))) as url:
        seats_of(environment).keep(SavedSeat(url, CODE, 0, "Anna", TICKET, 4e9))
        ran = await run("resume")
    assert (ran.code, ran.out, ran.err) == (ExitCode.FAILURE, "", f"{WAY_BACK}paizhuo: {refusal.text}\n")
    assert len(seats_of(environment).unfinished(0.0).seats) == 1


async def test_a_seat_that_was_asked_for_in_vain_is_asked_for_again_with_the_same_secret(start: Start) -> None:
    asked = []

    async def cut(peer: Peer) -> None:
        await peer.hears()
        await peer.says(WELCOME)
        asked.append(await peer.hears())
        await peer.drops()

    async def mended(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna")
        await peer.says(WELCOME)
        asked.append(await peer.hears())
        await peer.says(Seated(CODE, 0, TICKET), OVER)
        await peer.waits()

    async with scripted(cut, mended) as url:
        process = await start("join", url, CODE, "--name", "Anna")
        assert await process.wait() == ExitCode.OK
    first, second = asked
    assert isinstance(first, Join)
    assert first.secret is not None
    assert first == second


async def test_another_version_has_its_exit_code_and_no_loop(run: Run) -> None:
    def refuse(connection: ServerConnection, _request: Request) -> Response:
        return connection.respond(HTTPStatus.BAD_REQUEST, "This server speaks v2, you offered v1.\n")

    async with scripted(refuse=refuse) as url:
        ran = await run("watch", url, CODE)
    assert ran.code == ExitCode.VERSION_MISMATCH
    assert "speaks v2, you offered v1." in ran.err
    assert ran.err.count("\n") == 1


async def test_a_replaced_window_ends_and_keeps_the_ticket(start: Start, environment: dict[str, str]) -> None:
    async def script(peer: Peer) -> None:
        await answering_seat(peer)
        await peer.hangs_up(CloseCode.REPLACED)

    async with scripted(script) as url:
        process = await start("join", url, CODE, "--name", "Anna")
        assert process.stderr is not None
        err = await process.stderr.read()  # its input stays open: it must not end by that
    assert await process.wait() == ExitCode.REFUSED
    assert err.decode() == f"paizhuo: {words_link.replaced()}\n"
    assert len(seats_of(environment).unfinished(0.0).seats) == 1


async def answering_seat(peer: Peer) -> None:
    assert await peer.hears() == Hello("Anna")
    await peer.says(WELCOME)
    assert without_secret(await peer.hears()) == Join(CODE)
    await peer.says(Seated(CODE, 0, TICKET), table(view(prompt=leading())))


async def back_in_the_seat(peer: Peer) -> None:
    assert await peer.hears() == Hello("Anna", TICKET)
    await peer.says(WELCOME, Seated(CODE, 0, TICKET), OVER)
    await peer.waits()


@pytest.mark.parametrize("back", [("resume",), ("join",), ("resume", "k7qf-2mxr")])
async def test_an_interrupted_game_is_found_again(run: Run, start: Start, back: tuple[str, ...]) -> None:
    async def first(peer: Peer) -> None:
        await answering_seat(peer)
        await peer.waits()

    async with scripted(first, back_in_the_seat) as url:
        process = await start("join", url, CODE, "--name", "Anna")
        assert process.stdout is not None
        while b"you lead" not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
        assert process.returncode == ExitCode.INTERRUPTED
        assert err.decode() == WAY_BACK
        ran = await run(*back)
        assert ran.code == ExitCode.OK
        assert "The match is over." in ran.out
        gone = await run("resume")
    assert gone.code == ExitCode.NO_SUCH_ROOM
    assert "there is no unfinished game" in gone.err


@pytest.mark.slow
async def test_a_program_that_was_stopped_like_a_laptop_asleep_is_back_soon_after_waking(start: Start) -> None:
    seated, back = asyncio.Event(), asyncio.Event()

    async def gone_meanwhile(peer: Peer) -> None:
        await answering_seat(peer)
        peer.socket.transport.pause_reading()  # the link looks open, and nobody is there
        seated.set()
        await back.wait()

    async def there(peer: Peer) -> None:
        back.set()
        await back_in_the_seat(peer)

    async with scripted(gone_meanwhile, there) as url:
        process = await start("join", url, CODE, "--name", "Anna", "--auto")
        await seated.wait()
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(TICK_S + LATE_S + 1)  # nothing else tells that so much time has passed
        process.send_signal(signal.SIGCONT)
        async with asyncio.timeout(PING_EVERY_S - 1):  # before any ping could have noticed
            await back.wait()
        _, err = await process.communicate()
    assert process.returncode == ExitCode.OK
    assert err.decode() == f"{words_link.lost(url, url, 0.0, 'slept')}\n"


async def test_a_saved_seat_that_cannot_be_read_is_named_and_passed_over(run: Run, environment: dict[str, str]) -> None:
    async with scripted(back_in_the_seat) as url:
        seats_of(environment).keep(SavedSeat(url, CODE, 0, "Anna", TICKET, 4e9))
        broken = Path(environment["XDG_STATE_HOME"]) / "paizhuo" / "seats" / "broken.json"
        broken.write_bytes(b"\x00")
        ran = await run("resume")
    assert ran.code == ExitCode.OK
    assert str(broken) in ran.err
    assert broken.exists()


async def test_without_a_terminal_the_newest_of_several_seats_is_taken(run: Run, environment: dict[str, str]) -> None:
    async with scripted(back_in_the_seat) as url:
        seats_of(environment).keep(SavedSeat(url, CODE, 0, "Anna", TICKET, 4e9))
        seats_of(environment).keep(SavedSeat("ws://127.0.0.1:1/ws", "OLDER", 0, "Anna", "OLDER.t", 3e9))
        assert (await run("resume")).code == ExitCode.OK


async def test_a_saved_seat_can_be_forgotten(run: Run, environment: dict[str, str]) -> None:
    seats = seats_of(environment)
    seats.keep(SavedSeat("ws://127.0.0.1:1/ws", CODE, 0, "Anna", TICKET, 4e9))
    seats.keep(SavedSeat("ws://127.0.0.1:1/ws", "OTHER", 1, "Anna", "OTHER.t", 4e9))
    ran = await run("resume", "k7qf-2mxr", "--forget")
    assert (ran.code, ran.out, ran.err) == (ExitCode.OK, "Forgotten: K7QF-2MXR at 127.0.0.1:1, seat 1 as Anna\n", "")
    assert [seat.code for seat in seats.unfinished(4e9).seats] == ["OTHER"]
    assert (await run("resume", CODE, "--forget")).code == ExitCode.NO_SUCH_ROOM


@pytest.mark.slow
async def test_a_seat_whose_server_is_gone_says_how_to_forget_it(run: Run, environment: dict[str, str]) -> None:
    seats_of(environment).keep(SavedSeat("ws://127.0.0.1:1/ws", CODE, 0, "Anna", TICKET, 4e9))
    ran = await run("resume")
    assert ran.code == ExitCode.UNREACHABLE
    server, back, failure = ran.err.splitlines()[-3:]
    assert server.startswith("paizhuo-server serve --host 127.0.0.1 --port 1")
    assert back == "paizhuo resume K7QF-2MXR"
    assert failure.startswith("paizhuo: no answer from 127.0.0.1:1 ")
    assert ran.err.endswith("if it is gone for good: paizhuo resume K7QF-2MXR --forget\n")


async def test_at_a_terminal_the_list_of_seats_tells_which_servers_answer(environment: dict[str, str]) -> None:
    async with scripted(back_in_the_seat) as url:
        seats_of(environment).keep(SavedSeat(url, CODE, 0, "Anna", TICKET, 3e9))
        seats_of(environment).keep(SavedSeat("ws://127.0.0.1:1/ws", "GONE", 1, "Anna", "GONE.t", 4e9))
        primary, secondary = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "client_cli", "resume"), stdin=secondary, stdout=PIPE, stderr=PIPE, env=environment
        )
        os.close(secondary)
        os.write(primary, b"2\n")
        out, _ = await process.communicate()
        os.close(primary)
    assert process.returncode == ExitCode.OK
    assert out.decode().splitlines()[:3] == [
        words_seats.which_seat(),
        "1) GONE at 127.0.0.1:1, seat 2 as Anna (no answer; to forget it: paizhuo resume GONE --forget)",
        f"2) K7QF-2MXR at {url.removeprefix('ws://').removesuffix('/ws')}, seat 1 as Anna",
    ]


async def test_a_transcript_can_be_watched_into_a_pipe(run: Run) -> None:
    script = answering(
        (Hello("Anna"), (WELCOME,)),
        (Watch(CODE), (Watching(CODE), table(view(me=None)), table(view(me=None, phase="over"), *OVER.happened))),
    )
    async with scripted(script) as url:
        ran = await run("watch", url, CODE, "--name", "Anna", "--plain", PYTHONIOENCODING="ascii")
    assert ran.code == ExitCode.OK
    assert (
        ran.out.splitlines()[-1]
        == "The match is over. Totals: 3 for Anna, 1 for Budi, 2 for Bot 3. Anna wins the match."
    )
    assert ran.err == ""


@pytest.mark.slow
async def test_a_server_that_is_not_there_is_unreachable(run: Run) -> None:
    ran = await run("rooms", "127.0.0.1:1")
    assert ran.code == ExitCode.UNREACHABLE
    assert ran.err.count("\n") == 1


async def test_a_room_can_be_opened_on_a_server_that_runs_already(run: Run, environment: dict[str, str]) -> None:
    asked = Create("chuo-pai", options={"max_combination": 4}, deals=3, pace="slow", listed=True)
    opening = table(view(phase="open", deals=3))
    script = answering((Hello("Anna"), (WELCOME,)), (asked, (Seated(CODE, 0, TICKET), opening)))
    terms = ("--deals", "3", "--pace", "slow", "--public", "--option", "max_combination=4")
    async with scripted(script) as url:
        ran = await run("host", "chuo-pai", "--server", url, "--name", "Anna", *terms, typed="quit\n")
        (kept,) = seats_of(environment).unfinished(0.0).seats
        assert kept.url == url
    assert ran.code == ExitCode.OK, "the server is not ours: guests do not keep us"
    assert f"Others join with: paizhuo join K7QF-2MXR@{url.removeprefix('ws://').removesuffix('/ws')} " in ran.out
    assert ran.err == WAY_BACK
