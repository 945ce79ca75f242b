from collections import Counter

from server.chance import SystemChance
from server.games.chuo_pai.cards import PACK

DRAWS = 6_000


def chi_square(counts: Counter[str], kinds: int) -> float:
    expected = counts.total() / kinds
    return sum((counts[kind] - expected) ** 2 / expected for kind in counts) + (kinds - len(counts)) * expected


def test_a_shuffled_pack_holds_the_same_cards() -> None:
    chance = SystemChance()
    assert sorted(chance.shuffled(PACK)) == sorted(PACK)
    assert chance.shuffled(()) == ()


def test_every_card_comes_to_every_place_equally_often() -> None:
    # chi-square with 5 degrees of freedom exceeds 43 once in 30 million places; a biased swap passes 100 at once
    chance, pack = SystemChance(), tuple("abcdef")
    shuffles = [chance.shuffled(pack) for _ in range(DRAWS)]
    for place in range(len(pack)):
        assert chi_square(Counter(shuffled[place] for shuffled in shuffles), len(pack)) < 43


def test_all_orders_come_equally_often() -> None:
    chance = SystemChance()
    orders = Counter("".join(chance.shuffled(("a", "b", "c"))) for _ in range(DRAWS))
    assert len(orders) == 6
    assert chi_square(orders, 6) < 43


def test_two_rooms_in_the_same_moment_get_different_decks() -> None:
    decks = {SystemChance().shuffled(PACK) for _ in range(50)}
    assert len(decks) == 50


def test_every_seat_leads_equally_often() -> None:
    chance = SystemChance()
    seats = Counter(str(chance.seat()) for _ in range(DRAWS))
    assert set(seats) == {"0", "1", "2"}
    assert chi_square(seats, 3) < 35  # 2 degrees of freedom: once in 40 million


def test_tickets_and_command_ids_carry_128_bits_and_never_repeat() -> None:
    chance = SystemChance()
    tickets = {chance.ticket() for _ in range(500)}
    assert len(tickets) == 500
    assert {len(ticket) for ticket in tickets} == {22}
    assert all(ticket.isascii() and "." not in ticket for ticket in tickets)
    ids = {chance.command_id() for _ in range(500)}
    assert (len(ids), {len(drawn) for drawn in ids}) == (500, {16})
