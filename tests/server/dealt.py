"""A whole server in one process, with its real gateway on real sockets, that deals the cards that a test wants."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.bots.pool import BotPool
from server.games.base import Deck, Seat
from server.gateway.websocket import listen
from server.limits import Limits
from server.node.hub import Hub
from server.rooms.due import Timing
from server.settings import ServerSettings
from tests.simulated_store import SimulatedStore, World


class DealtChance:
    """`server.chance.Chance` without chance: this deal, and everything else counted up."""

    def __init__(self, deck: Deck, first: Seat) -> None:
        self._deck = deck
        self._first = first
        self._drawn = 0

    def secret(self) -> bytes:
        return self.command_id() * 2

    def dealt(self, pack: tuple[str, ...], seed: bytes) -> tuple[tuple[str, ...], int]:
        return self._deck, self._first

    def ticket(self) -> str:
        return self.command_id().hex()[-22:]

    def command_id(self) -> bytes:
        self._drawn += 1
        return self._drawn.to_bytes(16, "big")


@asynccontextmanager
async def dealing_server(world: World, pool: BotPool, deck: Deck, first: Seat, *, beat_ms: int) -> AsyncIterator[str]:
    """Yields its URL."""
    limits = Limits(exempt=("127.0.0.1",))  # its clock may stand still, and then no bucket fills again
    settings = ServerSettings(store="sqlite:unused", port=0, limits=limits)
    store = SimulatedStore(world)
    timing = Timing(grace_ms=30_000, beat_ms=beat_ms)
    hub = Hub("node", store, pool, world.clock, DealtChance(deck, first), timing)
    await store.open(hub)
    async with hub, listen(hub, world.clock, settings) as port:
        yield settings.url(port)
    await store.close()
