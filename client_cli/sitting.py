"""Joins one connection, one conversation and one front end until the sitting is over. All its logic lies in those."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager, suppress

from client_cli import words, words_link, words_seats
from client_cli.connection import Connection, Lost, Opened, Sought
from client_cli.deal_file import write_new
from client_cli.endings import Replaced, TicketRefused
from client_cli.failure import CommandFailed, first_failure
from client_cli.fairness import KeptRound
from client_cli.frontend import FrontEnd
from client_cli.plain import Conversation
from client_cli.records import Fetched
from client_cli.replay_child import replay_of_record
from client_cli.step import Step
from client_cli.tickets import SavedSeat, TicketStore, now_s
from protocol.errors import ExitCode
from protocol.messages import Say, Table


class Sitting:
    """One person at one room. `tickets`: where the seat is kept; None for a room that ends with this program."""

    def __init__(
        self,
        front: FrontEnd,
        connection: Connection,
        conversation: Conversation,
        tickets: TicketStore | None,
        way_back: Callable[[str], tuple[str, ...]] = words_seats.way_back,
    ) -> None:
        self._front = front
        self._connection = connection
        self._conversation = conversation
        self._session = conversation.session
        self._tickets = tickets
        self._way_back = None if tickets is None else way_back
        self._kept = self._to_keep
        self._link = _Link()
        self._again_soon: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._listening = asyncio.Event()
        self._over: asyncio.Future[ExitCode] = asyncio.get_running_loop().create_future()

    @property
    def _to_keep(self) -> tuple[str | None, tuple[str, ...], tuple[KeptRound, ...]]:
        return self._session.ticket, self._connection.servers.known, self._session.fairness.kept

    async def run(self) -> ExitCode:
        """Play until the match is over or the person goes; the way back is said if the seat is saved.

        Raises `CommandFailed`.
        """
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                self._spawn(self._follow())
                self._spawn(self._listen())
                with _interrupts(self._interrupted):
                    code = await self._over
                for task in self._tasks:
                    task.cancel()
        except BaseExceptionGroup as failures:
            raise first_failure(failures) from None
        finally:
            if self._way_back and self._session.code is not None and self._is_saved():
                for line in self._way_back(self._session.code):
                    self._front.farewell(line)
        return code

    def _spawn(self, part: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = self._group.create_task(part)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _follow(self) -> None:
        try:
            while True:
                try:
                    await self._take_events()
                except TicketRefused:
                    if not self._session.entering_anew:
                        self._session.ticket_refused()
                    if not self._session.entering_anew:
                        raise
        except Replaced:
            await self._stand_by()
        except TicketRefused:
            raise CommandFailed(ExitCode.REFUSED, words_seats.seat_gone()) from None
        finally:
            self._keep_ticket()

    def _is_saved(self) -> bool:
        """Is the seat kept still? A newer window may have left it, or played to the end."""
        if self._tickets is None or self._session.ticket is None:
            return False
        with suppress(OSError):
            return any(seat.ticket == self._session.ticket for seat in self._tickets.unfinished(now_s()).seats)
        return False

    async def _stand_by(self) -> None:
        """A newer window has the seat: only Ctrl-C is for this one, if it runs the server. Raises `CommandFailed`."""
        if self._conversation.ends is None:
            self._way_back = None  # the other window will say it
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        await self._take(self._conversation.replaced())

    async def _take_events(self) -> None:
        async with aclosing(self._connection.events()) as events:
            async for event in events:
                if isinstance(event, Opened | Lost) and self._again_soon is not None:
                    self._again_soon.cancel()  # it was for the connection before
                match event:
                    case Opened(url=url):
                        await self._take(self._conversation.opened(self._link.moved_to(url)))
                    case Sought(url=url):
                        self._front.note(words_link.sought(url))
                    case Lost() as lost:
                        self._session.lost()
                        self._front.changed(self._session)
                        if self._link.is_news(lost):
                            self._front.note(words_link.lost(*lost, alone=self._link.one_is_silent))
                    case message:
                        if isinstance(message, Table):
                            self._link.works()
                        await self._take(self._conversation.received(message))

    async def _listen(self) -> None:
        while True:
            if not self._front.interactive:
                await self._listening.wait()
            line = await self._front.line()
            if line is None:
                await self._take(self._conversation.input_ended())
                return
            if not line.strip() and self._connection.hurry():
                self._front.note(words_link.trying_now())
                self._link.asked_for()
            else:
                await self._take(self._conversation.typed(line), typed=True)

    def _interrupted(self) -> None:
        if not self._over.done():
            self._spawn(self._take(self._conversation.interrupted()))

    async def _take(self, step: Step, *, typed: bool = False) -> None:
        for line in step.lines:
            self._front.show(line)
        self._front.changed(self._session)
        self._keep_ticket()
        if self._conversation.listening:
            self._listening.set()
        else:
            self._listening.clear()
        for message in step.send:
            if not await self._connection.send(message) and typed:
                self._front.note(words_link.not_sent() if isinstance(message, Say) else words_link.not_sent_yet())
        if step.again_ms is not None:
            self._again_soon = self._spawn(self._again(step.again_ms))
        for record in step.records:  # last, for it takes a while
            await self._use(record)
        if step.end is not None and not self._over.done():
            self._over.set_result(step.end)

    async def _again(self, wait_ms: int) -> None:
        await asyncio.sleep(wait_ms / 1000)
        await self._take(self._conversation.again())

    async def _use(self, record: Fetched) -> None:
        """Write it into its file, or replay it."""
        try:
            if record.file is None:
                self._front.replay(await replay_of_record(record.line, self._session.seat))
            else:
                self._front.show(words.saved_deal(str(write_new(record.file, record.line))))
        except OSError as error:
            self._front.show(words.unsaved_deal(error.strerror or str(error)))
        except CommandFailed as failed:
            self._front.show(failed.sentence)

    def _keep_ticket(self) -> None:
        """Bring what is saved in line with what the session holds."""
        session, ticket, servers = self._session, self._session.ticket, self._connection.servers
        kept, self._kept = self._kept, self._to_keep
        if self._tickets is None or session.code is None or session.seat is None:
            return
        if self._kept == kept or ticket is kept[0] is None:
            return
        name, rounds = session.name, session.fairness.kept
        seat = SavedSeat(servers.first, session.code, session.seat, name, ticket or "", now_s(), servers.known, rounds)
        try:
            if ticket is None:
                self._tickets.drop(seat.url, seat.code, seat.seat)
            else:
                self._tickets.keep(seat)
        except OSError as error:
            self._front.note(words_seats.not_saved(str(error)))
            self._way_back = None


class _Link:
    """What the person has been told of the connection, so that each thing is said once and not at every attempt."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._silent: set[str] = set()
        self._opened: str | None = None
        self._works: str | None = None

    def is_news(self, lost: Lost) -> bool:
        if lost.why == "unanswered":
            self._silent.add(lost.url)
        tried_at_once = lost.why == "unanswered" and lost.following != lost.url and lost.wait_s == 0
        asked_again = lost.why == "newer" and lost.following == lost.url
        if tried_at_once or asked_again or lost.why in self._told:
            return False
        self._told.add(lost.why)
        return True

    @property
    def one_is_silent(self) -> bool:
        return len(self._silent) == 1

    def asked_for(self) -> None:
        """The person wants to know what the next attempt brings."""
        self._told.discard("unanswered")

    def moved_to(self, url: str) -> str | None:
        """The server, if it is another one than that which showed the last table."""
        self._opened = url
        return None if self._works in (None, url) else url

    def works(self) -> None:
        """The server that was opened last has shown a table."""
        self._works = self._opened
        self._told.clear()
        self._silent.clear()


@contextmanager
def _interrupts(call: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `call` from the loop; a third one ends the program, whatever holds the loop up."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.SIG_IGN:  # a shell's job in the background
        yield
        return
    loop, pressed = asyncio.get_running_loop(), 0

    def press(_number: int, _frame: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 2:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(call)

    signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
