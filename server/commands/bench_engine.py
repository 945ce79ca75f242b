"""`paizhuo-server bench engine`: how fixed a game's rules run, with the speed of this machine beside it."""

from collections.abc import Callable
from functools import reduce
from random import Random
from statistics import median
from time import process_time
from typing import Annotated, Any, NamedTuple

import msgspec
from cyclopts import Parameter

from protocol.errors import ExitCode
from server.commands import CommandFailed
from server.commands.complete_hands import complete_hand
from server.games.base import Game, settled
from server.games.paohuzi.cards import hand_of
from server.games.paohuzi.groups import Fixed, chi_huxi, most_huxi
from server.games.registry import UnknownGame, game_named

RUNS = 5
RUN_S = 1.5
CALIBRATION_TURNS = 2_000_000
REFERENCE_MILLIONS = 20.0
"""Rates are also given as on a machine whose calibration loop makes this many million turns a second."""


class Run(NamedTuple):
    """One measurement, all per CPU-second. `hands`: only of Paohuzi."""

    calibration_millions: float
    steps: float
    playouts: float
    scaled_steps: float
    scaled_playouts: float
    hands: float | None = None
    scaled_hands: float | None = None


def engine(game: str = "chuo-pai", *, json: Annotated[bool, Parameter(negative="")] = False) -> None:
    """Measure a game's rules: random playouts, one core, per CPU-second; takes about ten seconds.

    A step is one question and one action (asked, apply, and what the rules do by themselves); a playout is a deal from
    its start to its end. A hand, in Paohuzi, is the search for the most huxi of one complete hand, nothing remembered
    of others. The calibration is a trivial loop, timed before and after each run.

    Examples:

        paizhuo-server bench engine

        paizhuo-server bench engine paohuzi --json

    Parameters
    ----------
    game
        The game to measure.
    json
        Print one JSON object.
    """
    try:
        rules = game_named(game)
    except UnknownGame as error:
        raise CommandFailed(ExitCode.USAGE, str(error)) from None
    runs = measured(rules, process_time, runs=RUNS, run_s=RUN_S)
    columns = {field: values for field in Run._fields if None not in (values := [getattr(run, field) for run in runs])}
    if json:
        medians = {field: median(values) for field, values in columns.items()}
        print(msgspec.json.encode({"game": game, "runs": len(runs), **medians}).decode())
        return
    print(f"{game}, {len(runs)} runs, per CPU-second{'median':>16}{'least':>12}{'most':>12}")
    for field, label, digits in (
        ("calibration_millions", "calibration, million turns", 1),
        ("steps", "steps", 0),
        ("playouts", "playouts", 0),
        ("scaled_steps", f"steps at {REFERENCE_MILLIONS:.0f} million turns", 0),
        ("scaled_playouts", f"playouts at {REFERENCE_MILLIONS:.0f} million turns", 0),
        ("hands", "complete hands", 0),
        ("scaled_hands", f"complete hands at {REFERENCE_MILLIONS:.0f} million turns", 0),
    ):
        if field not in columns:
            continue
        values = columns[field]
        figures = "".join(f"{value:>12,.{digits}f}" for value in (median(values), min(values), max(values)))
        print(f"{label:<40}{figures}")


def measured(game: Game[Any], cpu_s: Callable[[], float], *, runs: int, run_s: float) -> list[Run]:
    """`cpu_s` reads this process's CPU time in seconds; each run takes `run_s` of it."""
    _playouts(game, cpu_s, Random(0), run_s / 5)  # fills the caches of the rules
    found = []
    for seed in range(runs):
        before = calibration_millions(cpu_s)
        steps, playouts = _playouts(game, cpu_s, Random(seed), run_s)
        hands = _hands(cpu_s, Random(seed), run_s / 5) if game.name == "paohuzi" else None
        calibration = (before + calibration_millions(cpu_s)) / 2
        scale = REFERENCE_MILLIONS / calibration
        scaled_hands = None if hands is None else hands * scale
        found.append(Run(calibration, steps, playouts, steps * scale, playouts * scale, hands, scaled_hands))
    return found


def calibration_millions(cpu_s: Callable[[], float]) -> float:
    """Million turns of a trivial loop a CPU-second: what this machine does just now, to compare other figures by."""
    start = cpu_s()
    total = 0
    for turn in range(CALIBRATION_TURNS):
        total += turn
    return CALIBRATION_TURNS / 1e6 / (cpu_s() - start)


def _playouts(game: Game[Any], cpu_s: Callable[[], float], rng: Random, run_s: float) -> tuple[float, float]:
    """Steps and playouts a second. The decks are shuffled outside the measured time."""
    options = game.options({})
    asked, apply, random = game.asked, game.apply, rng.random
    steps = playouts = 0
    spent_s = 0.0
    while spent_s < run_s:
        decks = [tuple(rng.sample(game.pack, len(game.pack))) for _ in range(20)]
        start = cpu_s()
        for number, deck in enumerate(decks):
            state = settled(game, game.start(deck, number % 3, options))
            while questions := asked(state):
                seat, actions = next(iter(questions.items()))
                state = settled(game, apply(state, seat, actions[int(random() * len(actions))]))
                steps += 1
        spent_s += cpu_s() - start
        playouts += len(decks)
    return steps / spent_s, playouts / spent_s


def _hands(cpu_s: Callable[[], float], rng: Random, run_s: float) -> float:
    """Complete hands whose huxi are found a second. The hands are made outside the measured time."""
    checked = 0
    spent_s = 0.0
    while spent_s < run_s:
        hands = [
            (reduce(Fixed.plus, hand.fixed, Fixed()), hand_of(hand.loose), hand.card)
            for hand in (complete_hand(rng) for _ in range(100))
        ]
        start = cpu_s()
        for fixed, loose, card in hands:
            chi_huxi.cache_clear()
            most_huxi(fixed, loose, card)
        spent_s += cpu_s() - start
        checked += len(hands)
    return checked / spent_s
