"""What people sent and were told, held against the logs of their rooms. Pure: whoever plays them writes it down.

A room is checked by itself: its log from the beginning, and one `History` for each person who sat or watched there.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    ClientMessage,
    Done,
    Notice,
    Refused,
    SeatCommand,
    Seated,
    ServerMessage,
    Table,
    Unseated,
    Watching,
)
from protocol.notation import Card, groups_of
from protocol.record import Record
from protocol.view import Happening, TableView
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import cards_of as chuo_pai_cards_of
from server.games.chuo_pai.state import State as ChuoPaiState
from server.games.paohuzi.cards import cards_of as paohuzi_cards_of
from server.games.paohuzi.state import State as PaohuziState
from server.games.record import discrepancies
from server.rooms.commands import ByPlayer
from server.rooms.events import Commit, SeatTaken, UnknownCommit, decode_commit
from server.rooms.fold import Unfoldable, fold
from server.rooms.records import finished_deal
from server.rooms.state import RoomState, rules, seat_of_ticket
from server.rooms.view import happened, table_view
from server.store.base import EMPTY, Corrupt, unseal

UNDECIDED = {ErrorCode.STORE_UNAVAILABLE, ErrorCode.RATE_LIMITED, ErrorCode.INTERNAL}
"""Refusals that say nothing of what is in the log."""

OF_THE_ASKER = {ErrorCode.NOT_SEATED, ErrorCode.ROOM_NEWER, ErrorCode.ROOM_DAMAGED, ErrorCode.DRAINING}
"""Refusals for who asked, or where: they say nothing of the same command sent before."""


# What a person saw


class Opened(NamedTuple):
    """A connection to the server at `where` stands."""

    at_ms: int
    where: str = ""


class Sent(NamedTuple):
    at_ms: int
    message: ClientMessage


class Told(NamedTuple):
    at_ms: int
    message: ServerMessage


class Closed(NamedTuple):
    """The connection is gone; `code` as it was closed with, None where it broke."""

    at_ms: int
    code: int | None = None


Step = Opened | Sent | Told | Closed


@dataclass
class History:
    """One person's sitting at one room, over all connections. Times are in milliseconds of any one clock."""

    name: str
    steps: list[Step] = field(default_factory=list)

    def opened(self, at_ms: int = 0, where: str = "") -> None:
        self._add(Opened(at_ms, where))

    def sent(self, message: ClientMessage, at_ms: int = 0) -> None:
        self._add(Sent(at_ms, message))

    def told(self, message: ServerMessage, at_ms: int = 0) -> None:
        self._add(Told(at_ms, message))

    def closed(self, code: int | None = None, at_ms: int = 0) -> None:
        self._add(Closed(at_ms, code))

    def _add(self, step: Step) -> None:
        self.steps.append(step)

    @property
    def tickets(self) -> set[bytes]:
        """The hashes of the tickets that it was given."""
        messages = [step.message for step in self.steps if isinstance(step, Told)]
        return {ticket_hash(message.ticket) for message in messages if isinstance(message, Seated)}

    def lines(self) -> Iterator[bytes]:
        """One line of JSON for each step, to be kept."""
        for step in self.steps:
            yield msgspec.json.encode({"who": self.name, "step": type(step).__name__.lower()} | step._asdict())


def ticket_hash(ticket: str) -> bytes:
    """As logs keep it."""
    return sha256(ticket.partition(".")[2].encode()).digest()[:16]


# What the log holds


