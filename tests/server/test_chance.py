from protocol import fair
from server.chance import SystemChance
from server.games.chuo_pai.cards import PACK


def test_two_rooms_in_the_same_moment_get_different_secrets_and_decks() -> None:
    chance = SystemChance()
    secrets = {chance.secret() for _ in range(50)}
    assert {len(secret) for secret in secrets} == {32}
    assert len({chance.dealt(PACK, secret) for secret in secrets}) == 50


def test_the_deck_is_what_follows_from_the_seed_and_nothing_else() -> None:
    assert SystemChance().dealt(PACK, b"seed") == fair.dealt(PACK, b"seed") == SystemChance().dealt(PACK, b"seed")


def test_tickets_and_command_ids_carry_128_bits_and_never_repeat() -> None:
    chance = SystemChance()
    tickets = {chance.ticket() for _ in range(500)}
    assert len(tickets) == 500
    assert {len(ticket) for ticket in tickets} == {22}
    assert all(ticket.isascii() and "." not in ticket for ticket in tickets)
    ids = {chance.command_id() for _ in range(500)}
    assert (len(ids), {len(drawn) for drawn in ids}) == (500, {16})
