"""What players see at tables of three games, for tests of how it is drawn."""

from msgspec.structs import replace

from client_cli.tui.table.sight import Sight
from protocol.view import DealView, Fact, Group, Prompt, Result, SeatView, TableView, Zone
from tests.client_cli.paohuzi_tables import CHI, CLAIMS, PAO, PENG, REVEALED, paohuzi
from tests.client_cli.tables import hand, view

NAMES = ("张三李四", "Ａｂｃ", "a\u0301\u0302\u0303\u0304👨\u200d👩\u200d👧[/b]\x1b[31m")
SEATS = (
    SeatView(0, "human", NAMES[0], connected=True),
    SeatView(1, "human", NAMES[1], away=True, level="easy"),
    SeatView(2, "bot", NAMES[2], level="easy"),
)
FULL_HAND = (
    *("66", "66", "66", "11", "44", "44", "13", "13", "13", "55", "33", "22", "22"),
    *("15", "16", "46", "46", "56", "36", "36", "26", "35", "25", "23", "45", "34", "14", "24"),
)
"""28 cards of 21 identities."""


def chuo_pai(*actions: str, me: int | None = 0) -> Sight:
    """Two have played, and the viewer has won and lost some."""
    zones = (
        hand(0, *FULL_HAND) if me == 0 else Zone("hand", 28, 0),
        Zone("hand", 27, 1),
        Zone("hand", 28, 2),
        Zone("pile", 2, 0, (Group(("66", "66"), "set"),)),
        Zone("pile", 5, 1, (Group(("36", "36", "66"), "combination"), Group(("11", "11"), "set"))),
        Zone("pile", 0, 2),
        Zone("round", 4, groups=(Group(("22", "22"), "set", 2), Group(("33", "33"), "set", 1))),
    )
    facts = (Fact("round", 3), Fact("turn", 0), Fact("leader", 2), Fact("highest", "33+33", 1), Fact("points", 2, 0))
    prompt = Prompt(4, actions or ("play 44+44", "play 66+66")) if me == 0 else None
    return Sight(view(zones=zones, facts=facts, prompt=prompt, seats=SEATS, me=me), me, prompt)


def claim() -> Sight:
    """Paohuzi: a revealed card that can be claimed."""
    shown = replace(paohuzi(CLAIMS, REVEALED, deals=2), seats=SEATS)
    return Sight(shown, 0, CLAIMS)


def third_game() -> Sight:
    """A game that this client has never heard of, with markup and controls in its cards."""
    cards = ("Qh", "10s", "[bold]", "\x1b[2J")
    prompt = Prompt(2, ("throw Qh", "throw 10s", "keep"))
    zones = (hand(0, *cards), Zone("hand", 3, 1), Zone("trick", 1, groups=(Group(("Kh",), "led", 1),)))
    shown = view(zones=zones, facts=(Fact("turn", 0), Fact("trumps", "h")), prompt=prompt, seats=SEATS)
    return Sight(replace(shown, room=replace(shown.room, game="whist")), 0, prompt)


def won(*, deals: int = 3, phase: str = "between") -> Sight:
    """The end of a deal of Paohuzi."""
    groups = (Group(("b2",) * 4, "ti", value=12), PAO, CHI, PENG, Group(("s9", "s9"), "pair", value=0))
    result = Result((8, -4, -4), (0,), "win", 24, 4, groups)
    shown = replace(paohuzi(phase=phase, deals=deals, result=result), seats=SEATS)
    return Sight(shown, 0)


def empty_deal(shown: TableView) -> TableView:
    """The same table with nothing on it."""
    return replace(shown, deal=DealView((), (), ()))


ALL = {"chuo-pai": chuo_pai(), "claim": claim(), "third game": third_game(), "won": won(), "watched": chuo_pai(me=None)}
