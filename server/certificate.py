"""The server's certificate: tried before it is used, and read anew on request without any connection noticing."""

import logging
import re
import ssl
import sys
from pathlib import Path
from typing import NamedTuple

logger = logging.getLogger(__name__)

HTTP = "http/1.1"
"""What is spoken inside, WebSockets included (RFC 7301)."""

_FIRST = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_EXPIRED, _NOT_YET_VALID = 10, 9  # X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID


class Unusable(Exception):
    """One sentence: what is wrong with the certificate or its key, and what to do."""


class _Tried(NamedTuple):
    """`until`: the end of its validity, as OpenSSL writes it."""

    context: ssl.SSLContext
    until: str


class Certificate:
    """A certificate chain and its key, from files in PEM. Raises `Unusable`."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._newest = _tried(*self._files)
        self.context = self._newest.context
        self.context.sni_callback = self._present

    @property
    def until(self) -> str:
        """The end of its validity, as OpenSSL writes it."""
        return self._newest.until

    def read_anew(self) -> None:
        """Whoever connects from now on gets what the files hold now. Raises `Unusable`: then nothing has changed."""
        self._newest = _tried(*self._files)

    def _present(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        """Asked at the beginning of each connection."""
        connection.context = self._newest.context


def _tried(certificate: Path, key: Path) -> _Tried:
    chain, secret = _read(certificate, "certificate"), _read(key, "key")
    first = _FIRST.search(chain)
    if first is None:
        raise Unusable(f"{certificate} holds no certificate in PEM: name the file with the whole chain, its own first")
    if b"PRIVATE KEY-----" not in secret:
        raise Unusable(f"{key} holds no private key in PEM")
    if b"ENCRYPTED" in secret:
        raise Unusable(f"the key {key} is encrypted, and nobody is here to type its pass phrase: decrypt it")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_CIPHER_SERVER_PREFERENCE
    context.set_alpn_protocols([HTTP])
    try:
        context.load_cert_chain(certificate, key)
    except ssl.SSLError as fault:
        if fault.reason == "KEY_VALUES_MISMATCH":
            raise Unusable(f"the key {key} belongs to another certificate than {certificate}") from None
        raise Unusable(f"{certificate} and {key} cannot be used together: {_reason(fault)}") from None
    try:
        until = _until(context, ssl.PEM_cert_to_DER_cert(first[0].decode("ascii", "replace")))
    except ssl.SSLCertVerificationError as fault:
        raise Unusable(_refused(certificate, fault)) from None
    except (ssl.SSLError, ValueError) as fault:
        raise Unusable(f"no client could use {certificate}: {_reason(fault)}") from None
    if sys.platform != "win32" and key.stat().st_mode & 0o004:
        logger.warning("everybody on this machine can read the key %s: chmod o-r it", key)
    return _Tried(context, until)


def _read(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise Unusable(f"the {what} {path} cannot be read: {fault.strerror}") from None


def _until(context: ssl.SSLContext, certificate: bytes) -> str:
    """Shakes hands, in memory, with a client that trusts this very certificate; returns the end of its validity.

    Raises what the client would be told.
    """
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    trusting.load_verify_locations(cadata=certificate)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(back, there)
    server = context.wrap_bio(there, back, server_side=True)
    shaking = [client, server]
    while shaking:
        for side in tuple(shaking):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            shaking.remove(side)
    found = client.getpeercert() or {}
    return str(found["notAfter"])


def _refused(certificate: Path, fault: ssl.SSLCertVerificationError) -> str:
    match fault.verify_code:
        case code if code == _EXPIRED:
            return f"the certificate {certificate} has expired: renew it (or is this machine's clock wrong?)"
        case code if code == _NOT_YET_VALID:
            return f"the certificate {certificate} is not valid yet: is this machine's clock right?"
    return f"no client would take the certificate {certificate}: {fault.verify_message}"


def _reason(fault: Exception) -> str:
    return (isinstance(fault, ssl.SSLError) and fault.reason) or str(fault)
