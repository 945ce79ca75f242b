"""Whom a room's next deal waits for before its cards are known, and for how long; see `protocol.fair`."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from protocol import fair
from protocol.fair import Three
from protocol.messages import Contribution
from protocol.view import Fairness, Proof
from protocol.view import Round as RoundView
from server.games.base import SEATS, Seat
from server.rooms.events import Contributed, DealStarted, Event, RoundOpened, RoundVoided, SeatVacated
from server.rooms.state import RoomState, Round, played_by_bot

PATIENCE_MS = 10_000
"""How long a client may take to pledge its part of a deal that is due, and then to reveal it. It does so by itself."""


def commitment(state: RoomState, round_: Round) -> bytes:
    return fair.commitment(state.code, round_.deal, round_.attempt, round_.secret)


def awaited(state: RoomState) -> list[Seat]:
    """The seats whose pledges, or else whose parts, the next deal waits for."""
    if state.phase != "dealing" or not state.rounds:
        return []
    following = state.rounds[0]
    if following.closed:
        return [seat for seat in SEATS if following.pledges[seat] and not following.parts[seat]]
    return unpledged(state)


def unpledged(state: RoomState) -> list[Seat]:
    """The seats that could still pledge for the next deal, and are to."""
    following = state.rounds[0]
    return [
        seat
        for seat, its in enumerate(state.seats)
        if its.contributes
        and its.kind == "human"
        and not played_by_bot(its)
        and seat not in following.without
        and not following.pledges[seat]
    ]


def patient_until_ms(state: RoomState) -> int:
    """When nobody is waited for any longer: at once for those who have gone, or asked for the cards without a part."""
    following = state.rounds[0]
    return following.since_ms + (0 if _hopeless(state) else PATIENCE_MS)


def missing(state: RoomState, now_ms: int) -> tuple[Seat, ...]:
    """The seats that are waited for in vain by now."""
    if not awaited(state) or now_ms < patient_until_ms(state):
        return ()
    return tuple(_hopeless(state) or awaited(state))


def _hopeless(state: RoomState) -> list[Seat]:
    following, seats = state.rounds[0], state.seats
    if not following.closed:
        return []
    has_said = following.attempt == 1  # that they are ready, with their part or without
    return [
        seat
        for seat in awaited(state)
        if seats[seat].kind != "human" or seats[seat].away or (has_said and seats[seat].ready)
    ]


def seed_of(state: RoomState) -> bytes:
    """What the next deal follows from, once nobody is awaited; empty in a room without rounds."""
    if not state.rounds:
        return b""
    following = state.rounds[0]
    return fair.seed(commitment(state, following), following.secret, following.parts)


def taken_in(state: RoomState, seat: Seat, contributions: Sequence[Contribution]) -> Iterator[Contributed]:
    """What of this is new and fits; the rest has been overtaken, or would prove nothing."""
    for given in contributions:
        for round_ in state.rounds:
            if (round_.deal, round_.attempt) != (given.deal, given.attempt):
                continue
            held = round_.pledges[seat]
            if given.pledge and not (held or round_.closed or seat in round_.without):
                yield Contributed(seat, round_.deal, round_.attempt, pledge=bytes.fromhex(given.pledge))
            elif given.part and held and round_.closed and not round_.parts[seat]:
                part = bytes.fromhex(given.part)
                committed = commitment(state, round_)
                if fair.pledge(state.code, round_.deal, round_.attempt, seat, committed, part) == held:
                    yield Contributed(seat, round_.deal, round_.attempt, part=part)


# The fold. What it needs of the state is rounds and phase, so that a record is read from a log in the same way.


def of_event(state: RoomState, event: Event) -> RoomState:
    """What the event does to the rounds. Raises LookupError or ValueError for a round that there is not."""
    match event:
        case RoundOpened():
            return _opened(state, Round(event.deal, event.attempt, event.secret, event.without))
        case Contributed():
            return _contributed(state, event)
        case RoundVoided():
            return _voided(state, event.missing)
        case DealStarted():
            return _dealt(state)
        case SeatVacated():
            return _vacated(state, event.seat)
        case _:
            return state


def _contributed(state: RoomState, event: Contributed) -> RoomState:
    at = [(round_.deal, round_.attempt) for round_ in state.rounds].index((event.deal, event.attempt))
    round_ = state.rounds[at]
    if event.pledge:
        round_ = replace(round_, pledges=_put(round_.pledges, event.seat, event.pledge))
    if event.part:
        round_ = replace(round_, parts=_put(round_.parts, event.seat, event.part))
    return replace(state, rounds=(*state.rounds[:at], round_, *state.rounds[at + 1 :]))


def _opened(state: RoomState, round_: Round) -> RoomState:
    return replace(state, rounds=tuple(sorted((*state.rounds, round_), key=lambda each: each.deal)))


def _voided(state: RoomState, missing: tuple[Seat, ...]) -> RoomState:
    gone, *others = replace(state.rounds[0], missing=missing), *state.rounds[1:]
    first, second, third = (times + (seat in missing) for seat, times in enumerate(state.voids))
    # Those of the deal before stay, too, until the next cards are dealt: who saw its rounds may have missed its end.
    return replace(state, rounds=tuple(others), voided=(*state.voided, gone), voids=(first, second, third))


def _dealt(state: RoomState) -> RoomState:
    """The cards of the next deal are known. From now on nobody pledges for the one after it."""
    if not state.rounds:
        return state
    done, *others = state.rounds
    return replace(
        state,
        rounds=tuple(replace(each, closed=True) if at == 0 else each for at, each in enumerate(others)),
        dealt=done,
        voided=tuple(each for each in state.voided if each.deal == done.deal),
    )


def _vacated(state: RoomState, seat: Seat) -> RoomState:
    """What the player has pledged counts no more: in the lobby. Later nobody may choose which parts count."""
    if state.phase != "open" or not any(each.pledges[seat] for each in state.rounds):
        return state
    rounds = tuple(replace(each, pledges=_put(each.pledges, seat, b"")) for each in state.rounds)
    return replace(state, rounds=rounds)


def waiting(state: RoomState, at_ms: int, *, anew: bool = False) -> RoomState:
    """What the next deal waits for, as of now. `anew`: nobody could have answered so far."""
    if state.phase != "dealing" or not state.rounds:
        return state
    following = state.rounds[0]
    if not following.closed and not unpledged(state):
        following = replace(following, closed=True, since_ms=at_ms)
    elif anew or not following.since_ms:
        following = replace(following, since_ms=at_ms)
    else:
        return state
    return replace(state, rounds=(following, *state.rounds[1:]))


def _put(three: Three, seat: Seat, becomes: bytes) -> Three:
    first, second, third = (becomes if each == seat else held for each, held in enumerate(three))
    return first, second, third


# The view


def fairness(state: RoomState) -> Fairness | None:
    """As everybody may see it. Of what is still secret there is only what hashes show."""
    if state.phase == "playing" or not (state.rounds or state.dealt):
        return None
    rounds = tuple(
        RoundView(each.deal, each.attempt, commitment(state, each).hex(), _hex(each.pledges), each.closed, each.without)
        for each in state.rounds
    )
    return Fairness(rounds, revealed(state, over=state.result is not None), state.voids)


def revealed(state: RoomState, *, over: bool) -> tuple[Proof, ...]:
    """All of the rounds that were voided; and of the last deal, if that is over."""
    ended = (state.dealt,) if over and state.dealt is not None else ()
    return tuple(_proof(state, each) for each in (*state.voided, *ended))


def _proof(state: RoomState, round_: Round) -> Proof:
    return Proof(
        state.code,
        round_.deal,
        round_.attempt,
        commitment(state, round_).hex(),
        round_.secret.hex(),
        _hex(round_.pledges),
        _hex(round_.parts),
        round_.missing,
    )


def _hex(three: Three) -> tuple[str, str, str]:
    first, second, third = (each.hex() for each in three)
    return first, second, third
