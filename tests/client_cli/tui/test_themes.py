"""Every theme can be read, and one of them needs no colours at all."""

from typing import get_args

import pytest
from textual.color import Color
from textual.theme import Theme

from client_cli import settings
from client_cli.terminal import Colours, Terminal
from client_cli.tui.styles import CARD_COLOURS
from client_cli.tui.themes import THEMES, theme_name

COLOURED = [theme for theme in THEMES if theme.name != "mono"]
USUAL = Terminal("xterm", 80, 24, "256", utf8=True, ambiguous_cells=1, light=False)


def test_there_is_a_theme_for_every_choice() -> None:
    assert {theme.name for theme in THEMES} == {*get_args(settings.Theme)} - {"auto"}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_theme_has_all_colours_of_cards(theme: Theme) -> None:
    assert set(CARD_COLOURS) <= set(theme.variables)


def contrast(theme: Theme, colour: str | None, on: str | None) -> float:
    """From 1 (the same) to 21 (black and white), as accessibility guidelines count it."""

    def lightness(name: str | None) -> float:
        assert name is not None
        parts = (part / 255 for part in Color.parse(theme.variables.get(name, name)).rgb)
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((lightness(colour), lightness(on)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", COLOURED, ids=lambda theme: theme.name)
def test_all_that_is_said_and_drawn_stands_out_from_its_ground(theme: Theme) -> None:
    least = 7.0 if theme.name == "high-contrast" else 4.5
    for ground in (theme.background, theme.surface, theme.panel):
        for colour in (theme.foreground, theme.error, theme.accent):
            assert contrast(theme, colour, ground) >= least
    for mark in ("card-black", "card-red", "card-frame", "card-picked"):
        assert contrast(theme, mark, "card") >= least
    assert contrast(theme, "card-red", "card-black") > 1.5


def test_without_colours_no_colour_is_named() -> None:
    (mono,) = (theme for theme in THEMES if theme.name == "mono")
    generated = mono.to_color_system().generate()
    named = {name: value for name, value in generated.items() if "ansi_" in value and "ansi_default" not in value}
    assert named == {}
    assert not any("#" in value for value in generated.values())
    assert "reverse" in generated["block-cursor-text-style"]


@pytest.mark.parametrize(
    ("choice", "depth", "light", "name"),
    [
        ("auto", "256", False, "dark"),
        ("auto", "truecolor", True, "light"),
        ("light", "16", False, "light"),
        ("mono", "256", False, "mono"),
        ("high-contrast", "16", True, "high-contrast"),
        ("auto", "none", True, "mono"),
        ("dark", "none", False, "mono"),
    ],
)
def test_the_theme_fits_the_terminal_and_the_person(
    choice: settings.Theme, depth: Colours, light: bool, name: str
) -> None:
    assert theme_name(choice, USUAL._replace(colours=depth, light=light)) == name
