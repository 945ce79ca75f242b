"""Two deals of Paohuzi with the same public history, in one of which another seat may claim, send a third seat and a
spectator the same bytes at the same times.

The whole server runs twice, with its real gateway on real sockets and a clock that is moved by hand.
"""

import asyncio
from contextlib import AsyncExitStack
from itertools import count

import pytest

from protocol.codec import JSON
from protocol.messages import Act, AskHint, Because, Hint, ListRooms, Refused, Rooms, Why
from protocol.notation import Action
from protocol.view import BotLevel, TableView
from server.bots.pool import BotPool
from server.bots.worker import Answer, Question, answered, framed
from server.games.base import Deck, Seat
from server.rooms.events import decode_commit
from server.rooms.fold import fold
from server.rooms.state import RoomState, asked, window
from server.store.base import EMPTY, unseal
from tests.e2e.clients import Client, client, look_on, open_room, start
from tests.moved_clock import MovedClock
from tests.server.dealt import dealing_server
from tests.server.rooms.hidden_windows import Twins, answer, twins
from tests.simulated_store import World

BOT: Seat = 2
SPECTATOR = None
BEAT_MS = 700
TEXTS = ("win", "peng", "pao", "s1 s2 s3", "chi s2+s7+s10", "b1 b2", "discard s5", "s4+s4+b4")
LENGTH = 24
"""Moments of a course: discards, and cards that went on."""

Stream = list[tuple[int, bytes]]
"""What one viewer was sent, and when; a bot, what its worker was."""


class Course:
    """The deal as the room's log tells it, and what its seats are to do."""

    def __init__(self, world: World, twins: Twins) -> None:
        self.code = ""
        self._world = world
        self._twins = twins

    @property
    def state(self) -> RoomState:
        position, state = EMPTY, None
        for entry in self._world.log(self.code):
            payload, position = unseal(position, entry)
            state = fold(state, decode_commit(payload))
        assert state is not None
        return state

    @property
    def over(self) -> bool:
        return bool(self.state.table.moment >= self._twins.last)

    def answer(self, seat: Seat) -> Action:
        return answer(self._twins.steps, self.state.table.moment, seat)


class CoursePool(BotPool):
    """Bots that follow the course, and behind its end think for ever."""

    def __init__(self, clock: MovedClock, course: Course) -> None:
        super().__init__()
        self.stream: Stream = []
        self._clock = clock
        self._course = course

    async def choose(self, game: str, level: BotLevel, view: TableView, seed: int, timeout_ms: int) -> Action:
        self.stream.append((self._clock.monotonic_ms(), framed(Question(game, level, seed, view))))
        if self._course.over:
            await asyncio.Event().wait()
        return self._course.answer(BOT)

    async def answer(self, question: Question, timeout_ms: int) -> Answer | None:
        return answered(question)


async def _answered(player: Client) -> None:
    while not isinstance(await player.receive(), Because | Hint | Refused):
        pass


class Table:
    """Two players, a bot and a spectator. `streams` grows whenever everything under way has arrived."""

    def __init__(self, clock: MovedClock, course: Course, clients: dict[Seat | None, Client]) -> None:
        self.streams: dict[Seat | None, Stream] = {viewer: [] for viewer in clients}
        self._clock = clock
        self._course = course
        self._clients = clients

    async def arrive(self) -> None:
        for viewer, its in self._clients.items():
            await its.send(ListRooms())
            await its.until(Rooms)
            *frames, _ = its.frames
            its.frames.clear()
            self.streams[viewer] += [(self._clock.monotonic_ms(), frame) for frame in frames]

    async def move(self, ms: int) -> None:
        await self._clock.move(ms)
        await self.arrive()
        if ms:
            await self.ask_for_help()

    async def ask_for_help(self) -> None:
        """What is answered stands in the streams."""
        for viewer, its in self._clients.items():
            if viewer == SPECTATOR:
                continue
            prompt = its.view.prompt
            number = prompt.id if prompt else 0
            for text in ("pass", TEXTS[self._clock.monotonic_ms() % len(TEXTS)]):
                await its.send(Why(number, text))
                await _answered(its)
            await its.send(AskHint(number))
            await _answered(its)
        await self.arrive()

    async def act(self, *seats: Seat | None) -> None:
        """Those of the players who are asked; whoever claims the card comes first."""
        now = {seat: self._course.answer(seat) for seat in asked(self._course.state) if seat in seats and seat != BOT}
        for seat in sorted(now, key=lambda seat: now[seat] == "pass"):
            player = self._clients[seat]
            if player.view.prompt is not None:
                await player.do(Act(player.next_n, player.prompt.id, now[seat]))
                await self.arrive()


async def played(deck: Deck, twins: Twins, viewer: Seat | None) -> Stream:
    """The course of this deal, as the viewer was sent it. Whoever is asked answers within the beat."""
    clock = MovedClock()
    world = World(clock)
    course = Course(world, twins)
    pool = CoursePool(clock, course)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(dealing_server(world, pool, deck, first=0, beat_ms=BEAT_MS))
        ann = await stack.enter_async_context(client(url, "Ann"))
        bo = await stack.enter_async_context(client(url, "Bo", subprotocol=JSON))
        spectator = await stack.enter_async_context(client(url, "Cy"))
        course.code = await open_room(ann, bo, game="paohuzi")
        await look_on(spectator, course.code)
        await start(ann)
        table = Table(clock, course, {0: ann, 1: bo, SPECTATOR: spectator})
        await table.arrive()
        while not course.over:
            if not window(course.state):
                await table.act(0, 1)
                await table.move(BEAT_MS if BOT in asked(course.state) and not window(course.state) else 0)
                continue
            await table.act(viewer)
            await table.move(BEAT_MS // 2)
            await table.act(0, 1)
            await table.move(BEAT_MS - BEAT_MS // 2 - 1)
            await table.move(1)
        return pool.stream if viewer == BOT else table.streams[viewer]


@pytest.mark.parametrize("viewer", [0, 1, BOT, SPECTATOR])
@pytest.mark.parametrize("number", range(2))
async def test_claims_of_others_change_no_byte_and_no_moment_of_what_a_viewer_is_sent(
    viewer: Seat | None, number: int
) -> None:
    pair = next(pair for seed in count(100 * number) if (pair := twins(seed, LENGTH, viewer)))
    one, other = [await played(deck, pair, viewer) for deck in pair.decks]
    assert one == other
    assert one
