"""Prints what the bots' kernels make of many deals. Run once with the sources and once with compiled modules.

The arguments: the folder to import from, and the modules that must come from there as `compiled` or `pure`.
"""

import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from random import Random

DEALS = 300
HARD_DEALS = 1


def main(folder: str, kind: str, *modules: str) -> None:
    sys.path.insert(0, folder)
    for module in modules:
        file = import_module(module).__file__ or ""
        assert file.startswith(folder), file
        assert file.endswith(tuple(EXTENSION_SUFFIXES)) is (kind == "compiled"), file
    from server.bots.chuo_pai.kernel import played
    from server.deals import played as whole
    from server.games.chuo_pai.cards import PACK, hand_of

    rng = Random(1)
    for _ in range(DEALS):
        deck = rng.sample(PACK, len(PACK))
        x, y, z = (hand_of(deck[start : start + rng.randint(1, 28)]) for start in (0, 28, 56))
        print(played(x, y, z, rng.randint(2, 12)))
    for game in ("chuo-pai", "paohuzi"):
        for record in whole(game, HARD_DEALS, 1, ("hard", "normal", "hard"), {}):
            print(record)


if __name__ == "__main__":
    main(*sys.argv[1:])
