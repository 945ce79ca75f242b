"""The state that a log stands for: `fold(state, commit) -> state`, for one commit after another.

Everything comes from the commits, time included, so every node that reads the same log holds the same state.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from msgspec.structs import replace

from protocol.notation import Action
from server.games import registry
from server.games.base import SEATS, Game, Seat
from server.rooms import rounds
from server.rooms.digest import FOLD, digest_of
from server.rooms.events import (
    Acted,
    AutoPassSet,
    AutopilotSet,
    BotSeated,
    Commit,
    Contributed,
    DealStarted,
    DeclaredLate,
    Event,
    HostAsked,
    HostIdled,
    MatchStarted,
    Readied,
    Regranted,
    Resumed,
    RoomClosed,
    RoomCreated,
    RoundOpened,
    RoundVoided,
    SaidHere,
    SeatTaken,
    SeatVacated,
    WentAway,
    WentOn,
)
from server.rooms.pace import PACES, READY_MS, WAKE_MS
from server.rooms.state import (
    SPENT_KEPT,
    RoomState,
    Seats,
    SeatState,
    asked,
    bot_name,
    host,
    played_by_bot,
    window,
)


class Unfoldable(ValueError):
    """The commit does not follow from the state: the log is damaged."""


class OtherRules(Unfoldable):
    """The room plays a game, or a version of its rules, that this server does not have."""


class OtherState(Unfoldable):
    """Whoever wrote the commit came to another state: by another version of the server, or by a fault."""


Witness = Callable[[RoomState | None, Event, RoomState], None]


def fold(state: RoomState | None, commit: Commit, witness: Witness | None = None) -> RoomState:
    """Raises `Unfoldable`. The first commit of a room, and only that, meets no state.

    `witness` is shown every event with the states before and after it. A digest in the commit must fit, if it is of the
    same version of the fold.
    """
    before = state
    host_before = host(state) if state is not None and state.phase == "open" else None
    if state is not None and commit.numbered is not None:
        state = _stirred(state, commit.numbered.seat, commit.at_ms)
    for event in commit.events:
        try:
            after = _fold_event(state, event, commit.at_ms)
        except OtherRules:
            raise
        except (ValueError, LookupError) as error:
            raise Unfoldable(f"{type(event).__name__} does not follow: {type(error).__name__}") from error
        if witness is not None:
            witness(before, event, after)
        before = state = after
    if state is None:
        raise Unfoldable("a log begins with the room's creation")
    if commit.numbered is not None:
        numbered = commit.numbered
        state = _with_seat(state, numbered.seat, n=numbered.n, digest=numbered.digest)
    if state.phase == "open":
        state = _crowned(host_before, state, commit.at_ms)
    state = rounds.waiting(state, commit.at_ms)
    state = replace(state, commits=state.commits + 1, writer=commit.writer, last_at_ms=commit.at_ms)
    if commit.fold > FOLD:
        raise OtherState("a newer fold leads to another state")
    if commit.digest and commit.fold == FOLD and commit.digest != digest_of(state):
        raise OtherState("the digest of the state is another one")
    return state


def rules_of(created: RoomCreated) -> Game[Any]:
    """What the room plays. Raises `OtherRules`."""
    game = registry.GAMES.get(created.game)
    if game is None or game.version != created.rules:
        raise OtherRules("rules that this server does not have")
    return game


def room_of(created: RoomCreated) -> RoomState:
    """The room as it begins."""
    return RoomState(
        code=created.code,
        game=created.game,
        options=created.options,
        deals=created.deals,
        pace=created.pace,
        listed=created.listed,
        creator=0,
        seats=(SeatState(), SeatState(), SeatState()),
    )


def _fold_event(state: RoomState | None, event: Event, at_ms: int) -> RoomState:
    if isinstance(event, RoomCreated):
        if state is not None:
            raise Unfoldable("the room exists already")
        rules_of(event)
        return room_of(event)
    if state is None:
        raise Unfoldable("a log begins with the room's creation")
    match event:
        case SeatTaken():
            taken = SeatState(
                "human",
                event.name,
                None,
                event.ticket,
                event.connection,
                since=state.commits,
                seen_ms=at_ms,
                contributes=event.contributes,
            )
            return _put(state, event.seat, taken)
        case BotSeated():
            return _seat_bot(state, event)
        case SeatVacated():
            its = state.seats[event.seat]
            emptied = SeatState(score=its.score, prompt=its.prompt)  # for the bot that takes over
            creator = None if state.creator == event.seat else state.creator
            spent = (*state.spent, its.ticket)[-SPENT_KEPT:] if its.ticket else state.spent
            state = rounds.of_event(state, event)
            return replace(_put(state, event.seat, emptied), creator=creator, spent=spent)
        case Resumed():
            state = _with_seat(state, event.seat, connection=event.connection, away=False)
            state = _stirred(state, event.seat, at_ms)
            return _wake(state, at_ms) if event.woke else state
        case WentAway():
            return _next_deal_if_ready(_with_seat(state, event.seat, away=True, ready=False))
        case AutopilotSet():
            state = _with_seat(state, event.seat, autopilot=event.on, away=False)
            return _next_deal_if_ready(state)
        case DeclaredLate():
            return _with_seat(state, event.seat, overtaken=(), deadline_ms=None)
        case AutoPassSet():
            return _with_seat(state, event.seat, auto_pass=event.on)
        case MatchStarted():
            # Nobody is idle in play: or a declaration in secret, by who was, would show in who is host.
            seats = tuple(replace(seat, idle=False) if seat.idle else seat for seat in state.seats)
            return replace(state, phase="dealing", moved_at_ms=at_ms, seats=cast(Seats, seats), host_asked_ms=None)
        case RoundOpened() | Contributed() | RoundVoided():
            return rounds.of_event(state, event)
        case DealStarted() if state.phase == "dealing":
            return _start_deal(rounds.of_event(state, event), event, at_ms)
        case Acted() if state.phase == "playing":
            return _act(state, event, at_ms)
        case WentOn() if state.phase == "playing":
            table = registry.game_named(state.game).go_on(state.table)
            return _moved(state, replace(state, table=table), at_ms)
        case DealStarted() | Acted() | WentOn():
            raise Unfoldable(f"not in a room that is {state.phase}")
        case Readied():
            return _next_deal_if_ready(_with_seat(state, event.seat, ready=True, away=False))
        case SaidHere():
            return state
        case HostAsked():
            return replace(state, host_asked_ms=at_ms)
        case HostIdled():
            return _with_seat(state, event.seat, idle=True)
        case Regranted():
            grants = state.grants if state.granted_ms >= state.moved_at_ms else 0
            return replace(_wake(state, at_ms), granted_ms=at_ms, grants=grants + 1)
        case RoomClosed():
            return replace(state, closed=True, phase="over")


def _put(state: RoomState, seat: Seat, becomes: SeatState) -> RoomState:
    first, second, third = state.seats
    if seat == 0:
        return replace(state, seats=(becomes, second, third))
    return replace(state, seats=(first, becomes, third) if seat == 1 else (first, second, becomes))


def _with_seat(state: RoomState, seat: Seat, **changes: object) -> RoomState:
    return _put(state, seat, replace(state.seats[seat], **changes))


def _stirred(state: RoomState, seat: Seat, at_ms: int) -> RoomState:
    """Whatever a player does in the lobby shows that they are there."""
    its = state.seats[seat]
    if its.kind != "human" or state.phase != "open":
        return state
    asked_ms = None if host(state) == seat else state.host_asked_ms
    return replace(_with_seat(state, seat, seen_ms=at_ms, idle=False), host_asked_ms=asked_ms)


def _crowned(before: Seat | None, state: RoomState, at_ms: int) -> RoomState:
    """Who has just become host has all the time that a host may be idle."""
    now = host(state)
    if now == before or now is None:
        return state
    return replace(_with_seat(state, now, seen_ms=at_ms), host_asked_ms=None)


def _seat_bot(state: RoomState, event: BotSeated) -> RoomState:
    """In a seat that a player gave up the bot takes over that player's score, question and deadline-free hand."""
    before = state.seats[event.seat]
    bot = SeatState("bot", bot_name(event.seat), event.level, score=before.score, prompt=before.prompt)
    return _next_deal_if_ready(_put(state, event.seat, bot))


