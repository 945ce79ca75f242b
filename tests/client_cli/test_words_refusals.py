"""Refusals in the words of the client, and in those of the server."""

from collections.abc import Iterator

import pytest

from client_cli.language import choose_language
from client_cli.words_refusals import REFUSALS, refusal
from protocol.errors import ErrorCode


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    choose_language("en")


def test_there_are_words_for_every_code() -> None:
    assert set(REFUSALS) == set(ErrorCode)


def test_in_english_the_server_has_the_word() -> None:
    assert refusal("room_full", "Full up.") == "Full up."


@pytest.mark.parametrize("code", ["id", "zh"])
def test_in_other_languages_the_code_is_put_into_words(code: str) -> None:
    choose_language(code)
    said = {refusal(each, "the {text} itself") for each in ErrorCode}
    assert not said & {"the {text} itself", *REFUSALS.values()}
    assert "the {text} itself" in refusal("bad_option", "the {text} itself")
    assert refusal("of_the_future", "Not before noon.") == "Not before noon."
