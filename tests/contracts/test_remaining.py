"""What a client counts as unseen from a view is what the server really hides from that viewer."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client_cli.remaining import remaining
from protocol.view import DealView, RoomView, SeatView, TableView
from server.games.base import SEATS, Game
from server.games.record import read
from server.games.registry import GAMES
from server.games.replay import open_view

RARE = sorted((Path(__file__).parents[1] / "golden").glob("*-rare.jsonl"))


def table(game: Game[Any], deal: DealView) -> TableView:
    room = RoomView("ROOM", game.name, {}, pace="none", deals=1, deal=1, phase="playing", host=None)
    first, second, third = (SeatView(seat, "human") for seat in SEATS)
    return TableView(room, (first, second, third), deal)


def hands(deal: DealView) -> list[Counter[str]]:
    zones = [zone for zone in deal.zones if zone.name == "hand"]
    return [Counter(card for group in zone.groups for card in group.cards) for zone in zones]


def hold_against(game: Game[Any], state: Any, dealt: list[Counter[str]]) -> None:
    """Each viewer's count against all cards that lie where that viewer cannot look."""
    shown = open_view(game, state)
    held, stock = hands(shown), Counter(getattr(state, "stock", ()))
    for viewer in (*SEATS, None):
        hidden = stock.copy()
        if game.result(state) is None:
            hidden.update(sum((held[seat] for seat in SEATS if seat != viewer), Counter()))
            hidden.subtract(known(shown, viewer, held, dealt))
        assert remaining(table(game, game.view(state, viewer))) == {card: hidden[card] for card in game.pack}


def known(shown: DealView, viewer: int | None, held: list[Counter[str]], dealt: list[Counter[str]]) -> list[str]:
    """The dealer's public card of Paohuzi, as long as no card like it has left the dealer's hand."""
    facts = {fact.label: fact.value for fact in shown.facts}
    dealer, card = facts.get("dealer"), facts.get("dealer_card")
    if not isinstance(dealer, int) or not isinstance(card, str) or dealer == viewer:
        return []
    return [card] if held[dealer][card] == dealt[dealer][card] else []


def course(game: Game[Any], state: Any, actions: Iterator[tuple[int, str]] | Random) -> Iterator[Any]:
    """Every state of a deal, those between two public cards too."""
    yield state
    while game.result(state) is None:
        if asked := game.asked(state):
            if isinstance(actions, Random):
                seat = actions.choice(sorted(asked))
                state = game.apply(state, seat, actions.choice(asked[seat]))
            else:
                state = game.apply(state, *next(actions))
        else:
            state = game.go_on(state)
        yield state


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_in_every_position_of_a_deal_the_count_is_right_for_every_viewer(name: str, seed: int) -> None:
    game, rng = GAMES[name], Random(seed)
    deck = tuple(rng.sample(game.pack, len(game.pack)))
    dealt = dealt_from(game, deck, first := rng.randrange(3))
    for state in course(game, game.start(deck, first, {}), rng):
        hold_against(game, state, dealt)


@pytest.mark.slow
@pytest.mark.parametrize("file", RARE, ids=lambda file: file.name)
def test_it_is_right_in_rare_deals_too(file: Path) -> None:
    for record in map(read, file.read_bytes().splitlines()[::4]):
        game = GAMES[record.game]
        dealt = dealt_from(game, record.deck, record.first)
        actions = ((step.seat, step.action) for step in record.steps)
        for state in course(game, game.start(record.deck, record.first, record.options), actions):
            hold_against(game, state, dealt)


def dealt_from(game: Game[Any], deck: tuple[str, ...], first: int) -> list[Counter[str]]:
    """The hands as they were dealt, before anything was laid."""
    if game.name == "chuo-pai":
        return [Counter(deck[28 * seat : 28 * seat + 28]) for seat in SEATS]
    parts = {first: deck[:21], (first + 1) % 3: deck[21:41], (first + 2) % 3: deck[41:61]}
    return [Counter(parts[seat]) for seat in SEATS]


def test_nothing_is_counted_before_a_deal_or_of_an_unknown_game() -> None:
    game = GAMES["paohuzi"]
    lobby = table(game, DealView((), (), ()))
    assert remaining(TableView(lobby.room, lobby.seats)) == {}
    strange = RoomView("ROOM", "go-fish", {}, pace="none", deals=1, deal=1, phase="playing", host=None)
    assert remaining(TableView(strange, lobby.seats, lobby.deal)) == {}
