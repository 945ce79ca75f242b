"""The checker finds nothing in a true history, and each kind of fault in a doctored one."""

from collections.abc import Callable
from copy import copy
from functools import cache
from random import Random

import pytest
from msgspec.structs import replace

from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    Done,
    Notice,
    Ready,
    Refused,
    SeatCommand,
    Seated,
    ServerMessage,
    Start,
    Table,
    Watching,
)
from protocol.view import Group, Happening, TableView, Zone
from server.games.base import SEATS, Seat
from server.games.registry import GAMES
from server.rooms.commands import ByPlayer, Command
from server.rooms.digest import FOLD
from server.rooms.events import Commit, Event, decode_commit, encode_commit
from server.store.base import EMPTY, seal
from tests.history import Course, History, Kind, Sent, Told, check
from tests.server.rooms.driven import CODE, DrivenRoom

NAMES: dict[Seat | None, str] = {0: "Ann", 1: "Bea", 2: "Cem", None: "Dov"}


class Watched(DrivenRoom):
    """A room, and the histories of its three players and of a spectator."""

    def __init__(self) -> None:
        super().__init__()
        self.histories = {viewer: History(name) for viewer, name in NAMES.items()}
        self.present: set[Seat | None] = set()

    def do(self, command: Command) -> tuple[Event, ...]:
        by = command if isinstance(command, ByPlayer) else None
        if by is not None:
            self.histories[by.seat].sent(by.message)
        events = super().do(command)
        for viewer in self.present:
            if self.happenings or (by is not None and viewer == by.seat):
                self.histories[viewer].told(Table(self.view(viewer), self.happenings))
        if by is not None:
            self.histories[by.seat].told(Done(by.message.n))
        return events

    def come(self, viewer: Seat | None) -> None:
        """On a new connection."""
        if viewer in self.present:
            self.histories[viewer].closed()
            if viewer is not None:
                self.resume(NAMES[viewer])
        self.histories[viewer].opened()
        self.present.add(viewer)
        place = Watching(CODE) if viewer is None else Seated(CODE, viewer, f"{CODE}.{NAMES[viewer]}")
        self.histories[viewer].told(place)
        self.histories[viewer].told(Table(self.view(viewer)))


def sealed(payloads: list[bytes]) -> list[bytes]:
    position, entries = EMPTY, []
    for payload in payloads:
        entry, position = seal(position, payload)
        entries.append(entry)
    return entries


def match(game: str = "chuo-pai", seed: int = 1) -> Watched:
    """Two deals, in which people also lose their connections. The histories are the test's own to doctor."""
    room = copy(played(game, seed))
    room.histories = {viewer: History(history.name, list(history.steps)) for viewer, history in room.histories.items()}
    return room


@cache
def played(game: str, seed: int) -> Watched:
    room, rng = Watched(), Random(seed)
    room.open(game, deals=2).sit("Bea", "Cem")
    for viewer in NAMES:
        room.come(viewer)
    room.ask(0, Start)
    for _ in range(2):
        room.deal(first=rng.choice(SEATS))
        while room.state.phase == "playing":
            room.step(rng)
            if rng.random() < 0.1:
                room.come(rng.choice(list(NAMES)))
        if room.state.phase == "between":
            for seat in SEATS:
                room.ask(seat, Ready)
    return room


def kinds(room: Watched, payloads: list[bytes] | None = None, **how: bool) -> set[Kind]:
    entries = sealed(room.log if payloads is None else payloads)
    return {fault.kind for fault in check(entries, room.histories.values(), **how)}


def edit(room: Watched, version: int, change: Callable[[Commit], Commit]) -> list[bytes]:
    """The log with one commit changed, rightly chained."""
    payloads = list(room.log)
    payloads[version - 1] = encode_commit(change(decode_commit(payloads[version - 1])))
    return payloads


def version_of(room: Watched, kind: type[SeatCommand], number: int = -1) -> int:
    """Of the last commit that carried out such a command."""
    sent = {
        ByPlayer(seat, "", step.message).numbered()
        for seat in SEATS
        for step in room.histories[seat].steps
        if isinstance(step, Sent) and isinstance(step.message, kind)
    }
    return [v for v, payload in enumerate(room.log, 1) if decode_commit(payload).numbered in sent][number]


def places(history: History, kind: type[ServerMessage]) -> list[int]:
    return [at for at, step in enumerate(history.steps) if isinstance(step, Told) and isinstance(step.message, kind)]


def table_at(history: History, at: int) -> Table:
    step = history.steps[at]
    assert isinstance(step, Told)
    assert isinstance(step.message, Table)
    return step.message


def doctor(history: History, at: int, **changes: object) -> None:
    history.steps[at] = Told(0, replace(table_at(history, at), **changes))


