"""The config file: where it is, what it says together with flags and environment, and how one setting is changed in it.

A file is replaced in one step and keeps its comments and its order; a file with a fault is never written over.
"""

import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from platformdirs import user_config_path

from client_cli import words_settings
from client_cli.failure import CommandFailed
from client_cli.language import locale_language
from client_cli.settings import (
    FileContent,
    Reading,
    SettingFault,
    Settings,
    Value,
    checked,
    choices,
    combined,
    default,
    from_environment,
    parsed,
    variable,
)
from protocol.errors import ExitCode


def config_path(environment: Mapping[str, str] = os.environ) -> Path:
    """The file of this user, or that which PAIZHUO_CONFIG names. It need not be there."""
    named = environment.get("PAIZHUO_CONFIG")
    return Path(named).expanduser() if named else user_config_path("paizhuo", appauthor=False) / "config.toml"


def read_text(path: Path) -> str:
    """The file as it is; empty where there is none. Raises `CommandFailed`."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise CommandFailed(ExitCode.USAGE, words_settings.unreadable(str(path), reason)) from None


def faultless(path: Path, text: str) -> FileContent:
    """What the file says. Raises `CommandFailed` (usage) with its first fault and the place of it."""
    try:
        content = parsed(text)
        for fault in content.faults:
            raise fault
    except SettingFault as fault:
        raise CommandFailed(ExitCode.USAGE, words_settings.in_the_file(str(path), fault.line, str(fault))) from None
    return content


def read_settings(
    flags: Mapping[str, Value | None] | None = None, environment: Mapping[str, str] = os.environ
) -> Reading:
    """All settings as they count now: flag before environment before file. Raises `CommandFailed` (usage)."""
    path = config_path(environment)
    file = faultless(path, read_text(path)).values
    try:
        said = dict(from_environment(environment))
        given = {key: checked(key, value) for key, value in (flags or {}).items() if value is not None}
    except SettingFault as fault:
        raise CommandFailed(ExitCode.USAGE, str(fault)) from None
    return combined(given, said, file)


def spoken_language(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """The code of the language to speak before anything is understood, even the command.

    Wrong settings are passed over: what complains of them later does so in this language.
    """
    return language_code(next(_language_choices(arguments, environment), "auto"), environment)


def language_code(choice: str, environment: Mapping[str, str] = os.environ) -> str:
    """The code of the language that was chosen, which for `auto` is that of the system."""
    return locale_language(environment) if choice == "auto" else choice


def _language_choices(arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """All that is said of it, the strongest first."""
    allowed = choices("language")
    for place, argument in enumerate(arguments):
        flag, _, value = argument.partition("=")
        said = value or "".join(arguments[place + 1 : place + 2])
        if flag == "--language" and said in allowed:
            yield said
    if (value := environment.get(variable("language"), "").strip()) in allowed:
        yield value
    with suppress(CommandFailed, SettingFault, KeyError):
        yield str(parsed(read_text(config_path(environment))).values["language"])


def with_setting(path: Path, key: str, value: Value | None) -> Settings:
    """Save one setting, or with None forget it, and give all as the file has them then.

    Raises `CommandFailed`; the file is as it was then.
    """
    import tomlkit  # noqa: PLC0415 - only who changes the file pays for it

    text = read_text(path)
    faultless(path, text)
    document = tomlkit.parse(text if text.endswith("\n") or not text else f"{text}\n")
    try:
        if value is not None:
            document[key] = checked(key, value)
        elif default(key) is not None and key in document:
            del document[key]
    except SettingFault as fault:
        raise CommandFailed(ExitCode.USAGE, str(fault)) from None
    changed = tomlkit.dumps(document)
    if document.unwrap() != tomllib.loads(text):
        write_text(path, changed)
    return combined({}, {}, parsed(changed).values).settings


def template() -> str:
    """A first config file: it names all settings with their defaults, and says nothing."""
    import tomlkit  # noqa: PLC0415 - as above

    lines = [f"# {words_settings.template_head()}"]
    for key, meaning in words_settings.descriptions().items():
        allowed = ", ".join(choices(key))
        lines += ["", f"# {meaning}{f' ({allowed})' if allowed else ''}"]
        lines.append(f"# {key} = {tomlkit.item(default(key)).as_string()}")
    return "\n".join([*lines, ""])


def write_text(path: Path, text: str) -> None:
    """Replace the file in one step, through a link too, with the permissions it had. Raises `CommandFailed`."""
    try:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                Path(name).chmod(target.stat().st_mode & 0o7777)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandFailed(ExitCode.FAILURE, words_settings.unwritable(str(path), reason)) from None
