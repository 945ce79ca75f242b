"""The deals of a room, read back from its log as records that anybody can verify."""

from collections.abc import Iterable, Iterator

from msgspec import UNSET
from msgspec.structs import replace

from protocol.record import Record, Step
from server.games.base import SEATS
from server.games.record import outcome
from server.rooms import rounds
from server.rooms.events import Acted, BotSeated, Commit, DealStarted, MatchStarted, RoomCreated, SeatTaken, WentOn
from server.rooms.fold import room_of, rules_of
from server.rooms.state import RoomState, bot_name


def finished_deal(commits: Iterable[Commit], number: int) -> Record | None:
    """Deal `number` (from 1), without `legal` lists; None unless it is over. It has the keys of
    `server.games.replay.Origin`.

    `commits`: the room's log from its beginning. Raises `OtherRules`.
    """
    record = None
    for record in finishing(commits, number):  # noqa: B007 the last one
        pass
    return record


def finishing(commits: Iterable[Commit], number: int) -> Iterator[Record | None]:
    """What `finished_deal` returns comes last, and None before it after each piece of the work."""
    created: RoomCreated | None = None
    making: RoomState | None = None  # of which only what concerns the rounds is kept
    made: RoomState | None = None
    dealt: DealStarted | None = None
    course: list[Acted | WentOn] = []
    seated = names = dict.fromkeys(SEATS, "")
    deals = 0
    for commit in commits:
        for event in commit.events:
            making = making and rounds.of_event(making, event)
            match event:
                case RoomCreated():
                    created, making = event, room_of(event)
                case MatchStarted():
                    making = making and replace(making, phase="dealing")
                case SeatTaken():
                    seated[event.seat] = event.name
                case BotSeated():
                    seated[event.seat] = bot_name(event.seat)
                case DealStarted():
                    deals += 1
                    if deals == number:
                        dealt, made, names = event, making, seated.copy()
                case Acted() | WentOn() if deals == number:
                    course.append(event)
                case _:
                    pass
        yield None
    if created is None or dealt is None:
        return
    game = rules_of(created)
    state = game.start(dealt.deck, dealt.first, created.options)
    for event in course:  # and no further: what is certain but has not shown yet is no result
        state = game.apply(state, event.seat, event.action) if isinstance(event, Acted) else game.go_on(state)
        yield None
    result = game.result(state)
    if result is None:
        return
    yield Record(
        game=created.game,
        options=created.options,
        first=dealt.first,
        deck=dealt.deck,
        steps=tuple(Step(seat=event.seat, action=event.action) for event in course if isinstance(event, Acted)),
        result=outcome(result),
        fair=rounds.revealed(made, over=True) if made is not None and made.dealt is not None else UNSET,
        extra={"names": [names[seat] for seat in SEATS], "deal": number, "deals": created.deals},
    )
