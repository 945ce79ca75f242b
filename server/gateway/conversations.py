"""The conversations that one server has with its clients, and how all of them are brought to an end."""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Literal

from protocol.errors import CloseCode
from protocol.messages import Notice, Seated, Watching
from server.gateway.addresses import NOWHERE, Address
from server.gateway.outbox import Outbox
from server.gateway.session import Session
from server.gateway.traffic import Traffic

LEAST_RETRY_MS, MOST_RETRY_MS = 2_000, 30_000
RETRY_MS_EACH = 10
"""Clients come back at a random time up to `retry_ms`: that many of them, a hundred a second."""

BREAK_OFF_S = 1.0
"""How long clients are given after what they had asked was broken off."""


State = Literal["greeting", "lobby", "seated", "watching"]


class Conversation:
    """One connection. `name`: what this server calls it; `messages`: how many have come; `reading` is the task that
    carries out what the client asks, while there is one.
    """

    def __init__(
        self,
        outbox: Outbox,
        session: Session | None = None,
        subprotocol: str = "",
        name: str = "",
        address: Address = NOWHERE,
    ) -> None:
        self.outbox = outbox
        self.address = address
        self.name = name
        self.messages = 0
        self.session = session
        self.subprotocol = subprotocol
        self.reading: asyncio.Task[None] | None = None
        self.draining = False
        self._busy = False

    @property
    def state(self) -> State:
        """How far the client has come."""
        match self.outbox.place_held:
            case Seated():
                return "seated"
            case Watching():
                return "watching"
        return "lobby" if self.session is not None and self.session.greeted else "greeting"

    @property
    def named(self) -> dict[str, str]:
        """The message that is being answered, as the log names it."""
        return {"connection": self.name, "request": f"r{self.messages}"}

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Something that the client asked is carried out; it is answered when this ends."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    def go_on(self) -> None:
        """All that was asked is answered: the end, if it is time."""
        if self.draining:
            self.outbox.close(CloseCode.RESTART)

    def drain(self, notice: Notice) -> None:
        """The server stops: say so, and end when what has been asked is answered."""
        self.draining = True
        self.outbox.tell(notice)
        if not self._busy:
            self.go_on()

    def kick(self) -> None:
        """The server's operator wants it to end."""
        self.outbox.close(CloseCode.KICKED)

    def break_off(self) -> None:
        self.outbox.close(CloseCode.RESTART)
        if self.reading is not None:
            self.reading.cancel()


class Conversations:
    """All of one server. `draining`: no new ones are to begin."""

    def __init__(self) -> None:
        self.draining = False
        self.traffic = Traffic()
        self._all: set[Conversation] = set()
        self._numbers = count(1)
        self._one_less = asyncio.Event()

    @property
    def all(self) -> Collection[Conversation]:
        """Those that are going on."""
        return self._all

    @contextmanager
    def one(
        self, outbox: Outbox, session: Session | None = None, subprotocol: str = "", address: Address = NOWHERE
    ) -> Iterator[Conversation]:
        conversation = Conversation(outbox, session, subprotocol, f"c{next(self._numbers)}", address)
        self._all.add(conversation)
        if self.draining:
            conversation.drain(self._notice())
        try:
            yield conversation
        finally:
            self._all.remove(conversation)
            self._one_less.set()

    async def drain(self, limit_s: float) -> None:
        """End all: what was asked is answered first, but what takes longer than `limit_s` is broken off."""
        self.draining = True
        notice = self._notice()
        for conversation in self._all:
            conversation.drain(notice)
        await self._ended(limit_s)
        for conversation in self._all:
            conversation.break_off()
        await self._ended(BREAK_OFF_S)

    def _notice(self) -> Notice:
        retry_ms = LEAST_RETRY_MS + RETRY_MS_EACH * len(self._all)
        return Notice("draining", min(retry_ms, MOST_RETRY_MS))

    async def _ended(self, limit_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while self._all:
                    self._one_less.clear()
                    await self._one_less.wait()
