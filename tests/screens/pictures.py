"""Snapshots of all scenes, and a few of them for people."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from rich.cells import cell_len

from client_cli.settings import LanguageChoice
from tests.screens.scenes import SCENES, opened

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOTS = ROOT / "tests" / "golden" / "screens"
PICTURES = ROOT / "docs" / "screens"
LANGUAGES: tuple[LanguageChoice, ...] = tuple(each for each in get_args(LanguageChoice) if each != "auto")
SIZES = ((80, 24), (120, 40))
SHOWN = ("lobby", "chuo-pai", "paohuzi", "claim", "deal-over", "replay")
"""The scenes in README.md."""


_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fetched from somebody's machine by whoever looks at the picture: their own monospace does as well."""


async def taken(scene: str, language: LanguageChoice) -> dict[tuple[int, int], tuple[str, list[str]]]:
    """The picture and the rows of one scene at every size."""
    shots = {}
    async with opened(scene, language, SIZES[0]) as pilot:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            strips = pilot.app.screen._compositor.render_strips()
            rows = ["".join(segment.text for segment in strip) for strip in strips]
            picture = _FONTS.sub("", pilot.app.export_screenshot(title="Paizhuo"))
            shots[size] = (picture, rows)
    return shots


def path_of(scene: str, language: str, size: tuple[int, int]) -> Path:
    return SNAPSHOTS / f"{scene}-{language}-{size[0]}x{size[1]}.svg"


async def draw() -> None:
    """Write all of them."""
    for scene in SCENES:
        for language in LANGUAGES:
            for size, (picture, _) in (await taken(scene, language)).items():
                path_of(scene, language, size).write_text(picture, encoding="utf-8")
        if scene in SHOWN:
            (PICTURES / f"{scene}.svg").write_text(path_of(scene, "en", SIZES[0]).read_text("utf-8"), encoding="utf-8")


def broken_frames(rows: list[str]) -> Iterator[str]:
    """Corners of frames without their counterpart below or beside them, counted in cells."""
    grid = [list(_cells(row)) for row in rows]
    for y, row in enumerate(grid):
        for x, sign in enumerate(row):
            if sign == "┌":
                below = next((grid[down][x] for down in range(y + 1, len(grid)) if grid[down][x] not in "│├"), "")
                if below not in "└┌":
                    yield f"row {y}, column {x}: {below!r} below the frame"


def _cells(row: str) -> Iterator[str]:
    for sign in row:
        width = cell_len(sign)
        yield from (sign + " " * (width - 1))[:width]
