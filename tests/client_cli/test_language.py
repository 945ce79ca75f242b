"""One language at a time, chosen while the program runs."""

from collections.abc import Iterator

import pytest

from client_cli.failure import CommandFailed
from client_cli.language import (
    LANGUAGES,
    choose_language,
    current_language,
    listed,
    locale_language,
    rows_listed,
    sentences,
    tr,
    tr_later,
    tr_n,
)
from protocol.errors import ExitCode

SENTENCE = "there is no language '{code}': there is {languages}"


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    choose_language("en")


def test_english_is_what_stands_in_the_code() -> None:
    assert current_language() == "en"
    assert tr(SENTENCE, code="xx", languages="en") == "there is no language 'xx': there is en"


def test_a_sentence_is_translated_when_it_is_said() -> None:
    said = set()
    for code in LANGUAGES:
        choose_language(code)
        assert current_language() == code
        said.add(tr(tr_later(SENTENCE), code="xx", languages="en"))
    assert len(said) == len(LANGUAGES)


def test_what_came_from_elsewhere_may_hold_braces() -> None:
    assert tr("{who} passes.", who="{0.__class__} {code}") == "{0.__class__} {code} passes."


@pytest.mark.parametrize(("count", "said"), [(1, "1 card"), (2, "2 cards"), (0, "0 cards")])
def test_one_and_many_have_forms_of_their_own(count: int, said: str) -> None:
    assert tr_n("{count} card", "{count} cards", count) == said


def test_an_unknown_language_is_a_usage_error_that_names_all() -> None:
    with pytest.raises(CommandFailed, match="'xx': there is en, id, zh") as failed:
        choose_language("xx")
    assert failed.value.exit_code == ExitCode.USAGE
    assert current_language() == "en"


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({}, "en"),
        ({"LANG": "id_ID.UTF-8"}, "id"),
        ({"LANG": "zh-TW"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "id.UTF-8"}, "id"),
        ({"LANG": "id_ID.UTF-8", "LC_MESSAGES": "zh_CN"}, "zh"),
        ({"LANG": "id_ID.UTF-8", "LC_MESSAGES": "zh_CN", "LC_ALL": "C"}, "en"),
        ({"LANG": "id_ID.UTF-8", "LC_ALL": ""}, "id"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_language_of_the_system_is_taken_where_it_is_one_of_ours(environment: dict[str, str], code: str) -> None:
    assert locale_language(environment) == code


@pytest.mark.parametrize(
    ("code", "together", "parts", "rows"),
    [("en", "One. Two.", "a, b", "a; b"), ("id", "One. Two.", "a, b", "a; b"), ("zh", "One.Two.", "a，b", "a；b")],
)
def test_each_language_has_its_own_signs_between_what_is_listed(
    code: str, together: str, parts: str, rows: str
) -> None:
    choose_language(code)
    assert sentences("One.", "", "Two.") == together
    assert (listed(["a", "b"]), rows_listed(["a", "b"])) == (parts, rows)
