"""Why an action of Paohuzi is refused, in a sentence, from what the refused seat itself can see."""

from collections.abc import Iterator

from protocol.notation import PAOHUZI_CARDS, Action, Card
from server.games.base import Seat
from server.games.paohuzi.cards import holds
from server.games.paohuzi.claims import CHI_NAMED, WIN
from server.games.paohuzi.groups import GROUPS, LEAST_HUXI, PAO, PENG
from server.games.paohuzi.holding import Holding
from server.games.paohuzi.state import State

_DEAD = "a dead hand never wins, chis or pengs"
_INCOMPLETE = f"the hand is not complete: {GROUPS} groups that use every card and count at least {LEAST_HUXI} huxi"


def reason(state: State, seat: Seat, action: Action) -> str:
    """A seat that is not asked gets the same sentence whatever others are asked or have declared."""
    if state.result is not None:
        return "the deal is over"
    if state.claims is None:
        if seat != state.turn:
            return f"it is the turn of seat {state.turn}"
        return _no_discard(state.holdings[seat], action)
    if seat not in state.asked:
        return "this seat has nothing to declare now"
    return next(_no_claim(state, seat, action))


def _no_discard(held: Holding, action: Action) -> str:
    if action == WIN:
        return _INCOMPLETE
    if not held.loose:
        return "there is no loose card to discard: only win is left"
    verb, _, card = action.partition(" ")
    if verb != "discard" or card not in PAOHUZI_CARDS:
        return "a discard is due: one loose card"
    return f"{card} is locked in a kan" if card in held.kans else f"the hand has no loose {card}"


def _no_claim(state: State, seat: Seat, action: Action) -> Iterator[str]:
    """The reasons that hold, the plainest first."""
    assert state.public is not None
    (card,) = state.public.cards
    held = state.holdings[seat]
    revealed = state.public.kind == "revealed"
    if action == WIN:
        if not revealed:
            yield f"nobody wins on a discard, as {card} is"
        yield _DEAD if held.dead else _INCOMPLETE
    if action == PAO:
        yield f"a pao takes a kan or wei of {card}, or, if {card} is revealed, a peng"
    if action == PENG or action.startswith("chi"):
        if held.dead:
            yield _DEAD
        if card in held.barred:
            yield f"the seat is barred from {card}: it has discarded one, or let one go"
        yield from _no_peng(held, card) if action == PENG else _no_chi(state, seat, card, action)
        yield "no loose card would be left to discard"
    yield f"this is no claim on {card}: win, pao, peng, chi with its groups, or pass"


def _no_peng(held: Holding, card: Card) -> Iterator[str]:
    if held.loose_copies(card) != 2:
        yield f"a peng takes exactly two loose {card}"


def _no_chi(state: State, seat: Seat, card: Card, action: Action) -> Iterator[str]:
    assert state.public is not None
    held = state.holdings[seat]
    distance = (seat - state.turn) % 3
    if distance > 1 or (distance and state.public.kind == "revealed" and not state.chi_passed_reveal):
        yield f"{card} is another seat's to chi"
    if card in held.kans:
        yield f"{card} is locked in a kan"
    chi = CHI_NAMED.get((card, action))
    if chi is None:
        yield f"this is no chi of {card}: groups that each hold it, cards and groups in ascending order"
        return
    if not holds(held.loose, chi.taken):
        yield "the loose cards do not suffice for these groups"
    if sum(group.cards.count(card) for group in chi.groups) != held.loose_copies(card) + 1:
        yield f"every loose {card} must go into a group that holds it"
