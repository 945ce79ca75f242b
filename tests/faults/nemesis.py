"""What happens to servers and their store in a soak: at random, one thing after another, and several at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from random import Random
from typing import get_args

from redis.exceptions import RedisError

from tests.faults.fleet import Fleet, Member, let_store_go_on, pause_store, restart_store
from tests.faults.people import Meter
from tests.faults.proxy import Partition
from tests.valkey import Valkey

MOVES = 3
"""How many moves must be made between two strikes."""

PATIENCE_S = 20.0
"""How long a strike waits for play to go on before the next one comes all the same."""

AGAIN_S = 0.1
"""What passes between two times that a script is flushed, or subscribers are thrown out."""

LONGEST_S = 3.0
"""How long a partition or a pause lasts at most."""


async def play_goes_on(meter: Meter) -> None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            await meter.moved(MOVES)
    except TimeoutError:
        meter.done["no moves for long"] += 1


class Nemesis:
    """Strikes a fleet on one Valkey. All is whole again at the end of a round."""

    def __init__(self, fleet: Fleet, valkey: Valkey, meter: Meter, rng: Random) -> None:
        self._fleet = fleet
        self._valkey = valkey
        self._meter = meter
        self._rng = rng
        self._starting: list[asyncio.Task[None]] = []
        self._others: tuple[Callable[[], Awaitable[None]], ...] = (
            self._partition,
            self._pause_server,
            self._pause_store,
            self._flush_scripts,
            self._kill_subscribers,
            self._delay,
        )

    async def round(self) -> None:
        """Servers die, the store dies, and one other thing happens, in any order; play goes on after each."""
        strikes = [self._kill_server, self._kill_store] * 2 + [self._rng.choice(self._others)]
        self._rng.shuffle(strikes)
        for strike in strikes:
            await strike()
            await play_goes_on(self._meter)
        await asyncio.gather(*self._starting)
        self._starting.clear()

    def _member(self) -> Member:
        return self._rng.choice(self._fleet.members)

    async def _for_a_while(self) -> None:
        await asyncio.sleep(self._rng.uniform(0, LONGEST_S))

    async def _kill_server(self) -> None:
        """What comes next does not wait for it to be back."""
        if not self._fleet.urls():
            await asyncio.gather(*self._starting)
        member = self._rng.choice([member for member in self._fleet.members if member.process is not None])
        self._starting.append(asyncio.create_task(self._fleet.restart(member)))

    async def _kill_store(self) -> None:
        await restart_store(self._valkey, self._meter)

    async def _partition(self) -> None:
        cut_off = self._rng.sample(self._fleet.members, self._rng.randint(1, 2))
        for member in cut_off:
            self._fleet.partition(member, self._rng.choice(get_args(Partition)))
        await self._for_a_while()
        for proxy in self._fleet.proxies:
            proxy.heal()

    async def _pause_server(self) -> None:
        member = self._member()
        self._meter.done["server pauses"] += 1
        member.pause()
        await self._for_a_while()
        member.go_on()

    async def _pause_store(self) -> None:
        self._meter.done["store pauses"] += 1
        pause_store(self._valkey)
        await self._for_a_while()
        let_store_go_on(self._valkey)

    async def _flush_scripts(self) -> None:
        await self._ask_the_store("SCRIPT", "FLUSH")

    async def _kill_subscribers(self) -> None:
        await self._ask_the_store("CLIENT", "KILL", "TYPE", "pubsub")

    async def _ask_the_store(self, *command: str) -> None:
        """Again and again for a while."""
        self._meter.done[" ".join(command).lower()] += 1
        until_s = time.monotonic() + self._rng.uniform(0, LONGEST_S)
        while time.monotonic() < until_s:
            try:
                await asyncio.to_thread(self._valkey.run, *command)
            except RedisError:
                return
            await asyncio.sleep(AGAIN_S)

    async def _delay(self) -> None:
        member = self._member()
        if member.proxy is not None:
            self._meter.done["delays"] += 1
            member.proxy.back.delay_s = self._rng.uniform(0, 0.5)
            await self._for_a_while()
            member.proxy.back.delay_s = 0
