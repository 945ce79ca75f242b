"""The certificate of the tables that this person hosts. Nobody has signed it: guests know it by its fingerprint.

It is made once and kept, so that an invitation stays good, and says neither who nor where.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_state_path

from client_cli import words_trust
from client_cli.failure import CommandFailed
from client_cli.fingerprint import fingerprint
from client_cli.private_file import write_private
from protocol.errors import ExitCode

VALID = timedelta(days=3650)
RENEWED_BEFORE = timedelta(days=30)


class OwnCertificate(NamedTuple):
    """`file`: the certificate and its key, in PEM, for nobody else to read. `fingerprint`: all of it."""

    file: Path
    fingerprint: str


def own_file() -> Path:
    """Where that of the user who runs this program is kept. It need not be there."""
    return user_state_path("paizhuo", appauthor=False) / "tls" / "own.pem"


def own_certificate(file: Path | None = None, now: datetime | None = None) -> OwnCertificate:
    """That of this user, made if there is none or if it ends soon. Raises `CommandFailed`."""
    file, now = file or own_file(), now or datetime.now(UTC)
    try:
        from cryptography import x509  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415
    except ImportError:
        raise CommandFailed(ExitCode.FAILURE, words_trust.no_certificate_maker()) from None
    try:
        kept = x509.load_pem_x509_certificate(file.read_bytes()) if file.exists() else None
        if kept is None or kept.not_valid_after_utc - now < RENEWED_BEFORE:
            made = _made(now)
            write_private(file, made)
            kept = x509.load_pem_x509_certificate(made)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CommandFailed(ExitCode.FAILURE, words_trust.certificate_unusable(str(file), reason)) from None
    return OwnCertificate(file, fingerprint(kept.public_bytes(Encoding.DER)))


def _made(now: datetime) -> bytes:
    """A certificate and its key behind it."""
    from cryptography import x509  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID  # noqa: PLC0415

    key = generate_private_key(SECP256R1())
    nobody = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "paizhuo")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(nobody)
        .issuer_name(nobody)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + VALID)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, SHA256())
    )
    return certificate.public_bytes(Encoding.PEM) + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
