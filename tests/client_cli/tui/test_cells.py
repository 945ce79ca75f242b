"""Text from anywhere, cut and padded by cells."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from client_cli.tui.cells import clip, fit, literal, wrap


@given(st.text(max_size=40), st.integers(0, 20))
def test_text_is_cut_and_padded_to_cells(text: str, width: int) -> None:
    shown = literal(text)
    assert cell_len(clip(shown, width)) <= width
    assert cell_len(fit(shown, width)) == width


@given(st.text(max_size=60), st.integers(4, 30))
def test_no_row_is_wider_than_asked(text: str, width: int) -> None:
    assert all(cell_len(row) <= width for row in wrap(literal(text), width))


@given(st.lists(st.text("ab家庭", min_size=1, max_size=40), min_size=1, max_size=12), st.integers(16, 30))
def test_wrapping_loses_no_word(words: list[str], width: int) -> None:
    assert "".join("".join(wrap(" ".join(words), width)).split()) == "".join(words)


def test_a_word_longer_than_a_row_is_broken_and_kept_whole() -> None:
    assert "".join(row.strip() for row in wrap("牌" * 30, 11)) == "牌" * 30


def test_controls_are_spelt_out_and_piles_of_marks_are_cut() -> None:
    assert literal("\x1b[2J\u202e") == "\\x1b[2J\\u202e"
    assert literal("a" + "\u0301" * 50) == "a\u0301\u0301"
