"""The English sentences of the client, as they stand in its code, and how one is found in what was shown."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from babel.messages.extract import extract_from_dir

import client_cli

CODE = Path(client_cli.__file__).parent
KEYWORDS = {"tr": None, "tr_later": None, "tr_n": (1, 2)}
"""As in the Makefile."""

Said = str | tuple[str, str]


@cache
def in_code() -> frozenset[Said]:
    """Each sentence; with its plural where there is one."""
    return frozenset(
        message if isinstance(message, str) else (message[0], message[1])
        for _, _, message, _, _ in extract_from_dir(CODE, keywords=KEYWORDS)
    )


@cache
def _patterns() -> Sequence[re.Pattern[str]]:
    """Anything may stand in the places of values. The shortest sentences are words of other languages too."""
    sentences = [each if isinstance(each, str) else each[-1] for each in in_code()]
    parts = [[re.escape(part) for part in re.split(r"\{\w+\}", sentence)] for sentence in sentences]
    return [re.compile(".*".join(each)) for each in parts if sum(map(len, re.findall(r"[A-Za-z]{2,}", str(each)))) > 8]


def in_english(line: str) -> list[str]:
    """The sentences that are in this line, as patterns."""
    return [sentence.pattern for sentence in _patterns() if sentence.search(line)]
