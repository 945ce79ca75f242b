"""What goes through the gateway, counted."""

from collections import Counter
from dataclasses import dataclass, field

from protocol.errors import CloseCode
from server.durations import LATENCY_S, Durations

_KNOWN_CODES = {*range(1000, 1016), *CloseCode}


@dataclass
class Traffic:
    """Frames are messages, in bytes of payload. `answers`: by the kind of the message, and `ok` or the code of the
    refusal. `turned_away`: requests that got no WebSocket, by the reason. `closed`: connections by their close code.
    `command_s`: how long the node took for what it was asked. `lobby_s`: how long what comes from those at no table, or
    is refused, waited for its turn.
    """

    frames_in: int = 0
    bytes_in: int = 0
    frames_out: int = 0
    bytes_out: int = 0
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    turned_away: Counter[str] = field(default_factory=Counter)
    closed: Counter[str] = field(default_factory=Counter)
    command_s: Durations = field(default_factory=lambda: Durations(LATENCY_S))
    lobby_s: Durations = field(default_factory=lambda: Durations(LATENCY_S))

    def came_in(self, frame: bytes | str) -> None:
        self.frames_in += 1
        self.bytes_in += len(frame) if isinstance(frame, bytes) or frame.isascii() else len(frame.encode())

    def went_out(self, payloads: list[bytes]) -> None:
        self.frames_out += len(payloads)
        self.bytes_out += sum(map(len, payloads))

    def ended(self, code: int | None) -> None:
        """A connection is closed. Clients may close with any code, and are to make no labels of their own."""
        self.closed[str(code) if code in _KNOWN_CODES else "other"] += 1
