"""What a sitting does with the records of deals: they are saved or replayed before it ends."""

from pathlib import Path

import pytest

from client_cli import words
from client_cli.stepping import whole_lines
from protocol.errors import ExitCode
from protocol.messages import DealRecord, Export
from tests.client_cli.replays import GOLDEN, golden_replay
from tests.client_cli.scripted_server import Peer, scripted
from tests.client_cli.sittings import OVER, Person, seat


@pytest.mark.parametrize("there", [True, False])
async def test_a_deal_is_saved_to_a_file_before_the_sitting_ends(person: Person, tmp_path: Path, there: bool) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("will be saved")
        await peer.says(OVER)
        assert await peer.hears() == Export(1)
        await peer.says(DealRecord(1, "{}"))
        await peer.waits()

    folder = tmp_path / "folder"
    if not there:
        folder.touch()  # a file, in place of it
    path = folder / "deal.jsonl"
    person.types(f"save {path}")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    last = person.transcript.getvalue().splitlines()[-1]
    if there:
        assert path.read_text() == "{}\n"
        assert last == words.saved_deal(str(path))
    else:
        assert last.startswith("The deal could not be saved: ")
        assert "Errno" not in last


@pytest.mark.slow
async def test_a_deal_is_replayed_before_the_sitting_ends(person: Person) -> None:
    record = (GOLDEN / "chuo-pai.jsonl").read_text().splitlines()[2]

    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("will be shown")
        await peer.says(OVER)
        assert await peer.hears() == Export(1)
        await peer.says(DealRecord(1, record))
        await peer.waits()

    person.types("replay")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    *_, last = whole_lines(golden_replay("chuo-pai", 3)._replace(seat=0))
    assert person.transcript.getvalue().splitlines()[-1] == last


@pytest.mark.slow
async def test_a_record_that_is_none_is_told_and_ends_nothing(person: Person) -> None:
    async def script(peer: Peer) -> None:
        await seat(peer)
        await person.reads("will be shown")
        await peer.says(OVER)
        assert await peer.hears() == Export(1)
        await peer.says(DealRecord(1, "{}"))
        await peer.waits()

    person.types("replay")
    async with scripted(script) as url:
        assert await person.sitting(url).run() == ExitCode.OK
    assert (
        person.transcript.getvalue()
        .splitlines()[-1]
        .startswith("The deal could not be replayed: the format is None instead of")
    )
