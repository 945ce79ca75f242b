"""What a person prefers, and where each preference comes from: a flag, the environment, the config file or nowhere.

Pure: it is handed flags, an environment and the text of a file. `settings_file` reads and writes the file itself.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

import msgspec

from client_cli import words_settings
from client_cli.address import server_url
from client_cli.failure import CommandFailed
from protocol.view import BotLevel

MOST_MS = 5000
"""No server lets a card stand longer between two events."""

Value: TypeAlias = str | bool | int
LanguageChoice = Literal["auto", "en", "id", "zh"]
Theme = Literal["auto", "dark", "light", "high-contrast", "mono"]
AsciiChoice = Literal["auto", "on", "off"]
Dominoes = Literal["pips", "names", "unicode"]
Order = Literal["families", "ranks", "copies"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All preferences. What each one means is said by `words_settings.descriptions`, under the same name."""

    name: str = ""
    language: LanguageChoice = "auto"
    plain: bool = False
    theme: Theme = "auto"
    ascii: AsciiChoice = "auto"
    dominoes: Dominoes = "pips"
    order: Order = "families"
    confirm: bool = False
    auto_pass: bool = False
    bell: bool = False
    notify: bool = False
    remaining: bool = False
    server: str = ""
    bots: BotLevel = "easy"
    beat_ms: Annotated[int, msgspec.Meta(ge=0, le=MOST_MS)] = 400
    lan: bool = True
    announce: bool = False


DEFAULTS = Settings()
KEYS: tuple[str, ...] = Settings.__struct_fields__
_TYPES: Mapping[str, Any] = get_type_hints(Settings, include_extras=True)
_WORDS = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}


class Origin(StrEnum):
    """Where a value was said, the strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


class Reading(NamedTuple):
    """The settings, and where the value of each key was said."""

    settings: Settings
    origins: Mapping[str, Origin]


class SettingFault(ValueError):
    """A key or a value that cannot be. The text says which ones can; `line` counts from 1 where it is in a file."""

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.line = line


class FileContent(NamedTuple):
    """What a config file says: the values that can be, and what is wrong with the rest."""

    values: Mapping[str, Value]
    faults: tuple[SettingFault, ...]


def variable(key: str) -> str:
    """The environment variable of a setting."""
    return f"PAIZHUO_{key.upper()}"


def choices(key: str) -> tuple[str, ...]:
    """The values of a setting as they are typed; none where it is a text or a number."""
    kind = _TYPES[key]
    if kind is bool:
        return ("true", "false")
    return get_args(kind) if get_origin(kind) is Literal else ()


def default(key: str) -> Value:
    """Raises `SettingFault` for a key that is none."""
    if key not in KEYS:
        raise SettingFault(words_settings.unknown(key, KEYS))
    value: Value = getattr(DEFAULTS, key)
    return value


def as_text(value: Value) -> str:
    """A value as it is typed after `paizhuo config set KEY`, and shown."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def from_text(key: str, text: str) -> Value:
    """A value as the environment and the command line have it. Raises `SettingFault`."""
    usual, value = default(key), text.strip()
    if isinstance(usual, bool):
        return checked(key, _WORDS.get(value.lower(), text))
    if isinstance(usual, int) and re.fullmatch(r"[0-9]{1,9}", value):
        return checked(key, int(value))
    return checked(key, value)


def checked(key: str, value: object) -> Value:
    """The value, if this setting can have it. Raises `SettingFault`."""
    default(key)
    try:
        known: Value = msgspec.convert(value, type=_TYPES[key])
        if key == "server" and isinstance(known, str) and known:
            server_url(known)
    except msgspec.ValidationError:
        allowed = choices(key)
        if allowed:
            raise SettingFault(words_settings.none_of(key, str(value), allowed)) from None
        if _TYPES[key] is str:
            raise SettingFault(words_settings.no_text(key)) from None
        raise SettingFault(words_settings.no_number(key, str(value), 0, MOST_MS)) from None
    except CommandFailed as failed:
        raise SettingFault(f"{key}: {failed.sentence}") from None
    return known


def parsed(text: str) -> FileContent:
    """What the text of a config file says. Raises `SettingFault` for a text that is no TOML."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise SettingFault(words_settings.no_toml(str(error)), int(line[1]) if line else None) from None
    values: dict[str, Value] = {}
    faults = []
    for key, value in content.items():
        try:
            values[key] = checked(key, value)
        except SettingFault as fault:
            faults.append(SettingFault(str(fault), _line_of(key, text)))
    return FileContent(values, tuple(faults))


def from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    """The settings that the environment names; an empty variable is none. Raises `SettingFault`."""
    for key in KEYS:
        if text := environment.get(variable(key), "").strip():
            try:
                yield key, from_text(key, text)
            except SettingFault as fault:
                raise SettingFault(words_settings.in_the_environment(variable(key), str(fault))) from None


def combined(flags: Mapping[str, Value | None], environment: Mapping[str, Value], file: Mapping[str, Value]) -> Reading:
    """One value for each setting, from the strongest place that has one; a flag that is None was not given."""
    values: dict[str, Value] = {}
    origins = dict.fromkeys(KEYS, Origin.DEFAULT)
    given = {key: value for key, value in flags.items() if value is not None}
    for origin, said in ((Origin.FILE, file), (Origin.ENVIRONMENT, environment), (Origin.FLAG, given)):
        values |= said
        origins |= dict.fromkeys(said, origin)
    return Reading(Settings(**values), origins)  # type: ignore[arg-type]  # each value has been checked for its key


def _line_of(key: str, text: str) -> int | None:
    found = re.search(rf"""^[ \t]*(?:\[+[ \t]*)?["']?{re.escape(key)}["']?[ \t]*[=.\]]""", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else None