def in_play(history: History) -> int:
    """Where a table in the middle of the first deal was told, with something that happened and not the last."""
    return next(
        at
        for at in places(history, Table)[:-1]
        if (view := table_at(history, at).view).deal and len(view.deal.history) > 8 and table_at(history, at).happened
    )


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_true_history_has_no_fault(game: str, seed: int) -> None:
    room = match(game, seed)
    assert check(sealed(room.log), room.histories.values()) == []
    course = Course(sealed(room.log))
    assert course.state == room.state
    assert len(course.records) == 2


def test_what_was_acknowledged_and_is_not_in_the_log_is_lost() -> None:
    room = match()
    assert "lost" in kinds(room, room.log[:-1], lossy=True)
    assert "lost" in kinds(room, room.log[: version_of(room, Ready)])
    assert "lost" in kinds(room, room.log[:1])
    assert "lost" in kinds(room, [])


def test_a_lost_end_of_the_log_is_no_divergence_for_those_who_were_told() -> None:
    room = match()
    cut = DrivenRoom()
    payloads = room.log[:-1]
    for payload in payloads:
        cut.log.append(payload)
    course = Course(sealed(payloads))
    assert course.state is not None
    cut.opened = course.state
    for viewer, history in room.histories.items():
        history.told(Notice("reset"))
        history.told(Table(cut.view(viewer)))
    assert kinds(room, payloads) <= {"lost"}


def test_a_ticket_that_opens_nothing_although_its_seat_stands_is_a_loss() -> None:
    room = match()
    room.histories[1].told(Refused(ErrorCode.BAD_TICKET, ""))
    assert kinds(room) == {"lost"}


def test_a_commit_that_stands_twice_is_doubled() -> None:
    room = match()
    other = decode_commit(room.log[4]).id
    assert "doubled" in kinds(room, edit(room, 6, lambda commit: replace(commit, id=other)))


def test_a_command_that_was_carried_out_twice_is_doubled() -> None:
    room = match()
    first, last = version_of(room, Act, 0), version_of(room, Act)
    again = decode_commit(room.log[first - 1]).numbered
    payloads = edit(room, last, lambda commit: replace(commit, numbered=again))
    if again is not None and decode_commit(room.log[last - 1]).numbered is not None:
        assert "doubled" in kinds(room, payloads)


def test_an_answer_that_went_to_another_question_is_doubled() -> None:
    room = match()
    history = room.histories[0]
    at = next(at for at, step in enumerate(history.steps) if isinstance(step, Sent) and isinstance(step.message, Act))
    step = history.steps[at]
    assert isinstance(step, Sent)
    assert isinstance(step.message, Act)
    late = replace(step.message, prompt=step.message.prompt - 1)
    history.steps[at] = Sent(0, late)
    numbered = ByPlayer(0, "", late).numbered()
    payloads = edit(room, version_of_n(room, 0, late.n), lambda commit: replace(commit, numbered=numbered))
    assert kinds(room, payloads) == {"doubled"}


def version_of_n(room: Watched, seat: Seat, n: int) -> int:
    numbers = [decode_commit(payload).numbered for payload in room.log]
    return next(v for v, its in enumerate(numbers, 1) if its is not None and (its.seat, its.n) == (seat, n))


def test_a_command_that_nobody_sent_is_divergent() -> None:
    room = match()
    history = room.histories[0]
    del history.steps[next(at for at, step in enumerate(history.steps) if isinstance(step, Sent))]
    assert kinds(room) == {"divergent"}


def test_two_seats_for_one_secret_are_doubled() -> None:
    room = match()
    room.histories[1].told(Seated("OTHERROO", 1, "OTHERROO.Bea"))
    assert "doubled" in kinds(room)


def test_a_refused_command_that_was_done_is_found() -> None:
    room = match()
    history = room.histories[0]
    at = places(history, Done)[-1]
    step = history.steps[at]
    assert isinstance(step, Told)
    assert isinstance(step.message, Done)
    history.steps[at] = Told(0, Refused(ErrorCode.STALE_PROMPT, "", step.message.n))
    assert kinds(room) == {"refused"}
    history.steps[at] = Told(0, Refused(ErrorCode.STORE_UNAVAILABLE, "", step.message.n))
    assert kinds(room) == set()


def test_a_refusal_is_forgotten_when_the_command_is_sent_again() -> None:
    room = match()
    history = room.histories[0]
    at = places(history, Done)[-1]
    asked = next(step for step in reversed(history.steps[:at]) if isinstance(step, Sent))
    assert isinstance(asked.message, SeatCommand)
    history.steps[at:at] = [Told(0, Refused(ErrorCode.NOT_ASKED, "", asked.message.n)), asked]
    assert kinds(room) == set()


