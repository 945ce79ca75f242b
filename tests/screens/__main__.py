"""`python -m tests.screens`: draw the snapshots anew, and the pictures that README.md shows."""

import asyncio

from tests.screens.pictures import PICTURES, SNAPSHOTS, draw


def main() -> None:
    for folder in (SNAPSHOTS, PICTURES):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.svg"):
            old.unlink()
    asyncio.run(draw())


if __name__ == "__main__":
    main()
