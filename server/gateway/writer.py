"""What waits in an outbox, written to its connection."""

import asyncio
import logging

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

from protocol.codec import Codec
from protocol.errors import CloseCode
from protocol.messages import ClientMessage, ServerMessage
from server.faults import kind_and_place
from server.gateway.frames import framed
from server.gateway.outbox import Outbox
from server.gateway.traffic import Traffic

log = logging.getLogger(__name__)

WRITE_BUFFER_BYTES = 32 * 1024


class Writer:
    """Sends what waits in an outbox, no faster than the client reads: what came in one turn of the event loop in one
    write, since that is most of what a frame costs.

    `ended`: the outbox is closed and all that was in it is sent, or nothing more can be.
    """

    def __init__(
        self,
        connection: ServerConnection,
        codec: Codec[ClientMessage, ServerMessage],
        stalled_s: float,
        most_bytes: int,
        traffic: Traffic,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.outbox = Outbox(codec.encode, self._stir, most_bytes)
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._connection = connection
        self._text = codec.text
        self._stalled_s = stalled_s
        self._traffic = traffic
        self._due = False
        self._draining: asyncio.Task[None] | None = None

    def stop(self) -> None:
        if self._draining is not None:
            self._draining.cancel()

    def _stir(self) -> None:
        if not self._due and self._draining is None:
            self._due = True
            self._loop.call_soon(self._send)

    def _send(self) -> None:
        self._due = False
        try:
            while payloads := self.outbox.take():
                self._write(payloads)
                if self._connection.transport.get_write_buffer_size() > WRITE_BUFFER_BYTES:
                    self._draining = self._loop.create_task(self._drain())
                    return
        except Exception as fault:  # noqa: BLE001 - the edge: whatever it is ends this connection and no other
            log.error("in a connection: %s", kind_and_place(fault))
            self.outbox.close(CloseCode.INTERNAL)
        if self.outbox.code is not None:
            self._end()

    def _write(self, payloads: list[bytes]) -> None:
        if self._connection.protocol.state is State.OPEN:  # else this is told where the connection is read
            self._connection.transport.write(framed(payloads, self._text))
            self._traffic.went_out(payloads)

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(self._stalled_s):
                await self._connection.drain()
        except TimeoutError:
            self.outbox.close(CloseCode.TOO_SLOW)
            self._end()
        except OSError:  # the connection broke, which is told where it is read
            self._end()
        else:
            self._draining = None
            self._stir()

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
