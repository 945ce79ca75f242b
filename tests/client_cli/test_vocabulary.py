"""What can be typed in other languages than English."""

import re
from collections.abc import Iterator

import pytest
from wcwidth import wcswidth

from client_cli import words, words_paohuzi
from client_cli.language import choose_language
from client_cli.names import Lexicon
from client_cli.vocabulary import LOCAL, in_english, shown


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    choose_language("en")


@pytest.mark.parametrize("code", LOCAL)
def test_no_word_means_two_things(code: str) -> None:
    said = [word for words in LOCAL[code].values() for word in words]
    assert len(said) == len(set(said))
    assert not set(said) & {english for english in LOCAL[code] if english not in said}


@pytest.mark.parametrize("code", LOCAL)
def test_each_word_is_understood_and_english_stays(code: str) -> None:
    choose_language(code)
    for english, said in LOCAL[code].items():
        assert [in_english(word) for word in (*said, english)] == [english] * (len(said) + 1)
        assert in_english(shown(english)) == english


def test_in_english_lines_are_as_they_were_typed() -> None:
    assert in_english("  say  ya ") == "  say  ya "
    assert shown("play 66+66") == "play 66+66"


@pytest.mark.parametrize(
    ("code", "typed", "english"),
    [
        ("id", "main 66+66", "play 66+66"),
        ("id", "MAIN 11", "play 11"),
        ("id", "otomatis lewat nyala", "auto pass on"),
        ("id", "otomatis mati", "auto off"),
        ("id", "auto mati", "auto off"),
        ("id", "isi 2 sedang", "fill 2 normal"),
        ("id", "keluar sekarang", "quit now"),
        ("id", "bilang ya, mati aku", "say ya, mati aku"),
        ("id", "simpan Main.jsonl", "save Main.jsonl"),
        ("id", "chi s1+s2+s3", "chi s1+s2+s3"),
        ("id", "66+66", "66+66"),
        ("id", "", ""),
        ("zh", "出 66+66", "play 66+66"),
        ("zh", "出66＋66", "play 66+66"),
        ("zh", "吃一二三", "chi 一二三"),
        ("zh", "打三", "discard 三"),
        ("zh", "不要", "pass"),
        ("zh", "过", "pass"),
        ("zh", "自动过 开", "auto pass on"),
        ("zh", "自动过关", "auto pass off"),
        ("zh", "托管　开", "auto on"),
        ("zh", "说大家好 开", "say 大家好 开"),
        ("zh", "说", "say"),
        ("zh", "踢2", "remove 2"),
        ("zh", "补位 困难", "fill hard"),
        ("zh", "在吗", "在吗"),
        ("zh", "１", "1"),
    ],
)
def test_lines_in_another_language_are_understood(code: str, typed: str, english: str) -> None:
    choose_language(code)
    assert in_english(typed) == english


@pytest.mark.parametrize(
    ("code", "action", "as_shown"),
    [("id", "play 66+66", "main 66+66"), ("zh", "auto pass", "自动过"), ("zh", "chi s1+s2+s3", "吃 s1+s2+s3")],
)
def test_actions_are_shown_as_they_can_be_typed(code: str, action: str, as_shown: str) -> None:
    choose_language(code)
    assert shown(action) == as_shown
    assert in_english(as_shown) == action


def test_characters_that_stand_together_are_one_group() -> None:
    assert Lexicon.of("paohuzi").unfaced("chi 一二三 一壹壹") == "chi s1+s2+s3 s1+b1+b1"


@pytest.mark.parametrize("code", LOCAL)
def test_help_names_words_that_are_understood(code: str) -> None:
    choose_language(code)
    lines = (*words.help_chuo_pai(), *words_paohuzi.help_paohuzi(), words.help_save(), *words.help_host())
    lines = (*lines, words.help_going(), words.help_private())
    known = {word for said in LOCAL[code].values() for word in said}
    assert sum(bool(known & set(re.split(r"[ :：,、，。.]+", line))) for line in lines) > len(lines) // 2
    assert max(map(wcswidth, lines)) < 80
