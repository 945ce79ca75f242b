"""A QR code as text is the same code, module by module, on every ground."""

import pytest

from client_cli.qr import QUIET, modules, qr_lines

ADDRESS = "http://192.168.1.5:8470/j/K7QF2MXR"
INKED = {" ": (False, False), "▀": (True, False), "▄": (False, True), "█": (True, True)}


@pytest.mark.parametrize("light", [True, False])
def test_half_blocks_show_every_module(light: bool) -> None:
    code, lines = modules(ADDRESS), qr_lines(ADDRESS, light=light)
    read = [[INKED[sign][half] == light for sign in line] for line in lines for half in (0, 1)]
    assert read[: len(code)] == code
    assert not any(any(row) for row in read[len(code) :]), "what is below the code is as light as its edge"


@pytest.mark.parametrize("light", [True, False])
def test_two_signs_of_ascii_show_every_module(light: bool) -> None:
    code, lines = modules(ADDRESS), qr_lines(ADDRESS, ascii_only=True, light=light)
    assert [[(line[cell] == "#") == light for cell in range(0, len(line), 2)] for line in lines] == code
    assert all(line.isascii() and line[::2] == line[1::2] for line in lines)


def test_around_the_code_is_light() -> None:
    code = modules(ADDRESS)
    edge = [*code[:QUIET], *code[-QUIET:], *([row[side] for row in code] for side in (0, 1, -1, -2))]
    assert not any(any(row) for row in edge)
    assert code[QUIET][QUIET : QUIET + 8] == [True] * 7 + [False], "the first row of a finder pattern"


def test_the_code_of_a_usual_address_fits_a_usual_terminal() -> None:
    lines = qr_lines(ADDRESS)
    assert len(lines) <= 20
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines[0]) <= 40
