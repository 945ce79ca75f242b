"""Positions in the middle of a deal, from hands written as text."""

from functools import reduce
from random import Random

from protocol.notation import PAOHUZI_CARDS
from protocol.view import Group
from server.games.base import Deck, Seat
from server.games.paohuzi.cards import hand_of
from server.games.paohuzi.claims import Claims
from server.games.paohuzi.game import Paohuzi
from server.games.paohuzi.groups import CHI, CHIS, IDENTICAL, KAN, Fixed
from server.games.paohuzi.holding import Holding
from server.games.paohuzi.state import State

GAME = Paohuzi()


def group(text: str) -> Group:
    """`peng s5`, `chi s1+s2+s3`."""
    kind, cards = text.split()
    if kind == CHI:
        return next(chi for chi in CHIS if "+".join(chi.cards) == cards)
    return IDENTICAL[kind, cards.split("+")[0]]


def holding(text: str) -> Holding:
    """Parts with semicolons between: `s1 s2 b7; kan s8; peng s5; chi s1+s2+s3; barred s3 b2; dead`."""
    loose: list[str] = []
    kans: list[str] = []
    melds: list[Group] = []
    barred: tuple[str, ...] = ()
    dead = False
    for part in filter(None, map(str.strip, text.split(";"))):
        word, *rest = part.split()
        if word == "dead":
            dead = True
        elif word == "barred":
            barred = tuple(rest)
        elif word == KAN:
            kans += rest
        elif word[0] in "sb":
            loose += [word, *rest]
        else:
            melds.append(group(part))
    fixed = reduce(Fixed.plus, (*melds, *[IDENTICAL[KAN, card] for card in kans]), Fixed())
    return Holding(hand_of(loose), tuple(kans), tuple(melds), fixed, barred, dead)


def position(
    *hands: str, seat: Seat = 0, discards: str = "", reveals: str = "", chi_passed_reveal: bool = False
) -> State:
    """Seat `seat` has just discarded a card, or revealed the first card of the stock, which is `reveals`."""
    first, second, third = map(holding, hands)
    before = (seat - 1) % 3
    state = State(
        chi_passed_reveal=chi_passed_reveal,
        dealer=0,
        dealer_card="s1",
        holdings=(first, second, third),
        stock=tuple(reveals.split()),
        discards=(),
        turn=seat if discards else before,
        public=None if discards else Group(("s1",), "dealt", before),
        claims=None if discards else Claims(before, ((), (), ())),
        asked={seat: (f"discard {discards}",)} if discards else {},
        moment=7,
        history=(),
        told=(),
    )
    return GAME.apply(state, seat, f"discard {discards}") if discards else GAME.go_on(state)


def chunked(rng: Random) -> Deck:
    """A deck in which identical cards lie together more often than by chance, so that much is claimed."""
    chunks: list[tuple[str, ...]] = []
    for card in PAOHUZI_CARDS:
        sizes = rng.choice(((3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)))
        chunks += [(card,) * size for size in sizes]
    rng.shuffle(chunks)
    return tuple(card for chunk in chunks for card in chunk)
