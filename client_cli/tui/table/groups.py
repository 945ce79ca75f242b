"""Cards that lie together in the open: as a small picture with a caption, or as text. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from client_cli.names import Lexicon
from client_cli.tui.cells import literal
from client_cli.tui.faces import Glyphs, Size, face, width_of
from client_cli.tui.styles import style_of
from client_cli.tui.table.canvas import Canvas
from client_cli.words import Speaker
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


def paint(canvas: Canvas, x: int, y: int, laid: Lying, names: Lexicon, size: Size, glyphs: Glyphs) -> None:
    for card, offset in zip(laid.cards, laid.offsets, strict=True):
        canvas.paint(x + offset, y, face(card, names, size, glyphs), style_of)


def caption(group: Group) -> str:
    """What the group is and counts: `peng 1`."""
    return literal(f"{kind(group.kind)} {'' if group.value is None else group.value}".strip())


def as_text(speaker: Speaker, group: Group) -> str:
    """`peng s5 x3 1`, `chi s1+s2+s3 3`, `66+66`"""
    alike = len(set(group.cards)) == 1 and len(group.cards) > 1
    cards = (
        f"{speaker.names.marked(group.cards[0])}x{len(group.cards)}"
        if alike
        else "+".join(map(speaker.names.marked, group.cards))
    )
    called = kind(group.kind) if group.value is not None else ""
    return literal(" ".join(filter(None, (called, cards, "" if group.value is None else str(group.value)))))


def draw_groups(canvas: Canvas, speaker: Speaker, glyphs: Glyphs, groups: Sequence[Group], y: int) -> None:
    """From row `y` down: as pictures where all of them fit, else as text, and of a long text the newest."""
    room, names = canvas.height - y, speaker.names
    if room <= 0 or not groups:
        return
    pictures = [lying(group.cards, names, Size.SMALL, glyphs) for group in groups]
    if (spots := _spots(groups, pictures, canvas.width, room)) is not None:
        for group, laid, (x, down) in zip(groups, pictures, spots, strict=True):
            canvas.write(x, y + down, caption(group), style_of("label"))
            paint(canvas, x, y + down + 1, laid, names, Size.SMALL, glyphs)
        return
    rows = wrapped_groups([as_text(speaker, group) for group in groups], canvas.width)
    for down, row in enumerate(rows[-room:]):
        canvas.write(0, y + down, row)


def wrapped_groups(texts: Sequence[str], width: int) -> list[str]:
    """Groups in rows; none is broken."""
    rows: list[str] = []
    for text in texts:
        if rows and cell_len(f"{rows[-1]}  {text}") <= width:
            rows[-1] = f"{rows[-1]}  {text}"
        else:
            rows.append(f"  {text}")
    return rows


LEFT = 2


def _spots(groups: Sequence[Group], pictures: Sequence[Lying], width: int, room: int) -> list[tuple[int, int]] | None:
    line = max(laid.height for laid in pictures) + 1
    spots, x, y = [], LEFT, 0
    for group, laid in zip(groups, pictures, strict=True):
        needed = max(laid.width, cell_len(caption(group)))
        if x > LEFT and x + needed > width:
            x, y = LEFT, y + line
        if x + needed > width or y + line > room:
            return None
        spots.append((x, y))
        x += needed + 1
    return spots
