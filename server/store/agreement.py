"""What several servers that should know the same say of it, when some are silent and some are behind."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Answer = TypeVar("Answer")


async def most_say(questions: Iterable[Coroutine[Any, Any, Answer]]) -> tuple[Answer | None, list[Exception]]:
    """Ask all at once: what most of those say that answer, None if nobody does; and what was raised. Answers are
    hashable.

    Each question limits its own time. None is broken off when the others agree: redis-py may leave a connection behind
    that was being made just then.
    """
    answers: Counter[Answer] = Counter()
    errors: list[Exception] = []
    for said in await asyncio.gather(*questions, return_exceptions=True):
        if isinstance(said, Exception):
            errors.append(said)
        elif isinstance(said, BaseException):
            raise said
        else:
            answers[said] += 1
    return next((answer for answer, _ in answers.most_common(1)), None), errors
