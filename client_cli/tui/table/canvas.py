"""A grid of terminal cells to paint cards on, one over the other, and to ask which card shows at a place. Pure."""

from collections.abc import Callable, Iterator
from itertools import groupby

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region

from client_cli.tui.cells import graphemes, literal
from client_cli.tui.faces import Face

Cell = tuple[str, str, int | None]
"""What is drawn there (empty: the right half of a wide character), in which style, and whose it is."""

BLANK: Cell = (" ", "", None)


class Canvas:
    """`width` and `height` in cells. What does not fit on it is cut off. `cells`: row by row."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.cells: list[list[Cell]] = [[BLANK] * width for _ in range(height)]

    def write(self, x: int, y: int, text: str, style: str = "", owner: int | None = None) -> None:
        """Literal text, made harmless; a wide character whose half is written over becomes a blank."""
        for sign, width in graphemes(literal(text)):
            if width and 0 <= y < self.height and x >= 0 and x + width <= self.width:
                self._put(x, y, (sign, style, owner), width)
            x += width

    def paint(self, x: int, y: int, drawn: Face, style: Callable[[str], str], owner: int | None = None) -> None:
        """A card with its upper left corner at the place. `style`: for each role of a run."""
        for down, row in enumerate(drawn):
            across = x
            for run in row:
                self.write(across, y + down, run.text, style(run.role), owner)
                across += cell_len(run.text)

    def owner_at(self, x: int, y: int) -> int | None:
        """Whose picture shows there."""
        return self.cells[y][x][2] if 0 <= x < self.width and 0 <= y < self.height else None

    def changes(self, before: "Canvas") -> list[Region]:
        """Where this looks different from another one of the same size, a region for each row. None of them ends in
        the middle of a wide character.
        """
        changes = []
        for y, (now, was) in enumerate(zip(self.cells, before.cells, strict=True)):
            looks = zip(_looks(now), _looks(was), strict=True)
            differ = [x for x, (one, other) in enumerate(looks) if one != other]
            if differ:
                changes.append(Region(differ[0], y, differ[-1] - differ[0] + 1, 1))
        return changes

    def content(self) -> Content:
        return Content("\n").join(Content.assemble(*_runs(row)) for row in self.cells)

    def _put(self, x: int, y: int, cell: Cell, width: int) -> None:
        row = self.cells[y]
        if row[x][0] == "":
            row[x - 1] = (" ", *row[x - 1][1:])
        after = x + width
        if after < self.width and row[after][0] == "":
            row[after] = (" ", *row[after][1:])
        row[x] = cell
        if width == 2:
            row[x + 1] = ("", *cell[1:])


def _looks(row: list[Cell]) -> Iterator[tuple[str, str, bool]]:
    """What each cell shows: the right half of a wide character is told from that of another one."""
    for x, (sign, style, _) in enumerate(row):
        yield (sign, style, False) if sign else (row[x - 1][0], style, True)


def _runs(row: list[Cell]) -> Iterator[tuple[str, str]]:
    for style, cells in groupby(row, key=lambda cell: cell[1]):
        yield "".join(sign for sign, _, _ in cells), style
