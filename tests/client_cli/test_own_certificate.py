"""Who hosts has one certificate for years, for nobody else to use, which says nothing of them."""

import stat
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from client_cli.failure import CommandFailed
from client_cli.fingerprint import fingerprint
from client_cli.own_certificate import RENEWED_BEFORE, VALID, own_certificate
from server.certificate import Certificate
from tests.certificates import der

NOW = datetime.now(UTC)


def test_it_is_made_once_and_fit_for_a_server(tmp_path: Path) -> None:
    file = tmp_path / "tls" / "own.pem"
    made = own_certificate(file)
    assert own_certificate(file) == made == (file, fingerprint(der(file)))
    Certificate(file, file)


@pytest.mark.skipif(sys.platform == "win32", reason="has no modes")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    file = own_certificate(tmp_path / "tls" / "own.pem").file
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert list(file.parent.iterdir()) == [file]


def test_it_is_renewed_before_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "own.pem"
    first = own_certificate(file, NOW)
    assert own_certificate(file, NOW + VALID - RENEWED_BEFORE - timedelta(days=1)) == first
    assert own_certificate(file, NOW + VALID) != first


def test_it_says_neither_who_nor_where(tmp_path: Path) -> None:
    made = x509.load_pem_x509_certificate(own_certificate(tmp_path / "own.pem").file.read_bytes())
    assert made.subject.rfc4514_string() == made.issuer.rfc4514_string() == "CN=paizhuo"
    assert not any(isinstance(each.value, x509.SubjectAlternativeName) for each in made.extensions)


@pytest.mark.parametrize("content", [b"", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_a_file_that_holds_none_is_named_rather_than_overwritten(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "own.pem"
    file.write_bytes(content)
    with pytest.raises(CommandFailed, match=r"own.pem, cannot be used"):
        own_certificate(file)
    assert file.read_bytes() == content


def test_without_the_library_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(CommandFailed, match="needs the library cryptography"):
        own_certificate(tmp_path / "own.pem")
