"""Replay one course, or run many: `python -m tests.simulation SEED [--trace]`, or `--seeds COUNT [--from FIRST]`.

Exits 1 if anything went wrong in any of them, and prints how to see it again.
"""

import argparse
import gc
import os
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import starmap

from tests.simulation.world import Outcome, simulate

AT_ONCE = 50
"""Courses that a process plays before it reports, and looks after its memory."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", help="the course to replay")
    parser.add_argument("--trace", action="store_true", help="print everything that happens in it")
    parser.add_argument("--seeds", type=int, default=1, help="how many to run, one after another")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many run at the same time")
    given = parser.parse_args()
    if given.seed is not None:
        outcomes: Iterator[Outcome] = iter(some(given.seed, 1, traced=given.trace))
    else:
        outcomes = many(given.first, given.seeds, given.processes)
    played = failed = commits = deals = blows = proved = 0
    for outcome in outcomes:
        for line in outcome.trace:
            print(line)
        for fault in outcome.faults:
            print(f"seed {outcome.seed}: {fault}")
        if outcome.faults:
            failed += 1
            print(f"see it again: python -m tests.simulation {outcome.seed} --trace", flush=True)
        played, commits, deals = played + 1, commits + outcome.commits, deals + outcome.deals
        blows, proved = blows + sum(outcome.blows.values()), proved + outcome.proved
    print(
        f"{played} courses, {failed} failed; {commits} entries written, {deals} deals finished, "
        f"found fair {proved} times, {blows} blows of fate"
    )
    return 1 if failed else 0


def many(first: int, seeds: int, processes: int) -> Iterator[Outcome]:
    """The outcomes of so many courses, in order."""
    pieces = [(start, min(AT_ONCE, first + seeds - start)) for start in range(first, first + seeds, AT_ONCE)]
    if processes == 1 or len(pieces) == 1:
        for outcomes in starmap(some, pieces):
            yield from outcomes
        return
    with ProcessPoolExecutor(processes) as pool:
        for outcomes in pool.map(some, *zip(*pieces, strict=True)):
            yield from outcomes


def some(first: int, seeds: int, *, traced: bool = False) -> list[Outcome]:
    """Some courses one after another. A world is thrown away whole, so its memory is looked after once at the end."""
    warnings.simplefilter("ignore", RuntimeWarning)  # work of dead machines that was never begun
    gc.disable()
    try:
        return [simulate(seed, traced=traced) for seed in range(first, first + seeds)]
    finally:
        gc.collect()
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
