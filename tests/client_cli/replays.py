"""Replays of recorded deals, as a server would give them."""

from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from client_cli.replay import Replay, decode
from protocol.record import write
from server.games.record import read
from server.games.replay import replayed

GOLDEN = Path(__file__).parents[1] / "golden"


def golden_lines(game: str) -> list[bytes]:
    """The records of one game, rare deals last."""
    return [
        line
        for file in sorted(GOLDEN.glob(f"{game}*.jsonl"), reverse=True)
        for line in file.read_bytes().split(b"\n")
        if line
    ]


def replay_of_line(line: bytes, deal: int = 1, deals: int = 1) -> Replay:
    header, steps = replayed(read(line), deal=deal, deals=deals)
    return decode(b"\n".join(map(msgspec.json.encode, (header, *steps))))


@cache
def golden_replay(game: str, deal: int = 1, names: tuple[str, str, str] | None = None) -> Replay:
    """A deal of the usual file of this game, from 1, between players of these names."""
    lines = (GOLDEN / f"{game}.jsonl").read_bytes().splitlines()
    record = read(lines[deal - 1])
    if names is not None:
        record = replace(record, extra={"names": names})
    return replay_of_line(write(record), deal, len(lines))
