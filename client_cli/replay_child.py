"""Asks the rules for a replay: `paizhuo-server replay` as a child process that ends by itself."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE

from client_cli.failure import CommandFailed
from client_cli.language import tr
from client_cli.replay import BadReplay, Replay, decode
from protocol.errors import ExitCode

PROGRAM = "paizhuo-server: "
STANDARD_INPUT = "-"


async def replay_lines(file: str, deal: int = 1, record: str | None = None) -> bytes:
    """The replay of one deal of a file as JSON Lines; of `record`, where that is given in place of a file.

    Raises `CommandFailed` with the server's sentence and exit code.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "server", "replay", file, "--deal", str(deal)),
        stdin=PIPE if record is not None else None if file == STANDARD_INPUT else DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env=os.environ | {"COLUMNS": "10000"},  # what it complains of comes in one row, the last
    )
    try:
        out, said = await process.communicate(None if record is None else record.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == ExitCode.OK:
        return out
    sentence = said.decode(errors="replace").strip().rpartition("\n")[2].removeprefix(PROGRAM)
    code = next((code for code in ExitCode if code == process.returncode), ExitCode.FAILURE)
    raise CommandFailed(code, sentence or tr("the deal could not be replayed"))


async def replay_of(file: str, deal: int = 1, record: str | None = None) -> Replay:
    """As `replay_lines`, decoded."""
    try:
        return decode(await replay_lines(file, deal, record))
    except BadReplay:
        raise CommandFailed(
            ExitCode.FAILURE, tr("the server and the client are of different versions: install both again")
        ) from None


async def replay_of_record(line: str, seat: int | None) -> Replay:
    """A deal of a room as its player at `seat` sees it. Raises `CommandFailed`."""
    try:
        return (await replay_of(STANDARD_INPUT, record=line))._replace(seat=seat)
    except CommandFailed as failed:
        reason = failed.sentence.removeprefix(f"{STANDARD_INPUT}:1: ")
        raise CommandFailed(failed.exit_code, tr("The deal could not be replayed: {reason}", reason=reason)) from None
