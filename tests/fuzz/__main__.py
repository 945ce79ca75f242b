"""Attack a real server while games are played on it: `python -m tests.fuzz --frames N --connections N --seed S`.

Prints what was found wrong, what was done, and how long the players' moves took in each wave of the attack, and after
it. Exits 1 if anything is wrong.
"""

import argparse
import asyncio
import gc
import logging
import sys
from random import SystemRandom

from tests.fuzz.assault import Found, Plan, assault
from tests.fuzz.cost import medians, shown


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--frames", type=int, default=100_000, help="over sound connections (100000)")
    parser.add_argument("--connections", type=int, default=1_000, help="that misbehave (1000)")
    parser.add_argument("--seed", type=int, default=None, help="of what is sent; drawn and told where none is given")
    parser.add_argument("--waves", type=int, default=8, help="of attacks, players being left alone after each (8)")
    parser.add_argument("--tables", type=int, default=6, help="that are played at (6)")
    parser.add_argument(
        "--frames-per-s", type=float, default=None, help="at most; as many as there can be if not given"
    )
    parser.add_argument(
        "--log-level", default="debug", help="of the server (debug, of which it has more to look through)"
    )
    asked = parser.parse_args()
    seed = SystemRandom().getrandbits(32) if asked.seed is None else asked.seed
    logging.disable(logging.CRITICAL)
    gc.disable()  # what people saw is all kept: each look through it would stop all players for up to a second
    print(f"{asked.frames} frames, {asked.connections} connections that misbehave, seed {seed}", flush=True)
    plan = Plan(
        asked.frames,
        asked.connections,
        seed,
        waves=asked.waves,
        tables=asked.tables,
        calm=True,
        frames_per_s=asked.frames_per_s,
        log_level=asked.log_level,
    )
    return report(asyncio.run(assault(plan)))


def report(found: Found) -> int:
    """The exit code."""
    done = found.report.done
    for what, times in sorted(done.items()):
        print(f"  {what}: {times}")
    before_mb, after_mb = found.memory_mb
    print(f"{done['frames']} frames and {done['misdeeds']} misdeeds in {found.report.seconds:.1f} s")
    print(f"{found.rooms} rooms in the store; memory of the server: {before_mb:.1f} -> {after_mb:.1f} MB")
    for calm, attacked in zip(found.calm_s, found.attacked_s, strict=True):
        print(f"left alone {shown(calm)}; attacked {shown(attacked)}")
    print(medians(found.calm_s, found.attacked_s))
    for fault in found.wrong:
        print(f"WRONG: {fault}")
    print(f"{len(found.wrong)} found wrong")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
