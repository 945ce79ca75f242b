"""Programs of other people at real tables: `paizhuo bot` as a process, with the program as its child."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from protocol.messages import Autopilot
from tests.e2e.clients import Client, client, open_room, start
from tests.e2e.logs import read_log
from tests.e2e.processes import Ended, ServerProcess, processes_of, run, serving
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "docs" / "bot.py"


@pytest.fixture(scope="module")
def server(shared_valkey: Valkey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(shared_valkey.url, tmp_path_factory.mktemp("server")) as started:
        yield started


@asynccontextmanager
async def at_table(
    server: ServerProcess, game: str, *command: str, home: Path, deals: int = 1
) -> AsyncIterator[tuple[Client, asyncio.Task[Ended]]]:
    """A host whose seat a bot of the server plays, and a program on the second seat, from the start on."""
    async with client(server.url) as host:
        code = await open_room(host, game=game, deals=deals)
        room = f"{code}@{server.address}"
        running = asyncio.create_task(
            run("paizhuo", "bot", room, "--name", "Robo", "--json", "--", *command, home=home, given=None)
        )
        seated = asyncio.create_task(host.seen(lambda view: view.seats[1].name == "Robo"))
        await asyncio.wait({running, seated}, return_when=asyncio.FIRST_COMPLETED)
        assert seated.done(), running.result()
        await start(host)
        await host.do(Autopilot(host.next_n, on=True))
        yield host, running


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
async def test_the_example_plays_a_match_of_two_deals(
    game: str, server: ServerProcess, shared_valkey: Valkey, tmp_path: Path
) -> None:
    async with at_table(server, game, sys.executable, str(EXAMPLE), home=tmp_path, deals=2) as (host, running):
        view = await host.seen(lambda view: view.room.phase == "over")
        ended = await running
    assert (ended.code, ended.err) == (ExitCode.OK, "")
    results = [json.loads(line) for line in ended.out.splitlines()]
    assert [(result["room"], result["deal"], result["seat"]) for result in results] == [
        (view.room.code, 1, 1),
        (view.room.code, 2, 1),
    ]
    scores = [result["result"]["scores"] for result in results]
    assert [sum(each) for each in zip(*scores, strict=True)] == [seat.score for seat in view.seats]
    log = await read_log(shared_valkey.url, view.room.code)
    log.verify()
    assert log.actions(1, 1)
    assert log.actions(1, 2)
    assert processes_of(tmp_path) == []


CRASHING = "import json\nprint(json.loads(input())['prompt']['actions'][0], flush=True)\ninput()\nraise SystemExit(3)"


async def test_a_program_that_crashes_in_mid_deal_leaves_a_bot_behind(
    server: ServerProcess, shared_valkey: Valkey, tmp_path: Path
) -> None:
    async with at_table(server, "chuo-pai", sys.executable, "-c", CRASHING, home=tmp_path) as (host, running):
        ended = await running
        view = await host.seen(lambda view: view.room.phase == "over")
    assert (ended.code, ended.out) == (ExitCode.FAILURE, "")
    assert ended.err.startswith("The program has ended with exit code 3. Its seat is given up")
    assert view.seats[1].kind == "bot"
    (await read_log(shared_valkey.url, view.room.code)).verify()
    assert processes_of(tmp_path) == []


async def test_what_a_program_writes_beside_its_answers_comes_through(server: ServerProcess, tmp_path: Path) -> None:
    code = "import sys; print('I think', file=sys.stderr); raise SystemExit(1)"
    async with client(server.url) as host:
        room = f"{await open_room(host)}@{server.address}"
        ended = await run("paizhuo", "bot", room, "--", sys.executable, "-c", code, home=tmp_path, given=None)
        await host.seen(lambda view: view.seats[1].kind == "empty")
    assert (ended.code, ended.err.splitlines()[0]) == (ExitCode.FAILURE, "I think")


async def test_a_program_that_cannot_be_started_takes_no_seat(server: ServerProcess, tmp_path: Path) -> None:
    ended = await run("paizhuo", "bot", f"AAAA-AAAA@{server.address}", "--", "/nonesuch", home=tmp_path)
    assert (ended.code, ended.out) == (ExitCode.USAGE, "")
    assert ended.err == "paizhuo: /nonesuch cannot be started: No such file or directory\n"
