"""Whether a command may be carried out, and as which events: `decide(state, command, now_ms) -> events`.

Raises `Refusal`. No events means that there is nothing left to do: a repeat of what was done, or something that would
happen by itself and has been overtaken.
"""

from protocol.errors import ErrorCode
from protocol.messages import Act, AutoPass, Autopilot, Fill, Leave, Ready, Remove, SeatCommand, Start
from protocol.notation import Action
from protocol.view import BotLevel
from server.games.base import SEATS, BadOption, IllegalAction, Seat
from server.games.registry import UnknownGame, game_named
from server.rooms import rounds
from server.rooms.commands import (
    AskHost,
    ByClient,
    ByPlayer,
    CloseRoom,
    Command,
    DealCards,
    Expel,
    GoOn,
    MarkAway,
    OpenRoom,
    PassForSeat,
    PassHost,
    PlayForSeat,
    Regrant,
    Resume,
    TakeSeat,
    TimeUp,
    VoidRound,
)
from server.rooms.events import (
    Acted,
    AutoPassSet,
    AutopilotSet,
    BotSeated,
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
    VacatedWhy,
    WentAway,
    WentOn,
)
from server.rooms.names import distinct
from server.rooms.pace import HOST_ANSWER_MS, HOST_IDLE_MS, MOST_GRANTS, WAKE_MS
from server.rooms.refusal import Refusal
from server.rooms.state import (
    STAND_IN,
    RoomState,
    asked,
    heirs,
    host,
    passes_by_switch,
    played_by_bot,
    put,
    rules,
    seat_of_ticket,
    window,
)

Events = tuple[Event, ...]

LARGEST_LEAP = 1000
"""How far a command's number may be ahead of the last one: a seat must not run out of numbers."""


MOST_COMMITS = 20_000
"""Entries after which a room's log grows by play alone: every one costs all that open the room. The longest match has
32 deals of up to 120 entries.
"""

MOST_WITH_RETURNS = 2 * MOST_COMMITS
"""Entries after which not even players come back any more, or one of them could make the log grow without end."""


class CodeTaken(Exception):
    """The room that is to be opened under this code is somebody else's."""


def decide(state: RoomState | None, command: Command, now_ms: int) -> Events:
    """`state` is None where there is no such room yet. Raises `CodeTaken` for a command that opens one."""
    if isinstance(command, OpenRoom):
        return _open(state, command, now_ms)
    if state is None or state.closed:
        raise no_such_room()
    match command:
        case TakeSeat():
            return _take_seat(state, command, now_ms)
        case Resume():
            return _resume(state, command, now_ms)
        case ByPlayer():
            return _by_player(state, command)
        case ByClient():
            _must_sit(state, command.seat, command.connection)
            return tuple(rounds.taken_in(state, command.seat, command.contributions))
        case DealCards():
            return _deal(state, command)
        case VoidRound():
            return _void(state, command, now_ms)
        case PlayForSeat():
            seat_state = state.seats[command.seat]
            if not played_by_bot(seat_state) or not _answers(state, command.seat, command.prompt):
                return ()
            return (Acted(command.seat, command.action, "bot"),)
        case PassForSeat():
            due = passes_by_switch(state, command.seat) and _answers(state, command.seat, command.prompt)
            return (Acted(command.seat, "pass", "switch"),) if due else ()
        case GoOn():
            stands = window(state) and not asked(state) and rules(state).moment(state.table) == command.moment
            return (WentOn(),) if stands else ()
        case TimeUp():
            return _time_up(state, command, now_ms)
        case MarkAway():
            seat_state = state.seats[command.seat]
            if seat_state.kind != "human" or seat_state.away or state.phase == "over":
                return ()
            return (WentAway(command.seat),)
        case AskHost() | PassHost():
            return _of_host(state, command, now_ms)
        case CloseRoom():
            return (RoomClosed(by_operator=True),)
        case Expel():
            if state.seats[command.seat].kind != "human":
                raise Refusal(ErrorCode.NO_SUCH_SEAT, "No player sits there.")
            return _vacate(state, command.seat, "removed")
        case Regrant():
            return _regrant(state, command, now_ms)


def no_such_room() -> Refusal:
    """Whether there is none or there was one is nobody's to learn by guessing."""
    return Refusal(ErrorCode.NO_SUCH_ROOM, "No open room has this code.")


def bad_ticket() -> Refusal:
    return Refusal(ErrorCode.BAD_TICKET, "This ticket opens no seat here any more.")


