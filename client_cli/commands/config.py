"""`paizhuo config`: the person's settings, read and written."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter
from cyclopts.completion import CompletionContext

from client_cli import words_settings
from client_cli.console import write_json, write_line
from client_cli.failure import CommandFailed
from client_cli.settings import KEYS, Origin, SettingFault, Value, as_text, choices, default, from_text, variable
from client_cli.settings_file import (
    config_path,
    faultless,
    read_settings,
    read_text,
    template,
    with_setting,
    write_text,
)
from protocol.errors import ExitCode

config = App(
    name="config",
    help_epilogue="""\
Examples:
  paizhuo config show --origin
  paizhuo config set theme light
  paizhuo config unset theme
  paizhuo config edit""",
)


def _keys(_context: CompletionContext) -> Mapping[str, str]:
    return words_settings.descriptions()


def _values(context: CompletionContext) -> tuple[str, ...]:
    key = context["key"].raw
    return choices(key) if key in KEYS else ()


Key = Annotated[str, Parameter(completer=_keys)]


@config.command(help="Say where the config file is, or would be.")
def path() -> ExitCode:
    """It need not be there: then all settings have their defaults."""
    write_line(str(config_path()), sys.stdout)
    return ExitCode.OK


@config.command(help="Show all settings as they count now.")
def show(
    *,
    origin: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> ExitCode:
    """Show all settings.

    Parameters
    ----------
    origin
        Say of each where it was said: flag, environment, file or default.
    json
        One JSON object: values by key; with --origin, objects with value and origin.
    """
    settings, origins = read_settings()
    values = msgspec.structs.asdict(settings)
    if json:
        shown = {key: {"value": value, "origin": origins[key]} for key, value in values.items()} if origin else values
        write_json(shown, sys.stdout)
        return ExitCode.OK
    for key, value in values.items():
        line = f"{key} = {as_text(value)}"
        write_line(words_settings.with_origin(line, origins[key]) if origin else line, sys.stdout)
    return ExitCode.OK


@config.command(help="Print the value of one setting as it counts now.")
def get(key: Key, /) -> ExitCode:
    """Print one value and nothing else.

    Parameters
    ----------
    key
        For instance theme.
    """
    _known(key)
    value: Value = getattr(read_settings().settings, key)
    write_line(as_text(value), sys.stdout)
    return ExitCode.OK


@config.command(name="set", help="Save one setting in the config file.")
def set_(key: Key, value: Annotated[str, Parameter(completer=_values, allow_leading_hyphen=True)], /) -> ExitCode:
    """Save one setting.

    Parameters
    ----------
    key
        For instance theme.
    value
        For instance light.
    """
    try:
        with_setting(config_path(), key, from_text(key, value))
    except SettingFault as fault:
        raise CommandFailed(ExitCode.USAGE, str(fault)) from None
    reading = read_settings()
    if reading.origins[key] is Origin.ENVIRONMENT:
        now: Value = getattr(reading.settings, key)
        write_line(words_settings.overruled(key, variable(key), as_text(now)), sys.stderr)
    return ExitCode.OK


@config.command(help="Forget one setting in the config file: it has its default again.")
def unset(key: Key, /) -> ExitCode:
    """Forget one setting.

    Parameters
    ----------
    key
        For instance theme.
    """
    with_setting(config_path(), key, None)
    return ExitCode.OK


@config.command(help="Change the config file in your editor (VISUAL or EDITOR); it is checked before it counts.")
def edit() -> ExitCode:
    """A file with a fault is not taken, and the draft of it is kept for the next time."""
    file = config_path()
    draft = file.with_name(f"{file.stem}.draft.toml")
    original = read_text(file) or template()
    if draft.exists():
        write_line(words_settings.draft_goes_on(str(draft)), sys.stderr)
    else:
        write_text(draft, original)
    try:
        _run_editor(draft)
        text = read_text(draft)
        faultless(draft, text)
    except CommandFailed as failed:
        if read_text(draft) == original:  # nothing was written that could be lost
            draft.unlink(missing_ok=True)
            raise
        raise CommandFailed(failed.exit_code, words_settings.draft_refused(failed.sentence)) from None
    if text != original:
        write_text(file, text)
    draft.unlink(missing_ok=True)
    return ExitCode.OK


def _known(key: str) -> None:
    try:
        default(key)
    except SettingFault as fault:
        raise CommandFailed(ExitCode.USAGE, str(fault)) from None


def _run_editor(file: Path) -> None:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    try:
        status = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode  # noqa: S603 - the person's own
    except (OSError, ValueError) as error:
        raise CommandFailed(ExitCode.FAILURE, words_settings.no_editor(editor, str(error))) from None
    if status != 0:
        raise CommandFailed(ExitCode.FAILURE, words_settings.editor_failed(editor, status))
