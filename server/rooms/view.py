"""The one way out: what a viewer may see of a room, and what happened in it that everybody may know."""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from protocol.notation import Action
from protocol.view import Happening, Prompt, RoomView, SeatView, TableView, You
from server.games.base import SEATS, Seat
from server.rooms.events import (
    Acted,
    AutoPassSet,
    AutopilotSet,
    BotSeated,
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
from server.rooms.rounds import fairness
from server.rooms.state import RoomState, bot_level, host, passes_by_switch, played_by_bot, put, rules


def table_view(state: RoomState, viewer: Seat | None, connected: Collection[Seat], now_ms: int) -> TableView:
    """The table as `viewer` may see it (None: a spectator). `connected`: the seats whose players are connected."""
    return table_views(state, (viewer,), connected, now_ms)[0]


def table_views(
    state: RoomState, viewers: Sequence[Seat | None], connected: Collection[Seat], now_ms: int
) -> list[TableView]:
    """The table as each of `viewers` may see it; what all may see is worked out once."""
    room = RoomView(
        code=state.code,
        game=state.game,
        options=state.options,
        pace=state.pace,
        deals=state.deals,
        deal=state.deal,
        phase=state.phase,
        host=host(state),
    )
    first, second, third = [_seat_view(state, seat, seat in connected) for seat in SEATS]
    seats = first, second, third
    questions, fair = put(state), fairness(state)
    deals = [None for _ in viewers] if state.table is None else rules(state).views(state.table, viewers)
    return [
        TableView(
            room,
            seats,
            deal=deal,
            prompt=None
            if viewer is None or viewer not in questions
            else _prompt(state, viewer, questions[viewer], now_ms),
            you=None if viewer is None else You(viewer, state.seats[viewer].n, state.seats[viewer].auto_pass),
            result=state.result,
            fair=fair,
        )
        for viewer, deal in zip(viewers, deals, strict=True)
    ]


def _seat_view(state: RoomState, seat: Seat, connected: bool) -> SeatView:
    its = state.seats[seat]
    return SeatView(
        seat=seat,
        kind=its.kind,
        name="" if its.kind == "empty" else its.name,
        level=bot_level(its) if played_by_bot(its) else None,
        connected=connected and its.kind == "human",
        away=its.away,
        autopilot=its.autopilot,
        ready=its.ready,
        score=its.score,
    )


def _prompt(state: RoomState, seat: Seat, actions: tuple[Action, ...], now_ms: int) -> Prompt | None:
    if passes_by_switch(state, seat):  # that is answered before anybody could read it
        return None
    its = state.seats[seat]
    remaining_ms = None if its.deadline_ms is None else max(0, its.deadline_ms - now_ms)
    return Prompt(its.prompt, actions, remaining_ms)


def timeless(view: TableView) -> TableView:
    """Without the time that runs down, which is no news."""
    if view.prompt is None or view.prompt.remaining_ms is None:
        return view
    return replace(view, prompt=replace(view.prompt, remaining_ms=None))


def happened(before: RoomState | None, event: Event, after: RoomState) -> tuple[Happening, ...]:
    """What of one event is public, in order. `before` and `after` are the states around that event alone."""
    if before is None:
        return _of_event(None, event, after)
    hosting = host(after)
    new_host = () if hosting in (None, host(before)) or after.closed else (Happening("host", hosting),)
    return (*_of_players(before, after), *_of_event(before, event, after), *new_host)


def _of_players(before: RoomState, after: RoomState) -> Iterator[Happening]:
    """Who plays their own seat, and for whom a bot stands in."""
    for seat, (was, now) in enumerate(zip(before.seats, after.seats, strict=True)):
        if was.kind == now.kind == "human":
            if was.away != now.away:
                yield Happening("away" if now.away else "back", seat)
            if was.autopilot != now.autopilot:
                yield Happening("autopilot_on" if now.autopilot else "autopilot_off", seat)
            if now.ready and not was.ready:
                yield Happening("ready", seat)


def _of_event(before: RoomState | None, event: Event, after: RoomState) -> tuple[Happening, ...]:
    match event:
        case SeatTaken():
            return (Happening("sat", event.seat, name=event.name),)
        case BotSeated():
            return (Happening("bot_sat", event.seat, name=after.seats[event.seat].name),)
        case SeatVacated():
            name = before.seats[event.seat].name if before else ""
            return (Happening(event.why, event.seat, name=name),)
        case MatchStarted():
            return (Happening("match_started"),)
        case RoundVoided():
            assert before is not None
            return tuple(Happening("void", seat, value=before.rounds[0].deal) for seat in event.missing)
        case DealStarted():
            started = Happening("deal_started", event.first, value=after.deal)
            return (started, *rules(after).happened(None, after.table), *_deal_over(after))
        case Acted() | WentOn():
            return (*rules(after).happened(before.table if before else None, after.table), *_deal_over(after))
        case HostAsked():
            return (Happening("host_asked", event.seat),)
        case RoomClosed():
            return (Happening("closed"),)
        case SaidHere() | HostIdled() | Regranted():
            return ()
        case RoomCreated() | Resumed() | WentAway() | AutopilotSet() | AutoPassSet() | DeclaredLate() | Readied():
            return ()
        case RoundOpened() | Contributed():
            return ()


def _deal_over(after: RoomState) -> tuple[Happening, ...]:
    if after.result is None:
        return ()
    over = Happening("deal_over", value=after.deal, scores=after.result.scores)
    if after.phase != "over":
        return (over,)
    return (over, Happening("match_over", scores=tuple(seat.score for seat in after.seats)))
