"""Simulated people: the client's real session on connections that break, and somebody in front of it who plays at
random, walks away, comes back to another server, opens a second window, and sends a command until it is answered.
"""

from collections.abc import Callable
from random import Random

from client_cli.fairness import Fairness, Verdict
from client_cli.session import UNDECIDED, Session
from protocol.codec import MSGPACK, client_codec
from protocol.errors import CloseCode, ErrorCode
from protocol.messages import (
    Act,
    AskHint,
    AutoPass,
    Autopilot,
    ClientMessage,
    Create,
    Emote,
    Export,
    Fill,
    Hello,
    Join,
    Leave,
    ListRooms,
    Ready,
    Refused,
    Remove,
    Say,
    SeatCommand,
    Seated,
    ServerMessage,
    Start,
    Table,
    Unseated,
    Watch,
    Why,
)
from tests.history import History
from tests.simulation.loop import Event, Timeline
from tests.simulation.network import CLIENT, Link, Network

CONNECT_S = 3.0
ANSWER_S = 4.0
"""After so long without an answer a command is sent again."""

PASSING = {*UNDECIDED, ErrorCode.INTERNAL}

_codec = client_codec(MSGPACK)


class Plan:
    """A room that somebody will open; `code` once it is known."""

    def __init__(self, create: Create, players: int) -> None:
        self.create = create
        self.players = players
        self.code = ""


class Window:
    """One program that a person runs: a session, and the connection that it has at the moment."""

    def __init__(self, person: "Person", session: Session) -> None:
        self.person = person
        self.session = session
        self.link: Link | None = None
        self.node = ""
        self.history = person.begin()
        self.gone = False
        self._code: int | None = None
        self._attempt = 0
        self._thinking: Event | None = None
        self._patience: Event | None = None

    @property
    def attached(self) -> bool:
        return self.link is not None and self.session.attached

    # The connection

    def connect(self, node: str) -> None:
        self._attempt += 1
        self.node = node
        attempt = self._attempt
        self.person.network.open(self.person.name, node, lambda link: self._opened(link, attempt))
        self.person.timeline.after(CONNECT_S, self._not_opened, attempt)

    def hang_up(self) -> None:
        """The person closes it, or its machine breaks off: it hears of nothing more."""
        self._attempt += 1
        link, self.link = self.link, None
        if link is not None:
            self.history.closed(None, self._now_ms)
            link.ends[CLIENT] = None
            link.close(CLIENT)
        self._rest()

    def _not_opened(self, attempt: int) -> None:
        if attempt == self._attempt and self.link is None:
            self._attempt += 1
            self.person.lost(self, None)

    def _opened(self, link: Link | None, attempt: int) -> None:
        if attempt != self._attempt:
            if link is not None:
                link.close(CLIENT)
            return
        if link is None:
            self._attempt += 1
            self.person.lost(self, None)
            return
        self.link = link
        link.ends[CLIENT] = self
        self._code = None
        self.history.opened(self._now_ms, self.node)
        self.send(self.session.opened())

    def ended(self) -> None:
        assert self.link is not None
        self.link.close(CLIENT)
        self.link = None
        self._attempt += 1
        self.history.closed(self._code, self._now_ms)
        self._rest()
        self.person.trace("lost its connection to", self.node, self._code)
        self.person.lost(self, self._code)

    @property
    def _now_ms(self) -> int:
        return round(self.person.timeline.now_s * 1000)

    def _rest(self) -> None:
        for event in (self._thinking, self._patience):
            if event is not None:
                event.cancel()
        self._thinking = self._patience = None

    def send(self, messages: list[ClientMessage]) -> None:
        for message in messages:
            if self.link is not None:
                self.person.trace("→", self.node, message)
                self.history.sent(message, self._now_ms)
                self.link.send(CLIENT, _codec.encode(message))
        if messages and self._patience is None:
            self._patience = self.person.timeline.after(ANSWER_S, self._still_unanswered)

    def _still_unanswered(self) -> None:
        self._patience = None
        if self.link is None or self.gone:
            return
        if self.session.attached and self.session.in_flight is not None:
            self.send(self.session.again())

    def arrived(self, what: bytes | int) -> None:
        if isinstance(what, int):
            self._code = what
            return
        message = _codec.decode(what)
        self.person.trace("←", self.node, message)
        self.history.told(message, self._now_ms)
        self.send(self.session.received(message))
        for verdict in self.session.fairness.news():
            assert isinstance(verdict, Verdict), self.person.name
            assert not verdict.wrong, (self.person.name, verdict)
            self.person.proved += verdict.own
        self.person.heard(self, message)
        self._consider()

    # What its user does

    def _consider(self) -> None:
        if self._thinking is None and self.attached and self.session.in_flight is None:
            self._thinking = self.person.timeline.after(self.person.think_s(), self._decide)

    def again_soon(self, wait_s: float) -> None:
        self.person.timeline.after(wait_s, self._again, self._attempt)

    def _again(self, attempt: int) -> None:
        if attempt == self._attempt and self.link is not None and not self.gone:
            self.send(self.session.again())

    def _decide(self) -> None:
        self._thinking = None
        if not self.attached or self.session.in_flight is not None or self.person.quiet:
            return
        command = self._command()
        if command is not None:
            self.issue(command)

    def issue(self, command: SeatCommand) -> None:
        if self.session.in_flight is None and self.attached and self.session.ticket is not None:
            self.send(self.session.issue(command))

    def _command(self) -> SeatCommand | None:
        session, rng = self.session, self.person.rng
        view, n = session.view, session.next_n
        if view is None or session.own is None or session.view_is_behind:
            return None
        whim = rng.random()
        if self.person.lively and whim < 0.1:
            if whim < 0.03:
                return Autopilot(n, on=rng.random() < 0.5)
            if whim < 0.05:
                return AutoPass(n, on=rng.random() < 0.5)
            if whim < 0.06 and self.person.may_leave:
                return Leave(n)
            if whim < 0.08:
                self.send([Say(f"hello from {self.person.name}") if whim < 0.07 else Export(max(1, view.room.deal))])
            elif whim < 0.085:
                self.send([ListRooms()])
            elif whim < 0.095:
                asked = 0 if session.prompt is None else session.prompt.id
                self.send([AskHint(asked), Why(asked, "pass"), Emote("thanks")])
        prompt = session.prompt
        if prompt is not None:
            return Act(n, prompt.id, rng.choice(prompt.actions))
        if view.room.phase == "between" and not session.own.ready:
            return Ready(n)
        if view.room.phase == "open" and view.room.host == session.seat:
            free = [seat.seat for seat in view.seats if seat.kind == "empty"]
            bots = [seat.seat for seat in view.seats if seat.kind == "bot"]
            if bots and rng.random() < 0.1:
                return Remove(n, bots[0])
            if free and rng.random() < 0.3:
                return Fill(n, "random", free[0])
            if not free or rng.random() < self.person.impatience:
                return Start(n, "random")
            self._thinking = self.person.timeline.after(1.0, self._decide)
        elif session.own.autopilot and not self.person.lively:
            return Autopilot(n, on=False)
        return None


