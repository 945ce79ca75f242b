"""A certificate's fingerprint is one text, however it is typed, and never too short to mean anything."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_cli.failure import CommandFailed
from client_cli.fingerprint import FULL, LEAST, SIGNS, fingerprint, short, tidy_fingerprint
from protocol.errors import ExitCode


@given(st.binary(max_size=50))
def test_it_is_all_of_the_sha_256(certificate: bytes) -> None:
    text = fingerprint(certificate)
    assert len(text) == FULL
    value = 0
    for sign in text:
        value = value * 32 + SIGNS.index(sign)
    assert (value >> 4).to_bytes(32, "big") == sha256(certificate).digest()


def test_what_is_passed_on_has_80_bits_and_is_its_beginning() -> None:
    text = fingerprint(b"certificate")
    assert LEAST * 5 == 80
    assert tidy_fingerprint(short(text)) == text[:LEAST]


@pytest.mark.parametrize(
    "typed", ["abcd-efgh-jkmn-pqr0", "ABCDEFGHJKMNPQR0", "abcd efgh jkmn pqro".replace(" ", "-"), "a-bcdefghjkmnpqrO"]
)
def test_case_and_hyphens_do_not_matter_nor_letters_that_look_like_digits(typed: str) -> None:
    assert tidy_fingerprint(typed) == "ABCDEFGHJKMNPQR0"


@pytest.mark.parametrize(
    "typed", ["", "ABCD-EFGH-JKMN-PQR", "A" * (FULL + 1), "ABCD-EFGH-JKMN-PQRU", "ABCD-EFGH-JKMN-PQR\u0660", "#" * 16]
)
def test_what_is_none_is_a_usage_error(typed: str) -> None:
    with pytest.raises(CommandFailed, match="is no fingerprint of a server") as failed:
        tidy_fingerprint(typed)
    assert failed.value.exit_code == ExitCode.USAGE
