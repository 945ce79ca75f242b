from collections import Counter
from itertools import chain

import pytest

from protocol.messages import RoomCode, Secret, Ticket
from server.chance import SystemChance
from server.node.codes import CODE_LENGTH, CODE_LETTERS, CODE_TRIES, room_codes, tidied

SECRET = "mcbb3dqJw0SGZ7yY2rTnLg"


def test_a_secret_leads_to_the_same_codes_in_every_release() -> None:
    assert list(room_codes(SECRET))[:3] == ["RFR6RK7K", "4T6CX69S", "8HP4K4GR"]


def test_a_code_is_eight_letters_that_are_not_mistaken_for_one_another() -> None:
    chance = SystemChance()
    codes = list(chain.from_iterable(room_codes(chance.ticket()) for _ in range(500)))
    assert len(set(codes)) == len(codes) == 500 * CODE_TRIES
    assert all(len(code) == CODE_LENGTH and set(code) <= set(CODE_LETTERS) for code in codes)
    assert not set("0O1IL") & set(CODE_LETTERS)


def test_every_letter_comes_equally_often() -> None:
    # chi-square with 30 degrees of freedom exceeds 100 once in 300 million; without rejection it passes 400
    drawn = Counter("".join(chain.from_iterable(room_codes(str(number)) for number in range(2_000))))
    expected = drawn.total() / len(CODE_LETTERS)
    assert sum((drawn[letter] - expected) ** 2 / expected for letter in CODE_LETTERS) < 100


@pytest.mark.parametrize("typed", ["rfr6-rk7k", " RFR6 RK7K ", "RFR6RK7K"])
def test_a_code_may_be_typed_in_any_case_with_hyphens_and_spaces(typed: str) -> None:
    assert tidied(typed) == "RFR6RK7K"


@pytest.mark.parametrize("typed", ["", "ABC", "ABCDEFG0", "ABCDEFGHJ", "../../etc"])
def test_what_can_be_no_code_is_none(typed: str) -> None:
    assert tidied(typed) is None


def test_a_code_and_a_ticket_fit_into_the_messages_that_carry_them() -> None:
    code, ticket, secret = (kind.__metadata__[0].max_length for kind in (RoomCode, Ticket, Secret))  # type: ignore[attr-defined]
    assert code >= CODE_LENGTH
    assert ticket >= CODE_LENGTH + 1 + secret
