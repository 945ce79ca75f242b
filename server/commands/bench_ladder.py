"""`paizhuo-server bench ladder`: every level of every game against two of each level below, as a page in Markdown."""

import sys
from collections.abc import Iterator, Mapping
from time import process_time
from typing import Annotated, NamedTuple, get_args

from cyclopts import Parameter
from cyclopts.validators import Number

from protocol.view import BotLevel
from server.bots.ladder import BOTS
from server.commands.bench_bots import as_text, measured
from server.commands.bench_engine import calibration_millions
from server.duels import Duel, Summary
from server.games.registry import GAMES

DEALS: Mapping[tuple[str, str], int] = {
    ("easy", "random"): 1000,
    ("normal", "random"): 1000,
    ("normal", "easy"): 1000,
    ("hard", "random"): 60,
    ("hard", "easy"): 60,
    ("hard", "normal"): 300,
}
"""By candidate and reference: enough to tell them apart. All take about 25 minutes on two cores."""

SEED = 1

PAGE = """\
# How strong the bots are

`make ladder` makes this page. Each row is one level (the candidate) against two of a level below it, on duplicate
deals: every deal is played three times, with the candidate in each seat, while hands, stock and first leader stay the
same ([server/duels.py](../server/duels.py)). The commands below find every row again, times apart.

* *difference*: the candidate's score less the mean of the two others', in points a game; 0 between equals. In bold
  where its 95 % interval, which takes a deal and not a game as the unit, is above zero.
* *win share*: of the games that somebody won, a shared win in parts; parity is 33.3 %.
* *ms a move*: CPU time of the candidate's choices between several actions, the mean and the 99th percentile, on a core
  that makes {millions:.0f} million turns a second in the calibration loop of `paizhuo-server bench engine`.
* *SD*: the standard deviation of a deal's value, in points, and behind it what it would be if the three games of a deal
  were played on three fresh deals. The square of their ratio is how many times fewer deals say as much: {saved}.

{table}

The rows, in this order:

```sh
{commands}
```
"""

HEADINGS = ("game", "candidate", "two of", "deals", "difference", "win share", "ms a move, p99", "SD, fresh")


class Rung(NamedTuple):
    """One row."""

    duel: Duel
    found: Summary


def ladder(
    *,
    deals: Annotated[int | None, Parameter(validator=Number(gte=2))] = None,
    processes: Annotated[int, Parameter(validator=Number(gte=1, lte=64))] = 1,
) -> None:
    """Measure every level of every game against two of each level below, and print a page with the table.

    Takes about three quarters of an hour of CPU time. What is found is told on standard error as it comes.

    Examples:

        paizhuo-server bench ladder --processes 2 >docs/ladder.md

        paizhuo-server bench ladder --deals 50

    Parameters
    ----------
    deals
        How many deals in each row, each played three times; by default as many as the candidate's speed allows.
    processes
        How many processes play.
    """
    before = calibration_millions(process_time)
    rungs = []
    for duel in duels():
        found = measured(duel, deals or DEALS[duel.candidate, duel.reference], processes)
        rungs.append(Rung(duel, found))
        print(as_text(duel, found), end="\n\n", file=sys.stderr)
    millions = (before + calibration_millions(process_time)) / 2
    print(page(rungs, millions), end="")


def duels() -> Iterator[Duel]:
    """Each level against each below it, the nearest last, which is the rung that the ladder stands on."""
    for game in GAMES:
        levels = [level for level in get_args(BotLevel) if (game, level) in BOTS]
        for place, candidate in enumerate(levels):
            for reference in levels[:place]:
                yield Duel(game, candidate, reference, SEED)


def page(rungs: list[Rung], millions: float) -> str:
    """`millions`: turns of the calibration loop."""
    rows = [HEADINGS, ("---",) * len(HEADINGS), *map(_row, rungs)]
    return PAGE.format(
        millions=millions,
        saved=", ".join(_saved(rungs)),
        table="\n".join(f"| {' | '.join(row)} |" for row in rows),
        commands="\n".join(map(_command, rungs)),
    )


def _saved(rungs: list[Rung]) -> Iterator[str]:
    for game in dict.fromkeys(rung.duel.game for rung in rungs):
        times = [
            (rung.found.fresh_sd / rung.found.sd) ** 2 for rung in rungs if rung.duel.game == game and rung.found.sd
        ]
        if times:
            yield f"in {game} {min(times):.1f} to {max(times):.1f} times"


def _row(rung: Rung) -> tuple[str, ...]:
    duel, found = rung
    low, high = found.ci95
    difference = f"{found.difference:+.2f}"
    return (
        duel.game,
        duel.candidate,
        duel.reference,
        f"{found.deals:,}",
        f"{f'**{difference}**' if low > 0 else difference} ({low:+.2f} to {high:+.2f})",
        "" if found.win_share is None or found.win_ci95 is None else _share(found.win_share, *found.win_ci95),
        "" if found.mean_ms is None else f"{found.mean_ms:.2f}, {found.p99_ms:.2f}",
        f"{found.sd:.2f}, {found.fresh_sd:.2f}",
    )


def _share(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _command(rung: Rung) -> str:
    duel, found = rung
    return (
        f"paizhuo-server bench bots {duel.game} --candidate {duel.candidate} --reference {duel.reference}"
        f" --deals {found.deals} --seed {duel.seed}"
    )
