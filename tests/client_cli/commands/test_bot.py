"""A program's seat, from the first hello to the last question, over a real socket."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from client_cli import asked_program, program_seat, words, words_link
from client_cli.__main__ import EXAMPLES
from client_cli.commands import bot
from client_cli.commands.bot import Lending, _lend
from client_cli.failure import CommandFailed
from client_cli.program_seat import ProgramSeat
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.tickets import now_s, user_tickets
from protocol.errors import ExitCode
from protocol.messages import (
    Act,
    Autopilot,
    ClientMessage,
    Done,
    Hello,
    Join,
    Leave,
    Ready,
    Seated,
    Unseated,
    Welcome,
)
from protocol.view import Happening, Prompt, Result, TableView
from tests.client_cli.scripted_server import Peer, Script, scripted
from tests.client_cli.tables import ANNA, BOT, BUDI, CODE, TICKET, leading, table, view

SECRET = TICKET.partition(".")[2]
EXAMPLE = Path(__file__).parents[3] / "docs" / "bot.py"
PASSES_ON = re.compile("Its seat is given up; in a game that has begun a bot of the server plays on.")
RESULT = Result((3, 1, 2), (0,))
OVER = table(view(phase="over", result=RESULT, n=9), Happening("match_over", scores=(3, 1, 2)))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked_program, "END_S", 0.05)


async def lends(code: str, *scripts: Script, limit_s: float = 60.0, as_json: bool = False) -> ExitCode:
    """Seat a program at the table of a server that plays `scripts`."""
    session = Session("Robo", Join(CODE, SECRET))
    command = (sys.executable, "-I", "-S", "-c", code)
    async with scripted(*scripts) as url:
        return await _lend(command, url, session, Settings(), limit_s=limit_s, as_json=as_json)


def says(*answers: str) -> str:
    """A program that gives one answer after the other; what would clear a screen it says a thousand times."""
    times = "1000 if answer[:1] == chr(27) else 1"
    return f"for answer in {answers!r}:\n input(); print(answer * ({times}), flush=True)\nwhile True: input()"


async def seat(peer: Peer, first: TableView) -> None:
    assert await peer.hears() == Hello("Robo", None)
    await peer.says(Welcome("0.1.0", "Robo", ("chuo-pai",)))
    assert await peer.hears() == Join(CODE, SECRET)
    await peer.says(Seated(CODE, 0, TICKET), table(first))


def asking(*prompts: Prompt, heard: list[ClientMessage]) -> Script:
    """Ask one question after the other and carry out each answer; then the match is over."""

    async def script(peer: Peer) -> None:
        await seat(peer, view(prompt=prompts[0]))
        for n, following in enumerate([*prompts[1:], None], start=1):
            heard.append(await peer.hears())
            done = Done(n)
            if following is not None:
                await peer.says(done, table(view(prompt=following, n=n)))
            else:
                await peer.says(done, OVER)
        await peer.waits()

    return script


def letting_go(*prompts: Prompt, heard: list[ClientMessage]) -> Script:
    """As `asking`, but the last question is not answered: the seat is given up instead."""

    async def script(peer: Peer) -> None:
        await seat(peer, view(prompt=prompts[0]))
        for n, following in enumerate(prompts[1:], start=1):
            heard.append(await peer.hears())
            await peer.says(Done(n), table(view(prompt=following, n=n)))
        assert await peer.hears() == Leave(len(prompts))
        await peer.says(Done(len(prompts)), Unseated("left"))
        await peer.waits()

    return script


PASSING = Prompt(2, ("pass",))


async def test_each_question_is_one_line_of_json_and_each_answer_an_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[ClientMessage] = []
    asked = tmp_path / "asked"
    code = (
        f"out = open({str(asked)!r}, 'w')\n"
        "for answer in ('play 36+66', ' pass '):\n out.write(input() + '\\n'); print(answer, flush=True)"
    )
    assert await lends(code, asking(leading(), PASSING, heard=heard)) == ExitCode.OK
    assert heard == [Act(1, 1, "play 36+66"), Act(2, 2, "pass")]  # it is asked also where there is one choice only
    views = [json.loads(line) for line in asked.read_text().splitlines()]
    assert views == [
        json.loads(msgspec.json.encode(each)) for each in (view(prompt=leading()), view(prompt=PASSING, n=1))
    ]
    written = capsys.readouterr()
    assert written.err == ""
    assert written.out.splitlines()[-1].startswith("The match is over.")
    assert user_tickets().unfinished(now_s()).seats == ()


async def test_what_it_should_not_answer_is_told_and_something_else_played(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[ClientMessage] = []
    prompts = (leading(1), Prompt(2, ("play 11", "pass")), leading(3), leading(4), leading(5))
    code = says("1", "play 99", "play 13", "", "\x1b[2J")
    assert await lends(code, asking(*prompts, heard=heard)) == ExitCode.OK
    assert heard == [
        Act(1, 1, "play 66"),
        Act(2, 2, "pass"),
        Act(3, 3, "play 13"),
        Act(4, 4, "play 66"),
        Act(5, 5, "play 66"),
    ]
    lines = capsys.readouterr().err.splitlines()
    assert lines[:3] == [
        "The program answers '1', which is none of the choices. Played for it: play 66",
        "The program answers 'play 99', which is none of the choices. Played for it: pass",
        "The program answers '', which is none of the choices. Played for it: play 66",
    ]
    assert "\x1b" not in lines[3]
    assert len(lines) == 4


async def test_only_the_first_line_of_an_answer_counts(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[ClientMessage] = []
    code = says("play 13\nplay 13\nplay 13", "play 66", "play 66+66")
    assert await lends(code, asking(leading(1), leading(2), leading(3), heard=heard)) == ExitCode.OK
    assert heard == [Act(1, 1, "play 13"), Act(2, 2, "play 66"), Act(3, 3, "play 66+66")]
    assert capsys.readouterr().err == "The program says more than one line to a question: only the first one counts.\n"


async def test_after_three_failures_in_a_row_its_seat_is_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[ClientMessage] = []
    prompts = [leading(number) for number in range(1, 6)]
    code = says("no", "play 13", "no", "no", "no")
    assert await lends(code, letting_go(*prompts, heard=heard)) == ExitCode.FAILURE
    assert [message.action for message in heard if isinstance(message, Act)] == ["play 66", "play 13"] + ["play 66"] * 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "none of the choices. The program has failed 3 times in a row." in last
    assert PASSES_ON.search(last)


@pytest.mark.usefixtures("impatient")
async def test_a_program_that_hangs_is_waited_for_no_longer_than_said(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[ClientMessage] = []
    prompts = [leading(number) for number in range(1, 4)]
    code = "input(); import time; time.sleep(600)"
    assert await lends(code, letting_go(*prompts, heard=heard), limit_s=0.05) == ExitCode.FAILURE
    assert heard == [Act(1, 1, "play 66"), Act(2, 2, "play 66")]
    assert "The program has not answered within 0.05 s. Played for it: play 66" in capsys.readouterr().err


@pytest.mark.usefixtures("impatient")
async def test_a_clock_leaves_it_less_time_than_that(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[ClientMessage] = []
    monkeypatch.setattr(program_seat, "LEAST_LIMIT_S", 0.01)
    prompts = [replace(leading(number), remaining_ms=1100) for number in range(1, 4)]
    code = "input(); import time; time.sleep(600)"
    assert await lends(code, letting_go(*prompts, heard=heard)) == ExitCode.FAILURE
    waited = [float(found) for found in re.findall(r"within ([\d.e-]+) s", capsys.readouterr().err)]
    assert len(waited) == 3
    assert all(0 < limit_s <= 0.1 for limit_s in waited)


@pytest.mark.parametrize("asked", [True, False])
async def test_a_program_that_ends_gives_its_seat_up(asked: bool, capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[ClientMessage] = []
    code = "input(); raise SystemExit(5)"

    async def lobby(peer: Peer) -> None:
        await seat(peer, view(phase="open", seats=(ANNA, BUDI, BOT)))
        assert await peer.hears() == Leave(1)
        await peer.says(Unseated("left"))
        await peer.waits()

    script = letting_go(leading(), heard=heard) if asked else lobby
    assert await lends(code if asked else "raise SystemExit(5)", script) == ExitCode.FAILURE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("The program has ended with exit code 5.")
    assert PASSES_ON.search(line)


async def test_a_server_that_does_not_hear_of_it_holds_nothing_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_seat, "LEAVE_S", 0.1)

    async def script(peer: Peer) -> None:
        await seat(peer, view(prompt=leading()))
        assert await peer.hears() == Leave(1)
        await peer.waits()

    assert await lends("", script) == ExitCode.FAILURE
    assert "The server cannot be told so" in capsys.readouterr().err
    assert len(user_tickets().unfinished(now_s()).seats) == 1


async def test_it_is_ready_by_itself_and_takes_its_seat_back(capsys: pytest.CaptureFixture[str]) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer, view(seats=(replace(ANNA, away=True), BUDI, BOT), deals=2))
        assert await peer.hears() == Autopilot(1, on=False)
        between = view(phase="between", result=RESULT, n=1, deals=2)
        await peer.says(Done(1), table(view(deals=2, n=1)), table(between))
        assert await peer.hears() == Ready(2)
        await peer.says(Done(2), table(view(deal=2, deals=2, prompt=leading(), n=2)))
        assert await peer.hears() == Act(3, 1, "play 13")
        over = view(phase="over", deal=2, deals=2, result=Result((0, 0, 0), ()), n=3)
        await peer.says(Done(3), table(over))
        await peer.waits()

    assert await lends(says("play 13"), script, as_json=True) == ExitCode.OK
    written = capsys.readouterr()
    assert [json.loads(line) for line in written.out.splitlines()] == [
        {"room": CODE, "deal": 1, "seat": 0, "result": {"scores": [3, 1, 2], "winners": [0]}},
        {"room": CODE, "deal": 2, "seat": 0, "result": {"scores": [0, 0, 0], "winners": []}},
    ]
    assert written.err == ""


async def test_a_lost_connection_costs_no_answer_and_no_seat(capsys: pytest.CaptureFixture[str]) -> None:
    async def cut(peer: Peer) -> None:
        await seat(peer, view(prompt=leading()))
        assert await peer.hears() == Act(1, 1, "play 13")
        await peer.drops()

    async def mended(peer: Peer) -> None:
        assert await peer.hears() == Hello("Robo", TICKET)
        await peer.says(Welcome("0.1.0", "Robo", ("chuo-pai",)), Seated(CODE, 0, TICKET), table(view(prompt=leading())))
        assert await peer.hears() == Act(1, 1, "play 13")
        await peer.says(Done(1), OVER)
        await peer.waits()

    assert await lends(says("play 13"), cut, mended) == ExitCode.OK
    written = capsys.readouterr()
    assert words_link.connected_again() in written.out


async def test_an_answer_to_a_question_that_is_gone_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked, gate, changed = tmp_path / "asked", tmp_path / "gate", asyncio.Event()
    os.mkfifo(asked)
    os.mkfifo(gate)
    tell = ProgramSeat.changed

    def tell_and_note(seat: ProgramSeat, session: Session) -> None:
        tell(seat, session)
        if session.prompt is not None and session.prompt.id == 2:
            changed.set()

    async def script(peer: Peer) -> None:
        await seat(peer, view(prompt=leading(1)))
        await asyncio.to_thread(asked.read_bytes)
        await peer.says(table(view(prompt=leading(2))))
        await changed.wait()
        gate.open("w").close()
        assert await peer.hears() == Act(1, 2, "play 13")
        await peer.says(Done(1), OVER)
        await peer.waits()

    monkeypatch.setattr(ProgramSeat, "changed", tell_and_note)
    code = f"input(); open({str(asked)!r}, 'w').close(); open({str(gate)!r}).close(); print('play 66', flush=True)"
    assert await lends(f"{code}; input(); print('play 13', flush=True); input()", script) == ExitCode.OK
    assert words.question_changed("play 66") in capsys.readouterr().out


def test_a_room_is_named_as_everywhere_and_the_rest_is_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    split = bot._room_and_command
    here = Settings(server="cards.example.org")
    for room, *rest in (
        ("K7QF-2MXR@h:1", "x", "--y"),
        ("http://h:1/j/K7QF2MXR", "x", "--y"),
        ("ws://h:1/ws", "k7qf2mxr", "x", "--y"),
        ("ws://h:1/ws k7qf2mxr", "x", "--y"),
    ):
        address, command = split(room, tuple(rest), here)
        assert (address.url, address.code, command) == ("ws://h:1/ws", CODE, ("x", "--y"))
    assert split(CODE, ("x",), here)[0].url == "wss://cards.example.org/ws"


@pytest.mark.parametrize(("command", "limit"), [((), 1.0), (("",), 1.0), (("x",), 0.0), (("x",), float("nan"))])
def test_what_cannot_be_is_refused_before_anything_is_done(command: tuple[str, ...], limit: float) -> None:
    with pytest.raises(CommandFailed) as failed:
        bot.bot("K7QF-2MXR@127.0.0.1:1", *command, lending=Lending(limit=limit))
    assert failed.value.exit_code == ExitCode.USAGE


def test_the_example_is_as_short_as_it_is_said_to_be_and_where_help_says() -> None:
    code = [line for line in EXAMPLE.read_text().splitlines() if line.strip() and not line.startswith('"""')]
    assert len(code) == 10
    assert EXAMPLES["bot"][0].endswith(f"-- python3 docs/{EXAMPLE.name}")


def test_the_documented_example_is_the_one_that_is_tested() -> None:
    _, _, code = EXAMPLE.read_text().partition('"""\n\n')
    assert f"```python\n{code}```" in (EXAMPLE.parents[1] / "protocol" / "README.md").read_text()
