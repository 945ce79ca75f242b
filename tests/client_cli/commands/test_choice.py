"""A question before there is a table is asked until it is answered, or nobody is there to answer."""

import io
import os

import pytest

from client_cli.commands.choice import choose
from client_cli.console import Console


async def chosen(typed: str) -> tuple[str | None, list[str]]:
    reading, writing = os.pipe()
    os.write(writing, typed.encode())
    os.close(writing)
    transcript = io.StringIO()
    choice = await choose(Console(reading, transcript, io.StringIO()), "Which?", [("a", "Alpha"), ("b", "Beta")])
    os.close(reading)
    return choice, transcript.getvalue().splitlines()


@pytest.mark.parametrize(
    ("typed", "choice"),
    [("\n", "a"), ("1\n", "a"), (" 2 \n", "b"), ("b\n", "b"), ("Beta", "b"), ("", None), ("3\n", None)],
)
async def test_it_is_answered_by_number_by_name_by_enter_or_not_at_all(typed: str, choice: str | None) -> None:
    assert (await chosen(typed))[0] == choice


async def test_it_is_asked_again_after_an_answer_that_is_none() -> None:
    choice, transcript = await chosen("x\n2\n")
    assert choice == "b"
    question = ["Which?", "1) Alpha", "2) Beta"]
    assert transcript == [*question, "'x' is none of these. Type a number from 1 to 2.", *question]
