"""A seat whose answers come from a program. What the table asks becomes a question to it; who looks on reads lines."""

import asyncio
import sys
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from client_cli import words_program
from client_cli.asked_program import AskedProgram, Gone, Late
from client_cli.console import Console, write_json
from client_cli.frontend import Answer
from client_cli.language import sentences
from client_cli.session import Session
from client_cli.settings import Settings
from protocol.notation import Action
from protocol.view import Prompt, Result, SeatNumber, TableView

MOST_FAILURES = 3
"""In a row: then the seat is given up, for others sit at the table."""

SPARE_S = 1.0
"""What is left of the time for a question when the program must have answered: the way to the server, and back."""

LEAST_LIMIT_S = 0.5

LEAVE_S = 10.0
"""How long a server may take to hear that the seat is given up."""


class DealOver(msgspec.Struct, frozen=True):
    """The end of a deal, as programs get it. `seat`: the own one."""

    room: str
    deal: int
    seat: SeatNumber
    result: Result


class ProgramSeat(Console):
    """What a `FrontEnd` promises, for a program. `limit_s`: for an answer; a clock may leave less.

    `as_json`: write only results, for programs. `failed`: the program has been given up.
    `patience`: of whoever runs the sitting; it ends soon after the program was given up.
    """

    def __init__(
        self, program: AskedProgram, settings: Settings, patience: asyncio.Timeout, *, limit_s: float, as_json: bool
    ) -> None:
        super().__init__(None, sys.stdout, sys.stderr, settings)
        self.failed = False
        self._program = program
        self._patience = patience
        self._limit_s = limit_s
        self._as_json = as_json
        self._failures = 0
        self._unasked = 0
        self._told_deal = 0
        self._session: Session | None = None
        self._listening: Callable[[], bool] = lambda: False
        self._news = asyncio.Event()
        program.when_gone = self._news.set

    def answers_when(self, listening: Callable[[], bool]) -> None:
        """`listening`: would an answer be of use now?"""
        self._listening = listening

    def show(self, line: str) -> None:
        """One line of the transcript, unless programs read."""
        if not self._as_json:
            super().show(line)

    def changed(self, session: Session) -> None:
        """Perhaps there is something to ask."""
        self._session = session
        view = session.view
        if view is not None and view.result is not None and view.room.deal != self._told_deal:
            self._told_deal = view.room.deal
            if self._as_json and session.seat is not None:
                write_json(DealOver(view.room.code, view.room.deal, session.seat, view.result), self._transcript)
        self._news.set()

    async def line(self) -> str | None:
        """An answer of the program, what stands for it, or what the table needs besides answers."""
        if self.failed:
            await asyncio.Event().wait()  # for the server to let the seat go
        while True:
            self._news.clear()
            if self._program.gone is not None:
                return self._given_up(str(self._program.gone))
            session = self._session
            if session is not None and session.view is not None and session.own is not None and self._listening():
                if session.own.away or (session.view.room.phase == "between" and not session.own.ready):
                    return ""
                if session.prompt is not None:
                    return await self._answer(session.view, session.prompt)
            await self._news.wait()

    async def _answer(self, view: TableView, prompt: Prompt) -> str:
        limit_s = self._limit_s
        if prompt.remaining_ms is not None:
            limit_s = max(LEAST_LIMIT_S, min(limit_s, prompt.remaining_ms / 1000 - SPARE_S))
        fallback = "pass" if "pass" in prompt.actions else prompt.actions[0]
        try:
            answer = await self._program.answer(msgspec.json.encode(replace(view, prompt=prompt)), limit_s)
        except Gone as gone:
            return self._given_up(str(gone))
        except Late:
            return self._failed(words_program.late(limit_s), prompt, fallback)
        if self._program.unasked > self._unasked:
            if not self._unasked:
                self.note(words_program.unasked())
            self._unasked = self._program.unasked
        if answer not in prompt.actions:
            return self._failed(words_program.not_offered(answer), prompt, fallback)
        self._failures = 0
        return Answer(answer, prompt.id)

    def _failed(self, sentence: str, prompt: Prompt, fallback: Action) -> str:
        self._failures += 1
        if self._failures >= MOST_FAILURES:
            return self._given_up(sentences(sentence, words_program.gives_up(self._failures)))
        self.note(sentences(sentence, words_program.played_for_it(fallback)))
        return Answer(fallback, prompt.id)

    def _given_up(self, sentence: str) -> str:
        self.failed = True
        self.note(sentences(sentence, words_program.leaves()))
        self._patience.reschedule(asyncio.get_running_loop().time() + LEAVE_S)
        return "leave now"
