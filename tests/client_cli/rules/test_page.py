"""A page is read from its source, asked for in parts, and laid out in rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from client_cli.rules.page import Line, Page, Place, laid_out, occurrences, parsed

PAGE = parsed("""# Tarot for four

## The cards

There are `s1` and `b2`, and ``s1`` to type.

They are:

- Trumps (Tarocchi, 王牌): from 1 to 21
  - the highest: `b2`
- Fool: none of them

Nothing else.

## What you play

1. A card: any.
2. A trump.

## 得分 and the end

Count.
""")


def test_a_page_has_a_title_and_sections_with_numbers() -> None:
    assert PAGE.title == "Tarot for four"
    assert PAGE.headings() == ["1. The cards", "2. What you play", "3. 得分 and the end"]
    assert [line.text for line in PAGE.lines() if line.heading] == [PAGE.title, *PAGE.headings()]


def test_what_stands_between_backticks_is_found_without_them() -> None:
    line = PAGE.sections[0].lines[0]
    assert line.text == "There are s1 and b2, and s1 to type."
    assert [line.text[start:end] for start, end in line.codes] == ["s1", "b2", "s1"]


def test_cards_are_shown_as_the_game_shows_them_but_not_what_is_typed() -> None:
    page = parsed("# T\n\n## H\n\n`s1`, ``s1``", lambda code: f"<{code}>")
    line = page.sections[0].lines[0]
    assert line.text == "<s1>, s1"
    assert [line.text[start:end] for start, end in line.codes] == ["<s1>", "s1"]


def test_a_list_stands_close_to_its_sentence_and_apart_from_the_next_one() -> None:
    rows = [row.text for row in laid_out(PAGE.lines(), 60)]
    assert rows[2:11] == [
        "1. The cards",
        "  There are s1 and b2, and s1 to type.",
        "",
        "  They are:",
        "  - Trumps (Tarocchi, 王牌): from 1 to 21",
        "    - the highest: b2",
        "  - Fool: none of them",
        "",
        "  Nothing else.",
    ]


@pytest.mark.parametrize(
    ("topic", "places"),
    [
        ("2", [Place(1)]),
        ("0", []),
        ("4", []),
        ("9" * 5000, []),
        ("The Cards", [Place(0)]),
        ("fool", [Place(0, 5)]),
        ("trump", [Place(0, 3)]),
        ("TAROCCHI", [Place(0, 3)]),
        ("王牌", [Place(0, 3)]),
        ("card", [Place(1, 0), Place(0)]),
        ("a card", [Place(1, 0)]),
        ("end", [Place(2)]),
        ("分", [Place(2)]),
        ("ards", []),
        ("", []),
    ],
)
def test_parts_are_found_by_number_heading_or_the_word_that_they_explain(topic: str, places: list[Place]) -> None:
    assert PAGE.exactly(topic) == places


@pytest.mark.parametrize(
    ("topic", "places"),
    [("trmps", [Place(0, 3)]), ("the crads", [Place(0)]), ("paly", [Place(1)]), ("whist", []), ("", [])],
)
def test_a_slip_is_forgiven(topic: str, places: list[Place]) -> None:
    assert PAGE.nearly(topic) == places


def test_an_excerpt_has_headings_once_and_what_is_under_an_item() -> None:
    lines = PAGE.excerpt([Place(0, 3), Place(0, 5), Place(2)])
    assert [line.text for line in lines] == [
        "1. The cards",
        "Trumps (Tarocchi, 王牌): from 1 to 21",
        "the highest: b2",
        "Fool: none of them",
        "",
        "3. 得分 and the end",
        "Count.",
    ]


def test_rows_after_the_first_begin_below_its_text() -> None:
    rows = laid_out([Line("A card: any that you like.", margin=2, marker="1. ")], 20)
    assert [row.text for row in rows] == ["    1. A card: any", "       that you", "       like."]


def test_an_action_is_not_torn_apart_unless_it_is_long() -> None:
    line = parsed("# T\n\n## H\n\nThen you may play `chi s1+s2+s3` now.").sections[0].lines[0]
    assert [row.text for row in laid_out([line], 26)] == ["  Then you may play", "  chi s1+s2+s3 now."]
    assert [row.text for row in laid_out([line], 23)] == ["  Then you may play chi", "  s1+s2+s3 now."]


texts = st.text("ab1 一。", max_size=60).map(str.strip)
lines = st.lists(
    st.tuples(texts, st.just(()), st.sampled_from([0, 2]), st.sampled_from(["", "- "]), st.booleans()).map(Line._make)
)


@given(lines, st.integers(8, 40))
def test_each_row_says_where_its_text_is_from(lines: list[Line], width: int) -> None:
    for row in laid_out(lines, width):
        shown = row.text[row.indent :]
        assert lines[row.line].text[row.start :].startswith(shown)
        assert wcswidth(row.text) <= width or " " not in shown


def test_words_are_found_in_any_case_also_where_a_row_ends() -> None:
    (line,) = [Line("The opening bonus is an Opening  Bonus.")]
    rows = laid_out([line], 16)
    assert [row.text for row in rows] == ["  The opening", "  bonus is an", "  Opening", "  Bonus."]
    ((place, span),) = occurrences([Line(), line], "  OPENING bonus")
    assert (place, line.text[slice(*span)]) == (1, "opening bonus")
    assert [row.within(span) for row in rows] == [(6, 13), (2, 7), None, None]
    assert occurrences([line], "") == occurrences([line], "whist") == []
    assert [span for _, span in occurrences([line], "s")] == [(16, 17), (19, 20), (37, 38)]


def test_a_page_without_sections_is_its_title() -> None:
    assert parsed("# Tarot") == Page("Tarot", ())


def test_its_topics_are_single_words_and_each_leads_somewhere() -> None:
    assert {"trumps", "fool"} <= set(PAGE.topics())
    assert all(PAGE.exactly(topic) for topic in PAGE.topics())
    assert not any(" " in topic for topic in PAGE.topics())
