"""Nodes that play on come what may, as far as one room each goes."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from server.store.base import EMPTY, Store, StoreError, VersionConflict, seal, unseal
from tests.stores import KEEP_MS, new_room


class Player:
    """Appends to a room of its own and reads on after trouble. What it counts as acknowledged, its players saw."""

    def __init__(self, store: Store, played: asyncio.Condition) -> None:
        self.room = new_room()
        self.acknowledged: list[bytes] = []
        self.troubles = 0
        self._store = store
        self._played = played
        self._at = EMPTY

    async def play(self) -> None:
        while True:
            entry, _ = seal(self._at, b"%d" % self._at.version)
            try:
                await self._store.append(self.room, self._at, entry, keep_ms=KEEP_MS)
            except VersionConflict as conflict:
                self._take_in(conflict.entries)
            except StoreError:
                self.troubles += 1
                with suppress(StoreError):
                    self._take_in(await self._store.read(self.room, self._at))
            else:
                self._take_in((entry,))
            async with self._played:
                self._played.notify_all()

    def _take_in(self, entries: tuple[bytes, ...]) -> None:
        for entry in entries:
            _, self._at = unseal(self._at, entry)
            self.acknowledged.append(entry)


class Players:
    """`rooms` players at once. An async context manager: they play until it ends."""

    def __init__(self, store: Store, rooms: int) -> None:
        self._played = asyncio.Condition()
        self.each = [Player(store, self._played) for _ in range(rooms)]

    async def __aenter__(self) -> "Players":
        self._playing = [asyncio.create_task(player.play()) for player in self.each]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._playing:
            task.cancel()
        for ended in await asyncio.gather(*self._playing, return_exceptions=True):
            if not isinstance(ended, asyncio.CancelledError):
                raise ended if isinstance(ended, Exception) else AssertionError(ended)

    async def all_play(self, moves: int) -> None:
        """Return when each has had so many more moves acknowledged."""
        goals = {player: len(player.acknowledged) + moves for player in self.each}
        await self._until(lambda: all(len(player.acknowledged) >= goal for player, goal in goals.items()))

    async def all_meet_trouble(self, times: int, of: Sequence[Player] = ()) -> None:
        goals = {player: player.troubles + times for player in of or self.each}
        await self._until(lambda: all(player.troubles >= goal for player, goal in goals.items()))

    async def _until(self, true: Callable[[], bool]) -> None:
        async with self._played:
            await self._played.wait_for(true)


async def lost(players: Players, store: Store) -> int:
    """How many acknowledged entries the store does not have where they were."""
    missing = 0
    for player in players.each:
        log = await store.read(player.room, EMPTY)
        missing += sum(place >= len(log) or log[place] != entry for place, entry in enumerate(player.acknowledged))
    return missing
