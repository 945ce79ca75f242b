"""Cards that lie together in the open: as a small picture with a caption, or as text. Pure."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from rich.cells import cell_len

from client_cli.names import Lexicon
from client_cli.speaker import Speaker
from client_cli.tui.cells import literal
from client_cli.tui.faces import Glyphs, Size, face, width_of
from client_cli.tui.styles import style_of
from client_cli.tui.table.canvas import Canvas
from client_cli.words_paohuzi import kind
from protocol.notation import Card
from protocol.view import Group


class Lying(NamedTuple):
    """Cards side by side. `offsets`: of each card from the left; identical ones cover each other."""

    cards: tuple[Card, ...]
    offsets: tuple[int, ...]
    width: int
    height: int


def lying(cards: Sequence[Card], names: Lexicon, size: Size, glyphs: Glyphs) -> Lying:
    offsets, x, right, height = [], 0, 0, 0
    for place, card in enumerate(cards):
        drawn = face(card, names, size, glyphs)
        width, height = width_of(drawn), max(height, len(drawn))
        offsets.append(x)
        right = x + width
        x += 1 if place + 1 < len(cards) and cards[place + 1] == card else width
    return Lying(tuple(cards), tuple(offsets), right, height)


def paint(
    canvas: Canvas, x: int, y: int, laid: Lying, names: Lexicon, size: Size, glyphs: Glyphs, *, dim: bool = False
) -> None:
    for card, offset in zip(laid.cards, laid.offsets, strict=True):
        canvas.paint(x + offset, y, face(card, names, size, glyphs), partial(style_of, dim=dim))


def caption(group: Group) -> str:
    """What the group is and counts: `peng 1`; nothing of one that counts nothing by itself."""
    return "" if group.value is None else literal(f"{kind(group.kind)} {group.value}")


def as_text(speaker: Speaker, group: Group) -> str:
    """`peng s5 x3 1`, `chi s1+s2+s3 3`, `66+66`"""
    first, *others = map(speaker.names.marked, group.cards or ("",))
    alike = others and set(others) == {first}
    cards = f"{first}x{len(group.cards)}" if alike else "+".join([first, *others])
    return literal(cards if group.value is None else f"{kind(group.kind)} {cards} {group.value}")


class Shelf(NamedTuple):
    """Groups side by side in rows. `spots`: of each picture's caption; without captions, of the picture."""

    pictures: tuple[Lying, ...]
    captions: tuple[str, ...]
    spots: tuple[tuple[int, int], ...]
    height: int


def shelf(groups: Sequence[Group], names: Lexicon, glyphs: Glyphs, width: int, left: int = 0) -> Shelf | None:
    """The groups as small pictures from the column `left` on; None where one of them is too wide."""
    pictures = tuple(lying(group.cards, names, Size.SMALL, glyphs) for group in groups)
    captions = tuple(map(caption, groups))
    line = max((laid.height for laid in pictures), default=0) + any(captions)
    spots, x, y = [], left, 0
    for laid, text in zip(pictures, captions, strict=True):
        needed = max(laid.width, cell_len(text))
        if x > left and x + needed > width:
            x, y = left, y + line
        if x + needed > width:
            return None
        spots.append((x, y))
        x += needed + 1
    return Shelf(pictures, captions, tuple(spots), y + line)


def draw_shelf(canvas: Canvas, y: int, shown: Shelf, names: Lexicon, glyphs: Glyphs) -> None:
    for laid, text, (x, down) in zip(shown.pictures, shown.captions, shown.spots, strict=True):
        canvas.write(x, y + down, text, style_of("label"))
        paint(canvas, x, y + down + any(shown.captions), laid, names, Size.SMALL, glyphs)


def draw_groups(canvas: Canvas, speaker: Speaker, glyphs: Glyphs, groups: Sequence[Group], y: int) -> None:
    """From row `y` down: as pictures where all of them fit, else as text, and of a long text the newest."""
    room = canvas.height - y
    shown = shelf(groups, speaker.names, glyphs, canvas.width, LEFT)
    if shown is not None and shown.height <= room:
        draw_shelf(canvas, y, shown, speaker.names, glyphs)
        return
    rows = wrapped_groups([as_text(speaker, group) for group in groups], canvas.width)
    for down, row in enumerate(rows[-room:] if room > 0 else ()):
        canvas.write(0, y + down, row)


LEFT = 2


def wrapped_groups(texts: Sequence[str], width: int) -> list[str]:
    """Groups in rows; none is broken."""
    rows: list[str] = []
    for text in texts:
        if rows and cell_len(f"{rows[-1]}  {text}") <= width:
            rows[-1] = f"{rows[-1]}  {text}"
        else:
            rows.append(" " * LEFT + text)
    return rows
