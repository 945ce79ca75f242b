"""Every screen, in every language and size, with names that are hard to draw."""

import unicodedata

import pytest
from rich.cells import cell_len

from client_cli.settings import LanguageChoice
from tests.client_cli.english import in_english
from tests.screens.pictures import LANGUAGES, broken_frames, taken
from tests.screens.scenes import SCENES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scene", SCENES)
async def test_all_is_aligned_and_harmless_and_in_the_language_of_the_player(
    scene: str, language: LanguageChoice
) -> None:
    for size, (_, rows) in (await taken(scene, language)).items():
        assert {cell_len(row) for row in rows} == {size[0]}
        assert not list(broken_frames(rows))
        assert not [sign for row in rows for sign in row if unicodedata.category(sign) in {"Cc", "Cf"}]
        assert language == "en" or not [row for row in rows if in_english(row)]


def test_a_broken_frame_is_found() -> None:
    assert not list(broken_frames(["中┌─┐", "  │ │", "  └─┘"]))
    assert list(broken_frames(["┌─┐", " │ │", "└─┘"]))
