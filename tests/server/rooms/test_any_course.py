"""Rooms under any course of commands: what must hold whatever people, bots and time do."""

from typing import ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from protocol.messages import Act, AutoPass, Autopilot, Fill, Leave, Ready, Remove, SeatCommand, Start
from protocol.view import BotLevel, Pace
from server.games.base import SEATS, Seat
from server.rooms.commands import (
    AskHost,
    ByPlayer,
    Command,
    DealCards,
    GoOn,
    MarkAway,
    PassForSeat,
    PassHost,
    PlayForSeat,
    Regrant,
    Resume,
    TakeSeat,
    TimeUp,
)
from server.rooms.due import Due, Timing, dues
from server.rooms.events import Acted
from server.rooms.pace import WAKE_MS
from server.rooms.refusal import Refusal
from server.rooms.state import RoomState, asked, host, passes_by_switch, put, rules, window
from server.rooms.view import table_view
from tests.server.rooms.driven import DrivenRoom, deck, replayed, ticket_of

SEAT = st.sampled_from(SEATS)
NAMES = st.sampled_from(["Bea", "Cem", "Dan", "Eva"])
TIMING = Timing(grace_ms=30_000, beat_ms=700)


class AnyCourse(RuleBasedStateMachine):
    """Commands at random, right and wrong ones; a refused one must change nothing."""

    game: ClassVar = "chuo-pai"
    pick: ClassVar = st.integers(0, 10**6)

    def __init__(self) -> None:
        super().__init__()
        self.room = DrivenRoom()
        self.done: list[ByPlayer] = []
        self.answered: set[tuple[Seat, int]] = set()
        self.prompts = [0, 0, 0]
        self.names = 0

    def give(self, command: Command) -> bool:
        """Was it carried out?"""
        before, entries = self.room.opened, len(self.room.log)
        try:
            events = self.room.do(command)
        except Refusal:
            assert self.room.opened is before
            assert len(self.room.log) == entries
            return False
        for event in events:
            if isinstance(event, Acted):
                assert before is not None
                question = (event.seat, before.seats[event.seat].prompt)
                assert question not in self.answered
                self.answered.add(question)
        if not events:
            assert self.room.opened is before
        if before is not None and events and isinstance(events[-1], Acted) and window(before):
            self.nobody_else_sees_a_declaration(before, events[-1].seat)
        return bool(events)

    def nobody_else_sees_a_declaration(self, before: RoomState, seat: Seat) -> None:
        assert self.room.happenings == ()
        for viewer in (*SEATS, None):
            if viewer != seat:
                assert self.room.view(viewer) == table_view(before, viewer, SEATS, self.room.now_ms)

    def send(self, seat: Seat, message: SeatCommand) -> None:
        command = ByPlayer(seat, self.room.state.seats[seat].connection, message)
        if self.give(command):
            self.done.append(command)

    def next_n(self, seat: Seat) -> int:
        return self.room.state.seats[seat].n + 1

    @initialize(pace=st.sampled_from(["none", "fast"]), deals=st.integers(1, 3), started=st.booleans())
    def open(self, pace: Pace, deals: int, started: bool) -> None:
        self.room.open(self.game, pace=pace, deals=deals)
        if started:
            self.room.sit("Bea", "Cem")
            self.send(0, Start(1))

    @rule(name=NAMES)
    def sit(self, name: str) -> None:
        self.names += 1
        self.give(TakeSeat(name, ticket_of(f"{name}{self.names}"), f"{name}{self.names}"))

    @rule(seat=SEAT, woke=st.booleans())
    def resume(self, seat: Seat, woke: bool) -> None:
        self.names += 1
        self.give(Resume(self.room.state.seats[seat].ticket, f"again{self.names}", woke))

    @rule(seat=SEAT)
    def ask_for_the_seat_again(self, seat: Seat) -> None:
        its = self.room.state.seats[seat]
        if its.kind == "human" and not self.room.state.closed:
            self.names += 1
            assert self.give(TakeSeat("Dan", its.ticket, f"again{self.names}"))
            assert self.room.state.seats[seat].name == its.name

    @precondition(lambda self: self.room.opened is not None and bool(self.room.state.spent))
    @rule(pick=pick)
    def ask_for_a_seat_that_was_given_up(self, pick: int) -> None:
        spent = self.room.state.spent
        assert not self.give(TakeSeat("Dan", spent[pick % len(spent)], "again"))

    @rule(seat=SEAT)
    def mind_the_host(self, seat: Seat) -> None:
        asked = self.give(AskHost(seat))
        assert asked or not self.give(PassHost(seat)) or host(self.room.state) != seat

    @rule(seat=SEAT, other=st.none() | SEAT)
    def fill(self, seat: Seat, other: Seat | None) -> None:
        self.send(seat, Fill(self.next_n(seat), "random", other))

    @rule(seat=SEAT, other=SEAT)
    def remove(self, seat: Seat, other: Seat) -> None:
        self.send(seat, Remove(self.next_n(seat), other))

    @rule(seat=SEAT, fill=st.sampled_from([None, "easy"]))
    def start(self, seat: Seat, fill: BotLevel | None) -> None:
        self.send(seat, Start(self.next_n(seat), fill))

    @precondition(lambda self: self.room.state.phase == "playing")
    @rule(pick=pick, times=st.integers(1, 100))
    def play(self, pick: int, times: int) -> None:
        for number in range(pick, pick + times):
            if self.room.state.phase != "playing":
                return
            questions = asked(self.room.state)
            if not questions:
                assert self.give(GoOn(self.moment()))
                continue
            seat = sorted(questions)[number % len(questions)]
            prompt, action = self.room.state.seats[seat].prompt, questions[seat][number % len(questions[seat])]
            if self.room.state.seats[seat].kind == "human":
                self.send(seat, Act(self.next_n(seat), prompt, action))
            else:
                self.give(PlayForSeat(seat, prompt, action))

    @rule(seat=SEAT, pick=pick)
    def declare_what_is_certain_already(self, seat: Seat, pick: int) -> None:
        overtaken = self.room.state.seats[seat].overtaken
        if overtaken:
            table, prompt = self.room.state.table, self.room.state.seats[seat].prompt
            self.send(seat, Act(self.next_n(seat), prompt, overtaken[pick % len(overtaken)]))
            assert self.room.state.table is table
            assert self.room.view(seat).prompt is None

    @rule(seat=SEAT, late=st.integers(-1, 1), action=st.sampled_from(["pass", "play 66", "win", "hu"]))
    def act_wrongly(self, seat: Seat, late: int, action: str) -> None:
        prompt = max(0, self.room.state.seats[seat].prompt + late)
        self.send(seat, Act(self.next_n(seat), prompt, action))

    @rule(seat=SEAT)
    def ready(self, seat: Seat) -> None:
        self.send(seat, Ready(self.next_n(seat)))

    @rule(seat=SEAT, on=st.booleans(), skip=st.integers(0, 3))
    def autopilot(self, seat: Seat, on: bool, skip: int) -> None:
        self.send(seat, Autopilot(self.next_n(seat) + skip, on))

    @rule(seat=SEAT, on=st.booleans())
    def auto_pass(self, seat: Seat, on: bool) -> None:
        self.send(seat, AutoPass(self.next_n(seat), on))

    @rule(seat=SEAT)
    def pass_for_a_seat(self, seat: Seat) -> None:
        self.give(PassForSeat(seat, self.room.state.seats[seat].prompt))

    @precondition(lambda self: self.room.state.phase == "playing")
    @rule(late=st.integers(0, 1))
    def go_on(self, late: int) -> None:
        certain = not late and window(self.room.state) and not asked(self.room.state)
        assert self.give(GoOn(self.moment() - late)) == certain

    @precondition(lambda self: len(self.room.log) % 4 == 3)  # or most rooms would be closed before anything happens
    @rule(seat=SEAT)
    def leave(self, seat: Seat) -> None:
        self.send(seat, Leave(self.next_n(seat)))

    @precondition(lambda self: bool(self.done))
    @rule(pick=pick)
    def repeat(self, pick: int) -> None:
        assert not self.give(self.done[-1 - pick % len(self.done)]), "a command is carried out once"

    @rule(gone=st.sets(SEAT, max_size=1), seed=pick)
    def let_time_do_what_is_due(self, gone: set[Seat], seed: int) -> None:
        since_ms = dict.fromkeys(gone, self.room.now_ms)
        found = [due for due in dues(self.room.state, since_ms, TIMING) if due.kind != "keep"]
        if found:
            self.room.now_ms = max(self.room.now_ms, found[0].at_ms)
            assert self.give(self.command_for(found[0], seed)), "what is due must not stay due when it is done"

    @rule(out_ms=st.integers(0, 20_000))
    def regrant(self, out_ms: int) -> None:
        if self.give(Regrant(self.room.now_ms - out_ms)):
            assert not self.give(Regrant(self.room.now_ms - 1)), "what two nodes do at once has one effect"
            assert all(
                seat.deadline_ms is None or seat.deadline_ms >= self.room.now_ms + WAKE_MS
                for seat in self.room.state.seats
            )

    @rule(ms=st.integers(0, 100_000))
    def wait(self, ms: int) -> None:
        self.room.now_ms += ms

    def moment(self) -> int:
        return rules(self.room.state).moment(self.room.state.table)

    def command_for(self, due: Due, seed: int) -> Command:
        if due.kind == "deal":
            return DealCards(deck(seed, self.game), seed % 3)
        if due.kind == "go_on":
            return GoOn(self.moment())
        assert due.seat is not None
        if due.kind == "away":
            return MarkAway(due.seat)
        if due.kind == "ask_host":
            return AskHost(due.seat)
        if due.kind == "pass_host":
            return PassHost(due.seat)
        if due.kind == "auto_pass":
            return PassForSeat(due.seat, due.prompt)
        actions = asked(self.room.state).get(due.seat)
        action = None if actions is None else actions[seed % len(actions)]
        if due.kind == "bot":
            assert action is not None
            return PlayForSeat(due.seat, due.prompt, action)
        return TimeUp(due.seat, due.prompt, action)

    @invariant()
    def tickets_open_one_seat_each(self) -> None:
        if self.room.opened is not None:
            tickets = [seat.ticket for seat in self.room.state.seats if seat.kind == "human"]
            assert len(set(tickets)) == len(tickets)
            assert all(seat.kind == "human" or not seat.ticket for seat in self.room.state.seats)

    @invariant()
    def questions_are_never_numbered_back(self) -> None:
        if self.room.opened is not None and self.room.state.phase != "open":
            now = [seat.prompt for seat in self.room.state.seats]
            assert all(new >= old for new, old in zip(now, self.prompts, strict=True))
            self.prompts = now

    @invariant()
    def every_viewer_has_a_view(self) -> None:
        if self.room.opened is not None:
            for viewer in (*SEATS, None):
                view = self.room.view(viewer)
                switch = viewer is not None and passes_by_switch(self.room.state, viewer)
                assert (view.prompt is not None) == (viewer in put(self.room.state) and not switch)

    def teardown(self) -> None:
        if self.room.opened is not None:
            assert replayed(self.room.log) == self.room.state


class AnyCourseOfPaohuzi(AnyCourse):
    game: ClassVar = "paohuzi"


for machine in (AnyCourse, AnyCourseOfPaohuzi):
    machine.TestCase.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
test_any_course = AnyCourse.TestCase
test_any_course_of_paohuzi = AnyCourseOfPaohuzi.TestCase
