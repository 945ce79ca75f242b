import pytest

from server.games.registry import GAMES, UnknownGame, game_named


def test_every_game_is_found_by_its_name() -> None:
    assert all(game_named(name).name == name for name in GAMES)


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownGame, match="'mahjong'; the games here are: chuo-pai, paohuzi"):
        game_named("mahjong")
