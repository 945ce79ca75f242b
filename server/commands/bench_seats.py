"""The players of `bench server`, a process of their own: three in each room, who answer at once. Not a command.

Arguments: the server's URL, the game, how many rooms. Says 1 once one room is being played, waits for a line, says how
many rooms there are once they all are being played, plays a first part as it is told, says how the traffic of each
table was (a list of `Exchange`), and plays on as it is told.
"""

import asyncio
import random
import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from time import perf_counter

import msgspec
from msgspec import Struct

from protocol.codec import MSGPACK, client_codec
from protocol.errors import ErrorCode
from protocol.messages import (
    MAX_DEALS,
    Act,
    ClientMessage,
    Create,
    Done,
    Hello,
    Join,
    Leave,
    Ready,
    Refused,
    SeatCommand,
    Seated,
    Start,
    Unseated,
)
from server.commands.bench_traffic import Exchange, Gate, hear, tell
from server.commands.bench_wire import Wire, dialled
from server.eventloop import run

SHOWN = {"chuo-pai": ("play", "pass"), "paohuzi": ("discard",)}
"""How the actions begin that everybody is shown at once."""

HAPPENINGS = frozenset(("led", "played", "passed", "discarded"))
"""What is shown of them."""

OVERTAKEN = frozenset((ErrorCode.STALE_PROMPT, ErrorCode.NOT_ASKED))
"""Others had made the outcome certain before the answer came."""


class _Room(Struct):
    phase: str
    deal: int


class _Prompt(Struct):
    id: int
    actions: tuple[str, ...]


class _You(Struct):
    n: int


class _View(Struct):
    room: _Room
    you: _You
    prompt: _Prompt | None = None


class _Happening(Struct):
    kind: str
    seat: int | None = None


class _Table(Struct, tag_field="type", tag="table"):
    """As much of `protocol.messages.Table` as somebody reads who decides by lot."""

    view: _View
    happened: tuple[_Happening, ...] = ()


class _Welcome(Struct, tag_field="type", tag="welcome"):
    pass


_read = msgspec.msgpack.Decoder(_Table | Done | Refused | Seated | Unseated | _Welcome).decode
_write = client_codec(MSGPACK).encode


class Player:
    """In one seat."""

    def __init__(self, table: "TableOfPlayers", seat: int) -> None:
        self.wire: Wire | None = None
        self._table = table
        self._seat = seat
        self._view: _View | None = None
        self._waiting: SeatCommand | None = None
        self._answered = ("", 0)
        """The question, the pause or the end that was answered last."""

    def say(self, message: ClientMessage) -> None:
        assert self.wire is not None, "it was opened"
        frame = _write(message)
        self._table.sent(self._seat, isinstance(message, Act), len(frame))
        self.wire.send(frame)

    def heard(self, frame: bytes) -> None:
        self._table.came(self._seat, len(frame))
        match _read(frame):
            case _Table(view, happened):
                self._view = view
                self._table.shown(self._seat, view.room, happened)
            case Done():
                self._table.gate.moves += isinstance(self._waiting, Act)
                self._waiting = None
            case Refused(retry_ms=int(retry_ms)) if self._waiting is not None:
                asyncio.get_running_loop().call_later(retry_ms / 1000, self.say, self._waiting)
            case Refused(code=code) if code in OVERTAKEN:
                self._waiting = None
            case Refused(text=text):
                self._table.fail(text)
            case Seated(code=code):
                self._table.seated(code)
            case Unseated():
                self._waiting, self._view, self._answered = None, None, ("", 0)
                self._table.unseated()
        if self._waiting is None and self._view is not None:
            self._go_on(self._view)

    def _go_on(self, view: _View) -> None:
        if view.prompt is not None:
            self._answer(("prompt", view.prompt.id), partial(self._table.gate.let, partial(self._act, view.prompt)))
        elif view.room.phase == "between":
            self._answer(("between", view.room.deal), lambda: self._command(Ready(view.you.n + 1)))
        elif view.room.phase == "over":
            self._answer(("over", view.room.deal), lambda: self._command(Leave(view.you.n + 1)))

    def _answer(self, question: tuple[str, int], answer: Callable[[], None]) -> None:
        if self._answered != question:
            self._answered = question
            answer()

    def _act(self, prompt: _Prompt) -> None:
        view = self._view
        if view is not None and view.prompt is not None and view.prompt.id == prompt.id:
            action = random.choice(prompt.actions)
            self._table.acts(self._seat, action)
            self._command(Act(view.you.n + 1, prompt.id, action))

    def _command(self, command: SeatCommand) -> None:
        self._waiting = command
        self.say(command)


