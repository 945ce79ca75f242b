"""Text from outside is readable, cannot move a terminal's cursor, and is quoted in short."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_cli.text import LONGEST_QUOTE, as_utf8, ascii_json, clipped, safe

ALL_UNICODE = st.text(st.characters(categories=["C", "L", "M", "N", "P", "S", "Z"]))


@given(ALL_UNICODE)
def test_no_control_direction_mark_or_invisible_character_reaches_a_terminal(text: str) -> None:
    shown = safe(text)
    assert not {unicodedata.category(sign) for sign in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert safe(shown) == shown


@given(st.integers(0, 0x10FFFF))
def test_every_single_character_is_shown_or_spelt_out(point: int) -> None:
    shown = safe(chr(point))
    assert shown == chr(point) or (shown.startswith("\\") and shown.isascii() and f"{point:x}" in shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;AAAA\x07", "\\x1b]52;c;AAAA\\x07"),
        ("\x9b2J", "\\x9b2J"),
        ("a\r\nb\tc", "a\\x0d\\x0ab\\x09c"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u200bb\u2066c\ufeff", "a\\u200bb\\u2066c\\ufeff"),
        ("\u3164\ufe0f\U000e0041", "\\u3164\\ufe0f\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("\x7f", "\\x7f"),
        ("[red]not markup[/red]", "[red]not markup[/red]"),
        ("张三 Budi Łukasz é", "张三 Budi Łukasz é"),
    ],
)
def test_hostile_text_is_spelt_out_and_names_of_people_are_not(text: str, shown: str) -> None:
    assert safe(text) == shown


@pytest.mark.parametrize(
    ("argument", "text"),
    [("\udce5\udcbc\udca0", "张"), ("张", "张"), ("\udcff", "\ufffd"), ("\ud800a\udfff", "\ufffda\ufffd"), ("é", "é")],
)
def test_an_argument_is_read_as_utf_8(argument: str, text: str) -> None:
    assert as_utf8(argument) == text


@given(st.text(st.characters(categories=["C", "L", "N"])))
def test_every_argument_becomes_text_that_can_be_sent(argument: str) -> None:
    text = as_utf8(argument)
    assert text.encode().decode() == text
    assert as_utf8(text) == text


def test_a_quote_is_cut_by_cells() -> None:
    assert clipped("x" * 40) == "x" * 40
    assert clipped("x" * 41) == "x" * 40 + "…"
    assert clipped("牌" * 21) == "牌" * 20 + "…"


@given(st.text())
def test_a_quote_is_the_text_or_its_beginning(text: str) -> None:
    quoted = clipped(text)
    assert quoted == text or (quoted.endswith("…") and text.startswith(quoted[:-1]))
    assert len(quoted) <= LONGEST_QUOTE + 1


@given(ALL_UNICODE.filter(lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text)))
def test_json_for_programs_stays_json_and_is_ascii(text: str) -> None:
    shown = ascii_json(json.dumps([text], ensure_ascii=False))
    assert json.loads(shown) == [text]
    assert shown.isascii()
    assert shown.isprintable()
