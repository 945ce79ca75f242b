"""Paohuzi (跑胡子), Two-Seven-Ten (二七十), for three seats: the course of a deal, as pure functions over `State`.

A seat discards or reveals, the others claim at the same time, the best claim is carried out, and play goes on from
the claimant or, where nobody claims, to the next seat.

House rules: `dealer_opening_win`, the dealer may win with its own 21 cards; `chi_passed_reveal`, a revealed card that
its owner does not take may go to the next seat's chi.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from msgspec.structs import replace

from protocol.messages import HouseRule
from protocol.notation import Action, Card
from protocol.view import DealView, Group, Happening, Reason, Result, TableView
from server.games.base import SEATS, Deck, IllegalAction, Options, Seat, check_deck, chosen_rules
from server.games.paohuzi import view
from server.games.paohuzi.cards import LANE, PACK, PARTS, Hand, cards_of
from server.games.paohuzi.claims import CHI_NAMED, WIN, Claims, options
from server.games.paohuzi.groups import IDENTICAL, KAN, LEAST_HUXI, PAO, PENG, TI, text
from server.games.paohuzi.holding import Holding, dealt
from server.games.paohuzi.reasons import known_to, seen_in, sentence, why
from server.games.paohuzi.state import State

DEALER_OPENING_WIN = "dealer_opening_win"
CHI_PASSED_REVEAL = "chi_passed_reveal"

HAND_SIZE = 20
HEAVENLY_TIS = 3
HEAVENLY_KANS = 5
DEALT = "dealt"
DISCARDED = "discarded"
REVEALED = "revealed"
NO_OPTION: tuple[Action, ...] = ()

Holdings = tuple[Holding, Holding, Holding]


class Paohuzi:
    """The game as `server.games.base.Game`."""

    name = "paohuzi"
    version = 1
    pack: Deck = PACK
    house_rules: tuple[HouseRule, ...] = (
        HouseRule(DEALER_OPENING_WIN, default=False, text="The dealer may win before the first discard."),
        HouseRule(CHI_PASSED_REVEAL, default=False, text="The next seat may take a revealed card for a chi, too."),
    )

    def options(self, given: Options) -> Options:
        return chosen_rules(self.name, self.house_rules, given)

    def start(self, deck: Deck, first: Seat, options: Options) -> State:
        rules = self.options(options)
        check_deck(deck, PACK)
        second, third = (first + 1) % 3, (first + 2) % 3
        hands = {first: deck[:21], second: deck[21:41], third: deck[41:61]}
        holdings = {seat: dealt(cards) for seat, cards in hands.items()}
        card = deck[HAND_SIZE]
        told = [Happening("dealt_public", first, (card,))]
        for seat in hands:
            told += [Happening(TI, seat, meld.cards) for meld in holdings[seat].melds]
        state = State(
            chi_passed_reveal=bool(rules[CHI_PASSED_REVEAL]),
            dealer=first,
            dealer_card=card,
            holdings=(holdings[0], holdings[1], holdings[2]),
            stock=deck[61:],
            discards=(),
            turn=first,
            public=Group((card,), DEALT, first),
            claims=None,
            asked={},
            moment=0,
            history=(),
            told=tuple(told),
        )
        for seat in hands:
            if heavenly := _heavenly(holdings[seat]):
                return _won(state, seat, *heavenly)
        dealer = holdings[first]
        if not dealer.discard_due():
            return replace(state, claims=Claims(first, (NO_OPTION,) * 3))
        wins = (WIN,) if rules[DEALER_OPENING_WIN] and dealer.complete(None) else ()
        return replace(state, asked={first: wins + _discards(dealer.loose)})

    def asked(self, state: State) -> Mapping[Seat, tuple[Action, ...]]:
        return state.asked

    def apply(self, state: State, seat: Seat, action: Action) -> State:
        if action not in state.asked.get(seat, ()):
            raise IllegalAction(_reason(state, seat, action))
        if state.claims is not None:
            claims = state.claims.declare(seat, action)
            return replace(state, claims=claims, asked=claims.asked())
        holding = state.holdings[seat]
        history = (*state.history, f"{state.moment} {seat} {action}")
        acted = replace(state, moment=state.moment + 1, history=history, told=())
        if action == WIN:
            return _won(acted, seat, WIN, holding.arranged(None))
        card = action.removeprefix("discard ")
        return opened(acted, _replaced(state.holdings, seat, holding.discarded(card)), DISCARDED, card)

    def window(self, state: State) -> bool:
        return state.claims is not None

    def go_on(self, state: State) -> State:
        if state.claims is None or state.asked:
            raise ValueError("the deal does not go on by itself: somebody must decide, or it is over")
        assert state.public is not None
        (card,) = state.public.cards
        won, barred = state.claims.outcome()
        holdings = state.holdings
        for seat in barred:
            holdings = _replaced(holdings, seat, holdings[seat].bar(card))
        discards = state.discards
        told: tuple[Happening, ...] = ()
        if won is None and state.public.kind != DEALT:
            discards = (*discards, Group((card,), seat=state.turn))
            told = (_happening("unclaimed", state.turn, card),)
        acted = replace(state, holdings=holdings, discards=discards, claims=None, moment=state.moment + 1, told=told)
        return _reveal(acted, (state.turn + 1) % 3) if won is None else _claimed(acted, card, *won)

    def moment(self, state: State) -> int:
        return state.moment

    def view(self, state: State, seat: Seat | None) -> DealView:
        return view.views(state, (seat,))[0]

    def views(self, state: State, seats: Iterable[Seat | None]) -> list[DealView]:
        return view.views(state, seats)

    def happened(self, before: State | None, after: State) -> tuple[Happening, ...]:
        return after.told if before is None or before.moment != after.moment else ()

    def result(self, state: State) -> Result | None:
        return state.result

    def why(self, view: TableView, text: str) -> Reason:
        options = self.options(view.room.options)
        return why(seen_in(view, chi_passed_reveal=bool(options[CHI_PASSED_REVEAL])), text)

    def essence(self, state: State) -> tuple[object, ...]:
        return (
            state.chi_passed_reveal,
            state.dealer,
            [(held.loose, held.kans, held.melds, held.barred, held.dead) for held in state.holdings],
            state.stock,
            state.discards,
            state.turn,
            state.public,
            None if state.claims is None else state.claims.declared,
            state.moment,
            state.result,
        )


def _reason(state: State, seat: Seat, action: Action) -> str:
    """A seat that is not asked gets the same sentence whatever others are asked or have declared."""
    if state.claims is not None and seat not in state.asked:
        return "this seat has nothing to declare now"
    return sentence(why(known_to(state, seat), action))


def _heavenly(holding: Holding) -> tuple[str, tuple[Group, ...]] | None:
    """The kind of a win by the deal alone, and the groups that count."""
    if len(holding.melds) >= HEAVENLY_TIS:
        return "heavenly-ti", tuple(sorted(holding.melds, key=text))
    if len(holding.kans) >= HEAVENLY_KANS:
        return "heavenly-kan", tuple(sorted((IDENTICAL[KAN, card] for card in holding.kans), key=text))
    return None


def _discards(loose: Hand) -> tuple[Action, ...]:
    first, second, third, fourth = PARTS
    return (
        _discards_in(loose & first)
        + _discards_in(loose & second)
        + _discards_in(loose & third)
        + _discards_in(loose & fourth)
    )


@cache
def _discards_in(part: Hand) -> tuple[Action, ...]:
    return tuple(f"discard {card}" for card in dict.fromkeys(cards_of(part)))


def opened(state: State, holdings: Holdings, kind: str, card: Card) -> State:
    """A card of `state.turn` stands in public, and every seat that can claim it is asked."""
    owner, after, last = state.turn, (state.turn + 1) % 3, (state.turn + 2) % 3
    revealed = kind == REVEALED
    offered = [NO_OPTION] * 3
    if revealed:
        offered[owner] = options(holdings[owner], card, 0, revealed=True, may_chi=True)
    may_chi = not revealed or state.chi_passed_reveal
    offered[after] = options(holdings[after], card, 1, revealed=revealed, may_chi=may_chi)
    offered[last] = options(holdings[last], card, 2, revealed=revealed, may_chi=False)
    return replace(
        state,
        holdings=holdings,
        public=Group((card,), kind, owner),
        claims=Claims(owner, tuple(offered)),
        asked={seat: actions for seat, actions in enumerate(offered) if actions},
        told=(*state.told, _happening(kind, owner, card)),
    )


@cache
def _happening(kind: str, seat: Seat, card: Card) -> Happening:
    return Happening(kind, seat, (card,))


def _claimed(state: State, card: Card, seat: Seat, action: Action) -> State:
    """The best claim is carried out."""
    holding = state.holdings[seat]
    state = replace(state, history=(*state.history, f"{state.moment - 1} {seat} {action}"))
    if action == WIN:
        return _won(state, seat, WIN, holding.arranged(card), (card,))
    if action == PAO:
        return _melded(state, seat, holding.grown(IDENTICAL[PAO, card]), (IDENTICAL[PAO, card],))
    if action == PENG:
        return _melded(state, seat, holding.laid((IDENTICAL[PENG, card],), 2 << LANE[card]), (IDENTICAL[PENG, card],))
    chi = CHI_NAMED[card, action]
    return _melded(state, seat, holding.laid(chi.groups, chi.taken), chi.groups)


def _reveal(state: State, seat: Seat) -> State:
    """The seat reveals the front card of the stock; a ti or wei that it must make is laid at once."""
    if not state.stock:
        told = (*state.told, Happening("drawn_game"))
        return replace(state, public=None, result=Result((0, 0, 0), (), "draw"), told=told)
    card = state.stock[0]
    state = replace(state, stock=state.stock[1:], turn=seat)
    holding = state.holdings[seat]
    group = holding.mandatory(card)
    if group is None:
        return opened(state, state.holdings, REVEALED, card)
    holding = holding.grown(group) if group.kind == TI else holding.laid((group,), 2 << LANE[card])
    state = replace(state, told=(*state.told, _happening(REVEALED, seat, card)))
    return _melded(state, seat, holding, (group,), may_win=holding.complete(None))


def _melded(state: State, seat: Seat, holding: Holding, groups: tuple[Group, ...], *, may_win: bool = False) -> State:
    """A seat has laid groups: it discards if it must, or is dead if it must and cannot; else the next seat reveals."""
    told = [*state.told, *[Happening(group.kind, seat, group.cards) for group in groups]]
    due = holding.discard_due()
    legal = ((WIN,) if may_win else ()) + (_discards(holding.loose) if due else ())
    if due and not legal and not holding.dead:
        holding = replace(holding, dead=True)
        told.append(Happening("dead", seat))
    holdings = _replaced(state.holdings, seat, holding)
    state = replace(
        state, holdings=holdings, public=None, turn=seat, asked={seat: legal} if legal else {}, told=tuple(told)
    )
    return state if legal else _reveal(state, (seat + 1) % 3)


def _won(state: State, seat: Seat, kind: str, groups: tuple[Group, ...], cards: tuple[Card, ...] = ()) -> State:
    """`cards`: the winning card, where there is one."""
    huxi = sum(group.value or 0 for group in groups)
    tun = 1 + (huxi - LEAST_HUXI) // 3
    scores = [2 * tun if each == seat else -tun for each in SEATS]
    return replace(
        state,
        asked={},
        result=Result((scores[0], scores[1], scores[2]), (seat,), kind, huxi, tun, groups),
        told=(*state.told, Happening("won", seat, cards, name=kind)),
    )


def _replaced(holdings: Holdings, seat: Seat, holding: Holding) -> Holdings:
    first, second, third = holdings
    if seat == 0:
        return holding, second, third
    return (first, holding, third) if seat == 1 else (first, second, holding)