class TableOfPlayers:
    """Three players who open a room, play a whole match in it and open the next.

    `playing`: cards were dealt. `ended`: raises what ended it. `traffic` is added to while `recording`.
    """

    def __init__(self, game: str, gate: Gate) -> None:
        self.gate = gate
        self.playing = asyncio.Event()
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.traffic: list[Exchange] = []
        self.recording = False
        self._game = game
        self._players = [Player(self, seat) for seat in range(3)]
        self._sitting = 0
        self._unseen: tuple[deque[_Unseen], ...] = (deque(), deque(), deque())

    async def open(self, url: str) -> None:
        for player in self._players:
            player.wire = await dialled(url, MSGPACK, player.heard)
            player.wire.ended.add_done_callback(lambda _: self.fail("the server closed a connection"))
            player.say(Hello("Ann"))
        self._create()
        await self.playing.wait()

    def fail(self, why: str) -> None:
        if not self.ended.done():
            self.ended.set_exception(RuntimeError(why))

    def _create(self) -> None:
        self._players[0].say(Create(self._game, deals=MAX_DEALS))

    def seated(self, code: str) -> None:
        self._sitting += 1
        if self._sitting < 3:
            self._players[self._sitting].say(Join(code))
        else:
            self._players[0].say(Start(1))

    def unseated(self) -> None:
        self._sitting -= 1
        if not self._sitting:
            self._create()

    def sent(self, seat: int, move: bool, size: int) -> None:
        if self.recording:
            self.traffic.append(Exchange(seat, move, size, ([], [], [])))

    def came(self, seat: int, size: int) -> None:
        if self.recording and self.traffic:
            self.traffic[-1].answers[seat].append(size)

    def acts(self, seat: int, action: str) -> None:
        if action.startswith(SHOWN[self._game]):
            self._unseen[seat].append(_Unseen(perf_counter(), {0, 1, 2}))

    def shown(self, viewer: int, room: _Room, happened: tuple[_Happening, ...]) -> None:
        if room.phase == "playing":
            self.playing.set()
        for happening in happened:
            if happening.kind in HAPPENINGS and happening.seat is not None:
                self._seen(viewer, self._unseen[happening.seat])

    def _seen(self, viewer: int, unseen: "deque[_Unseen]") -> None:
        move = next((move for move in unseen if viewer in move.by), None)
        if move is not None:
            move.by.discard(viewer)
            if not move.by:
                unseen.remove(move)
                self.gate.seen_ms.append((perf_counter() - move.sent_s) * 1000)


class _Unseen(Struct, eq=False):
    """A move, and by whom it has not been seen yet."""

    sent_s: float
    by: set[int]


async def play(url: str, game: str, rooms: int) -> None:
    gate = Gate()
    tables = [TableOfPlayers(game, gate) for _ in range(rooms)]
    watching = asyncio.gather(*(table.ended for table in tables))
    playing = asyncio.create_task(_play(tables, gate, url))
    done, _ = await asyncio.wait((watching, playing), return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


async def _play(tables: list[TableOfPlayers], gate: Gate, url: str) -> None:
    await tables[0].open(url)
    tell(1)
    await hear(int)
    for table in tables[1:]:
        await table.open(url)
    tell(len(tables))
    for table in tables:
        table.recording = True
    await gate.play_part()
    for table in tables:
        table.recording = False
    tell([table.traffic for table in tables])
    while await gate.play_part():
        pass


if __name__ == "__main__":
    run(play(sys.argv[1], sys.argv[2], int(sys.argv[3])))
