"""The config file is found, obeyed, and changed without loss."""

import stat
from pathlib import Path

import pytest

from client_cli.failure import CommandFailed
from client_cli.settings import Origin, Settings
from client_cli.settings_file import config_path, read_settings, read_text, spoken_language, with_setting, write_text
from protocol.errors import ExitCode

MINE = """\
# how I like it
theme = "dark"   # at night

name = "张三"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conf" / "config.toml"


@pytest.fixture
def mine(path: Path) -> Path:
    path.parent.mkdir()
    path.write_text(MINE)
    return path


def test_the_file_lies_where_the_system_keeps_settings_or_where_a_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_path({}).is_relative_to(tmp_path)
    assert config_path({}).name == "config.toml"
    assert config_path({"PAIZHUO_CONFIG": "~/other.toml"}) == tmp_path / "other.toml"


def test_without_a_file_all_is_as_by_default(path: Path) -> None:
    reading = read_settings({}, {"PAIZHUO_CONFIG": str(path)})
    assert reading.settings == Settings()
    assert set(reading.origins.values()) == {Origin.DEFAULT}


def test_flag_environment_and_file_are_read_together(mine: Path) -> None:
    environment = {"PAIZHUO_CONFIG": str(mine), "PAIZHUO_NAME": "Budi"}
    settings, origins = read_settings({"theme": "mono", "bell": None}, environment)
    assert settings == Settings(theme="mono", name="Budi")
    assert (origins["theme"], origins["name"], origins["bell"]) == (Origin.FLAG, Origin.ENVIRONMENT, Origin.DEFAULT)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('theme = "dark"\ncolor = 1\n', ", line 2: there is no setting 'color'"),
        ("\nbeat_ms = 9000\n", ", line 2: beat_ms cannot be '9000'"),
        ("theme = dark\n", ", line 1: this is no TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_never_written_over(mine: Path, text: str, complaint: str) -> None:
    mine.write_text(text)
    with pytest.raises(CommandFailed, match=complaint) as read:
        read_settings({}, {"PAIZHUO_CONFIG": str(mine)})
    assert read.value.exit_code == ExitCode.USAGE
    with pytest.raises(CommandFailed, match=complaint):
        with_setting(mine, "bell", True)
    assert mine.read_text() == text


def test_a_wrong_variable_or_flag_is_refused(path: Path) -> None:
    for flags, variables in (({"theme": "pink"}, {}), ({}, {"PAIZHUO_THEME": "pink"})):
        with pytest.raises(CommandFailed, match="theme cannot be 'pink'") as refused:
            read_settings(flags, {"PAIZHUO_CONFIG": str(path)} | variables)
        assert refused.value.exit_code == ExitCode.USAGE


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, mine: Path) -> None:
    with pytest.raises(CommandFailed, match=f"the settings in {tmp_path} cannot be read: "):
        read_text(tmp_path)
    mine.write_bytes(b'name = "\xff"')
    with pytest.raises(CommandFailed, match=r"cannot be read: invalid start byte"):
        read_text(mine)


def test_the_mark_that_some_editors_put_before_a_text_is_passed_over(mine: Path) -> None:
    mine.write_bytes(b"\xef\xbb\xbf" + MINE.encode())
    assert read_settings({}, {"PAIZHUO_CONFIG": str(mine)}).settings.theme == "dark"


def test_one_setting_is_changed_and_all_else_is_as_it_was(mine: Path) -> None:
    assert with_setting(mine, "theme", "light") == Settings(theme="light", name="张三")
    assert mine.read_text() == MINE.replace('"dark"', '"light"')
    with_setting(mine, "bell", True)
    assert mine.read_text() == MINE.replace('"dark"', '"light"') + "bell = true\n"


def test_a_setting_is_forgotten(mine: Path) -> None:
    assert with_setting(mine, "theme", None) == Settings(name="张三")
    assert "theme" not in mine.read_text()
    assert 'name = "张三"' in mine.read_text()


def test_what_changes_nothing_writes_nothing(mine: Path, path: Path) -> None:
    before = mine.stat()
    with_setting(mine, "theme", "dark")
    with_setting(mine, "bell", None)
    assert mine.stat() == before


def test_a_first_setting_makes_the_file_and_its_folder(path: Path) -> None:
    with_setting(path, "beat_ms", 0)
    assert path.read_text() == "beat_ms = 0\n"


def test_a_last_line_without_an_end_stays_a_line(mine: Path) -> None:
    mine.write_text('theme = "dark"')
    with_setting(mine, "bell", True)
    assert mine.read_text() == 'theme = "dark"\nbell = true\n'


@pytest.mark.parametrize(("key", "value"), [("colour", "red"), ("colour", None), ("theme", "pink"), ("bell", 1)])
def test_what_cannot_be_changes_nothing(mine: Path, key: str, value: str | int | None) -> None:
    with pytest.raises(CommandFailed) as refused:
        with_setting(mine, key, value)
    assert refused.value.exit_code == ExitCode.USAGE
    assert mine.read_text() == MINE


def test_a_link_stays_one_and_permissions_stay_as_they_were(mine: Path, tmp_path: Path) -> None:
    mine.chmod(0o600)
    link = tmp_path / "link.toml"
    link.symlink_to(mine)
    with_setting(link, "theme", "light")
    assert link.is_symlink()
    assert 'theme = "light"' in mine.read_text()
    assert stat.S_IMODE(mine.stat().st_mode) == 0o600


def test_a_write_that_fails_leaves_the_old_file_whole(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_self: Path, _target: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(CommandFailed, match=r"cannot be saved in .*: the disk is full") as failed:
        write_text(mine, "bell = true\n")
    assert failed.value.exit_code == ExitCode.FAILURE
    assert mine.read_text() == MINE
    assert [each.name for each in mine.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("arguments", "variables", "text", "code"),
    [
        ((), {}, "", "en"),
        ((), {"LANG": "zh_CN.UTF-8"}, "", "zh"),
        ((), {"LANG": "zh_CN.UTF-8"}, 'language = "id"', "id"),
        ((), {"LANG": "zh_CN.UTF-8"}, 'language = "auto"', "zh"),
        ((), {"PAIZHUO_LANGUAGE": "en"}, 'language = "id"', "en"),
        (("play", "--language", "zh"), {"PAIZHUO_LANGUAGE": "en"}, 'language = "id"', "zh"),
        (("play", "--language=zh"), {}, "", "zh"),
        (("--language",), {}, "", "en"),
        (("--language", "xx"), {"PAIZHUO_LANGUAGE": "yy"}, 'language = "id"\ncolour = 1', "id"),
        ((), {}, "language = 5\n", "en"),
        ((), {}, "no toml", "en"),
    ],
)
def test_the_language_is_known_before_anything_is_understood(
    mine: Path, arguments: tuple[str, ...], variables: dict[str, str], text: str, code: str
) -> None:
    mine.write_text(text)
    assert spoken_language(arguments, {"PAIZHUO_CONFIG": str(mine)} | variables) == code