class Person:
    """`histories`: one for each window, at one room. `lively`: now and then does something odd; else plays, and stays.
    `quiet`: does nothing at all."""

    def __init__(
        self,
        name: str,
        plan: Plan,
        timeline: Timeline,
        network: Network,
        nodes: Callable[[], list[str]],
        rng: Random,
        trace: Callable[[str], None] | None,
    ) -> None:
        self.name = name
        self.plan = plan
        self.timeline = timeline
        self.network = network
        self.rng = rng
        self.lively = True
        self.quiet = False
        self.impatience = 0.3
        self.may_leave = False
        self.windows: list[Window] = []
        self.histories: list[History] = []
        self.done = False
        self.proved = 0
        self.slow = rng.random() < 0.15
        self._nodes = nodes
        self._trace = trace
        self.entry: Create | Join | Watch | None = None
        self._returning: dict[Window, Event] = {}

    def trace(self, what: str, node: str, message: ClientMessage | ServerMessage | int | None) -> None:
        if self._trace is not None:
            self._trace(f"{self.name} {what} {node} {_shown(message)}")

    def think_s(self) -> float:
        if not self.lively:
            return 0.05 + 0.1 * self.rng.random()
        return self.rng.uniform(0.05, 12.0) if self.slow else self.rng.uniform(0.02, 0.6)

    def begin(self) -> History:
        self.histories.append(History(self.name))
        return self.histories[-1]

    @property
    def settled(self) -> bool:
        """Is it where it wants to be, in all its windows?"""
        return all(window.attached for window in self.windows)

    @property
    def seated(self) -> bool:
        return any(window.attached and window.session.ticket is not None for window in self.windows)

    @property
    def window(self) -> Window | None:
        return self.windows[-1] if self.windows else None

    # Coming and going

    def come(self) -> None:
        """For the first time, or back."""
        if self.entry is None:
            return
        if self.windows or self.done:
            for window in self.windows:
                if window.link is None and window not in self._returning:
                    self._connect(window, 0.0)
            return
        self.windows.append(Window(self, self._session(self.entry)))
        self._connect(self.windows[-1], 0.0)

    def _session(self, entry: Create | Join | Watch) -> Session:
        return Session(
            self.name, entry, clock_s=lambda: self.timeline.now_s, fairness=Fairness(draw=self.rng.randbytes)
        )

    def go_away(self, *, abruptly: bool) -> None:
        for window in self.windows:
            self._stay(window)
            if abruptly and window.link is not None:
                window.link.ends[CLIENT] = None
                window.link.reset(spare=CLIENT)
            window.hang_up()

    def hop(self) -> None:
        """The connection breaks, and the client goes elsewhere at once."""
        for window in self.windows:
            if window.link is not None:
                window.link.reset()

    def log_in_again(self) -> None:
        """A second window of the same seat, with the first still open."""
        window = self.window
        if window is None or not window.attached or window.session.ticket is None:
            return
        session = window.session
        assert session.code is not None
        assert session.seat is not None
        assert session.ticket is not None
        fairness = Fairness(session.fairness.kept, draw=self.rng.randbytes)
        resuming = Session.resuming(self.name, session.code, session.seat, session.ticket, fairness)
        self.windows.append(Window(self, resuming))
        self._connect(self.windows[-1], 0.0)

    def lost(self, window: Window, code: int | None) -> None:
        """A connection of this person's has ended, or could not be made."""
        if window.gone or window not in self.windows:
            return
        if code in (CloseCode.REPLACED, CloseCode.BAD_TICKET) or self._finished(window):
            window.gone = True
            self.windows.remove(window)
            self.done = not self.windows
            return
        self._connect(window, 0.05 + self.rng.random() * 0.5)

    def _finished(self, window: Window) -> bool:
        """Has it nothing to come back to?"""
        session = window.session
        return session.ticket is None and session.view is not None and session.seat is not None

    def _connect(self, window: Window, wait_s: float) -> None:
        self._returning[window] = self.timeline.after(wait_s, self._connect_now, window)

    def _connect_now(self, window: Window) -> None:
        del self._returning[window]
        window.connect(self.rng.choice(self._nodes()))

    def _stay(self, window: Window) -> None:
        event = self._returning.pop(window, None)
        if event is not None:
            event.cancel()

    def heard(self, window: Window, message: ServerMessage) -> None:
        session = window.session
        match message:
            case Seated(code=code):
                self.plan.code = self.plan.code or code
            case Refused(code=code, retry_ms=retry_ms) if code in PASSING:
                window.again_soon((retry_ms or 500) / 1000)
            case Refused(n=None, code=code) if not session.attached and code != ErrorCode.BAD_TICKET:
                if code in (ErrorCode.ALREADY_STARTED, ErrorCode.ROOM_FULL, ErrorCode.ROOM_OVER):
                    self._look_on(window)
                elif code == ErrorCode.NO_SUCH_ROOM:
                    self._leave_for_good(window)
            case Unseated(reason=reason) if reason == "left" and self.rng.random() < 0.5:
                self._look_on(window)
            case Unseated():
                self._leave_for_good(window)
            case _:
                pass

    def _look_on(self, window: Window) -> None:
        """Since there is no seat to be had, or no longer."""
        self._leave_for_good(window)
        self.windows.append(Window(self, self._session(Watch(self.plan.code))))
        self._connect(self.windows[-1], 0.1)

    def _leave_for_good(self, window: Window) -> None:
        window.gone = True
        window.hang_up()
        if window in self.windows:
            self.windows.remove(window)
        self.done = not self.windows


def _shown(message: ClientMessage | ServerMessage | int | None) -> str:
    """One line, with what matters of a table."""
    if isinstance(message, Table):
        view = message.view
        prompt = "" if view.prompt is None else f" prompt {view.prompt.id} of {len(view.prompt.actions)}"
        kinds = " ".join(happening.kind for happening in message.happened)
        return f"table {view.room.phase}{prompt} n={view.you and view.you.n} [{kinds}]"
    if isinstance(message, Hello):
        return f"hello{' with its ticket' if message.ticket else ''}"
    return str(message)