class Course:
    """A log, folded step by step. `states[v]` is the room at version `v` (None at 0), `offsets[v]` how many of
    `happenings` had happened by then. `damage`: why it ends before the last entry, if it does.
    """

    def __init__(self, entries: Iterable[bytes]) -> None:
        self.commits: list[Commit] = []
        self.states: list[RoomState | None] = [None]
        self.happenings: list[Happening] = []
        self.offsets = [0]
        self.damage = ""
        self._views: dict[Seat | None, list[bytes]] = {}
        self._places: dict[Seat | None, dict[bytes, list[int]]] = {}
        position = EMPTY
        try:
            for entry in entries:
                payload, position = unseal(position, entry)
                commit = decode_commit(payload)
                self.states.append(fold(self.states[-1], commit, self._witness))
                self.commits.append(commit)
                self.offsets.append(len(self.happenings))
        except (Corrupt, UnknownCommit, Unfoldable) as error:
            self.damage = f"entry {position.version}: {type(error).__name__}: {error}"

    @property
    def version(self) -> int:
        return len(self.commits)

    @property
    def state(self) -> RoomState | None:
        """At its end."""
        return self.states[-1]

    @cached_property
    def records(self) -> list[Record]:
        """The deals that are over."""
        deals = 0 if self.state is None else self.state.deal
        return [record for deal in range(1, deals + 1) if (record := finished_deal(self.commits, deal))]

    @cached_property
    def carried_out(self) -> dict[tuple[bytes, int, bytes], list[int]]:
        """At which versions the numbered commands were carried out: by the seat's ticket, number and digest."""
        found: defaultdict[tuple[bytes, int, bytes], list[int]] = defaultdict(list)
        for version, (before, commit) in enumerate(zip(self.states, self.commits, strict=False), 1):
            if commit.numbered is not None and before is not None:
                ticket = before.seats[commit.numbered.seat].ticket
                found[ticket, commit.numbered.n, commit.numbered.digest].append(version)
        return found

    def shows(self, viewer: Seat | None, view: TableView) -> list[int]:
        """The versions, ascending, at which the viewer is shown this: but for time and for who is connected."""
        if viewer not in self._places:
            places = self._places[viewer] = {}
            for version, state in enumerate(self.states):
                if state is not None:
                    places.setdefault(_comparable(table_view(state, viewer, (), 0)), []).append(version)
        return self._places[viewer].get(_comparable(view), [])

    def between(self, after: int, upto: int) -> list[Happening]:
        """What happened after one version and up to another."""
        return self.happenings[self.offsets[after] : self.offsets[upto]]

    def _witness(self, before: RoomState | None, event: Any, after: RoomState) -> None:
        self.happenings += happened(before, event, after)


def _comparable(view: TableView) -> bytes:
    """A view without what is not in the log: who is connected, and the time that runs down."""
    seats = tuple(replace(seat, connected=False) for seat in view.seats)
    prompt = None if view.prompt is None else replace(view.prompt, remaining_ms=None)
    return msgspec.msgpack.encode(replace(view, seats=seats, prompt=prompt), order="deterministic")


# The checker

