from collections.abc import Coroutine

import pytest

from server.store.agreement import most_say


async def says(what: str) -> str:
    return what


async def fails(text: str) -> str:
    raise ValueError(text)


@pytest.mark.parametrize(
    ("questions", "answer", "errors"),
    [
        ([says("a")], "a", []),
        ([fails("x"), says("a"), says("a")], "a", ["x"]),
        ([fails("x"), fails("y"), says("a")], "a", ["x", "y"]),
        ([says("old"), says("new"), says("new"), fails("x")], "new", ["x"]),
        ([fails("x"), fails("y")], None, ["x", "y"]),
        ([], None, []),
    ],
)
async def test_most_of_those_that_answer_are_believed(
    questions: list[Coroutine[None, None, str]], answer: str | None, errors: list[str]
) -> None:
    found, raised = await most_say(questions)
    assert (found, list(map(str, raised))) == (answer, errors)