def _open(state: RoomState | None, command: OpenRoom, now_ms: int) -> Events:
    if state is not None:
        if command.ticket not in state.spent and seat_of_ticket(state, command.ticket) is None:
            raise CodeTaken
        return _resume(state, command, now_ms)
    request = command.request
    try:
        game = game_named(request.game)
        options = dict(game.options(request.options))
    except UnknownGame as unknown:
        raise Refusal(ErrorCode.UNKNOWN_GAME, str(unknown)) from None
    except BadOption as bad:
        raise Refusal(ErrorCode.BAD_OPTION, str(bad)) from None
    created = RoomCreated(
        command.code, request.game, options, request.deals, request.pace, request.listed, game.version
    )
    name = distinct(command.name, ())
    events: Events = (
        created,
        *(RoundOpened(deal, 1, secret) for deal, secret in enumerate(command.secrets[: request.deals], 1)),
        SeatTaken(0, name, command.ticket, command.connection, request.contributes),
    )
    if request.fill is not None:
        events += (BotSeated(1, request.fill), BotSeated(2, request.fill), MatchStarted())
    return events


def _resume(state: RoomState, command: OpenRoom | TakeSeat | Resume, now_ms: int) -> Events:
    seat = seat_of_ticket(state, command.ticket)
    if seat is None:
        raise bad_ticket()
    if state.commits >= MOST_WITH_RETURNS:
        raise _log_full()
    # A node that has just opened the room may not have heard yet of players on others. Where something has
    # just happened nobody slept: or a player who hops between nodes could stop the clock.
    slept = now_ms - state.last_at_ms >= WAKE_MS
    return (Resumed(seat, command.connection, command.woke and slept),)


def _take_seat(state: RoomState, command: TakeSeat, now_ms: int) -> Events:
    if command.ticket in state.spent or seat_of_ticket(state, command.ticket) is not None:
        return _resume(state, command, now_ms)
    if state.phase == "over":
        raise Refusal(ErrorCode.ROOM_OVER, "The match in this room is over.")
    if state.phase != "open":
        raise Refusal(ErrorCode.ALREADY_STARTED, "Play has started in this room; you can watch it.")
    if state.commits >= MOST_COMMITS:
        raise _log_full()
    free = _empty_seats(state)
    if not free:
        raise Refusal(ErrorCode.ROOM_FULL, "All three seats are taken; you can watch.")
    name = distinct(command.name, [seat.name for seat in state.seats if seat.kind == "human"])
    return (SeatTaken(free[0], name, command.ticket, command.connection, command.contributes),)


def _must_sit(state: RoomState, seat: Seat, connection: str) -> None:
    its = state.seats[seat]
    if its.kind != "human" or its.connection != connection:
        raise Refusal(ErrorCode.NOT_SEATED, "This connection has no seat here any more.")


def _deal(state: RoomState, command: DealCards) -> Events:
    if state.phase != "dealing" or rounds.awaited(state) or command.seed != rounds.seed_of(state):
        return ()
    started = DealStarted(command.deck, command.first)
    after_next = state.deal + 3
    if not state.rounds or after_next > state.deals:
        return (started,)
    return (started, RoundOpened(after_next, 1, command.secret))


def _void(state: RoomState, command: VoidRound, now_ms: int) -> Events:
    missing = rounds.missing(state, now_ms)
    if not missing or (command.deal, command.attempt) != (state.rounds[0].deal, state.rounds[0].attempt):
        return ()
    without = tuple(sorted({*state.rounds[0].without, *missing}))
    return (RoundVoided(missing), RoundOpened(command.deal, command.attempt + 1, command.secret, without))


def _by_player(state: RoomState, command: ByPlayer) -> Events:
    _must_sit(state, command.seat, command.connection)
    seat = state.seats[command.seat]
    message = command.message
    if message.n == seat.n and command.numbered().digest == seat.digest:
        return ()
    if not seat.n < message.n <= seat.n + LARGEST_LEAP:
        raise Refusal(ErrorCode.NUMBER_USED, f"The last number was {seat.n}; number {message.n} does not follow it.")
    if state.commits >= MOST_COMMITS and not _is_play(state, command.seat, message):
        raise _log_full()
    match message:
        case Act():
            return _act(state, command.seat, message)
        case Ready() if state.phase == "open":
            return (*rounds.taken_in(state, command.seat, message.contributions), SaidHere(command.seat))
        case Ready():
            if state.phase != "between":
                raise Refusal(ErrorCode.NOT_BETWEEN_DEALS, "There is no next deal to be ready for now.")
            return (*rounds.taken_in(state, command.seat, message.contributions), Readied(command.seat))
        case Autopilot():
            return (AutopilotSet(command.seat, message.on),)
        case AutoPass():
            return (AutoPassSet(command.seat, message.on),)
        case Leave():
            return _vacate(state, command.seat, "left")
        case Fill():
            _must_be_host(state, command.seat)
            return _fill(state, message.level, message.seat)
        case Remove():
            _must_be_host(state, command.seat)
            if message.seat == command.seat or state.seats[message.seat].kind == "empty":
                raise Refusal(ErrorCode.NO_SUCH_SEAT, "Nobody else sits there.")
            return (SeatVacated(message.seat, "removed"),)
        case Start():
            _must_be_host(state, command.seat)
            bots = _fill(state, message.fill, None) if message.fill and _empty_seats(state) else ()
            if not bots and _empty_seats(state):
                raise Refusal(ErrorCode.SEATS_EMPTY, "Seats are still empty: wait for players, or fill them with bots.")
            return (*bots, MatchStarted())


