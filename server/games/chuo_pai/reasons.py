"""Why an action of Chuo Pai is none of those that a seat may choose, from what that seat itself can see."""

from collections import Counter
from typing import NamedTuple

from protocol.notation import CHUO_PAI_CARDS, Action, Card, join
from protocol.reasons import WhyCode
from protocol.view import Reason, TableView
from server.games.base import Seat
from server.games.chuo_pai.cards import FAMILIES, Hand, cards_of, hand_of
from server.games.chuo_pai.plays import PASS, PLAYS
from server.games.chuo_pai.state import State

VERB = "play"


class Standing(NamedTuple):
    """What one seat knows of the deal. `turn` is None once it is over, `highest` (whose: `owner`) "" while leading.

    `offered`: what the seat is asked to choose from.
    """

    seat: Seat
    turn: Seat | None
    hand: Hand
    highest: Action
    owner: Seat | None
    max_combination: int
    offered: tuple[Action, ...]


def known_to(state: State, seat: Seat) -> Standing:
    owner, highest = state.table[-1] if state.table else (None, "")
    over = not state.legal
    return Standing(
        seat,
        None if over else state.turn,
        state.hands[seat],
        highest,
        owner,
        state.max_combination,
        state.legal if seat == state.turn else (),
    )


def seen_in(view: TableView, max_combination: int) -> Standing:
    """`view` is that of a seat, while there is a deal."""
    assert view.deal is not None
    assert view.you is not None
    seat = view.you.seat
    facts = {fact.label: fact for fact in view.deal.facts if fact.label in ("turn", "highest")}
    hand = [
        card
        for zone in view.deal.zones
        if zone.name == "hand" and zone.seat == seat
        for group in zone.groups
        for card in group.cards
    ]
    turn, highest = facts.get("turn"), facts.get("highest")
    return Standing(
        seat,
        None if turn is None else int(turn.value),
        hand_of(hand),
        "" if highest is None else f"{VERB} {highest.value}",
        None if highest is None else highest.seat,
        max_combination,
        () if view.prompt is None else view.prompt.actions,
    )


def why(at: Standing, text: str) -> Reason:
    """`text`: an action, or the cards of a play alone, in any order."""
    if at.turn is None:
        return Reason(WhyCode.DEAL_OVER)
    verb, cards = _read(text)
    action = PASS if verb == PASS else f"{VERB} {join(sorted(cards))}"
    if action in at.offered:
        return Reason(WhyCode.OFFERED, number=at.offered.index(action) + 1)
    if at.seat != at.turn:
        return Reason(WhyCode.NOT_YOUR_TURN, seat=at.turn)
    if verb == PASS and not cards:
        return Reason(WhyCode.MUST_BEAT, _cards(at.highest), seat=at.owner) if at.highest else Reason(WhyCode.MUST_LEAD)
    if verb == PASS or not set(cards) <= set(CHUO_PAI_CARDS):
        return Reason(WhyCode.NO_SUCH_ACTION)
    return _no_play(at, action, sorted(cards))


def _no_play(at: Standing, action: Action, cards: list[Card]) -> Reason:
    if not cards:
        return Reason(WhyCode.NO_CARDS)
    if missing := Counter(cards) - Counter(cards_of(at.hand)):
        return Reason(WhyCode.NOT_IN_HAND, tuple(missing.elements()))
    play = PLAYS.get(action)
    if play is None:
        return Reason(WhyCode.NO_PLAY, tuple(cards))
    if not at.highest:
        return Reason(WhyCode.TOO_MANY_CARDS, number=at.max_combination)
    highest = PLAYS[at.highest]
    if play.family != highest.family:
        kinds_differ = len(FAMILIES) in (play.family, highest.family)
        code = WhyCode.OTHER_KIND if kinds_differ else WhyCode.OTHER_FAMILY
        return Reason(code, highest.cards, seat=at.owner)
    if len(play.cards) != len(highest.cards):
        return Reason(WhyCode.OTHER_COUNT, highest.cards, len(highest.cards), at.owner)
    code = WhyCode.SAME_RANK if play.rank == highest.rank else WhyCode.LOWER_RANK
    return Reason(code, highest.cards, seat=at.owner)


def sentence(reason: Reason) -> str:
    """The reason in English, of an action that a seat may not choose."""
    cards = join(reason.cards)
    match reason.code:
        case WhyCode.DEAL_OVER:
            return "the deal is over"
        case WhyCode.NOT_YOUR_TURN:
            return f"it is the turn of seat {reason.seat}"
        case WhyCode.MUST_LEAD:
            return "the leader of a round must play"
        case WhyCode.MUST_BEAT:
            return f"a seat that can beat {cards} must do so"
        case WhyCode.NOT_IN_HAND:
            return f"the hand does not hold {cards}"
        case WhyCode.TOO_MANY_CARDS:
            return f"a combination has at most {reason.number} cards at this table"
        case WhyCode.OTHER_KIND | WhyCode.OTHER_FAMILY:
            return f"it is of another family than {cards}"
        case WhyCode.OTHER_COUNT:
            return f"{cards} is beaten by {reason.number} cards"
        case WhyCode.SAME_RANK | WhyCode.LOWER_RANK:
            return f"it is no higher than {cards}"
    return "this is no play: one to four cards of one identity, or a combination, in ascending order"


def _read(text: str) -> tuple[str, list[Card]]:
    """The verb, "" where it is left out, and the cards."""
    parts = text.lower().replace("+", " ").split()
    verb = parts[0] if parts and parts[0] in (VERB, PASS) else ""
    return verb, parts[1:] if verb else parts


def _cards(action: Action) -> tuple[Card, ...]:
    return PLAYS[action].cards
