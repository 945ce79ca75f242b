"""Flags that are settings of the person."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from cyclopts import Parameter

from client_cli import words_settings
from client_cli.settings import KEYS, AsciiChoice, Dominoes, LanguageChoice, Reading, Settings, Theme, variable
from client_cli.settings_file import read_settings


def preference(key: str, *, negative: str = "") -> Parameter:
    """The flag of a setting: it goes before the environment and the config file."""
    meaning = words_settings.descriptions()[key]
    return Parameter(help=words_settings.flag_help(meaning, variable(key)), negative=negative)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Speaking:
    """The flag of every command that says something: in which language."""

    language: Annotated[LanguageChoice | None, preference("language")] = None

    @cached_property
    def reading(self) -> Reading:
        """All settings, as these flags, the environment and the config file say. Raises `CommandFailed` (usage)."""
        return read_settings({key: getattr(self, key) for key in KEYS if hasattr(self, key)})

    @property
    def settings(self) -> Settings:
        return self.reading.settings


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Showing(Speaking):
    """Flags of every command that shows a table: how."""

    plain: Annotated[bool | None, preference("plain", negative="--no-plain")] = None
    theme: Annotated[Theme | None, preference("theme")] = None
    ascii: Annotated[AsciiChoice | None, preference("ascii")] = None
    dominoes: Annotated[Dominoes | None, preference("dominoes")] = None
