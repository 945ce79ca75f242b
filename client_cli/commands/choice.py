"""A question before there is a table: which game, which seat."""

from collections.abc import Iterable
from typing import TypeVar

from client_cli import words
from client_cli.console import Console

T = TypeVar("T")


async def choose(console: Console, question: str, choices: Iterable[tuple[T, str]]) -> T | None:
    """Ask for one of `choices` (what is meant, how it is shown) by number or as shown; Enter takes the first.

    None when the input has ended.
    """
    numbered = [(str(number), meant, shown) for number, (meant, shown) in enumerate(choices, start=1)]
    while True:
        console.show(question)
        for number, _, shown in numbered:
            console.show(f"{number}) {shown}")
        line = await console.line()
        if line is None:
            return None
        typed = line.strip() or "1"
        for number, meant, shown in numbered:
            if typed in (number, meant, shown):
                return meant
        console.show(words.not_a_choice(typed, len(numbered)))
