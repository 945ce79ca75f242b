"""`paizhuo-server record`: plays deals with bots and prints them as records."""

import sys
from typing import Annotated, cast, get_args

from cyclopts import Parameter
from cyclopts.validators import Number

from protocol.errors import ExitCode
from protocol.record import write
from protocol.view import BotLevel
from server.commands import CommandFailed, house_rules
from server.deals import Levels, played
from server.games.base import BadOption
from server.games.registry import UnknownGame


def record(
    game: str,
    *,
    deals: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
    seed: int = 0,
    bots: str = "random",
    options: str = "{}",
    legal: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Play deals with bots and print them as records (paizhuo-record/1), one JSON object to a line.

    The same arguments print the same bytes.

    Examples:

        paizhuo-server record chuo-pai --deals 1000 --seed 7 --legal > deals.jsonl

        paizhuo-server record paohuzi --options '{"chi_passed_reveal": true}'

        paizhuo-server record chuo-pai --bots random,random,easy --options '{"max_combination": 4}'

    Parameters
    ----------
    game
        The game to play: chuo-pai or paohuzi.
    deals
        How many deals.
    seed
        Decides decks, first leaders and the bots' choices.
    bots
        The bots' level (random, easy, normal or hard), or three of them with commas between: seat 0, 1 and 2.
    options
        House rules that differ from their defaults, as a JSON object.
    legal
        Write every step's legal actions too.
    """
    levels = _levels(bots)
    rules = house_rules(options)
    try:
        for deal in played(game, deals, seed, levels, rules, legal=legal):
            sys.stdout.buffer.write(write(deal) + b"\n")
    except (UnknownGame, BadOption) as error:
        raise CommandFailed(ExitCode.USAGE, str(error)) from None


def _levels(bots: str) -> Levels:
    known = get_args(BotLevel)
    named = bots.split(",") if "," in bots else [bots] * 3
    if len(named) != 3 or not set(named) <= set(known):
        raise CommandFailed(
            ExitCode.USAGE, f"--bots {bots!r} is neither one level nor three; the levels are: {', '.join(known)}"
        )
    return cast(Levels, tuple(named))
