"""`paizhuo config` reads and writes the person's settings, and never takes a file with a fault."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from client_cli.commands.config import config
from client_cli.failure import CommandFailed
from client_cli.settings import KEYS, Settings
from client_cli.settings_file import read_settings
from protocol.errors import ExitCode

Run = Callable[..., tuple[str, str]]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAIZHUO_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path / "config.toml"


@pytest.fixture
def run(file: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str) -> tuple[str, str]:
        assert config(arguments, result_action="return_value") == ExitCode.OK
        return capsys.readouterr()

    return command


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Sets an editor that runs this Python code on the file, as `text`; gives the file that it was started with."""

    def with_editor(code: str) -> Path:
        script = tmp_path / "an editor.py"
        kept = tmp_path / "seen.toml"
        script.write_text(
            "import pathlib, sys\n"
            "file = pathlib.Path(sys.argv[1])\n"
            "text = file.read_text()\n"
            f"pathlib.Path({str(kept)!r}).write_text(text)\n"
            f"{code}\n"
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}'")
        return kept

    return with_editor


def test_the_path_is_said_whether_there_is_a_file_or_not(run: Run, file: Path) -> None:
    assert run("path") == (f"{file}\n", "")


def test_a_setting_is_saved_shown_and_forgotten(run: Run, file: Path) -> None:
    assert run("set", "theme", "light") == ("", "")
    assert run("get", "theme") == ("light\n", "")
    assert file.read_text() == 'theme = "light"\n'
    run("unset", "theme")
    assert run("get", "theme") == ("auto\n", "")


def test_all_settings_are_shown_with_where_they_were_said(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('theme = "mono"\n')
    monkeypatch.setenv("PAIZHUO_BELL", "on")
    lines = run("show", "--origin")[0].splitlines()
    assert [line.partition(" = ")[0] for line in lines] == list(KEYS)
    assert "theme = mono (in the config file)" in lines
    assert "bell = true (by the environment)" in lines
    assert "language = auto (by default)" in lines
    assert "theme = mono" in run("show")[0].splitlines()


def test_programs_get_all_settings_as_one_object(run: Run, file: Path) -> None:
    file.write_text('name = "Budi\\u001b[2J"\nbeat_ms = 0\n')
    shown = json.loads(run("show", "--json")[0])
    assert tuple(shown) == KEYS
    assert (shown["name"], shown["beat_ms"], shown["bell"]) == ("Budi\x1b[2J", 0, False)
    with_origin = json.loads(run("show", "--json", "--origin")[0])
    assert with_origin["beat_ms"] == {"value": 0, "origin": "file"}
    assert with_origin["bell"] == {"value": False, "origin": "default"}


def test_a_value_from_the_file_never_reaches_the_terminal_raw(run: Run, file: Path) -> None:
    file.write_text('name = "\\u001b[2J"\n')
    assert run("get", "name") == ("\\x1b[2J\n", "")


@pytest.mark.parametrize(
    "arguments", [("set", "theme", "pink"), ("set", "colour", "red"), ("get", "colour"), ("unset", "colour")]
)
def test_what_cannot_be_is_refused_and_changes_nothing(file: Path, arguments: tuple[str, ...]) -> None:
    file.write_text("bell = true\n")
    with pytest.raises(CommandFailed) as refused:
        config(arguments, result_action="return_value")
    assert refused.value.exit_code == ExitCode.USAGE
    assert file.read_text() == "bell = true\n"


def test_a_saved_setting_that_a_variable_overrules_is_pointed_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIZHUO_THEME", "mono")
    out, err = run("set", "theme", "dark")
    assert out == ""
    assert err.startswith("Saved, but here the variable PAIZHUO_THEME says mono")


def test_a_first_file_is_written_from_a_draft_that_names_all_settings(
    run: Run, file: Path, edited: Callable[[str], Path]
) -> None:
    seen = edited("file.write_text(text.replace('# bell = false', 'bell = true'))")
    assert run("edit") == ("", "")
    assert read_settings({}, {"PAIZHUO_CONFIG": str(file)}).settings == Settings(bell=True)
    assert all(f"# {key} = " in seen.read_text() for key in KEYS)
    uncommented = "\n".join(line.removeprefix("# ") for line in seen.read_text().splitlines() if " = " in line)
    seen.write_text(uncommented)
    assert read_settings({}, {"PAIZHUO_CONFIG": str(seen)}).settings == Settings(), "each line counts as it stands"


def test_an_editor_that_changes_nothing_makes_no_file(run: Run, file: Path, edited: Callable[[str], Path]) -> None:
    edited("")
    run("edit")
    assert [each.name for each in file.parent.glob("*.toml")] == ["seen.toml"]


def test_a_draft_with_a_fault_is_not_taken_and_goes_on_the_next_time(
    run: Run, file: Path, edited: Callable[[str], Path]
) -> None:
    file.write_text("bell = true\n")
    edited("file.write_text(text + 'theme = \"pink\"\\n')")
    with pytest.raises(CommandFailed, match=r"draft.toml, line 2: theme cannot be 'pink'.*settings are as they were"):
        run("edit")
    assert file.read_text() == "bell = true\n"
    seen = edited("file.write_text(text.replace('pink', 'dark'))")
    assert run("edit")[1].startswith("Going on with the draft of last time: ")
    assert "pink" in seen.read_text()
    assert file.read_text() == 'bell = true\ntheme = "dark"\n'
    assert not list(file.parent.glob("*draft*"))


def test_an_editor_that_fails_changes_nothing(run: Run, file: Path, edited: Callable[[str], Path]) -> None:
    edited("sys.exit(3)")
    with pytest.raises(CommandFailed, match="ended with status 3: nothing is changed"):
        run("edit")
    assert not file.exists()
    assert not list(file.parent.glob("*draft*"))


@pytest.mark.parametrize("editor", ["/no/such/editor", "'unclosed"])
def test_an_editor_that_cannot_be_started_says_how_to_name_one(
    run: Run, monkeypatch: pytest.MonkeyPatch, editor: str
) -> None:
    monkeypatch.setenv("VISUAL", editor)
    with pytest.raises(CommandFailed, match=r"cannot be started .*: name one in the variable EDITOR"):
        run("edit")
