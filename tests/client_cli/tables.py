"""Views of a table of Chuo Pai, as a server would send them."""

from typing import cast

from protocol.messages import Table
from protocol.view import (
    DealView,
    Fact,
    Group,
    Happening,
    OptionValue,
    Phase,
    Prompt,
    Result,
    RoomView,
    SeatView,
    TableView,
    You,
    Zone,
)

CODE = "K7QF2MXR"
TICKET = f"{CODE}.mcbb3dqJw0SGZ7yY2rTnLg"
ANNA = SeatView(0, "human", "Anna", connected=True)
BUDI = SeatView(1, "human", "Budi", connected=True)
BOT = SeatView(2, "bot", "Bot 3", level="easy")
FREE = SeatView(2, "empty")
OPTIONS: dict[str, OptionValue] = {"max_combination": 12}


def room(phase: Phase = "playing", *, deal: int = 1, deals: int = 1, host: int | None = 0) -> RoomView:
    return RoomView(CODE, "chuo-pai", OPTIONS, "none", deals, 0 if phase == "open" else deal, phase, host)


def hand(seat: int, *cards: str) -> Zone:
    return Zone("hand", len(cards), seat, (Group(cards, "hand"),))


def view(
    *,
    prompt: Prompt | None = None,
    n: int = 0,
    me: int | None = 0,
    phase: Phase = "playing",
    deal: int = 1,
    deals: int = 1,
    host: int | None = 0,
    seats: tuple[SeatView, ...] = (ANNA, BUDI, BOT),
    zones: tuple[Zone, ...] = (hand(0, "66", "66", "36", "13"), Zone("hand", 27, 1), Zone("hand", 28, 2)),
    facts: tuple[Fact, ...] = (Fact("round", 3), Fact("points", 2, 0), Fact("points", 0, 1), Fact("points", 1, 2)),
    history: tuple[str, ...] = (),
    result: Result | None = None,
) -> TableView:
    return TableView(
        room=room(phase, deal=deal, deals=deals, host=host),
        seats=cast("tuple[SeatView, SeatView, SeatView]", seats),
        deal=None if phase == "open" else DealView(zones, facts, history),
        prompt=prompt,
        you=None if me is None else You(me, n),
        result=result,
    )


def leading(prompt_id: int = 1, *actions: str) -> Prompt:
    return Prompt(prompt_id, actions or ("play 66", "play 66+66", "play 36+66", "play 13"))


def table(shown: TableView, *happened: Happening, missed: bool = False) -> Table:
    return Table(shown, happened, missed)
