import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from server.node import words
from server.node.words import Here, Spoken, Words, decode_words, encode_words


@pytest.mark.parametrize(
    "said",
    [
        Here("a", (0, 2)),
        Here("a", (), asking=True),
        Spoken("Ann", "你好", 0),
        Spoken("", ""),
        Spoken("Ann", "Oops!", 0, "oops"),
    ],
)
def test_words_arrive_as_they_were_said(said: Words) -> None:
    assert decode_words(encode_words(said)) == said


@given(st.binary(max_size=40))
def test_words_of_another_version_are_passed_over(heard: bytes) -> None:
    decoded = decode_words(heard)
    assert decoded is None or isinstance(decoded, Here | Spoken)


def test_an_unknown_kind_of_words_is_passed_over() -> None:
    assert decode_words(b"\x81\xa4type\xa5wave!") is None


def test_a_node_that_knows_no_emotes_hears_their_text() -> None:
    class Spoken(Struct, frozen=True, tag="spoken"):
        name: str
        text: str
        seat: int | None = None

    emote = encode_words(words.Spoken("Ann", "Oops!", 0, "oops"))
    assert msgspec.msgpack.decode(emote, type=Spoken) == Spoken("Ann", "Oops!", 0)
