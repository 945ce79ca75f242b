"""Names and texts of people, as others get to see them."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from server.rooms.names import MAX_MARKS, MAX_NAME_CELLS, clean_name, clean_text, distinct, skeleton

ANYTHING = st.text(st.characters() | st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF), max_size=64)
HOSTILE = st.text(
    st.sampled_from("a b1l\u200e\u202e\u0301\u0489\u034f\ufe0f\u3164\u115f\ufdfa🇩👨\u200d\x1b\x9b\r\n张ｅㅎᅡ"),
    max_size=64,
)


@pytest.mark.parametrize(
    "name", ["张三", "Budi", "Łukasz", "Nguyễn Văn", "नमस्ते", "山田太郎", "Ольга", "محمد", "O'Brien-2"]
)
def test_names_of_all_the_world_are_kept_as_they_are(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("  Ann \t\n Lee ", "Ann Lee"),
        ("Ａｎｎ", "Ann"),
        ("A\u202en\u2066n\u200e", "Ann"),
        ("A\u200bn\u00adn\ufeff", "Ann"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b]52;c;QUJD\x07", "]52;c;QUJD"),
        ("A\x9b2Jnn\r", "A2Jnn"),
        ("a\u0301\u0302\u0303\u0304\u0305", "á\u0302\u0303"),
        ("\u0301Ann", "Ann"),
        ("A\u2028B", "A B"),
        ("\ue000Ann\U000e0041", "Ann"),
        ("a" * 40, "a" * MAX_NAME_CELLS),
        ("张三李四" * 4, "张三李四" * 2),
        ("aaaaaaaaaaaaaaa张", "a" * 15),
        ("fifteen letters and", "fifteen letters"),
    ],
)
def test_what_does_not_belong_into_a_name_goes(given_name: str, shown: str) -> None:
    assert clean_name(given_name) == shown


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "\u200f",
        "\u202e\u2066",
        "\x1b\x07",
        "\u0301\u0302",
        "\u3164",
        "\u115f\u1160",
        "\u2800",
        "\ufe0f",
        "\u034f",
    ],
)
def test_a_name_with_nothing_to_read_is_none(name: str) -> None:
    assert clean_name(name) is None
    assert clean_text(name) is None


@given(ANYTHING | HOSTILE)
def test_a_clean_name_fits_its_cells_and_stays_clean(text: str) -> None:
    name = clean_name(text)
    if name is None:
        return
    assert clean_name(name) == name
    assert 0 < wcswidth(name) <= MAX_NAME_CELLS
    assert name == " ".join(name.split())
    assert not any(category(character) in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"} for character in name)
    marks = "".join("m" if category(character).startswith("M") else "-" for character in name)
    assert "m" * (MAX_MARKS + 1) not in marks
    assert not marks.startswith("m")


@given(ANYTHING | HOSTILE)
def test_a_clean_text_is_one_line_without_controls_and_stays_clean(text: str) -> None:
    cleaned = clean_text(text)
    if cleaned is not None:
        assert clean_text(cleaned) == cleaned
        assert cleaned.isprintable()


def test_a_text_keeps_its_words_apart_when_its_lines_are_joined() -> None:
    assert clean_text("first\nsecond\r\nthird") == "first second third"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("paypal", "раураl"),  # Cyrillic
        ("Ann", "ANN"),
        ("Ann", "Αnn"),  # Greek
        ("modern", "modem"),
        ("Il1", "lI1"),
        ("O0", "0o"),
        ("Łukasz", "L\u0338ukasz"),
    ],
)
def test_look_alikes_share_a_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("Ann", "Anna"), ("张三", "李四"), ("Bob", "Rob"), ("Łukasz", "Lukasz")])
def test_different_names_have_different_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(
    ("name", "others", "shown"),
    [
        ("Ann", [], "Ann"),
        ("Ann", ["Bob", "Anna"], "Ann"),
        ("Ann", ["ann"], "Ann 2"),
        ("Ann", ["Αnn", "Ann 2"], "Ann 3"),
        ("a" * 16, ["a" * 16], "a" * 14 + " 2"),
        ("张三李四张三李四", ["张三李四张三李四"], "张三李四张三李 2"),
    ],
)
def test_a_taken_name_gets_the_next_number_within_its_cells(name: str, others: list[str], shown: str) -> None:
    assert distinct(name, others) == shown


@given(ANYTHING | HOSTILE, st.lists(ANYTHING | HOSTILE, max_size=3))
def test_names_at_one_table_never_look_alike(text: str, other_texts: list[str]) -> None:
    name = clean_name(text) or "Ann"
    at_the_table: list[str] = []
    for other in [*(clean_name(other) or "Ann" for other in other_texts), name]:
        shown = distinct(other, at_the_table)
        assert clean_name(shown) == shown
        at_the_table.append(shown)
    assert len(set(map(skeleton, at_the_table))) == len(at_the_table)


@pytest.mark.parametrize("name", ["You", "you", "Y\u03bfu", "Bot 2", "BOT 1"])
def test_nobody_can_be_called_what_the_program_says_of_itself(name: str) -> None:
    assert skeleton(distinct(name, ())) != skeleton(name)
