"""The process that serves the model of the store: connections, turns, the disk, death and rebirth.

Like the real one it carries out what has arrived in one turn, writes that to its disk, and only then answers and
publishes. Killed in between, any first part of the turn's writes may be found on the disk, and nobody had an answer.
"""

from collections import deque
from random import Random

import hiredis

from tests.simulation.loop import Event, Timeline
from tests.simulation.network import SERVER, Link
from tests.simulation.valkey import Failure, Reply, Valkey, encoded

EPOCH_US = 1_800_000_000_000_000

WRITES = frozenset((b"EVALSHA", b"EVAL", b"SET", b"DEL", b"ZADD", b"ZREM", b"ZREMRANGEBYSCORE", b"PEXPIRE"))
QUIET = frozenset((b"SUBSCRIBE", b"UNSUBSCRIBE", b"PING", b"INFO", b"CONFIG"))
"""What needs no loaded data."""


class Client:
    """The database's end of a connection."""

    def __init__(self, database: "Database", link: Link) -> None:
        self.link = link
        self.channels: dict[bytes, None] = {}
        self.held: bytes | None = None
        self._database = database
        self._reader = hiredis.Reader()
        link.ends[SERVER] = self

    def arrived(self, what: bytes) -> None:
        self._reader.feed(what)
        while (command := self._reader.gets()) is not False:
            self._database.asked(self, command)

    def ended(self) -> None:
        self.link.close(SERVER)
        self._database.clients.pop(self, None)


class Database:
    """`written_us[key]` holds when each entry of a list was written, by its own clock. Faults: that clock was set
    by `set_by_us` in all; `refusing` is answered to every write; of published messages the part `deaf` is dropped and
    `unruly` is doubled or comes late."""

    name = "store"

    def __init__(self, timeline: Timeline, rng: Random) -> None:
        self.up = True
        self.set_by_us = 0
        self.refusing: str | None = None
        self.disk_s = 0.0002
        self.deaf = 0.0
        self.unruly = 0.0
        self.clients: dict[Client, None] = {}
        self.model = Valkey()
        self.written_us: dict[bytes, list[int]] = {}
        self.kills = 0
        self._timeline = timeline
        self._rng = rng
        self._asked: deque[tuple[Client, list[bytes]]] = deque()
        self._turn: Event | None = None
        self._unanswered: list[tuple[Client, bytes]] = []
        self._unsynced = 0
        self._loading_until_s = 0.0

    @property
    def now_us(self) -> int:
        return EPOCH_US + round(self._timeline.now_s * 1e6) + self.set_by_us

    def accept(self, link: Link) -> bool:
        if self.up:
            self.clients[Client(self, link)] = None
        return self.up

    def asked(self, client: Client, command: list[bytes]) -> None:
        self._asked.append((client, command))
        if self._turn is None and self.up:
            self._turn = self._timeline.after(0.00002, self._work)

    def kill(self) -> None:
        """SIGKILL: whoever had an answer finds it true later; the writes of this turn may be on the disk or not."""
        self.kills += 1
        self._stop()
        self.model.take_back(self._rng.randint(0, self._unsynced))
        self._unsynced = 0

    def fail_over(self, lost: int) -> None:
        """A replica that lacks the last so many writes takes over, at once."""
        self._stop()
        self.model.take_back(self._unsynced + lost)
        self._unsynced = 0
        self.start(0.0)

    def start(self, loading_s: float) -> None:
        self.model.restart()
        self.up = True
        self._loading_until_s = self._timeline.now_s + loading_s

    def _stop(self) -> None:
        self.up = False
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        self._asked.clear()
        self._unanswered.clear()
        for client in self.clients:
            client.link.ends[SERVER] = None
            client.link.reset(spare=SERVER)
        self.clients.clear()

    def _work(self) -> None:
        model, now_us = self.model, self.now_us
        before = len(model.undo)
        while self._asked:
            client, command = self._asked.popleft()
            if client in self.clients:
                self._unanswered.append((client, self._answer(client, command, now_us)))
            else:  # it hung up; what it asked is done all the same
                self._answer(client, command, now_us)
            for channel, message in model.published:
                self._publish(channel, message)
            model.published.clear()
        self._unsynced = len(model.undo) - before
        wait_s = self.disk_s * (0.5 + self._rng.random()) if self._unsynced else 0.00001
        self._turn = self._timeline.after(wait_s, self._tell)

    def _tell(self) -> None:
        self._unsynced = 0
        self._turn = None
        for client, reply in self._unanswered:
            client.link.send(SERVER, reply)
        self._unanswered.clear()
        if self._asked:
            self._turn = self._timeline.after(0.00002, self._work)

    def _answer(self, client: Client, command: list[bytes], now_us: int) -> bytes:
        name = command[0].upper()
        if name in (b"SUBSCRIBE", b"UNSUBSCRIBE"):
            return b"".join(self._subscribe(client, name, channel) for channel in command[1:])
        if name == b"PING" and client.channels:
            return encoded([b"pong", b""])
        try:
            if self._timeline.now_s < self._loading_until_s and name not in QUIET:
                raise Failure("LOADING Redis is loading the dataset in memory")
            if self.refusing is not None and name in WRITES:
                raise Failure(self.refusing)
            reply: Reply | Failure = self.model.execute(command, now_us)
        except Failure as failure:
            reply = failure
        if name in (b"EVALSHA", b"EVAL") and isinstance(reply, list) and reply[0] == b"ok":
            key = command[3]
            times = self.written_us.setdefault(key, [])
            del times[len(self.model.log(key)) - 1 :]
            times.append(now_us)
        return encoded(reply)

    def _subscribe(self, client: Client, name: bytes, channel: bytes) -> bytes:
        if name == b"SUBSCRIBE":
            client.channels[channel] = None
        else:
            client.channels.pop(channel, None)
        return encoded([name.lower(), channel, len(client.channels)])

    def _publish(self, channel: bytes, message: bytes) -> None:
        bytes_ = encoded([b"message", channel, message])
        for client in self.clients:
            if channel not in client.channels or self._rng.random() < self.deaf:
                continue
            late, client.held = client.held, None
            if self._rng.random() < self.unruly:
                if self._rng.random() < 0.5:
                    client.held = bytes_
                else:
                    self._unanswered.append((client, bytes_ * 2))
            else:
                self._unanswered.append((client, bytes_))
            if late is not None:
                self._unanswered.append((client, late))
