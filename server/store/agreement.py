"""What several servers that should know the same say of it, when some are silent and some are behind."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Answer = TypeVar("Answer")


async def most_say(
    questions: Iterable[Coroutine[Any, Any, Answer]], within_s: float
) -> tuple[Answer | None, list[Exception]]:
    """Ask all at once. What more than half answer, as soon as they do; else what most of those say that answered
    within the time, None if nobody did; and what was raised until then. Answers are hashable."""
    asked = [asyncio.ensure_future(question) for question in questions]
    answers: Counter[Answer] = Counter()
    errors: list[Exception] = []
    try:
        async with asyncio.timeout(within_s):
            for first in asyncio.as_completed(asked):
                try:
                    answer = await first
                except Exception as error:  # noqa: BLE001 -- for the caller to judge
                    errors.append(error)
                else:
                    answers[answer] += 1
                    if answers[answer] * 2 > len(asked):
                        break
    except TimeoutError:
        pass
    finally:
        for each in asked:
            each.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    return next((answer for answer, _ in answers.most_common(1)), None), errors
