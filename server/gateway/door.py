"""The door between a socket and the WebSocket library: whoever comes is let in or cut off, and brings little at a time.

What a connection costs before it is let in is what a flood of them costs everybody else, so the library's part is made
only then.
"""

import asyncio
from collections.abc import Callable
from typing import cast

READ_BYTES = 512
"""What is read of one connection in one turn of the event loop. The library parses all that it is given in one go, and
nobody else has a turn meanwhile; what a player says fits. uvloop reads on while this is filled, until the library has
enough messages.
"""


class Door(asyncio.BufferedProtocol):
    """One connection. `enter` is given the address of its peer and gives what it talks to; None: it is cut off."""

    def __init__(self, enter: Callable[[str], asyncio.Protocol | None]) -> None:
        self._enter = enter
        self._within: asyncio.Protocol | None = None
        self._buffer = memoryview(bytearray(READ_BYTES))  # parts of it are no copies: TLS fills one after the other

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername") or ("",)  # it may be gone already
        self._within = self._enter(str(peer[0]))
        if self._within is None:
            cast(asyncio.Transport, transport).abort()
        else:
            self._within.connection_made(transport)

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._within is not None:
            self._within.data_received(bytes(self._buffer[:nbytes]))

    def eof_received(self) -> bool | None:
        return None if self._within is None else self._within.eof_received()

    def pause_writing(self) -> None:
        if self._within is not None:
            self._within.pause_writing()

    def resume_writing(self) -> None:
        if self._within is not None:
            self._within.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._within is not None:
            self._within.connection_lost(exc)
