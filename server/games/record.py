"""Records of whole deals: the format `paizhuo-record/1`, one JSON object to a line, and their replay.

The reader says what is wrong with a line; the replay says where a record and the rules part.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from protocol import fair
from protocol.notation import Action, Card, join
from protocol.view import OptionValue, Points, Proof, Result, SeatNumber
from server.games.base import BadDeck, BadOption, IllegalAction, settled
from server.games.registry import UnknownGame, game_named

Format = Literal["paizhuo-record/1"]
FORMAT: Format = "paizhuo-record/1"


class BadRecord(ValueError):
    """A line that is no record of a deal. The text says why."""


class Step(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accepted action. `legal`: all that the seat could do, sorted as ASCII, where that was recorded."""

    seat: SeatNumber
    legal: tuple[Action, ...] | UnsetType = UNSET
    action: Action


class Outcome(Struct, frozen=True, forbid_unknown_fields=True):
    """How the deal ended. All but the scores: only in games whose wins are of some kind.

    `groups`: those that counted, as `"chi s1+s2+s3"`, sorted as ASCII.
    """

    scores: tuple[Points, Points, Points]
    winner: SeatNumber | UnsetType | None = UNSET
    kind: str | UnsetType = UNSET
    huxi: Points | UnsetType = UNSET
    tun: Points | UnsetType = UNSET
    groups: tuple[str, ...] | UnsetType = UNSET


class Record(Struct, frozen=True, kw_only=True):
    """One deal. `first` is its first leader; `deck` is in dealing order; `extra` has the top-level keys of others.

    `fair`: how the deck came about, for deals that were played where that can be proved: the rounds that were voided,
    and then the one that it followed from.
    """

    format: Format = FORMAT
    game: str
    options: dict[str, OptionValue]
    first: SeatNumber
    deck: tuple[Card, ...]
    steps: tuple[Step, ...]
    result: Outcome
    fair: tuple[Proof, ...] | UnsetType = UNSET
    extra: dict[str, Any] = {}


_KEYS = tuple(name for name in Record.__struct_fields__ if name != "extra")


def read(line: bytes | str) -> Record:
    """One line as a record whose game, options, deck and first seat are good. Raises `BadRecord`."""
    try:
        fields = msgspec.json.decode(line)
        json.loads(line, object_pairs_hook=_unambiguous)
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"no JSON object: {error}") from None
    if not isinstance(fields, dict):
        raise BadRecord("no JSON object")
    if fields.get("format") != FORMAT:
        raise BadRecord(f"the format is {fields.get('format')!r} instead of {FORMAT!r}")
    try:
        record = msgspec.convert({key: fields.pop(key) for key in _KEYS if key in fields}, Record)
        game_named(record.game).start(record.deck, record.first, record.options)
    except (msgspec.ValidationError, UnknownGame, BadOption, BadDeck) as error:
        raise BadRecord(str(error)) from None
    return msgspec.structs.replace(record, extra=fields)


def _unambiguous(pairs: list[tuple[str, Any]]) -> None:
    """Refuses an object that has a key twice: of two results, which one was verified?"""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands in it twice")


def write(record: Record) -> bytes:
    """The record as one line, without the line's end. The same record gives the same bytes."""
    fields = {key: value for key in _KEYS if (value := getattr(record, key)) is not UNSET}
    return msgspec.json.encode(fields | record.extra)


def outcome(result: Result) -> Outcome:
    """The result of a deal as records have it."""
    if not result.kind:
        return Outcome(scores=result.scores)
    return Outcome(
        scores=result.scores,
        winner=next(iter(result.winners), None),
        kind=result.kind,
        huxi=result.huxi,
        tun=result.tun,
        groups=tuple(sorted(f"{group.kind} {join(group.cards)}" for group in result.groups)),
    )


def discrepancies(record: Record) -> Iterator[str]:
    """Replay a record that `read` accepted; one sentence for each place where it departs from the rules, or from the
    proof of its deck.
    """
    game = game_named(record.game)
    if record.fair is not UNSET:
        yield from (f"fair: {fault}" for fault in fair.faults_of(record.fair, game.pack, record.deck, record.first))
    state = settled(game, game.start(record.deck, record.first, record.options))
    for number, step in enumerate(record.steps, start=1):
        where = f"step {number}, seat {step.seat}"
        asked = game.asked(state)
        if not asked:
            yield f"{where}: the deal was over after step {number - 1} of {len(record.steps)}"
            return
        if step.seat in asked and step.legal is not UNSET:
            yield from (f"{where}: {difference}" for difference in _differences(step.legal, asked[step.seat]))
        try:
            state = settled(game, game.apply(state, step.seat, step.action))
        except IllegalAction as refused:
            yield f"{where}: {step.action!r} is illegal: {refused}"
            return
    result = game.result(state)
    if result is None:
        waiting = ", ".join(map(str, game.asked(state)))
        yield f"the steps end after step {len(record.steps)}, but the deal does not: seat {waiting} must act"
    else:
        yield from _departures(record.result, outcome(result))


def _departures(recorded: Outcome, right: Outcome) -> Iterator[str]:
    for field in Outcome.__struct_fields__:
        found, expected = getattr(recorded, field), getattr(right, field)
        if found != expected:
            yield f"result: {field}: {_shown(expected)} by the rules, the record has {_shown(found)}"


def _shown(value: object) -> str:
    return "nothing" if value is UNSET else msgspec.json.encode(value).decode()


def _differences(recorded: tuple[Action, ...], legal: tuple[Action, ...]) -> Iterator[str]:
    if missing := sorted(set(legal) - set(recorded)):
        yield f"legal list lacks {', '.join(missing)}"
    if illegal := sorted(set(recorded) - set(legal)):
        yield f"legal list has {', '.join(map(repr, illegal))}, which the rules do not allow"
    if not missing and not illegal and recorded != tuple(sorted(legal)):
        yield "legal list is not sorted, or names an action twice"
