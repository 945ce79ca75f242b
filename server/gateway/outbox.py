"""What waits to be sent to one connection: bounded, and of tables only the newest.

The sending half of a viewer. It knows neither the socket nor what the messages mean to the room.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from protocol.errors import CloseCode
from protocol.messages import Notice, Seated, ServerMessage, Table, Unseated, Watching
from protocol.view import Happening, TableView
from server.rooms.view import timeless

MAX_MESSAGES = 256
MAX_BYTES = 256 * 1024
MAX_HAPPENINGS = 200
AT_ONCE_BYTES = 16 * 1024


class Outbox:
    """A `server.node.port.Viewer`: the node and the session put in, the connection's writer takes out.

    Messages keep their order, a newer table taking the end of the queue. Once it is closed, with the code that the
    connection shall end with, nothing more goes in; what is in still goes out, unless the client was too slow for it.
    """

    def __init__(
        self, encode: Callable[[ServerMessage], bytes], stir: Callable[[], None], most_bytes: int = MAX_BYTES
    ) -> None:
        """`stir` is called when something has come in, or it was closed; it must not take anything out at once."""
        self.code: CloseCode | None = None
        self.closing = asyncio.Event()
        self.place_held: Seated | Watching | None = None
        """Where the viewer sits or watches, as far as it has been told."""
        self.shown = 0
        """How often a view came in: while it stands still, so does the table."""
        self._encode = encode
        self._stir = stir
        self._waiting: deque[bytes | None] = deque()  # None: here goes the newest table
        self._bytes = 0
        self._most_bytes = most_bytes
        self._table: Table | None = None
        self._sent: TableView | None = None

    @property
    def waiting_bytes(self) -> int:
        """Of what is encoded and not sent."""
        return self._bytes

    def place(self, place: Seated | Watching) -> None:
        self.place_held = place
        self._change_room(place)

    def show(self, view: TableView, happened: tuple[Happening, ...]) -> None:
        if self.code is not None:
            return
        self.shown += 1
        missed = False
        if self._table is not None:
            self._waiting.remove(None)
            happened = self._table.happened + happened
            missed = self._table.missed
        self._table = Table(view, happened[-MAX_HAPPENINGS:], missed or len(happened) > MAX_HAPPENINGS)
        self._waiting.append(None)
        self._stir()

    def renew(self) -> None:
        self._sent = None

    def tell(self, message: ServerMessage) -> None:
        if isinstance(message, Notice):
            self.renew()  # the client may wait for the next view, even for one that says nothing new
        self._put(self._encode(message))

    def unseat(self, reason: str) -> None:
        self.place_held = None
        self._change_room(Unseated(reason))

    def replace(self) -> None:
        self.close(CloseCode.REPLACED)

    def send_away(self) -> None:
        self.close(CloseCode.RESTART)

    def close(self, code: CloseCode) -> None:
        """Let nothing more in. The first code stays."""
        if self.code is None:
            self.code = code
            self.closing.set()
            self._stir()

    def pop(self) -> bytes | None:
        """The next frame; None where nothing waits."""
        while self._waiting:
            frame = self._waiting.popleft()
            if frame is not None:
                self._bytes -= len(frame)
                return frame
            frame = self._frame_of_table()
            if frame is not None:
                return frame
        return None

    def take(self) -> list[bytes]:
        """The next frames, of about `AT_ONCE_BYTES` at most."""
        frames, size = [], 0
        while size < AT_ONCE_BYTES and (frame := self.pop()) is not None:
            frames.append(frame)
            size += len(frame)
        return frames

    def _put(self, frame: bytes) -> None:
        if self.code is not None:
            return
        self._waiting.append(frame)
        self._bytes += len(frame)
        self._stir()
        if len(self._waiting) > MAX_MESSAGES or self._bytes > self._most_bytes:
            self._waiting.clear()
            self._table = None
            self.close(CloseCode.TOO_SLOW)

    def _change_room(self, message: Seated | Watching | Unseated) -> None:
        """The last table of the room before is no longer one that a newer table may stand for."""
        if self._table is not None:
            self._waiting.remove(None)
            last = self._frame_of_table()
            if last is not None:
                self._put(last)
        self._sent = None
        self.tell(message)

    def _frame_of_table(self) -> bytes | None:
        """None where it would tell the client nothing new."""
        table, self._table = self._table, None
        assert table is not None, "its place in the queue goes with it"
        news = timeless(table.view)
        if not table.happened and news == self._sent:
            return None
        self._sent = news
        return self._encode(table)