Kind = Literal["lost", "doubled", "divergent", "refused", "unverified", "leaked"]
"""`lost`: acknowledged and not in the log. `doubled`: done more than once, or to another question than was answered.
`divergent`: what somebody was shown is not what the log says. `refused`: told to be refused, and done all the same.
`unverified`: a record or a log that does not follow the rules. `leaked`: a card in a view that may not be there.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)


class Fault(NamedTuple):
    kind: Kind
    text: str


def check(
    entries: Sequence[bytes], histories: Iterable[History], *, at_rest: bool = True, lossy: bool = False
) -> list[Fault]:
    """Everything in which one room's log and what people were told of it disagree.

    `at_rest`: all is healed and nothing goes on, so who is still connected must have been shown the log's end.
    `lossy`: the store was made to lose acknowledged entries. That is no divergence for those who have come back or
    were told `reset` since; what was acknowledged and is gone still counts as lost.
    """
    course, histories = Course(entries), list(histories)
    faults = list(_in_the_log(course))
    faults += _of_commands(course, histories)
    for history in histories:
        faults += _Stream(course, history, at_rest, lossy).faults
    return faults


def _in_the_log(course: Course) -> Iterator[Fault]:
    if course.damage:
        yield Fault("unverified", f"the log breaks off at {course.damage}")
    ids = Counter(commit.id for commit in course.commits)
    yield from (
        Fault("doubled", f"commit {i.hex()} stands in the log {times} times") for i, times in ids.items() if times > 1
    )
    taken = Counter(e.ticket for commit in course.commits for e in commit.events if isinstance(e, SeatTaken))
    yield from (Fault("doubled", f"one ticket was given {times} seats") for times in taken.values() if times > 1)
    last: dict[bytes, int] = {}
    for ticket, n, _ in course.carried_out:
        if n <= last.get(ticket, 0):
            yield Fault("doubled", f"number {n} was carried out after number {last[ticket]}")
        last[ticket] = max(n, last.get(ticket, 0))
    for (_, n, _), versions in course.carried_out.items():
        if len(versions) > 1:
            yield Fault("doubled", f"command {n} was carried out at the versions {versions}")
    for number, record in enumerate(course.records, 1):
        yield from (Fault("unverified", f"deal {number}: {text}") for text in discrepancies(record))
    if course.state is not None and len(course.records) != course.state.deal - (
        course.state.deal > 0 and course.state.result is None
    ):
        yield Fault("unverified", f"{course.state.deal} deals have {len(course.records)} records")


def _of_commands(course: Course, histories: list[History]) -> Iterator[Fault]:
    sent: defaultdict[bytes, set[tuple[int, bytes]]] = defaultdict(set)
    for history in histories:
        for ticket in history.tickets:
            sent[ticket] |= {
                _mark(step.message)
                for step in history.steps
                if isinstance(step, Sent) and isinstance(step.message, SeatCommand)
            }
        yield from _of_answers(course, history)
    for (ticket, n, digest), versions in course.carried_out.items():
        if ticket in sent and (n, digest) not in sent[ticket]:
            yield Fault("divergent", f"command {n} at version {versions[0]} was sent by nobody")


def _of_answers(course: Course, history: History) -> Iterator[Fault]:
    """What one person was answered, and what became of the commands."""
    seated: Seated | None = None
    sent: dict[int, tuple[int, SeatCommand]] = {}
    refused: dict[tuple[bytes, int, bytes], tuple[int, str]] = {}
    for at, step in enumerate(history.steps):
        message = step.message if isinstance(step, Sent | Told) else None
        if isinstance(message, SeatCommand) and seated is not None:
            sent[message.n] = at, message
            refused.pop((ticket_hash(seated.ticket), *_mark(message)), None)
            if isinstance(message, Act):
                yield from _to_another_question(course, history, seated, message)
        match message:
            case Seated():
                if (
                    seated is not None
                    and seated != message
                    and ticket_hash(seated.ticket) == ticket_hash(message.ticket)
                ):
                    yield Fault("doubled", f"{history.name} was given two seats for one secret: {seated}, {message}")
                if not _taken(course, message):
                    yield Fault("lost", f"{history.name} was given seat {message.seat}, and the log has nobody there")
                seated = message
            case Refused(code=ErrorCode.BAD_TICKET) if seated is not None and _stands(course, seated):
                yield Fault("lost", f"the ticket of {history.name} was refused, and the log has its seat")
            case Done(n=n) if seated is not None and n in sent:
                key = (ticket_hash(seated.ticket), *_mark(sent[n][1]))
                if key not in course.carried_out:
                    yield Fault(
                        "lost", f"{history.name} was told that {sent[n][1]} is done, and the log does not have it"
                    )
            case Refused(n=int(n), code=code) if seated is not None and n in sent and code not in UNDECIDED:
                again = sum(isinstance(s, Sent) and s.message == sent[n][1] for s in history.steps[:at]) > 1
                if not (again and code in OF_THE_ASKER):
                    refused[ticket_hash(seated.ticket), *_mark(sent[n][1])] = at, code
            case _:
                pass
    for key, (at, code) in refused.items():
        if key in course.carried_out:
            yield Fault(
                "refused", f"{history.name} was refused command {key[1]} as {code} at step {at}, and it was done"
            )


def _to_another_question(course: Course, history: History, seated: Seated, act: Act) -> Iterator[Fault]:
    for version in course.carried_out.get((ticket_hash(seated.ticket), *_mark(act)), ()):
        before = course.states[version - 1]
        if before is not None and before.seats[seated.seat].prompt != act.prompt:
            asked = before.seats[seated.seat].prompt
            yield Fault("doubled", f"{history.name} answered question {act.prompt}, and it was taken for {asked}")


def _mark(message: SeatCommand) -> tuple[int, bytes]:
    numbered = ByPlayer(0, "", message).numbered()
    return numbered.n, numbered.digest


def _taken(course: Course, seated: Seated) -> bool:
    ticket = ticket_hash(seated.ticket)
    events = (event for commit in course.commits for event in commit.events)
    return any(isinstance(e, SeatTaken) and (e.ticket, e.seat) == (ticket, seated.seat) for e in events)


def _stands(course: Course, seated: Seated) -> bool:
    state = course.state
    return state is not None and not state.closed and seat_of_ticket(state, ticket_hash(seated.ticket)) is not None


class _Stream:
    """What one person was shown, followed along the log.

    `_at` holds every version at which the newest view can have been cut: a few, since some commits show to nobody.
    None: a connection has just been opened, and may show any.
    """

    def __init__(self, course: Course, history: History, at_rest: bool, lossy: bool) -> None:
        self.faults: list[Fault] = []
        self._course = course
        self._who = history.name
        self._place: Seated | Watching | None = None
        self._at: list[int] | None = None
        self._newest: Table | None = None
        self._floor = 0
        self._pending: list[Fault] = []
        for step in history.steps:
            self._take(step, lossy)
        if at_rest:
            self._rest()
        self.faults += self._pending

    def _take(self, step: Step, lossy: bool) -> None:
        match step:
            case Opened() | Closed():
                if not lossy:
                    self.faults += self._pending
                self._pending = []
                self._begin()
                if lossy or isinstance(self._place, Watching):  # who only looks on may come to a node that lags behind
                    self._floor = 0
            case Told(message=Seated() | Watching() as place):
                self._place = place
                self._begin()
            case Told(message=Unseated()):
                if lossy:
                    self._pending = []
                self._place = None
                self._begin()
            case Told(message=Notice(kind="reset")):
                self._pending = []
                self._begin()
                self._floor = 0
            case Told(message=Table() as table):
                self._see(table)
            case _:
                pass

    def _begin(self) -> None:
        self._at = self._newest = None

    def _rest(self) -> None:
        if self._newest is not None and self._at and self._at[-1] != self._course.version:
            self._blame("divergent", f"still sees version {self._at[-1]} of {self._course.version}")

    def _see(self, table: Table) -> None:
        self._newest = table
        viewer = self._place.seat if isinstance(self._place, Seated) else None
        if (None if table.view.you is None else table.view.you.seat) != viewer:
            self._blame("leaked", f"has the place {self._place} and was shown the table of {table.view.you}")
            return
        shown = self._course.shows(viewer, table.view)
        if cards := hidden_cards_in(table.view, viewer, [self._course.states[version] for version in shown[:1]]):
            self._blame("leaked", f"was shown cards that others hide: {dict(cards)}")
        fitting = [version for version in shown if self._fits(version, table)]
        if fitting:
            self._at, self._floor = fitting, max(self._floor, fitting[0])
            return
        if not shown:
            self._blame("divergent", f"was shown a table that the log never had: {_brief(table.view)}")
        elif shown[-1] < self._floor:
            self._blame("divergent", f"was shown version {shown[-1]} after version {self._floor}")
        else:
            told = [happening.kind for happening in table.happened]
            self._blame("divergent", f"was told {told} on the way from {self._at} to {shown}")
        self._at = shown[bisect_left(shown, self._floor) :] or None

    def _fits(self, version: int, table: Table) -> bool:
        """Could this version be the one that the table was cut at, for what happened since the one before?"""
        if version < self._floor:
            return False
        told = list(table.happened)
        if self._at is None or table.missed:  # told from some moment on
            since = 0 if self._at is None else self._at[0]
            whole = self._course.between(min(since, version), version)
            return len(told) <= len(whole) and whole[len(whole) - len(told) :] == told
        return any(at <= version and self._course.between(at, version) == told for at in self._at)

    def _blame(self, kind: Kind, text: str) -> None:
        self._pending.append(Fault(kind, f"{self._who} {text}"))


def _brief(view: TableView) -> str:
    history = view.deal.history[-1:] if view.deal else ()
    return f"deal {view.room.deal}, {view.room.phase}, {len(view.deal.history) if view.deal else 0} actions, {history}"


# Cards that a view may not show


def hidden_cards_in(view: TableView, viewer: Seat | None, states: Sequence[RoomState | None]) -> Counter[Card]:
    """The cards in a view that its viewer cannot know. `states`: the room as it was then, where that is known; else
    only hands of others that lie open before the end of the deal are found.
    """
    if view.deal is None:
        return Counter()
    if view.result is None:
        for zone in view.deal.zones:
            if zone.name == "hand" and zone.seat != viewer and zone.groups:
                return Counter(card for group in zone.groups for card in group.cards)
    groups = [group for zone in view.deal.zones for group in zone.groups]
    lying = Counter(
        card for group in groups if group.kind != "dealt" for card in group.cards
    )  # that still lies in a hand
    for state in states:
        if state is not None:
            known = Counter(rules(state).pack) - _hidden(state, viewer)
            own = Counter[Card]()
            for action in view.prompt.actions if view.prompt else ():
                own |= Counter(card for group in groups_of(action) for card in group)
            return (lying - known) + (own - known)
    return Counter()


def _hidden(state: RoomState, viewer: Seat | None) -> Counter[Card]:
    """The cards of the deal that the viewer cannot know."""
    others = [seat for seat in SEATS if seat != viewer]
    match state.table:
        case ChuoPaiState() as table:
            held = [] if not table.legal else [chuo_pai_cards_of(table.hands[seat]) for seat in others]
        case PaohuziState() as deal:
            held = [deal.stock]
            if deal.result is None:
                held += [paohuzi_cards_of(deal.holdings[seat].loose) for seat in others]
                held += [deal.holdings[seat].kans * 3 for seat in others]
        case _:
            raise TypeError(f"what is hidden in a deal of {state.game}?")
    return Counter(card for cards in held for card in cards)
