"""Preferences are checked one by one, and of several that are said the strongest counts."""

import pytest

from client_cli.settings import (
    KEYS,
    Origin,
    SettingFault,
    Settings,
    Value,
    as_text,
    checked,
    choices,
    combined,
    default,
    from_environment,
    from_text,
    parsed,
    variable,
)
from client_cli.words_settings import descriptions


def test_every_setting_says_what_it_means() -> None:
    assert tuple(descriptions()) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_every_default_is_a_value_that_can_be_typed_and_written(key: str) -> None:
    value = default(key)
    assert from_text(key, as_text(value)) == value
    assert checked(key, value) == value
    assert not choices(key) or as_text(value) in choices(key)


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("bell", "on", True),
        ("bell", " NO ", False),
        ("bell", "1", True),
        ("ascii", "on", "on"),
        ("theme", "high-contrast", "high-contrast"),
        ("beat_ms", "0250", 250),
        ("name", "007", "007"),
        ("name", "张三", "张三"),
        ("server", "cards.example.org:9000", "cards.example.org:9000"),
    ],
)
def test_a_value_is_read_as_people_type_it(key: str, typed: str, value: Value) -> None:
    assert from_text(key, typed) == value


@pytest.mark.parametrize(
    ("key", "typed", "sentence"),
    [
        ("theme", "pink", "theme cannot be 'pink': it is one of auto, dark, light, high-contrast, mono"),
        ("bell", "loud", "bell cannot be 'loud': it is one of true, false"),
        ("beat_ms", "5001", "beat_ms cannot be '5001': it is a whole number from 0 to 5000"),
        ("beat_ms", "-1", "beat_ms cannot be '-1': it is a whole number from 0 to 5000"),
        ("beat_ms", "²", "beat_ms cannot be '²': it is a whole number from 0 to 5000"),
        ("beat_ms", "9" * 50_000, f"beat_ms cannot be '{'9' * 40}…': it is a whole number from 0 to 5000"),
        ("server", "a b", "server: 'a b' is not understood: a server is HOST, HOST:PORT or ws://HOST:PORT/ws"),
        ("thme", "dark", "there is no setting 'thme': did you mean 'theme'?"),
        ("Beat-MS", "1", "there is no setting 'Beat-MS': did you mean 'beat_ms'?"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(key: str, typed: str, sentence: str) -> None:
    with pytest.raises(SettingFault) as refused:
        from_text(key, typed)
    assert str(refused.value) == sentence


def test_a_key_like_no_other_is_answered_with_all_keys() -> None:
    with pytest.raises(SettingFault, match=r"there is no setting 'zzzzzz'; there are: name, language, .*, announce"):
        default("zzzzzz")


def test_a_file_keeps_its_good_values_and_names_each_fault_with_its_line() -> None:
    text = '# mine\ntheme = "dark"\nbell = "on"\n\n"colour" = 1\n[order]\nx = 1\nname = 5\n'
    content = parsed(text)
    assert content.values == {"theme": "dark"}
    assert [(fault.line, str(fault).partition(":")[0]) for fault in content.faults] == [
        (3, "bell cannot be 'on'"),
        (5, "there is no setting 'colour'; there are"),
        (6, "order cannot be '{'x'"),
    ]


def test_numbers_and_switches_of_a_file_are_no_texts_and_texts_are_no_numbers() -> None:
    content = parsed('beat_ms = "400"\nname = 5\nserver = true\nplain = 1\n')
    assert content.values == {}
    assert [fault.line for fault in content.faults] == [1, 2, 3, 4]


@pytest.mark.parametrize(("text", "line"), [('a = 1\ntheme = "dark\n', 2), ("theme", None), ("a = 1\na = 2\n", 2)])
def test_a_file_that_is_no_toml_has_one_fault_with_its_place(text: str, line: int | None) -> None:
    with pytest.raises(SettingFault, match="this is no TOML") as refused:
        parsed(text)
    assert refused.value.line == line


def test_flags_go_before_the_environment_and_that_before_the_file() -> None:
    reading = combined(
        {"theme": "dark", "name": None, "bell": False},
        {"theme": "light", "name": "Budi", "bell": True},
        {"theme": "mono", "name": "Anna", "plain": True},
    )
    assert reading.settings == Settings(theme="dark", name="Budi", plain=True)
    said = {key: origin for key, origin in reading.origins.items() if origin != Origin.DEFAULT}
    assert said == {
        "theme": Origin.FLAG,
        "bell": Origin.FLAG,
        "name": Origin.ENVIRONMENT,
        "plain": Origin.FILE,
    }
    assert set(reading.origins) == set(KEYS)


def test_the_environment_says_settings_and_nothing_of_its_other_variables() -> None:
    found = dict(from_environment({"PAIZHUO_BEAT_MS": "0", "PAIZHUO_NAME": " ", "PAIZHUO_STORE": "x", "THEME": "pink"}))
    assert found == {"beat_ms": 0}
    assert variable("beat_ms") == "PAIZHUO_BEAT_MS"


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(SettingFault, match=r"the variable PAIZHUO_ASCII: ascii cannot be 'maybe': .* auto, on, off"):
        dict(from_environment({"PAIZHUO_ASCII": "maybe"}))
