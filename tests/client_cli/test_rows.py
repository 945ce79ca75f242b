"""Lines are broken where a reader would break them."""

import re

from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from client_cli.rows import rows, wrapped
from client_cli.text import safe


def test_a_long_line_is_broken_at_blanks_and_never_inside_a_choice() -> None:
    line = "Round 1, you lead. Choose: 15) 22+22+22  16) 36  17) 26+35"
    assert wrapped(line, 41) == (
        "Round 1, you lead. Choose: 15) 22+22+22\n"  # fits but for the next choice
        "  16) 36  17) 26+35"
    )
    assert wrapped(line, 28) == "Round 1, you lead. Choose:\n  15) 22+22+22  16) 36\n  17) 26+35"
    assert wrapped(line, 200) == line
    assert wrapped("", 10) == ""


def test_a_choice_with_several_groups_is_not_torn_apart() -> None:
    line = "Claim: 1) chi s2+s3+s4 s2+s3+s4  2) peng s2+s2+s2  3) pass"
    assert wrapped(line, 36) == "Claim: 1) chi s2+s3+s4 s2+s3+s4\n  2) peng s2+s2+s2  3) pass"
    assert wrapped(line, 30) == "Claim:\n  1) chi s2+s3+s4 s2+s3+s4\n  2) peng s2+s2+s2  3) pass"


def test_a_word_that_is_too_long_for_a_row_is_left_whole() -> None:
    assert wrapped("1) 22+22+22+66+66 then", 8) == "1) 22+22+22+66+66\n  then"


def test_wide_characters_take_two_cells() -> None:
    assert wrapped("张三 说 你好", 12) == "张三 说 你好"
    assert wrapped("张三 说 你好", 11) == "张三 说 你\n  好"


def test_chinese_is_broken_between_characters_but_not_before_its_punctuation() -> None:
    assert rows("先打一张，再翻牌（见下）。", 10) == ["先打一张，", "再翻牌（见", "下）。"]
    assert rows("先打一张，再翻（见下）", 9) == ["先打一", "张，再翻", "（见下）"]
    assert rows("1一。  一", 4, "  ") == ["1一。", "  一"]  # a word that is too long, and no empty one after it


def test_neither_cards_nor_numbers_are_parted_from_the_character_behind_them() -> None:
    assert rows("吃s1一+s2二+s3三得3分", 17) == ["吃s1一+s2二+s3三", "得3分"]
    assert rows("共80张", 5) == ["共", "80张"]
    assert wrapped("要 1) chi s1一+s2二+s3三  2) pass", 20) == "要\n  1) chi s1一+s2二+s3三\n  2) pass"


@given(st.text(), st.integers(4, 40))
def test_nothing_is_lost_in_rows_nor_any_row_too_wide_but_for_one_word(text: str, width: int) -> None:
    line = safe(text)
    shown = wrapped(line, width).split("\n")
    assert "".join("".join(shown).split()) == "".join(line.split())
    assert all(wcswidth(row) <= width or len(row.split()) == 1 for row in shown if not re.match(r" *\d+\) ", row))
