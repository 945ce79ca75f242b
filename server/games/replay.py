"""A recorded deal step by step with every card open: a fold over the record, as lines of `paizhuo-replay/1`.

The first line is a `Header`, each further one a `ReplayStep`. For who studies a finished deal: nothing here is hidden.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.notation import Action
from protocol.record import BadRecord, Record
from protocol.view import (
    Count,
    DealView,
    Happening,
    OptionValue,
    Result,
    RoomView,
    SeatNumber,
    SeatView,
    TableView,
)
from server.games.base import SEATS, Game
from server.games.record import discrepancies
from server.games.registry import game_named

Format = Literal["paizhuo-replay/1"]
Name = Annotated[str, Meta(max_length=64)]


class Header(Struct, frozen=True, kw_only=True):
    """`deal`: the place of the record among all `deals` of its file, from 1; the views have its place in its match.

    `steps`: how many lines follow.

    `names`: of the seats; empty where they are not known.
    """

    format: Format = "paizhuo-replay/1"
    game: str
    options: dict[str, OptionValue]
    deal: int
    deals: int
    steps: int
    names: tuple[str, str, str]
    result: Result


class Origin(Struct, frozen=True):
    """What rooms add to a record: the names of the seats, and the deal's place in its match, from 1; 0 if unknown."""

    names: tuple[Name, Name, Name] = ("", "", "")
    deal: Count = 0
    deals: Count = 0


class Acted(Struct, frozen=True):
    seat: SeatNumber
    action: Action


class ReplayStep(Struct, frozen=True):
    """The table after the step, and what it made public. `action`: None where the rules went on by themselves.

    An answer to a public card makes nothing public before all have answered, so `happened` may be empty.
    """

    view: TableView
    happened: tuple[Happening, ...]
    action: Acted | None = None


def replayed(record: Record, *, deal: int = 1, deals: int = 1) -> tuple[Header, Sequence[ReplayStep]]:
    """The whole deal of a record that `read` accepted. Raises `BadRecord` where it departs from the rules."""
    if (departure := next(discrepancies(record), None)) is not None:
        raise BadRecord(departure)
    game = game_named(record.game)
    origin = _origin(record)
    if not 1 <= origin.deal <= origin.deals:
        origin = Origin(origin.names, deal, deals)
    table = _table(game, record, origin)
    steps = tuple(_steps(game, record, table))
    result = steps[-1].view.result
    assert result is not None
    options = steps[0].view.room.options
    header = Header(
        game=game.name, options=options, deal=deal, deals=deals, steps=len(steps), names=origin.names, result=result
    )
    return header, steps


def _origin(record: Record) -> Origin:
    try:
        return msgspec.convert(record.extra, Origin)
    except msgspec.ValidationError:  # a record of another origin may have anything there
        return Origin()


def _table(game: Game[Any], record: Record, origin: Origin) -> TableView:
    first, second, third = (SeatView(seat, "human", name, connected=True) for seat, name in enumerate(origin.names))
    room = RoomView(
        code="",
        game=game.name,
        options=dict(game.options(record.options)),
        pace="none",
        deals=origin.deals,
        deal=origin.deal,
        phase="playing",
        host=None,
    )
    return TableView(room, (first, second, third))


def _steps(game: Game[Any], record: Record, table: TableView) -> Iterator[ReplayStep]:
    for action, before, after in _course(game, record):
        happened = game.happened(before, after)
        if before is None:
            happened = (Happening("deal_started", record.first, value=table.room.deal), *happened)
        result = game.result(after)
        room = table.room
        if result is not None:
            happened = (*happened, Happening("deal_over", value=table.room.deal, scores=result.scores))
            room = replace(room, phase="over")
        view = replace(table, room=room, deal=open_view(game, after), result=result)
        yield ReplayStep(view, happened, action)


def _course(game: Game[Any], record: Record) -> Iterator[tuple[Acted | None, Any, Any]]:
    """Each change of the state with what was before and after it; first the deal itself, before which was nothing."""
    state = game.start(record.deck, record.first, record.options)
    yield None, None, state
    for step in (*record.steps, None):
        while game.window(state) and not game.asked(state):
            before, state = state, game.go_on(state)
            yield None, before, state
        if step is not None:
            before, state = state, game.apply(state, step.seat, step.action)
            yield Acted(step.seat, step.action), before, state


def open_view(game: Game[Any], state: Any) -> DealView:
    """What all three seats together may see."""
    views = game.views(state, SEATS)
    zones = tuple(
        next((zone for zone in seen if zone.groups), seen[0])
        for seen in zip(*(view.zones for view in views), strict=True)
    )
    facts = tuple(dict.fromkeys(fact for view in views for fact in view.facts))
    return DealView(zones, facts, views[0].history)
