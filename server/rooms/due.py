"""What will happen in a room by itself, and when. Pure: who is connected and since when not comes in as a value."""

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

from server.games.base import SEATS, Seat
from server.rooms.pace import HOST_ANSWER_MS, HOST_IDLE_MS
from server.rooms.rounds import awaited, patient_until_ms
from server.rooms.state import RoomState, asked, heirs, host, passes_by_switch, played_by_bot, window

LOBBY_KEPT_MS = 30 * 60_000
PLAY_KEPT_MS = 7 * 24 * 3_600_000
OVER_KEPT_MS = 24 * 3_600_000
CLOSED_KEPT_MS = 10 * 60_000
"""How long the log of a room is kept after its last entry: while seats are filled, once play has started, when the
match is over, and when nobody can come back.
"""


class Timing(NamedTuple):
    """`grace_ms`: how long a player may be disconnected before a bot stands in. `beat_ms`: how long a public card
    stands on the table, and what a bot's action follows, where people look on.
    """

    grace_ms: int
    beat_ms: int


class Due(NamedTuple):
    """`at_ms` by the store's clock. `seat`: whom it concerns; `prompt`: the question that is answered for it."""

    at_ms: int
    kind: Literal["deal", "void", "bot", "auto_pass", "go_on", "time_up", "away", "ask_host", "pass_host", "keep"]
    seat: Seat | None = None
    prompt: int = 0


def kept_ms(state: RoomState) -> int:
    if state.closed:
        return CLOSED_KEPT_MS
    if state.phase == "open":
        return LOBBY_KEPT_MS
    return OVER_KEPT_MS if state.phase == "over" else PLAY_KEPT_MS


def runs_out_ms(state: RoomState) -> int:
    """When the log is kept no longer, unless something is written before."""
    return state.last_at_ms + kept_ms(state)


def dues(state: RoomState, gone_since_ms: Mapping[Seat, int], timing: Timing) -> list[Due]:
    """Everything that is to happen by itself, earliest first.

    `gone_since_ms`: the players who are not connected, and since when. While no player is connected nothing happens.
    """
    players = [seat for seat in SEATS if state.seats[seat].kind == "human"]
    gone = [seat for seat in players if seat in gone_since_ms]
    if state.closed or len(gone) == len(players):
        return []
    found = [Due(state.last_at_ms + kept_ms(state) // 2, "keep")]
    if state.phase != "over":
        found += [
            Due(gone_since_ms[seat] + timing.grace_ms, "away", seat) for seat in gone if not state.seats[seat].away
        ]
    if state.phase == "open":
        found += _of_host(state, gone)
    if state.phase == "dealing":
        void = Due(patient_until_ms(state), "void") if awaited(state) else None
        found.append(void or Due(state.last_at_ms, "deal"))
    questions, stands = asked(state), window(state)
    if stands and not questions:
        found.append(Due(state.moved_at_ms + timing.beat_ms, "go_on"))
    for seat in questions:
        its = state.seats[seat]
        if played_by_bot(its):
            # A declaration shows to nobody until the card has stood for its beat, so it need not wait.
            at_ms = state.moved_at_ms + (0 if stands else timing.beat_ms)
            found.append(Due(at_ms, "bot", seat, its.prompt))
        elif passes_by_switch(state, seat):
            found.append(Due(state.moved_at_ms, "auto_pass", seat, its.prompt))
        elif its.deadline_ms is not None:
            found.append(Due(its.deadline_ms, "time_up", seat, its.prompt))
    if state.phase == "between":
        found += [
            Due(its.deadline_ms, "time_up", seat, its.prompt)
            for seat in players
            if (its := state.seats[seat]).deadline_ms is not None and not its.ready and not played_by_bot(its)
        ]
    return sorted(found, key=lambda due: due.at_ms)


def _of_host(state: RoomState, gone: Collection[Seat]) -> list[Due]:
    """Nobody has to wait for a host who sleeps, as long as somebody does wait."""
    ruling = host(state)
    if ruling is None or ruling in gone or all(heir in gone for heir in heirs(state)):
        return []
    if state.host_asked_ms is None:
        return [Due(state.seats[ruling].seen_ms + HOST_IDLE_MS, "ask_host", ruling)]
    return [Due(state.host_asked_ms + HOST_ANSWER_MS, "pass_host", ruling)]