def _start_deal(state: RoomState, event: DealStarted, at_ms: int) -> RoomState:
    table = registry.game_named(state.game).start(event.deck, event.first, state.options)
    pace = PACES[state.pace]
    seats = tuple(
        replace(seat, ready=False, bank_ms=pace.bank_ms if pace else 0, deadline_ms=None) for seat in state.seats
    )
    dealt = replace(
        state,
        phase="playing",
        deal=state.deal + 1,
        table=table,
        result=None,
        seats=cast(Seats, seats),
        moved_at_ms=at_ms,
    )
    return _end_deal_if_over(_ask(dealt, {}, at_ms), at_ms)


def _act(state: RoomState, event: Acted, at_ms: int) -> RoomState:
    seat = state.seats[event.seat]
    bank_ms = seat.bank_ms if seat.deadline_ms is None else max(0, min(seat.bank_ms, seat.deadline_ms - at_ms))
    changes: dict[str, object] = {"bank_ms": bank_ms, "deadline_ms": None}
    if event.by == "player" and not window(state):  # coming back is public, a declaration is not
        changes |= {"away": False, "autopilot": False}
    table = registry.game_named(state.game).apply(state.table, event.seat, event.action)
    return _moved(state, replace(_with_seat(state, event.seat, **changes), table=table), at_ms, event.seat)


