"""Every screen, in every language and size, with names that are hard to draw."""

import re
import unicodedata

import pytest
from rich.cells import cell_len

from client_cli.settings import LanguageChoice
from tests.client_cli.english import in_english
from tests.screens.pictures import (
    LANGUAGES,
    PICTURES,
    ROOT,
    SHOWN,
    SIZES,
    SNAPSHOTS,
    broken_frames,
    path_of,
    taken,
)
from tests.screens.scenes import SCENES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scene", SCENES)
async def test_all_is_as_it_was_and_aligned_and_harmless_and_in_the_language_of_the_player(
    scene: str, language: LanguageChoice
) -> None:
    for size, (picture, rows) in (await taken(scene, language)).items():
        assert {cell_len(row) for row in rows} == {size[0]}
        assert not list(broken_frames(rows))
        assert not [sign for row in rows for sign in row if unicodedata.category(sign) in {"Cc", "Cf"}]
        assert language == "en" or not [row for row in rows if in_english(row)]
        snapshot = path_of(scene, language, size)
        assert picture == snapshot.read_text("utf-8"), f"{snapshot.name} has changed: if that is meant, `make screens`"


def test_a_broken_frame_is_found() -> None:
    assert not list(broken_frames(["中┌─┐", "  │ │", "  └─┘"]))
    assert list(broken_frames(["┌─┐", " │ │", "└─┘"]))


def test_there_are_no_snapshots_of_screens_that_are_gone() -> None:
    kept = {path_of(scene, language, size) for scene in SCENES for language in LANGUAGES for size in SIZES}
    assert set(SNAPSHOTS.glob("*.svg")) == kept


def test_the_pictures_in_the_readme_are_those_that_are_drawn() -> None:
    shown = set(re.findall(r"docs/screens/([a-z-]+)\.svg", (ROOT / "README.md").read_text("utf-8")))
    assert shown == set(SHOWN) == {path.stem for path in PICTURES.glob("*.svg")}
    for scene in SHOWN:
        assert (PICTURES / f"{scene}.svg").read_bytes() == path_of(scene, "en", SIZES[0]).read_bytes()
