"""Records of whole deals against the rules: `protocol.record` reads a line, the replay says where both part."""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from protocol import record as records
from protocol.notation import Action, join
from protocol.record import BadRecord, Outcome, Record
from protocol.view import Result
from server.games.base import BadDeck, BadOption, IllegalAction, settled
from server.games.registry import UnknownGame, game_named


def read(line: bytes | str) -> Record:
    """One line as a record whose game, options, deck and first seat are good. Raises `BadRecord`."""
    record = records.read(line)
    try:
        game_named(record.game).start(record.deck, record.first, record.options)
    except (UnknownGame, BadOption, BadDeck) as error:
        raise BadRecord(str(error)) from None
    return record


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
    yield from (f"fair: {fault}" for fault in records.faults(record, game.pack))
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
