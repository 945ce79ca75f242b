"""What a player of Paohuzi may think possible, from the worlds of the bots: decks, and positions."""

from collections.abc import Iterator
from functools import reduce
from random import Random
from typing import Any

from msgspec.structs import replace

from protocol.notation import PAOHUZI_CARDS, Card, join
from server.bots.paohuzi.kernel import BIT, CARDS, SHIFT
from server.bots.paohuzi.kernel import Table as World
from server.bots.paohuzi.sight import sight
from server.bots.paohuzi.worlds import Worlds
from server.deals import NOBODY, table_for
from server.games.base import SEATS, Seat
from server.games.paohuzi.game import Paohuzi, opened
from server.games.paohuzi.groups import IDENTICAL, KAN, PAO, PENG, Fixed
from server.games.paohuzi.holding import Holding
from server.open_spiel.node import Node, next_of
from server.open_spiel.resampling import harmless


def decks(rules: Paohuzi, node: Node, player: Seat, rng: Random) -> Iterator[tuple[Card, ...]]:
    """The hands and the stock of the bots' worlds, with what has left them since the deal."""
    gone, revealed = _gone(node.told)
    dealer_card = node.state.dealer_card
    for world in _worlds(rules, node, player, rng):
        first, second, third = ((node.first + place) % len(SEATS) for place in range(len(SEATS)))
        dealer = _held(world, first) + gone[first]
        if dealer_card in dealer:
            dealer.remove(dealer_card)
            others = [*_held(world, second), *gone[second], *_held(world, third), *gone[third]]
            yield (*dealer, dealer_card, *others, *revealed, *[CARDS[number] for number in world.stock])


def guesses(rules: Paohuzi, node: Node, rng: Random) -> Iterator[Node]:
    """The worlds of the player who decides as they are: barred are the cards that the bots take to be."""
    gone, _ = _gone(node.told)
    for world in _worlds(rules, node, node.player, rng):
        holdings = [
            held if seat == node.player else _holding(held, world, seat)
            for seat, held in enumerate(node.state.holdings)
        ]
        state = replace(node.state, holdings=tuple(holdings), stock=tuple([CARDS[number] for number in world.stock]))
        if state.claims is not None:
            state = _declared(
                rules, opened(state, state.holdings, state.public.kind, *state.public.cards), node.player, rng
            )
        one, two, three = [
            start if seat == node.player else join(sorted(_held(world, seat) + gone[seat], key=PAOHUZI_CARDS.index))
            for seat, start in enumerate(node.starts)
        ]
        yield replace(node, state=state, starts=(one, two, three))


def _worlds(rules: Paohuzi, node: Node, player: Seat, rng: Random) -> Iterator[World]:
    worlds = Worlds(sight(table_for(rules, node.state, player, node.options, NOBODY)))
    while True:
        yield worlds.deal(rng)


def _held(world: World, seat: Seat) -> list[Card]:
    """The cards of a hand, kans included."""
    loose, kans = world.loose[seat], world.kans[seat]
    return [
        card
        for card, shift in zip(CARDS, SHIFT, strict=True)
        for _ in range((loose >> shift & 7) + 3 * (kans >> shift & 1))
    ]


def _holding(known: Holding, world: World, seat: Seat) -> Holding:
    kans = _of(world.kans[seat])
    fixed = reduce(Fixed.plus, (*known.melds, *[IDENTICAL[KAN, card] for card in kans]), Fixed())
    return Holding(world.loose[seat], kans, known.melds, fixed, _of(world.barred[seat]), known.dead)


def _of(bits: int) -> tuple[Card, ...]:
    return tuple([card for card, bit in zip(CARDS, BIT, strict=True) if bits & bit])


def _declared(rules: Paohuzi, state: Any, player: Seat, rng: Random) -> Any:
    """With the declarations of those who are asked before the player."""
    while (seat := next_of(rules, state)) != player:
        state = rules.apply(state, seat, harmless(rules, state, seat, player, rng))
    return state


def _gone(told: tuple[str, ...]) -> tuple[list[list[Card]], list[Card]]:
    """By seat, what its hand has lost since the deal; and what was revealed, in order."""
    gone: list[list[Card]] = [[], [], []]
    revealed: list[Card] = []
    threes: set[tuple[str, Card]] = set()
    public = ""
    used = False
    for line in told:
        kind, seat, *rest = line.split(" ")
        cards = rest[0].split("+") if rest else []
        if kind in ("revealed", "discarded"):
            public, used = cards[0], False
            (revealed if kind == "revealed" else gone[int(seat)]).append(public)
        elif kind in ("chi", PENG, "wei"):
            if kind != "chi":
                threes.add((seat, cards[0]))
            if not used:
                cards.remove(public)
            used = True
            gone[int(seat)] += cards
        elif kind in ("ti", PAO) and (seat, cards[0]) not in threes:
            # Not the fourth of a meld: four of the deal, or a kan with the public card.
            gone[int(seat)] += cards[1:] if public else cards
    return gone, revealed
