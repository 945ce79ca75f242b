"""Clients that send frames of every kind over sound connections, and hold what the server answers against what it must.

Every frame that is no message is answered as malformed (or as too much), whatever it is; none that the server takes for
one ends in a fault of its own; and no connection ends but for a reason that the protocol names.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random

import msgspec

from protocol.codec import SUBPROTOCOLS, Malformed, client_codec
from protocol.errors import CloseCode, ErrorCode
from protocol.messages import Create, Hello, Join, Refused, Seated, ServerMessage, Table, Watch
from protocol.view import MAX_INTEGER
from tests.fuzz.frames import Frame, Kinds
from tests.fuzz.wire import BINARY, CLOSE, TEXT, Address, Wire, framed, opened

ANSWER_S = 60.0

GAMES = ("chuo-pai", "paohuzi")
ACTIONS = ("pass", "play 66", "play 11+11", "play 36+66", "discard s1", "chi s1+s1+b1", "peng", "win", "")
OPTIONS: tuple[dict[str, int | bool], ...] = ({}, {"max_combination": 4}, {"min_huxi": 10}, {"open": True})
MANY = 300
"""Frames of those who go on whatever they are told."""

BOUNDS_EACH = 10

TOO_MANY = 429
"""The status of HTTP for whoever asks too much."""

EXPECTED = {
    CloseCode.BAD_TICKET,  # they guess
    CloseCode.REPLACED,  # they share secrets
    CloseCode.RATE_LIMITED,
    CloseCode.TOO_SLOW,
    CloseCode.TIMEOUT,  # on a machine that is busy
}
"""With which the server may end a conversation in which all frames were whole."""


class Rooms:
    """What the callers know of the server. `others`: codes of rooms in which they have no seat."""

    def __init__(self, others: tuple[str, ...] = ()) -> None:
        self.others = others
        self.own: list[str] = []

    def code(self, rng: Random) -> str:
        """Of a room of theirs, of others, or of nobody."""
        return rng.choice((rng.choice((*self.others, "AAAAAAAA")), rng.choice((*self.own[-20:], "zzzz-9999"))))

    def ticket(self, rng: Random) -> str:
        return f"{self.code(rng)}.{_secret(rng)}"


def _secret(rng: Random) -> str:
    """One of a few, so that they meet again."""
    return f"secret-of-caller-number-{rng.randrange(40):02}"


class Told:
    """What was found in one go: how often what happened, and what is wrong."""

    def __init__(self) -> None:
        self.done = Counter[str]()
        self.wrong: list[str] = []


class Callers:
    """All of one seed. `at_once`: what one connection sends before the server counts it as too much. `limited`: their
    address may be turned away.
    """

    def __init__(self, address: Address, rooms: Rooms, seed: str, at_once: int, *, limited: bool = False) -> None:
        self._address = address
        self._rooms = rooms
        self._seed = seed
        self._at_once = at_once
        self._limited = limited
        known = {
            "code": rooms.code,
            "ticket": rooms.ticket,
            "secret": _secret,
            "n": lambda rng: rng.choice((1, 1, 2, 3, 4, 7, MAX_INTEGER)),
            "prompt": lambda rng: rng.choice((0, 1, 1, 2, 3, 5, 9, MAX_INTEGER)),
            "action": lambda rng: rng.choice(ACTIONS),
            "game": lambda rng: rng.choice(GAMES),
            "options": lambda rng: rng.choice(OPTIONS),
        }
        self._kinds = [Kinds(subprotocol, known) for subprotocol in SUBPROTOCOLS]
        self._bounds = [list(kinds.bounds(Random(seed))) for kinds in self._kinds]

    async def call(self, number: int, frames: int, told: Told) -> int:
        """The conversation of this number, of so many frames at most; returns how many were sent."""
        rng = Random(f"{self._seed}/{number}")
        which = number % 2
        kinds, subprotocol = self._kinds[which], SUBPROTOCOLS[which]
        caller = _Caller(kinds, subprotocol, self._rooms, told, f"connection {number}")
        try:
            caller.wire = await opened(self._address, subprotocol, caller.heard)
        except OSError as error:
            told.wrong.append(f"connection {number} was not taken: {error}")
            return 0
        if self._limited and caller.wire.status in (None, TOO_MANY):
            told.done["turned away"] += 1
            return 0
        if caller.wire.status != 101:
            told.wrong.append(f"connection {number} was not opened: {caller.wire.head[:200]!r}")
            return 0
        told.done["connections"] += 1
        size = min(frames, MANY if rng.random() < 0.01 else self._at_once)
        sent = 0
        try:
            for batch in _batches(islice(self._frames(number, rng), size), rng):
                sent += len(batch)
                if not await caller.say(batch):
                    break
        finally:
            caller.wire.reset() if rng.random() < 0.3 else caller.wire.close()
        told.done["frames"] += sent
        return sent

    def _frames(self, number: int, rng: Random) -> Iterator[Frame]:
        """The bounds of all fields are tried by the first connections, some by each."""
        kinds, bounds = self._kinds[number % 2], self._bounds[number % 2]
        yield from _opening(kinds, self._rooms, rng)
        yield from bounds[number // 2 * BOUNDS_EACH :][:BOUNDS_EACH]
        while True:
            yield kinds.any(rng)


def _opening(kinds: Kinds, rooms: Rooms, rng: Random) -> Iterator[Frame]:
    """Mostly they say hello and go somewhere, as others do."""

    def frame(message: Hello | Create | Join | Watch) -> Frame:
        encode = msgspec.json.encode if kinds.text else msgspec.msgpack.encode
        return Frame(encode(message), kinds.text, True)

    if rng.random() < 0.1:
        return
    yield frame(Hello("Mallory", rooms.ticket(rng) if rng.random() < 0.05 else None))
    match rng.randrange(5):
        case 0:
            yield frame(Create(rng.choice(GAMES), deals=2, fill="random", listed=True))
        case 1:
            yield frame(Create(rng.choice(GAMES), listed=True, secret=_secret(rng)))
        case 2:
            yield frame(Watch(rng.choice((*rooms.others, "AAAAAAAA"))))
        case 3:
            yield frame(Join(rooms.code(rng)))
        case _:
            return


def _batches(frames: Iterator[Frame], rng: Random) -> Iterator[list[Frame]]:
    """What is sent in one write. Nothing comes behind a frame that ends the connection."""
    while batch := list(islice(frames, rng.randint(1, 15))):
        for at, frame in enumerate(batch, 1):
            if frame.ends is not None:
                yield batch[:at]
                return
        yield batch


class _Caller:
    """One connection. Behind every batch goes a question of its own, by whose answer it knows that all are given."""

    wire: Wire

    def __init__(self, kinds: Kinds, subprotocol: str, rooms: Rooms, told: Told, name: str) -> None:
        self._kinds = kinds
        self._codec = client_codec(subprotocol)
        self._rooms = rooms
        self._told = told
        self._name = name
        self._asked = MAX_INTEGER - 1
        self._answered = False
        self._refusals = Counter[str]()

    async def say(self, batch: list[Frame]) -> bool:
        """False: the connection has ended."""
        self._asked -= 1
        self._answered = False
        self._refusals.clear()
        data = [framed(frame.payload, TEXT if frame.text else BINARY) for frame in batch]
        ends = batch[-1].ends
        if ends is None:
            asking = {"type": "ready", "n": self._asked, "not a field": 1}
            encoded = msgspec.json.encode(asking) if self._kinds.text else msgspec.msgpack.encode(asking)
            data.append(framed(encoded, TEXT if self._kinds.text else BINARY))
        self.wire.write(b"".join(data))
        await self.wire.until(lambda: self._answered or self.wire.code is not None, ANSWER_S)
        if not self._answered:
            self._ended(ends)
            return False
        malformed = 1 + sum(not frame.is_message for frame in batch)
        refused, too_much = self._refusals[ErrorCode.MALFORMED], self._refusals[ErrorCode.RATE_LIMITED]
        if not refused <= malformed <= refused + too_much:
            self._blame(f"{malformed} frames were no messages, and {refused} were answered so ({too_much}: too many)")
        return True

    def heard(self, opcode: int, payload: bytes) -> None:
        if opcode == CLOSE:
            return
        try:
            message: ServerMessage = self._codec.decode(payload.decode() if opcode == TEXT else payload)
        except (Malformed, UnicodeDecodeError) as error:
            self._blame(f"was told what is no message: {error}")
            return
        match message:
            case Refused(code=code, text=text, n=n):
                self._refusals[code] += 1
                self._told.done[f"refused: {code}"] += 1
                if code == ErrorCode.INTERNAL:
                    self._blame("met a fault of the server")
                if not is_clean(text):
                    self._blame(f"was told {text!r}")
                self._answered = self._answered or n == self._asked
            case Seated(code=code):
                self._told.done["seats taken"] += 1
                self._rooms.own.append(code)
            case Table():
                self._told.done["tables shown"] += 1
            case _:
                self._told.done[f"answered: {type(message).__name__}"] += 1

    def _ended(self, ends: int | None) -> None:
        code = self.wire.code
        if not self.wire.ended and code is None:
            self._blame(f"was not answered in {ANSWER_S} s")
        elif ends is None and code not in EXPECTED and not (code is None and self._refusals[ErrorCode.RATE_LIMITED]):
            self._blame(f"was closed with {code}")
        elif ends is not None and code not in (ends, None, *EXPECTED):
            self._blame(f"was closed with {code} for what must end with {ends}")
        self._told.done[f"closed: {code}"] += 1

    def _blame(self, text: str) -> None:
        self._told.wrong.append(f"{self._name} {text}")


def is_clean(text: str) -> bool:
    """Nothing in it moves a cursor or hides."""
    return not any(unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp") for sign in text)
