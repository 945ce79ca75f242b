"""Certificates for servers on this machine: from an authority that nobody knows, or signed by themselves."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HERE = ("127.0.0.1", "localhost")
SERVER = ExtendedKeyUsageOID.SERVER_AUTH


class Files(NamedTuple):
    """A certificate and its key, in PEM."""

    certificate: Path
    key: Path

    def replace(self, other: "Files") -> None:
        self.certificate.write_bytes(other.certificate.read_bytes())
        self.key.write_bytes(other.key.read_bytes())


class Authority:
    """Signs certificates. `file`: its own, for those who trust it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._key = _key()
        self._made = 0
        name, identifier = (
            _name("Authority of a test"),
            x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()),
        )
        usage = {use: use == "key_cert_sign" for use in _KEY_USES}
        self._own = (
            _builder(name, name, self._key, (-1, 2))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(x509.KeyUsage(**usage), critical=True)
            .add_extension(identifier, critical=False)
            .sign(self._key, SHA256())
        )
        self.file = directory / "authority.pem"
        self.file.write_bytes(self._own.public_bytes(Encoding.PEM))

    def issues(
        self,
        *names: str,
        days: tuple[float, float] = (-1, 1),
        use: x509.ObjectIdentifier = SERVER,
        password: bytes = b"",
    ) -> Files:
        """A new certificate, by default for this machine, that is good from and to so many `days` from now."""
        key, self._made = _key(), self._made + 1
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = (
            _builder(_name("Server of a test"), self._own.subject, key, days)
            .add_extension(x509.SubjectAlternativeName([_general(name) for name in names or HERE]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([use]), critical=False)
            .add_extension(issuer, critical=False)
            .sign(self._key, SHA256())
        )
        files = Files(self._directory / f"{self._made}.pem", self._directory / f"{self._made}.key")
        files.certificate.write_bytes(signed.public_bytes(Encoding.PEM))
        files.key.touch(0o600)
        kept: KeySerializationEncryption = BestAvailableEncryption(password) if password else NoEncryption()
        files.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, kept))
        return files

    def client(self) -> ssl.SSLContext:
        """Trusts this authority alone."""
        return ssl.create_default_context(cafile=str(self.file))


def der(file: Path) -> bytes:
    """The first certificate of a file."""
    return x509.load_pem_x509_certificate(file.read_bytes()).public_bytes(Encoding.DER)


def server_context(files: Files) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return context


_KEY_USES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


def _key() -> EllipticCurvePrivateKey:
    return generate_private_key(SECP256R1())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, days: tuple[float, float]
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
    )
