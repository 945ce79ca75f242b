from random import Random

from msgspec.structs import replace

from server.bots.chuo_pai.normal import NormalBot
from server.games.chuo_pai.cards import PACK, cards_of, hand_of
from server.games.chuo_pai.state import State
from tests.deals import seen
from tests.server.bots.chuo_pai.test_easy import GAME, LAST, ME, NEXT, position


def choices(state: State) -> set[str]:
    return {NormalBot().choose(seen(GAME, state, ME), Random(seed)) for seed in range(8)}


EVERY_CARD = hand_of(PACK)
PLENTY = ("22 22 22 33 33 25", "25 25 23 23 23 56")


def test_copies_are_not_parted_where_a_card_stands_alone() -> None:
    others = PLENTY[0] + " 66 45", PLENTY[1] + " 36 15"
    assert choices(position("14 14 12 12 24", others)) == {"play 24"}


def test_a_combination_is_kept_whole_by_the_last_to_act() -> None:
    table = ((NEXT, "play 22"), (LAST, "play 55"))
    assert choices(position("66 11 26 35", PLENTY, NEXT, table, gone="66 66 66")) == {"play 66"}


def test_sure_rounds_are_played_before_the_others_run_out_of_cards() -> None:
    few = EVERY_CARD - hand_of(["15", "12", "45", "34"])
    assert choices(position("15 12", ("45", "34"), gone=" ".join(cards_of(few)))) == {"play 15"}
    assert choices(position("15 12", (PLENTY[0] + " 45", PLENTY[1] + " 34"))) == {"play 12"}


def test_who_has_passed_cannot_beat_the_same_later() -> None:
    """Nobody has shown the Heavens, but both others passed a single Earth: they are out of them, and 11 holds."""
    state = position("11 22 12", ("33", "55"))
    unknown = replace(state, history=("1 0 play 12", "1 1 pass", "1 2 pass"))
    proved = replace(state, history=("1 0 play 11", "1 1 pass", "1 2 pass"))
    assert GAME.asked(unknown) == GAME.asked(proved)
    assert choices(proved) == {"play 11"}
    assert "play 11" not in choices(unknown)
