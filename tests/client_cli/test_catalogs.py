"""The catalogs say all that the code says, in every language."""

from collections.abc import Iterator, Sequence
from gettext import GNUTranslations
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from client_cli.language import LANGUAGES
from tests.client_cli.english import CODE, in_code

TRANSLATED = [code for code in LANGUAGES if code != "en"]


def catalog(code: str) -> Catalog:
    with (CODE / "locale" / code / "LC_MESSAGES" / "paizhuo.po").open("rb") as source:
        return read_po(source, locale=code)


def messages(code: str) -> Iterator[Message]:
    return (message for message in catalog(code) if message.id)


def forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ())


def placeholders(sentence: str) -> list[tuple[str, str | None, str | None]]:
    """Each with how it is to be written: no translation may reach into a value, or write it otherwise."""
    return sorted((name, spec, how) for _, name, spec, how in Formatter().parse(sentence) if name is not None)


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_sentence_is_translated_and_none_is_left_over(code: str) -> None:
    """If this fails, `make messages`, and translate what is empty in the catalog."""
    translated = {message.id if isinstance(message.id, str) else tuple(message.id) for message in messages(code)}
    assert translated == in_code()
    unsaid = [message.id for message in messages(code) if message.fuzzy or not all(forms(message.string))]
    assert unsaid == []
    assert not catalog(code).obsolete


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_translation_names_what_the_sentence_names(code: str) -> None:
    for message in messages(code):
        wanted = placeholders(forms(message.id)[-1])
        for translation in filter(None, forms(message.string)):
            assert placeholders(translation) == wanted, message.id


def test_a_sentence_names_values_and_does_not_reach_into_them() -> None:
    for said in in_code():
        for sentence in forms(said):
            assert all(name.isidentifier() for name, _, _ in placeholders(sentence)), sentence


@pytest.mark.parametrize("code", TRANSLATED)
def test_what_is_compiled_is_what_is_said(code: str) -> None:
    """If this fails, `make setup`."""
    with (CODE / "locale" / code / "LC_MESSAGES" / "paizhuo.mo").open("rb") as file:
        compiled = GNUTranslations(file)
    for message in messages(code):
        one, *many = forms(message.id)
        said = compiled.ngettext(one, many[0], 2) if many else compiled.gettext(one)
        assert said == forms(message.string)[-1]
