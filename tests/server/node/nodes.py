"""Nodes for tests: real hubs, rooms and drivers over one simulated world, with a clock that is moved by hand."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random

from protocol.errors import ErrorCode
from protocol.fair import BYTES, dealt
from protocol.messages import Act, Create, SeatCommand
from protocol.notation import Action
from protocol.view import BotLevel, Pace, TableView
from server.bots.pool import BotPool
from server.bots.worker import Answer, Question, answered
from server.games.base import Deck
from server.node.hub import Hub
from server.rooms.commands import OpenRoom
from server.rooms.decide import decide
from server.rooms.due import LOBBY_KEPT_MS, Timing
from server.rooms.events import Commit, decode_commit, encode_commit
from server.rooms.fold import fold
from server.rooms.refusal import Refusal
from server.rooms.state import RoomState
from server.store.base import EMPTY, seal, unseal
from tests.moved_clock import MovedClock, settled
from tests.recorded_viewer import RecordedViewer
from tests.simulated_store import SimulatedStore, World

TIMING = Timing(grace_ms=30_000, beat_ms=700)


class SteeredChance:
    """Drawn from a seed; the next decks may be set, which seat 0 then leads."""

    def __init__(self, seed: str) -> None:
        self.decks: deque[Deck] = deque()
        self._random = Random(seed)

    def secret(self) -> bytes:
        return self._random.randbytes(BYTES)

    def dealt(self, pack: tuple[str, ...], seed: bytes) -> tuple[tuple[str, ...], int]:
        return (self.decks.popleft(), 0) if self.decks else dealt(pack, seed)

    def ticket(self) -> str:
        return self._random.randbytes(11).hex()

    def command_id(self) -> bytes:
        return self._random.randbytes(16)


class PoolInProcess(BotPool):
    """Bots that answer after `think_ms`, or fail. `views`: what they were shown, `limits_ms`: how long they had."""

    def __init__(self, clock: MovedClock) -> None:
        super().__init__(workers=0)
        self.views: list[TableView] = []
        self.limits_ms: list[int] = []
        self.levels: list[BotLevel] = []
        self.think_ms = 0
        self.failing = False
        self._clock = clock

    async def answer(self, question: Question, timeout_ms: int) -> Answer | None:
        self.views.append(question.view)
        self.levels.append(question.level)
        self.limits_ms.append(timeout_ms)
        if self.think_ms:
            await self._clock.sleep_ms(self.think_ms)
        return None if self.failing else answered(question)


class RunningNode:
    """A hub with what it runs on. What its viewers do waits until everybody has been told."""

    def __init__(self, world: World, clock: MovedClock, name: str, advertised: str = "") -> None:
        self.store = SimulatedStore(world)
        self.chance = SteeredChance(name)
        self.pool = PoolInProcess(clock)
        self.hub = Hub(name, self.store, self.pool, clock, self.chance, TIMING, advertised=advertised)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        await self.store.open(self.hub)
        async with self.hub:
            yield
        await self.store.close()

    async def create(
        self,
        name: str = "Ann",
        *,
        game: str = "chuo-pai",
        pace: Pace = "none",
        fill: BotLevel | None = None,
        deals: int = 1,
        listed: bool = False,
        secret: str | None = None,
    ) -> RecordedViewer:
        viewer = RecordedViewer()
        await self.hub.create(viewer, name, Create(game, {}, deals, pace, fill, listed, secret))
        await settled()
        return viewer

    async def join(self, code: str, name: str, secret: str | None = None) -> RecordedViewer:
        viewer = RecordedViewer()
        await self.hub.join(viewer, name, code, secret)
        await settled()
        return viewer

    async def resume(self, ticket: str) -> RecordedViewer:
        viewer = RecordedViewer()
        await self.hub.resume(viewer, ticket)
        await settled()
        return viewer

    async def watch(self, code: str) -> RecordedViewer:
        viewer = RecordedViewer()
        await self.hub.watch(viewer, code)
        await settled()
        return viewer

    async def command(self, viewer: RecordedViewer, message: Callable[..., SeatCommand], /, **fields: object) -> None:
        """The seat's next command."""
        you = viewer.view.you
        await self.hub.command(viewer, message(n=1 if you is None else you.n + 1, **fields))
        await settled()

    async def act(self, viewer: RecordedViewer, action: Action | None = None) -> None:
        """Answer the viewer's question, with the first action unless another is named."""
        prompt = viewer.prompt
        await self.command(viewer, Act, prompt=prompt.id, action=action or prompt.actions[0])

    async def crash(self) -> None:
        """It is killed: whatever it does from now on reaches nobody."""
        self.store.refusing = True
        await settled()

    async def drop(self, viewer: RecordedViewer) -> None:
        """The viewer's connection is gone."""
        self.hub.detach(viewer)
        await settled()


class Nodes:
    """Two nodes, `a` and `b`, on one world."""

    def __init__(self) -> None:
        self.clock = MovedClock()
        self.world = World(self.clock)
        self.a = RunningNode(self.world, self.clock, "a")
        self.b = RunningNode(self.world, self.clock, "b")

    def commits(self, code: str) -> list[Commit]:
        """What the room's log says."""
        position, found = EMPTY, []
        for entry in self.world.log(code):
            payload, position = unseal(position, entry)
            found.append(decode_commit(payload))
        return found

    def state(self, code: str) -> RoomState:
        """What the room's log stands for."""
        state = None
        for commit in self.commits(code):
            state = fold(state, commit)
        assert state is not None
        return state

    def occupy(self, code: str, name: str) -> None:
        """Somebody has a room under this code, and no node has it open."""
        now_ms = self.clock.wall_ms()
        opening = OpenRoom(code, Create("chuo-pai"), name, name.encode(), f"{name}.1")
        commit = Commit(name.encode(), name, now_ms, decide(None, opening, now_ms))
        self.world.write(code, seal(EMPTY, encode_commit(commit))[0], LOBBY_KEPT_MS)

    async def move(self, ms: int) -> None:
        await self.clock.move(ms)


@asynccontextmanager
async def running_nodes() -> AsyncIterator[Nodes]:
    nodes = Nodes()
    async with nodes.a.running(), nodes.b.running():
        yield nodes


@asynccontextmanager
async def running_third(nodes: Nodes, advertised: str = "") -> AsyncIterator[RunningNode]:
    """One node more on the same world."""
    third = RunningNode(nodes.world, nodes.clock, "c", advertised)
    async with third.running():
        yield third


async def refusal(request: Awaitable[object]) -> ErrorCode:
    """The code of a request that must be refused."""
    try:
        await request
    except Refusal as refused:
        await settled()
        return refused.code
    raise AssertionError("it was not refused")