def _is_play(state: RoomState, seat: Seat, message: SeatCommand) -> bool:
    """What a match needs, and cannot be done over and over."""
    if isinstance(message, Ready):
        return state.phase == "between" and not state.seats[seat].ready
    return isinstance(message, Act | Start | Leave)


def _log_full() -> Refusal:
    return Refusal(ErrorCode.LOG_FULL, "So much has been done in this room that only play itself goes on here.")


def _act(state: RoomState, seat: Seat, message: Act) -> Events:
    if window(state) and message.prompt == state.seats[seat].prompt and seat in put(state):
        return _declare(state, seat, message.action)
    if not _answers(state, seat, message.prompt):
        if 0 < message.prompt <= state.seats[seat].prompt:
            raise Refusal(ErrorCode.STALE_PROMPT, "That question has been settled already.")
        raise Refusal(ErrorCode.NOT_ASKED, "You have nothing to decide now.")
    if message.action not in asked(state)[seat]:
        raise Refusal(ErrorCode.ILLEGAL_ACTION, _why_not(state, seat, message.action))
    return (Acted(seat, message.action, "player"),)


def _why_not(state: RoomState, seat: Seat, action: Action) -> str:
    try:
        rules(state).apply(state.table, seat, action)
    except IllegalAction as illegal:
        return str(illegal)
    raise AssertionError("the game accepts what it does not ask for")


def _declare(state: RoomState, seat: Seat, action: Action) -> Events:
    """Answered alike whether or not others have made the outcome certain."""
    if action not in put(state)[seat]:
        raise Refusal(ErrorCode.ILLEGAL_ACTION, "That is none of the choices that this card leaves you.")
    return (Acted(seat, action, "player"),) if seat in asked(state) else (DeclaredLate(seat),)


def _answers(state: RoomState, seat: Seat, prompt: int) -> bool:
    return state.seats[seat].prompt == prompt and seat in asked(state)


def _vacate(state: RoomState, seat: Seat, why: VacatedWhy) -> Events:
    left = SeatVacated(seat, why)
    if all(state.seats[other].kind != "human" for other in SEATS if other != seat):
        return (left, RoomClosed())
    return (left,) if state.phase in ("open", "over") else (left, BotSeated(seat, STAND_IN))


def _time_up(state: RoomState, command: TimeUp, now_ms: int) -> Events:
    seat = state.seats[command.seat]
    if seat.deadline_ms is None or now_ms < seat.deadline_ms or seat.prompt != command.prompt:
        return ()
    secret = window(state)  # who was asked, and so who missed it, is nobody else's business
    away = () if seat.away or secret else (WentAway(command.seat),)
    if state.phase == "between":
        return () if seat.ready else away
    offered = asked(state).get(command.seat)
    action = "pass" if offered and "pass" in offered else command.action
    if offered is None or action is None:
        return ()
    return (*away, Acted(command.seat, action, "clock"))


def _of_host(state: RoomState, command: AskHost | PassHost, now_ms: int) -> Events:
    if state.phase != "open" or host(state) != command.seat or not heirs(state):
        return ()
    asked_ms = state.host_asked_ms
    if isinstance(command, AskHost):
        idle = now_ms - state.seats[command.seat].seen_ms >= HOST_IDLE_MS
        return (HostAsked(command.seat),) if idle and asked_ms is None else ()
    return (HostIdled(command.seat),) if asked_ms is not None and now_ms - asked_ms >= HOST_ANSWER_MS else ()


def _regrant(state: RoomState, command: Regrant, now_ms: int) -> Events:
    """Once for all nodes that were in trouble at the same time, and not where play went on without them."""
    if max(state.moved_at_ms, state.granted_ms) > command.since_ms:
        return ()
    if state.granted_ms >= state.moved_at_ms and state.grants >= MOST_GRANTS:
        return ()
    deadlines = [seat.deadline_ms for seat in state.seats if seat.deadline_ms is not None]
    if rounds.awaited(state):
        deadlines.append(rounds.patient_until_ms(state))
    return (Regranted(),) if deadlines and min(deadlines) < now_ms + WAKE_MS else ()


def _must_be_host(state: RoomState, seat: Seat) -> None:
    if host(state, stirring=seat) != seat:
        raise Refusal(ErrorCode.NOT_HOST, "Only the host can do that.")
    if state.phase != "open":
        raise Refusal(ErrorCode.ALREADY_STARTED, "Play has started.")


def _empty_seats(state: RoomState) -> list[Seat]:
    return [seat for seat in SEATS if state.seats[seat].kind == "empty"]


def _fill(state: RoomState, level: BotLevel, seat: Seat | None) -> Events:
    free = _empty_seats(state)
    if not free or (seat is not None and seat not in free):
        raise Refusal(ErrorCode.NO_SUCH_SEAT, "There is no empty seat to fill.")
    return tuple(BotSeated(number, level) for number in free if seat is None or number == seat)
