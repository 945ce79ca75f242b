"""Harm to the append-only file of the server: what was acknowledged is there, or it shows that it is not."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from server.clock import SystemClock
from server.store.base import EMPTY, Corrupt, Position, RolledBack, Store, seal, unseal
from server.store.urls import store_from_url
from tests.stores import Ear, new_room, write
from tests.valkey import DoesNotStart, Valkey

pytestmark = pytest.mark.slow

Harm = Callable[[bytes], bytes]


class Harmed:
    """Rooms that were written and acknowledged, and their file, to be harmed while the server is down."""

    def __init__(self, valkey: Valkey, directory: Path) -> None:
        self._valkey = valkey
        self._directory = directory
        self._written: dict[str, list[bytes]] = {}

    async def write(self) -> None:
        store = await self._opened()
        for _ in range(3):
            room, payloads = new_room(), [b"%d of a commit, with cards \x00\xff" % n for n in range(6)]
            await write(store, room, *payloads)
            self._written[room] = payloads
        await store.close()
        self._valkey.kill()
        (self._file,) = (self._directory / "appendonlydir").glob("*.incr.aof")
        self.whole = self._file.read_bytes()

    async def outcome(self, harmed: bytes) -> str:
        """What is found after a start on the harmed file; raises if anything is silently not what was written."""
        self._file.write_bytes(harmed)
        try:
            self._valkey.start()
        except DoesNotStart:
            return "refused to start"
        store = await self._opened()
        try:
            found = {await self._look(store, room, payloads) for room, payloads in self._written.items()}
        finally:
            await store.close()
            self._valkey.kill()
        return " and ".join(sorted(found))

    async def _look(self, store: Store, room: str, payloads: list[bytes]) -> str:
        at, held = EMPTY, []
        for payload in payloads:
            _, at = seal(at, payload)
            held.append(at)
        try:
            kept = self._fold(await store.read(room, EMPTY))
        except Corrupt:
            return "corrupt"
        assert kept == payloads[: len(kept)]
        for position in held[len(kept) :]:  # whoever was further than that is told
            with pytest.raises(RolledBack):
                await store.read(room, position)
        return "whole" if kept == payloads else "cut"

    def _fold(self, entries: tuple[bytes, ...]) -> list[bytes]:
        at: Position = EMPTY
        kept = []
        for entry in entries:
            payload, at = unseal(at, entry)
            kept.append(payload)
        return kept

    async def _opened(self) -> Store:
        store = store_from_url(self._valkey.url, SystemClock())
        await store.open(Ear())
        return store


@pytest.fixture
async def rooms(own_valkey: Callable[..., Valkey], short_path: Path) -> Harmed:
    harmed = Harmed(own_valkey(), short_path)
    await harmed.write()
    return harmed


async def test_a_file_that_was_not_harmed_is_whole(rooms: Harmed) -> None:
    assert await rooms.outcome(rooms.whole) == "whole"


async def test_a_file_that_was_cut_short_shows_what_it_lacks(rooms: Harmed) -> None:
    found = {await rooms.outcome(rooms.whole[:-cut]) for cut in (*range(1, 64, 6), 64)}
    assert found == {"cut and whole"}


async def test_a_file_that_ends_in_zeros_is_refused_or_shows_what_it_lacks(rooms: Harmed) -> None:
    for zeros in (1, 2, 63, 4096):
        assert await rooms.outcome(rooms.whole + bytes(zeros)) in ("refused to start", "whole")
    for zeros in (3, 17, 40, 64, 120):  # the last two bytes are the end of a line
        assert await rooms.outcome(rooms.whole[:-zeros] + bytes(zeros)) != "whole"


async def test_a_byte_that_was_flipped_is_refused_or_shows(rooms: Harmed) -> None:
    generator = Random(4)
    found = set()
    for place in sorted(generator.sample(range(len(rooms.whole)), 40)):
        flipped = bytearray(rooms.whole)
        flipped[place] ^= 1 << generator.randrange(8)
        found.add(await rooms.outcome(bytes(flipped)))
    assert "refused to start" in found
    assert any("corrupt" in outcome for outcome in found)
