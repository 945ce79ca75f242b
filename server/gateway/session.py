"""What one connection may ask and what it is answered: a state machine without I/O.

Frames come in; answers go into the outbox; what the node is to carry out comes out as a checked request. It knows
neither sockets nor rooms, and reads no clock.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from protocol.codec import Codec, Malformed
from protocol.errors import CloseCode, ErrorCode
from protocol.messages import (
    MAX_DEALS,
    AskHint,
    ClientMessage,
    CommandNumber,
    Contribute,
    Create,
    Done,
    Emote,
    Export,
    Hello,
    HouseRule,
    Join,
    ListRooms,
    Refused,
    Say,
    SeatCommand,
    ServerMessage,
    Watch,
    Welcome,
    Why,
)
from server.gateway.admission import Account
from server.gateway.bucket import Bucket
from server.gateway.outbox import Outbox
from server.node.port import Refusal
from server.rooms.names import clean_name, clean_text

MESSAGES_PER_S, MESSAGES_AT_ONCE = 20, 40

SAYINGS_PER_S, SAYINGS_AT_ONCE = 1, 5
EXPORTS_PER_S, EXPORTS_AT_ONCE = 1, MAX_DEALS  # each reads a whole log
HINTS_PER_S, HINTS_AT_ONCE = 1, 10  # each takes a bot's time
WHYS_PER_S, WHYS_AT_ONCE = 5, 20
REFUSED_PER_S, REFUSED_AT_ONCE = 5, 200
"""More answers `rate_limited` than this end the connection; a long paste into the chat must not."""

MAX_FAULT_CHARACTERS = 200

_PASSING = frozenset((ErrorCode.STORE_UNAVAILABLE, ErrorCode.INTERNAL))
"""Refusals that invite the same command again."""


OK, UNREADABLE = "ok", "unreadable"
"""For those who count: how a message was answered that was not refused, and the kind of what was no message."""


class Resume(NamedTuple):
    """A hello that brought a ticket."""

    ticket: str


LookUp = Resume | Join | Watch
"""Requests that tell whether somebody has guessed a code or a ticket."""

_WRONG = frozenset((ErrorCode.NO_SUCH_ROOM, ErrorCode.BAD_TICKET))

Request = Resume | Create | Join | Watch | ListRooms | SeatCommand | Contribute | Export | Say | Emote | AskHint | Why


class _Numbered(msgspec.Struct):
    n: CommandNumber | None = None


class Session:
    """One connection. Call `receive` with each frame in order, and after each request `carry_out` or `refuse`."""

    def __init__(
        self,
        codec: Codec[ClientMessage, ServerMessage],
        outbox: Outbox,
        server: str,
        house_rules: Mapping[str, tuple[HouseRule, ...]],
        servers: tuple[str, ...] = (),
        answers: Counter[tuple[str, str]] | None = None,
        account: Account | None = None,
        messages_per_s: float = MESSAGES_PER_S,
    ) -> None:
        """`answers` counts them, by the kind of the message and `ok` or the code of the refusal. `account`: of the
        address, which shares some limits among its connections; without one there are none.
        """
        self.greeted = False
        self.name = ""
        self._codec = codec
        self._outbox = outbox
        self._server = server
        self._house_rules = dict(house_rules)
        self._servers = servers
        self._account = account or Account()
        self._messages = Bucket(messages_per_s, max(1, round(messages_per_s * MESSAGES_AT_ONCE / MESSAGES_PER_S)))
        self._sayings = Bucket(SAYINGS_PER_S, SAYINGS_AT_ONCE)
        self._exports = Bucket(EXPORTS_PER_S, EXPORTS_AT_ONCE)
        self._hints = Bucket(HINTS_PER_S, HINTS_AT_ONCE)
        self._whys = Bucket(WHYS_PER_S, WHYS_AT_ONCE)
        self._floods = Bucket(REFUSED_PER_S, REFUSED_AT_ONCE)
        self._patient_until_ms = 0
        self._asked: Request | None = None
        self.answered = (UNREADABLE, OK)
        """The kind of the last message that was answered, and how."""
        self._kind = UNREADABLE
        self._answers = Counter() if answers is None else answers
        self._last_refused: tuple[SeatCommand, int, Refused] | None = None

    def receive(self, frame: bytes | str, now_ms: int) -> Request | None:
        """What the node is asked to carry out; None where the frame is answered or refused already."""
        self._kind = UNREADABLE
        try:
            self._asked = self._request(self._message(frame, now_ms), now_ms)
        except Refusal as refusal:
            self._answer(refusal, self._number(frame))
            return None
        return self._asked

    def carry_out(self) -> None:
        """The node has done what it was asked."""
        self._count(OK)
        if isinstance(self._asked, SeatCommand):
            self._outbox.tell(Done(self._asked.n))
        elif isinstance(self._asked, LookUp):
            self._account.guesses.give_back()
        self._asked = None

    def refuse(self, refusal: Refusal) -> None:
        """The node has refused what it was asked."""
        asked, self._asked = self._asked, None
        if isinstance(asked, LookUp) and refusal.code not in _WRONG:
            self._account.guesses.give_back()
        answer = self._answer(refusal, asked.n if isinstance(asked, SeatCommand) else None)
        if isinstance(asked, SeatCommand) and refusal.code not in _PASSING:
            self._last_refused = (asked, self._outbox.shown, answer)
        elif isinstance(asked, Resume):
            self.greeted = False
            if refusal.code is ErrorCode.BAD_TICKET:
                self._outbox.close(CloseCode.BAD_TICKET)

    def fail(self) -> None:
        """A fault of the server's own, whatever it was doing."""
        self.refuse(Refusal(ErrorCode.INTERNAL, "A fault of the server; it has been logged."))

    def flooded(self, now_ms: int) -> None:
        """The client sends far more than anybody may: this ends it."""
        self._account.cool(now_ms)
        self._outbox.close(CloseCode.RATE_LIMITED)

    def _message(self, frame: bytes | str, now_ms: int) -> ClientMessage:
        fault = ""
        message: ClientMessage | None = None
        try:
            message = self._codec.decode(frame)
            self._kind = str(message.__struct_config__.tag)
        except Malformed as malformed:
            fault = str(malformed)[:MAX_FAULT_CHARACTERS]
        retry_ms = self._bucket(message).spend(now_ms)
        if retry_ms:
            impatient, self._patient_until_ms = now_ms < self._patient_until_ms, now_ms + retry_ms
            if self._floods.spend(now_ms) or (impatient and self._account.floods.spend(now_ms)):
                self.flooded(now_ms)
            raise _too_fast("Too many messages", retry_ms)
        _spend(self._account.messages, now_ms, "Too many messages from your address")
        if message is None:
            raise Refusal(ErrorCode.MALFORMED, clean_text(fault) or "not a message")
        return message

    def _bucket(self, message: ClientMessage | None) -> Bucket:
        match message:
            case Say() | Emote():
                return self._sayings
            case AskHint():
                return self._hints
            case Why():
                return self._whys
            case Export():
                return self._exports
        return self._messages

    def _request(self, message: ClientMessage, now_ms: int) -> Request | None:
        match message:
            case Hello(name, ticket):
                return self._greet(name, ticket, now_ms)
            case _ if not self.greeted:
                raise Refusal(ErrorCode.HELLO_FIRST, "Say hello first.")
            case Say(text):
                return Say(_readable(clean_text(text), ErrorCode.BAD_TEXT, "text"))
            case _ if self._last_refused is not None and self._last_refused[:2] == (message, self._outbox.shown):
                self._outbox.tell(self._last_refused[2])
                self._count(self._last_refused[2].code)
                return None
            case Create():
                self._enter(now_ms)
                _spend(self._account.rooms, now_ms, "Too many rooms created from your address")
            case Join() | Watch():
                self._look_up(now_ms)
            case ListRooms():
                self._enter(now_ms)
        return message

    def _enter(self, now_ms: int) -> None:
        _spend(self._account.joins, now_ms, "Too many rooms asked for from your address")

    def _look_up(self, now_ms: int) -> None:
        """What it costs is given back unless it was wrong."""
        self._enter(now_ms)
        _spend(self._account.guesses, now_ms, "Too many wrong codes or tickets from your address")

    def _greet(self, given_name: str, ticket: str | None, now_ms: int) -> Resume | None:
        if self.greeted:
            raise Refusal(ErrorCode.ALREADY_GREETED, "Hello was said before.")
        name = _readable(clean_name(given_name), ErrorCode.BAD_NAME, "name")
        if ticket is not None:
            try:
                self._look_up(now_ms)
            except Refusal as refusal:
                self._answer(refusal, None)
                self._outbox.close(CloseCode.RATE_LIMITED)
                return None
        self.greeted = True
        self.name = name
        games = tuple(self._house_rules)
        self._outbox.tell(Welcome(self._server, name, games, self._servers, self._house_rules, fair=True))
        if ticket is None:
            self._count(OK)
            return None
        return Resume(ticket)

    def _answer(self, refusal: Refusal, n: int | None) -> Refused:
        self._count(refusal.code)
        answer = Refused(refusal.code, refusal.text, n, refusal.retry_ms)
        self._outbox.tell(answer)
        return answer

    def _count(self, outcome: str) -> None:
        self.answered = self._kind, outcome
        self._answers[self.answered] += 1

    def _number(self, frame: bytes | str) -> int | None:
        """The `n` of a frame that need not be a message."""
        try:
            if isinstance(frame, str):
                return msgspec.json.decode(frame, type=_Numbered).n
            return msgspec.msgpack.decode(frame, type=_Numbered).n
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return None


def _spend(bucket: Bucket, now_ms: int, what: str) -> None:
    """Raises `Refusal`."""
    retry_ms = bucket.spend(now_ms)
    if retry_ms:
        raise _too_fast(what, retry_ms)


def _too_fast(what: str, retry_ms: int) -> Refusal:
    return Refusal(ErrorCode.RATE_LIMITED, f"{what}; try again in {retry_ms} ms.", retry_ms)


def _readable(cleaned: str | None, code: ErrorCode, what: str) -> str:
    if cleaned is None:
        raise Refusal(code, f"The {what} has no readable character.")
    return cleaned
