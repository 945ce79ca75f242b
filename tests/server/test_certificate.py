"""What a server shows to its clients has been tried before, and can be exchanged while they are there."""

import logging
import os
import ssl
import sys
from pathlib import Path

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from server.certificate import Certificate, Unusable
from tests.certificates import Authority, Files, der


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def shaken(client: ssl.SSLContext, server: ssl.SSLContext) -> ssl.SSLObject:
    """The client's end after both have shaken hands. Raises what either is told."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(back, there, server_hostname="localhost"), server.wrap_bio(there, back, server_side=True)]
    waiting = list(ends)
    while waiting:
        for end in tuple(waiting):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            waiting.remove(end)
    return ends[0]


def shown(certificate: Certificate, authority: Authority) -> bytes | None:
    return shaken(authority.client(), certificate.context).getpeercert(binary_form=True)


def test_who_trusts_its_authority_connects_by_tls_1_3_and_speaks_http(authority: Authority) -> None:
    certificate = Certificate(*authority.issues())
    client = authority.client()
    client.set_alpn_protocols(["h2", "http/1.1"])
    link = shaken(client, certificate.context)
    assert (link.version(), link.selected_alpn_protocol()) == ("TLSv1.3", "http/1.1")
    peer = link.getpeercert()
    assert peer is not None
    assert peer["notAfter"] == certificate.until


@pytest.mark.parametrize(("version", "taken"), [(ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_1, False)])
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_tls_1_2_is_the_oldest_that_is_spoken(authority: Authority, version: ssl.TLSVersion, taken: bool) -> None:
    client = authority.client()
    client.set_ciphers("ALL:@SECLEVEL=0")  # so that the server alone refuses
    client.minimum_version, client.maximum_version = ssl.TLSVersion.TLSv1, version
    certificate = Certificate(*authority.issues())
    if taken:
        assert shaken(client, certificate.context).version() == "TLSv1.2"
    else:
        with pytest.raises(ssl.SSLError, match=r"(?i)protocol"):
            shaken(client, certificate.context)


def broken(files: Files, how: str, authority: Authority) -> Files:
    match how:
        case "no certificate":
            files.certificate.unlink()
        case "no key":
            files.key.unlink()
        case "a folder":
            return Files(files.certificate.parent, files.key)
        case "exchanged":
            return Files(files.key, files.certificate)
        case "the key of another":
            return Files(files.certificate, authority.issues().key)
        case "a key that is none":
            files.key.write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        case "half a certificate":
            files.certificate.write_bytes(files.certificate.read_bytes()[:200])
        case "expired":
            return authority.issues(days=(-2, -1))
        case "not yet":
            return authority.issues(days=(1, 2))
        case "a client's":
            return authority.issues(use=ExtendedKeyUsageOID.CLIENT_AUTH)
        case "encrypted":
            return authority.issues(password=b"secret")
    return files


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("no certificate", "the certificate .*1.pem cannot be read: No such file"),
        ("no key", "the key .*1.key cannot be read: No such file"),
        ("a folder", "the certificate .* cannot be read: Is a directory"),
        ("exchanged", "1.key holds no certificate in PEM"),
        ("the key of another", "the key .*2.key belongs to another certificate than .*1.pem"),
        ("a key that is none", "1.pem and .*1.key cannot be used together"),
        ("half a certificate", "1.pem holds no certificate in PEM"),
        ("expired", "the certificate .*2.pem has expired: renew it"),
        ("not yet", "the certificate .*2.pem is not valid yet: is this machine's clock right"),
        ("a client's", "no client would take the certificate .*2.pem: unsuitable certificate purpose"),
        ("encrypted", "the key .*2.key is encrypted, and nobody is here to type its pass phrase"),
    ],
)
def test_what_no_client_could_use_is_refused_in_one_sentence(authority: Authority, how: str, said: str) -> None:
    files = broken(authority.issues(), how, authority)
    with pytest.raises(Unusable, match=said) as refused:
        Certificate(*files)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="may read everything")
def test_a_key_that_may_not_be_read_is_named(authority: Authority) -> None:
    files = authority.issues()
    files.key.chmod(0)
    with pytest.raises(Unusable, match=r"1.key cannot be read: Permission denied"):
        Certificate(*files)


def test_a_key_that_everybody_can_read_is_warned_of(authority: Authority, caplog: pytest.LogCaptureFixture) -> None:
    files = authority.issues()
    Certificate(*files)
    assert not caplog.records
    files.key.chmod(0o644)
    Certificate(*files)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "chmod o-r" in caplog.text


def test_a_chain_and_a_key_may_lie_in_one_file(authority: Authority) -> None:
    files = authority.issues()
    files.key.write_bytes(files.key.read_bytes() + files.certificate.read_bytes() + authority.file.read_bytes())
    assert shown(Certificate(files.key, files.key), authority) == der(files.certificate)


def test_who_connects_after_it_was_read_anew_is_shown_the_new_one(authority: Authority) -> None:
    files, other = authority.issues(), authority.issues()
    certificate, before = Certificate(*files), der(files.certificate)
    files.replace(other)
    assert shown(certificate, authority) == before
    certificate.read_anew()
    assert shown(certificate, authority) == der(other.certificate)


@pytest.mark.parametrize("how", ["no certificate", "no key", "a key that is none", "half a certificate"])
def test_a_new_one_that_is_not_usable_changes_nothing(authority: Authority, how: str) -> None:
    files = authority.issues()
    certificate, before = Certificate(*files), der(files.certificate)
    broken(files, how, authority)
    for _ in range(2):
        with pytest.raises(Unusable):
            certificate.read_anew()
        assert shown(certificate, authority) == before
