"""Views of a table of Paohuzi, as a server would send them."""

from msgspec.structs import replace

from protocol.view import DealView, Fact, Group, OptionValue, Prompt, Result, TableView, You, Zone
from tests.client_cli.tables import view

RULES: dict[str, OptionValue] = {"chi_passed_reveal": False, "dealer_opening_win": True}
KAN = Group(("s4", "s4", "s4"), "kan", value=3)
LOOSE = Group(("s2", "s3", "s3", "s10", "b7", "b7", "b9"), "hand")
PENG = Group(("s5", "s5", "s5"), "peng", value=1)
CHI = Group(("b1", "b2", "b3"), "chi", value=6)
PAO = Group(("s8", "s8", "s8", "s8"), "pao", value=6)
FACTS = (
    *(Fact("dealer", 1), Fact("dealer_card", "b2"), Fact("turn", 1)),
    *(Fact("huxi", 7, 0), Fact("huxi", 6, 1), Fact("huxi", 0, 2), Fact("dead", 1, 2)),
    *(Fact("own_huxi", 10, 0), Fact("barred", "s9+b10", 0)),
)
REVEALED = Group(("b7",), "revealed", 1)
DISCARDED = Group(("s3",), "discarded", 2)
CLAIMS = Prompt(7, ("peng", "chi b2+b7+b10", "chi b7+b8+b9 b7+b7+s7", "pass"))
DISCARDS = Prompt(8, ("discard s2", "discard s3", "discard s10", "discard b7", "discard b9"))


def paohuzi(
    prompt: Prompt | None = None,
    public: Group | None = None,
    *,
    me: int | None = 0,
    n: int = 0,
    phase: str = "playing",
    deals: int = 1,
    auto_pass: bool = False,
    own: tuple[Group, ...] = (KAN, LOOSE),
    others: tuple[tuple[Group, ...], tuple[Group, ...]] = ((), ()),
    melds: tuple[tuple[Group, ...], ...] = ((PENG, CHI), (PAO,), ()),
    facts: tuple[Fact, ...] = FACTS,
    history: tuple[str, ...] = (),
    result: Result | None = None,
) -> TableView:
    """By default Anna holds ten cards and two melds, Budi is the dealer, and the hand of Bot 3 is dead."""
    shown = view(prompt=prompt, me=me, n=n, deals=deals)
    zones = (
        Zone("hand", 10, 0, own),
        Zone("hand", 14, 1, others[0]),
        Zone("hand", 1, 2, others[1]),
        *(Zone("melds", sum(len(meld.cards) for meld in laid), seat, laid) for seat, laid in enumerate(melds)),
        Zone("discards", 3, groups=(Group(("s9",), seat=0), Group(("b5",), seat=2), Group(("b10",), seat=0))),
        Zone("public", int(public is not None), groups=(public,) if public else ()),
        Zone("stock", 12),
    )
    return replace(
        shown,
        room=replace(shown.room, game="paohuzi", options=RULES, phase=phase),
        deal=DealView(zones, facts, history),
        you=None if me is None else You(me, n, auto_pass),
        result=result,
    )
