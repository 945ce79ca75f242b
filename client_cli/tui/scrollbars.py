"""Scrollbars of whole cells: Textual's own end in block characters, which some terminals draw in two cells."""

from textual.scrollbar import ScrollBarRender


class WholeCells(ScrollBarRender):
    """Where a bar begins or ends within a cell, the cell is one colour all the same."""

    VERTICAL_BARS = [" "] * 8
    HORIZONTAL_BARS = [" "] * 8