def _moved(before: RoomState, after: RoomState, at_ms: int, actor: Seat | None = None) -> RoomState:
    game = registry.game_named(after.game)
    if game.moment(before.table) == game.moment(after.table):
        return _ask(after, asked(before), at_ms, actor)
    seats = tuple(replace(seat, overtaken=()) if seat.overtaken else seat for seat in after.seats)
    moved = replace(after, moved_at_ms=at_ms, seats=cast(Seats, seats))
    return _end_deal_if_over(_ask(moved, {}, at_ms), at_ms)


def _ask(
    state: RoomState, open_: Mapping[Seat, tuple[Action, ...]], at_ms: int, actor: Seat | None = None
) -> RoomState:
    """Number the questions that are new, `open_` being those that were put before and still stand.

    Of those a seat may be rid of without having answered: others have made the outcome certain, but nobody may see
    that yet, so the question seems to stand.
    """
    now = asked(state)
    pace = PACES[state.pace]
    for seat in SEATS:
        its = state.seats[seat]
        if seat in now and seat not in open_:
            deadline_ms = at_ms + pace.decision_ms + its.bank_ms if pace and its.kind == "human" else None
            state = _with_seat(state, seat, prompt=its.prompt + 1, deadline_ms=deadline_ms)
        elif seat in open_ and seat not in now and seat != actor:
            state = _with_seat(state, seat, overtaken=open_[seat])
        elif seat not in now and its.deadline_ms is not None and not its.overtaken:
            state = _with_seat(state, seat, deadline_ms=None)
    return state


def _end_deal_if_over(state: RoomState, at_ms: int) -> RoomState:
    result = registry.game_named(state.game).result(state.table)
    if result is None:
        return state
    last = state.deal >= state.deals
    ready_by = at_ms + READY_MS if PACES[state.pace] and not last else None
    seats = tuple(
        replace(seat, score=seat.score + points, ready=False, deadline_ms=ready_by if seat.kind == "human" else None)
        for seat, points in zip(state.seats, result.scores, strict=True)
    )
    ended = replace(state, phase="over" if last else "between", result=result, seats=cast(Seats, seats))
    return _next_deal_if_ready(ended)


def _next_deal_if_ready(state: RoomState) -> RoomState:
    if state.phase != "between" or not all(seat.ready or played_by_bot(seat) for seat in state.seats):
        return state
    return replace(state, phase="dealing")


def _wake(state: RoomState, at_ms: int) -> RoomState:
    """Everyone has at least `WAKE_MS` from now."""
    seats = tuple(
        seat if seat.deadline_ms is None else replace(seat, deadline_ms=max(seat.deadline_ms, at_ms + WAKE_MS))
        for seat in state.seats
    )
    return rounds.waiting(replace(state, seats=cast(Seats, seats)), at_ms, anew=True)
