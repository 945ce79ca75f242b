"""What a person chose last: the game, its house rules, and how a table was hosted. Kept on this machine as a state, not
as a setting: nobody is meant to write it, and one that cannot be read is none.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from platformdirs import user_state_path

from client_cli.address import DEFAULT_PORT
from client_cli.names import GAMES
from protocol.view import OptionValue, Pace

Place = Literal["here", "network", "elsewhere"]


class LastChoices(msgspec.Struct, frozen=True):
    """`rules`: what differs from the defaults, by game. `place`: where the table was; `server`: if it was elsewhere;
    `tls`: encrypted, if it was in the network.
    """

    game: str = next(iter(GAMES))
    rules: dict[str, dict[str, OptionValue]] = {}
    deals: int = 1
    pace: Pace = "none"
    place: Place = "network"
    port: int = DEFAULT_PORT
    server: str = ""
    public: bool = False
    tls: bool = False


def _path() -> Path:
    return user_state_path("paizhuo", appauthor=False) / "last-choices.json"


def read_choices() -> LastChoices:
    try:
        return msgspec.json.decode(_path().read_bytes(), type=LastChoices)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return LastChoices()


def keep_choices(choices: LastChoices) -> None:
    """As far as the machine can keep anything: nothing depends on it."""
    path = _path()
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.write_bytes(msgspec.json.encode(choices))
        draft.replace(path)
