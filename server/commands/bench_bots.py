"""`paizhuo-server bench bots`: how much better one bot plays than two of another, in points and in time."""

import os
import signal
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from threading import Thread
from time import process_time
from typing import Annotated

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from protocol.errors import ExitCode
from server.commands import CommandFailed, house_rules
from server.duels import DealPlayed, Duel, Summary, deal_played, summed_up
from server.games.base import BadOption
from server.games.registry import UnknownGame
from server.intervals import Watched
from server.players import PlayerMissing, UnknownPlayer

AHEAD = 4
"""Deals that each process is given before the oldest is done, so that it never waits; few are played in vain."""


def bots(
    game: str,
    *,
    candidate: str,
    reference: str,
    deals: Annotated[int, Parameter(validator=Number(gte=2))] = 400,
    seed: int = 0,
    budget: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    reference_budget: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    options: str = "{}",
    until_certain: Annotated[bool, Parameter(negative="")] = False,
    processes: Annotated[int, Parameter(validator=Number(gte=1, lte=64))] = 1,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Measure one bot against two of another on duplicate deals.

    Each deal is played three times, with the candidate in each seat; hands, stock and first leader stay the same. The
    difference is the candidate's score less the mean of the two others', a game; its 95 % interval takes a deal, not a
    game, as the unit. The same arguments find the same, times apart, with any number of processes.

    Examples:

        paizhuo-server bench bots chuo-pai --candidate easy --reference random

        paizhuo-server bench bots paohuzi --candidate easy --reference random --deals 5000 --until-certain --processes 2

        paizhuo-server bench bots chuo-pai --candidate easy --reference easy --options '{"max_combination": 4}' --json

    Parameters
    ----------
    game
        The game to play: chuo-pai or paohuzi.
    candidate
        Who is measured: a level of the ladder, or ismcts, OpenSpiel's search (with the extra openspiel).
    reference
        Who sits in the two other seats.
    deals
        How many deals, each played three times; with --until-certain, how many at most.
    seed
        Decides decks and the bots' choices.
    budget
        Rollouts that the candidate may make for one choice; its full strength if it is not given.
    reference_budget
        The same for the references.
    options
        House rules that differ from their defaults, as a JSON object.
    until_certain
        Stop as soon as it is certain who is better, after 50 deals at the earliest. The interval is honest all the
        same, and about 1.6 times as wide.
    processes
        How many processes play.
    json
        Print one JSON object.
    """
    if until_certain and deals < Watched.LEAST:
        least = f"--until-certain concludes nothing from fewer than {Watched.LEAST} deals: give more --deals"
        raise CommandFailed(ExitCode.USAGE, least)
    duel = Duel(game, candidate, reference, seed, house_rules(options), budget, reference_budget)
    found = measured(duel, deals, processes, until_certain=until_certain)
    print(as_json(duel, found) if json else as_text(duel, found))


def measured(duel: Duel, deals: int, processes: int, *, until_certain: bool = False) -> Summary:
    """`deals`: at most so many. Raises `CommandFailed`."""
    try:
        duel.players()
    except (UnknownGame, BadOption, UnknownPlayer) as error:
        raise CommandFailed(ExitCode.USAGE, str(error)) from None
    except PlayerMissing as error:
        raise CommandFailed(ExitCode.FAILURE, str(error)) from None
    with all_played(duel, deals, processes) as played:
        return summed_up(played, until_certain=until_certain)


@contextmanager
def all_played(duel: Duel, deals: int, processes: int) -> Iterator[Iterator[DealPlayed]]:
    """The deals in order of their numbers, whichever process played them. Those that nobody takes are not played."""
    play = partial(deal_played, duel, cpu_s=process_time)
    numbers = iter(range(1, deals + 1))
    if processes == 1:
        yield map(play, numbers)
        return
    from concurrent.futures import Future, ProcessPoolExecutor  # noqa: PLC0415 slow to load, and seldom needed
    from multiprocessing import get_context  # noqa: PLC0415

    pool = ProcessPoolExecutor(processes, get_context("spawn"), _follow)

    def in_order() -> Iterator[DealPlayed]:
        waiting: deque[Future[DealPlayed]] = deque()
        with _ctrl_c_ignored():  # for good by the processes that are started here: it is this one's to hear
            waiting.extend(pool.submit(play, number) for number in islice(numbers, AHEAD * processes))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(play, number) for number in islice(numbers, 1))

    try:
        yield in_order()
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _follow() -> None:
    """In a process that plays: however its parent ends, this one does not outlive it."""
    from multiprocessing import parent_process  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # not inherited on Windows
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def as_json(duel: Duel, found: Summary) -> str:
    """One object."""
    fields = {
        "game": duel.game,
        "candidate": duel.candidate,
        "reference": duel.reference,
        "deals": found.deals,
        "difference": found.difference,
        "ci95": found.ci95,
        "win_share": found.win_share,
        "ms_per_move": {"mean": found.mean_ms, "p99": found.p99_ms},
        "moves": found.choices,
        "win_share_ci95": found.win_ci95,
        "decided_games": found.decided,
        "certain": found.certain,
        "sd": {"duplicate": found.sd, "fresh": found.fresh_sd},
        "seed": duel.seed,
        "budget": duel.budget,
        "reference_budget": duel.reference_budget,
        "options": duel.options,
    }
    return msgspec.json.encode(fields).decode()


def as_text(duel: Duel, found: Summary) -> str:
    """Four lines to read."""
    low, high = found.ci95
    verdict = f"{duel.candidate} is {'better' if low > 0 else 'worse'}" if found.certain else "either may be better"
    opponents = f"{duel.game}: {duel.candidate} against two of {duel.reference}"
    lines = [
        f"{opponents}, {found.deals:,} deals of three games each, seed {duel.seed}",
        f"difference  {found.difference:+.2f} points a game, 95 % interval {low:+.2f} to {high:+.2f}: {verdict}",
    ]
    if found.win_share is not None and found.win_ci95 is not None:
        share, lower, upper = (100 * part for part in (found.win_share, *found.win_ci95))
        lines.append(
            f"win share   {share:.1f} % of {found.decided:,} decided games, 95 % interval {lower:.1f} to {upper:.1f} %"
            "; parity is 33.3 %"
        )
    if found.mean_ms is not None:
        lines.append(
            f"a move      {found.mean_ms:.2f} ms of CPU time, p99 {found.p99_ms:.2f} ms, "
            f"of {found.choices:,} moves between several actions"
        )
    lines.append(f"luck        SD of a deal {found.sd:.2f} points; of three games on fresh deals {found.fresh_sd:.2f}")
    return "\n".join(lines)
