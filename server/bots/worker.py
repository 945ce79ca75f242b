"""The process in which bots think: questions on its standard input, answers on its standard output.

Imports little, because a server's first bot move waits for its start. Ends with its input, even in mid-thought, so it
cannot outlive the server.
"""

import os
import signal
import sys
from collections.abc import Callable
from queue import SimpleQueue
from random import Random
from threading import Thread
from types import TracebackType
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from protocol.notation import Action
from protocol.view import BotLevel, Reason, TableView
from server.bots.base import UNLIMITED, Bot
from server.bots.ladder import bot_for, reasons_for

LENGTH_BYTES = 4
"""Before each frame in both directions: its length, big-endian."""


class Question(msgspec.Struct, frozen=True, array_like=True):
    """A view to choose from. `seed` is at most 64 bits, unsigned. `explained`: with what speaks for the choice.

    `budget`: the rollouts that there is time for, whatever the bot would like. The pool may lower it, and the level.
    """

    game: str
    level: BotLevel
    seed: int
    view: TableView
    explained: bool = False
    budget: int = UNLIMITED


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """An action, or how the bot failed. Without either: the worker has started and is ready.

    `level` and `budget`: of the question as it was put in the end. With both it is answered the same way again.
    `took_ms`: the thought.
    """

    action: Action = ""
    failure: str = ""
    reasons: tuple[Reason, ...] = ()
    level: BotLevel = "random"
    budget: int = UNLIMITED
    took_ms: float = 0.0


def framed(message: Question | Answer) -> bytes:
    """One message as it crosses the pipe."""
    payload = msgspec.msgpack.encode(message)
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


def serve(source: Callable[[str, BotLevel], Bot] = bot_for, clock_s: Callable[[], float] = lambda: 0.0) -> None:
    """Answer questions until the input ends. `source` finds the bots; `clock_s` tells how long they think."""
    for stop in (signal.SIGINT, signal.SIGTERM):  # also sent to all processes of a service; the server ends its workers
        signal.signal(stop, signal.SIG_IGN)
    questions: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(sys.stdin.buffer, questions), daemon=True).start()
    decode = msgspec.msgpack.Decoder(Question).decode
    answer = Answer()
    while True:
        try:
            sys.stdout.buffer.write(framed(answer))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os._exit(0)  # the server has ended while the bot thought
        question = decode(questions.get())
        start_s = clock_s()
        answer = answered(question, source)
        answer = replace(answer, took_ms=(clock_s() - start_s) * 1000)


def _read(pipe: BinaryIO, questions: SimpleQueue[bytes]) -> None:
    """In a thread of its own: it sees the end of the input while a bot thinks, or hangs."""
    while header := pipe.read(LENGTH_BYTES):
        questions.put(pipe.read(int.from_bytes(header, "big")))
    os._exit(0)


def answered(question: Question, source: Callable[[str, BotLevel], Bot] = bot_for) -> Answer:
    """Says of a failure where it was, and no card."""
    try:
        bot = source(question.game, question.level)
        action = bot.choose(question.view, Random(question.seed), question.budget)
        reasons = reasons_for(question.game, question.view, action) if question.explained else ()
        return Answer(action, "", reasons, question.level, question.budget)
    except Exception as error:  # noqa: BLE001 - whatever a bot does wrong must not stop the table
        failure = f"{type(error).__name__} at {_place(error.__traceback__)}"
        return Answer("", failure, (), question.level, question.budget)


def _place(trace: TracebackType | None) -> str:
    """Where it was raised. The error's own text may name cards, so nobody gets to see it."""
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_globals['__name__']}:{trace.tb_lineno}"
