"""The other servers of the same store, as far as they have an address that players can be sent to."""

from contextlib import suppress
from itertools import count

import msgspec
from msgspec import Struct

from server.addresses import is_address
from server.clock import Clock
from server.node.tasks import Tasks
from server.store.base import Refused, Store

CHANNEL = "servers"
"""Followed like a room. No room has this code: those are in capitals."""

SILENT_MS = 15_000
"""A server that has not been heard for so long is taken for gone."""

RETRY_MS = 1_000

AT_MOST = 16


class Serving(Struct, frozen=True, tag="serving"):
    """`node` serves players at `url`; an empty one says that it does not. `asking`: the others should tell theirs."""

    node: str
    url: str
    asking: bool = False


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Serving).decode


class Neighbours:
    """What one node knows of the others. `url`: where it serves players itself, or empty to keep that to itself."""

    def __init__(self, node: str, url: str, store: Store, tasks: Tasks, clock: Clock) -> None:
        self.advertised = bool(url)
        self._node = node
        self._url = url
        self._store = store
        self._tasks = tasks
        self._clock = clock
        self._known: dict[str, tuple[str, int]] = {}
        self._turns = count()

    def servers(self) -> tuple[str, ...]:
        """The addresses of the others, from another one on at each call: who follows the order meets all alike."""
        urls = sorted({url for url, _ in self._known.values()} - {self._url})
        first = next(self._turns) % len(urls) if urls else 0
        return (*urls[first:], *urls[:first])

    @property
    def any(self) -> bool:
        return bool(self._known)

    async def introduce(self) -> None:
        """From now on hear of the others. Ends when they have been asked."""
        while True:
            with suppress(Refused):
                await self._store.follow(CHANNEL)
                await self._store.tell(CHANNEL, _encode(Serving(self._node, self._url, asking=True)))
                return
            await self._clock.sleep_ms(RETRY_MS)

    def tell(self) -> None:
        """Tell the others soon that this server is here, if they are to know."""
        if self._url:
            self._tasks.spawn(self._tell())

    def leave(self) -> None:
        """Tell the others soon that this server goes."""
        if self._url:
            self._url = ""
            self._tasks.spawn(self._tell())

    def hear(self, words: bytes) -> None:
        """What came over `CHANNEL`; what cannot be read, or names no address, is passed over."""
        try:
            serving = _decode(words)
        except msgspec.MsgspecError:
            return
        if serving.node == self._node:
            return
        if not serving.url:
            self._known.pop(serving.node, None)
        elif is_address(serving.url) and (serving.node in self._known or len(self._known) < AT_MOST):
            self._known[serving.node] = serving.url, self._store.now_ms()
        if serving.asking:
            self.tell()

    def forget_silent(self, unheard: bool) -> None:
        """`unheard`: this node could not hear, so that the others may have spoken: their time begins anew."""
        now_ms = self._store.now_ms()
        self._known = {
            node: (url, now_ms if unheard else heard_ms)
            for node, (url, heard_ms) in self._known.items()
            if unheard or now_ms - heard_ms <= SILENT_MS
        }

    async def _tell(self) -> None:
        with suppress(Refused):
            await self._store.tell(CHANNEL, _encode(Serving(self._node, self._url)))
