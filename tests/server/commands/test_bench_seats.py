import asyncio
from pathlib import Path

import pytest

from server.app import running
from server.commands import bench_seats
from server.commands.bench_seats import TableOfPlayers
from server.commands.bench_traffic import Gate, Part
from server.settings import ServerSettings

pytestmark = pytest.mark.slow


class SecondRoom(TableOfPlayers):
    """Says when it plays in its second room."""

    def __init__(self, game: str, gate: Gate) -> None:
        super().__init__(game, gate)
        self.codes: list[str] = []
        self.again = asyncio.Event()

    def seated(self, code: str) -> None:
        self.codes.append(code)
        super().seated(code)
        if len(self.codes) == 6:
            self.again.set()


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
async def test_players_open_another_room_when_the_match_is_over(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_seats, "MAX_DEALS", 1)
    settings = ServerSettings(port=0, store=f"sqlite:{tmp_path / 'rooms.sqlite3'}", beat_ms=0)
    async with asyncio.timeout(60), running(settings) as port:
        table = SecondRoom(game, Gate())
        await table.open(settings.url(port))
        table.recording = True
        playing = asyncio.create_task(table.gate.play(Part(3600)))
        await table.again.wait()
        playing.cancel()
        assert not table.ended.done()
    assert len(set(table.codes)) == 2
    moves = [exchange for exchange in table.traffic if exchange.move]
    assert len(moves) >= table.gate.moves > 10
    assert 0 < len(table.gate.seen_ms) <= len(moves)
    assert all(exchange.sent > 20 for exchange in moves)


async def test_a_server_that_ends_is_told(tmp_path: Path) -> None:
    settings = ServerSettings(port=0, store=f"sqlite:{tmp_path / 'rooms.sqlite3'}")
    async with asyncio.timeout(60):
        async with running(settings) as port:
            table = TableOfPlayers("chuo-pai", Gate())
            await table.open(settings.url(port))
        with pytest.raises(RuntimeError, match="closed a connection"):
            await table.ended
