"""Whether a server is the one that was meant: by those who signed its certificate, or by the fingerprint of that."""

import ssl

from client_cli import words_trust
from client_cli.address import fingerprint_of
from client_cli.fingerprint import fingerprint, short

NO_TLS = frozenset(("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG"))
"""What OpenSSL makes of an answer that is no TLS."""


class Distrusted(Exception):
    """Nothing was said to that server. The text is one sentence that says why, and what to do."""


def tls_for(url: str) -> ssl.SSLContext | None:
    """What to connect to a server with; None for one without TLS. With a fingerprint, `check` has to follow."""
    if not url.startswith("wss:"):
        return None
    if not fingerprint_of(url):
        return ssl.create_default_context()  # the system's authorities, or those of SSL_CERT_FILE
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def check(url: str, link: ssl.SSLObject | ssl.SSLSocket | None) -> None:
    """Raises `Distrusted` where the fingerprint of `url` is not that of the server at the other end of `link`."""
    wanted = fingerprint_of(url)
    if wanted:
        found = fingerprint((link and link.getpeercert(binary_form=True)) or b"")
        if not found.startswith(wanted):
            raise Distrusted(words_trust.other_server(url, short(wanted), short(found)))


def complaint(error: ssl.SSLError, url: str) -> str | None:
    """What is said of a handshake that failed; None for what another attempt may mend."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return words_trust.certificate(url, error.verify_code, error.verify_message)
    return words_trust.no_tls(url) if error.reason in NO_TLS else None
