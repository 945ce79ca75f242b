"""What help says can be typed is understood, in every language, and all that is understood is in it."""

import re
from collections.abc import Iterator, Sequence

import pytest

from client_cli.language import LANGUAGES, choose_language
from client_cli.vocabulary import in_english, shown
from protocol.messages import Table
from tests.client_cli.conversations import sit_down
from tests.client_cli.paohuzi_tables import paohuzi
from tests.client_cli.tables import leading, table, view

TABLES = (table(view(phase="open")), table(view(prompt=leading())), table(paohuzi()))
SAID_ELSEWHERE = {"help"}
"""The welcome does."""

SAME = {"emotes": "emote"}
"""Alone they do the same, and not every language has two words for them."""

HOSTS = {"fill", "start", "remove", "here", "invite", "qr"}
UNNAMED: tuple[set[str], ...] = (set(), HOSTS, HOSTS | {"ask"})
"""At each of the tables, what is of no use there."""

PROSE = {"Discard", "Claim", "Enter", "While you are away a bot plays for you"}


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    choose_language("en")


def help_lines(first: Table, language: str, *, private: bool) -> Sequence[str]:
    choose_language(language)
    return sit_down(first, private=private, hosting=not private).typed(shown("help")).lines


def heads(line: str) -> list[str]:
    """What stands before the colons, each alternative for itself."""
    before = [re.match("([^:：]*)[:：]", sentence) for sentence in re.split(r"\.\s|。", line)]
    return [word for found in before if found for word in re.split(", |、", found[1])]


def understood() -> set[str]:
    """Every word with which a line can begin, but for those that mean cards and choices."""
    conversation = sit_down(TABLES[0])
    view = conversation.session.view
    assert view is not None
    return set(conversation._words.meanings(view, "", ""))


def commands(line: str) -> set[str]:
    """What the line says can be typed, in English and without what people fill in."""
    said = [in_english(re.sub(" [A-Z]+$", "", head)).split() for head in heads(line)]
    return {
        " ".join([SAME.get(first, first), *(word for word in more if re.fullmatch("[a-z]+", word))])
        for first, *more in said
        if first in understood()
    }


@pytest.mark.parametrize("first", TABLES)
def test_what_help_names_is_understood_and_all_that_is_understood_is_named(first: Table) -> None:
    lines = [line for private in (True, False) for line in help_lines(first, "en", private=private)]
    assert {head for line in lines for head in heads(line) if not commands(f"{head}: ")} <= PROSE
    named = {command.partition(" ")[0] for line in lines for command in commands(line)}
    known = {SAME.get(word, word) for word in understood() - {""} - SAID_ELSEWHERE}
    assert known - named == UNNAMED[TABLES.index(first)]


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("first", TABLES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_help_names_the_same_words_in_every_language(language: str, first: Table, private: bool) -> None:
    english = [commands(line) for line in help_lines(first, "en", private=private)]
    assert [commands(line) for line in help_lines(first, language, private=private)] == english
