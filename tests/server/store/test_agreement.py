import asyncio
from collections.abc import Coroutine

import pytest

from server.store.agreement import most_say

WITHIN_S = 0.05


async def says(what: str) -> str:
    return what


async def fails(text: str) -> str:
    raise ValueError(text)


async def is_silent() -> str:
    await asyncio.Event().wait()
    return "never"


@pytest.mark.parametrize(
    ("questions", "answer", "errors"),
    [
        ([says("a")], "a", []),
        ([is_silent(), says("a"), says("a")], "a", []),
        ([is_silent(), is_silent(), is_silent(), says("a")], "a", []),
        ([says("old"), says("new"), says("new"), fails("x"), is_silent()], "new", ["x"]),
        ([fails("x"), fails("y")], None, ["x", "y"]),
        ([is_silent(), fails("x")], None, ["x"]),
        ([is_silent()], None, []),
    ],
)
async def test_most_of_those_that_answer_in_time_are_believed(
    questions: list[Coroutine[None, None, str]], answer: str | None, errors: list[str]
) -> None:
    found, raised = await most_say(questions, WITHIN_S)
    assert (found, sorted(map(str, raised))) == (answer, errors)


async def test_when_more_than_half_agree_nobody_waits_for_the_others() -> None:
    ended = asyncio.Event()

    async def slow() -> str:
        try:
            return await is_silent()
        finally:
            ended.set()

    assert await most_say([slow(), says("a"), says("a")], 600) == ("a", [])
    assert ended.is_set()