@pytest.mark.parametrize("viewer", NAMES)
def test_a_happening_that_was_left_out_or_told_twice_is_divergent(viewer: Seat | None) -> None:
    for happened in (lambda told: told[1:], lambda told: told * 2, lambda told: (*told, Happening("passed", 1))):
        room = match()
        history = room.histories[viewer]
        at = in_play(history)
        doctor(history, at, happened=happened(table_at(history, at).happened))
        assert kinds(room) == {"divergent"}


def test_a_table_that_was_skipped_is_divergent_unless_its_happenings_came_later() -> None:
    room = match()
    history = room.histories[None]
    at = in_play(history)
    left_out = history.steps.pop(at)
    assert kinds(room) == {"divergent"}
    assert isinstance(left_out, Told)
    assert isinstance(left_out.message, Table)
    following = next(place for place in places(history, Table) if place >= at)
    if table_at(history, following).happened:
        doctor(history, following, happened=left_out.message.happened + table_at(history, following).happened)
        assert kinds(room) == set()


def test_who_is_told_that_something_was_missed_need_not_have_been_told_of_it() -> None:
    room = match()
    history = room.histories[None]
    at = in_play(history)
    doctor(history, at, happened=table_at(history, at).happened[1:], missed=True)
    assert kinds(room) == set()


def test_a_table_that_the_log_never_had_is_divergent() -> None:
    room = match()
    history = room.histories[2]
    at = in_play(history)
    view = table_at(history, at).view
    assert view.deal is not None
    doctor(history, at, view=replace(view, deal=replace(view.deal, history=(*view.deal.history[:-1], "1 0 pass"))))
    assert kinds(room) == {"divergent"}


def test_a_table_that_goes_back_in_time_is_divergent() -> None:
    room = match()
    history = room.histories[1]
    at = in_play(history)
    history.steps.append(history.steps[at])
    assert kinds(room) == {"divergent"}


def test_who_is_still_connected_must_have_seen_the_end_once_all_is_at_rest() -> None:
    room = match()
    history = room.histories[None]
    del history.steps[places(history, Table)[-1] :]
    assert kinds(room) == {"divergent"}
    assert kinds(room, at_rest=False) == set()
    history.closed()
    assert kinds(room) == set()


def test_a_log_that_does_not_follow_the_rules_is_found() -> None:
    room = match()
    entries = sealed(room.log)
    entries[20] = entries[20][:-1] + bytes((entries[20][-1] ^ 1,))
    assert any(fault.kind == "unverified" for fault in check(entries, ()))
    act = version_of(room, Act, 5)
    assert "unverified" in kinds(room, [*room.log[: act - 1], *room.log[act:]])


def test_a_writer_that_came_to_another_state_is_found() -> None:
    room = match()
    assert "unverified" in kinds(room, edit(room, 20, lambda commit: replace(commit, digest=b"otherwise", fold=FOLD)))


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_that_lies_open_to_others_is_leaked(game: str) -> None:
    room = match(game)
    history = room.histories[None]
    at = in_play(history)
    view = table_at(history, at).view
    doctor(history, at, view=_with_zone(view, Zone("hand", 1, 1, (Group(("11",)),))))
    assert "leaked" in kinds(room)


def test_a_players_table_in_a_spectators_place_is_leaked() -> None:
    room = match()
    history = room.histories[None]
    at = in_play(history)
    doctor(history, at, view=table_at(room.histories[0], in_play(room.histories[0])).view)
    assert "leaked" in kinds(room)


@pytest.mark.parametrize("game", GAMES)
def test_a_leak_of_the_servers_own_views_is_found(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that the fold of the log shows in the same way."""
    from server.rooms import view as module
    from tests import history as checker

    real = module.table_view

    def leaking(state: object, viewer: Seat | None, *rest: object) -> TableView:
        shown: TableView = real(state, viewer, *rest)  # type: ignore[arg-type]
        others: TableView = real(state, 1, *rest)  # type: ignore[arg-type]
        if shown.deal is None or others.deal is None or shown.result is not None:
            return shown
        hands = tuple(Zone("extra", zone.count, None, zone.groups) for zone in others.deal.zones if zone.name == "hand")
        return replace(shown, deal=replace(shown.deal, zones=(*shown.deal.zones, *hands)))

    monkeypatch.setattr(checker, "table_view", leaking)
    monkeypatch.setattr("tests.server.rooms.driven.table_view", leaking)
    assert kinds(played.__wrapped__(game, 1)) == {"leaked"}


def _with_zone(view: TableView, zone: Zone) -> TableView:
    assert view.deal is not None
    zones = tuple(zone if (old.name, old.seat) == (zone.name, zone.seat) else old for old in view.deal.zones)
    return replace(view, deal=replace(view.deal, zones=zones))
