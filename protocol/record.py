"""Records of whole deals: the format `paizhuo-record/1`, one JSON object to a line. What both programs make of a line.

Whether the deal was played by the rules is the server's to say: `server.games.record`.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import IO, Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from protocol import fair
from protocol.notation import Action, Card
from protocol.view import OptionValue, Points, Proof, SeatNumber

Format = Literal["paizhuo-record/1"]
FORMAT: Format = "paizhuo-record/1"

LONGEST_BYTES = 1 << 20
"""Of a line: a deal has a few thousand. A file without line breaks must not fill the memory."""


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


def lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Those that are not blank, with their numbers from 1. One that is too long to be read comes cut, and last."""
    for number, line in enumerate(iter(partial(file.readline, LONGEST_BYTES + 1), b""), start=1):
        if line.strip() or len(line) > LONGEST_BYTES:
            yield number, line
        if len(line) > LONGEST_BYTES:
            return


def read(line: bytes | str) -> Record:
    """One line. Raises `BadRecord`."""
    if len(line) > LONGEST_BYTES:
        raise BadRecord("longer than any record of a deal")
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
    except msgspec.ValidationError as error:
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


def faults(record: Record, pack: tuple[Card, ...]) -> Iterator[str]:
    """What is wrong with the proof of the deck; nothing where there is none. `pack`: as in `fair.dealt`."""
    if record.fair is UNSET:
        return
    yield from fair.faults_of(record.fair, pack, record.deck, record.first)
    deal = record.extra.get("deal")
    if record.fair and isinstance(deal, int) and record.fair[-1].deal != deal:
        yield "the proof is one of another deal"
