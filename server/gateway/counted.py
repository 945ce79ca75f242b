"""A connection of the WebSocket library, with what is counted of it."""

from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import Event
from websockets.server import ServerProtocol

from server.clock import Clock
from server.gateway.admission import Admission, Visit
from server.gateway.bucket import Bucket

CONTROLS_PER_S, CONTROLS_AT_ONCE = 20, 100
"""Pings and pongs of one connection, which never become messages; more than these end it."""

_CONTROLS = frozenset((Opcode.PING, Opcode.PONG))
_DATA = frozenset((Opcode.TEXT, Opcode.BINARY, Opcode.CONT))


class Counted(ServerConnection):
    """A connection that admission knows of until its loss."""

    def __init__(
        self,
        visit: Visit,
        admission: Admission,
        clock: Clock,
        protocol: ServerProtocol,
        server: Server,
        **timeouts: Any,
    ) -> None:
        super().__init__(protocol, server, **timeouts)
        self.visit = visit
        self.flooded: Callable[[int], None] = lambda _now_ms: None
        """Called when there are too many control frames."""
        self.unread = 0
        """Messages that have come and were not taken."""
        self._admission = admission
        self._clock = clock
        self._controls = Bucket(CONTROLS_PER_S, CONTROLS_AT_ONCE)

    def is_lost(self) -> bool:
        return self.connection_lost_waiter.done()

    def connection_lost(self, exc: Exception | None) -> None:
        self._admission.leave(self.visit, self._clock.monotonic_ms())
        super().connection_lost(exc)

    def process_event(self, event: Event) -> None:
        super().process_event(event)
        if not isinstance(event, Frame):
            return
        if event.opcode in _DATA:
            self.unread += event.fin
        elif event.opcode in _CONTROLS:
            now_ms = self._clock.monotonic_ms()
            if self._controls.spend(now_ms):
                self.transport.pause_reading()
                self.flooded(now_ms)
