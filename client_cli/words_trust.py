"""What is said of servers whose certificate cannot be trusted. As in `words`: values in, one line out."""

from client_cli.language import tr
from client_cli.words_link import server

EXPIRED, NOT_YET_VALID = 10, 9
SIGNED_BY_STRANGERS = frozenset((18, 19, 20, 21))
OTHER_NAME = frozenset((62, 64))
"""OpenSSL's numbers for what is wrong with a certificate: X509_V_ERR_..."""


def certificate(url: str, fault: int, said: str) -> str:
    """`fault`, `said`: OpenSSL's number and words for what is wrong."""
    where = server(url)
    if fault == EXPIRED:
        return tr(
            "the certificate of {server} has expired: its operator has to renew it, or this machine's clock is wrong",
            server=where,
        )
    if fault == NOT_YET_VALID:
        return tr("the certificate of {server} is not valid yet: is this machine's clock right?", server=where)
    if fault in SIGNED_BY_STRANGERS:
        return tr(
            "nobody whom this machine trusts has signed the certificate of {server}: ask the host for the whole "
            "invitation, with the fingerprint behind a # (CODE@HOST:PORT#ABCD-EFGH-JKMN-PQRS)",
            server=where,
        )
    if fault in OTHER_NAME:
        return tr("{server} shows a certificate for another name: check the address", server=where)
    return tr(
        "the certificate of {server} cannot be trusted ({reason}): tell whoever runs it", server=where, reason=said
    )


def other_server(url: str, wanted: str, found: str) -> str:
    """`wanted`, `found`: fingerprints as people type them."""
    return tr(
        "{server} is another server than that of your invitation (its fingerprint is {found}, not {wanted}). Nothing "
        "was sent: ask the host whether that has changed; if not, somebody may be listening in",
        server=server(url),
        found=found,
        wanted=wanted,
    )


def no_tls(url: str) -> str:
    return tr(
        "{server} does not speak TLS: check the address. Where all networks on the way are to be trusted, it can be "
        "written without: {plain}",
        server=server(url),
        plain=url.partition("#")[0].replace("wss:", "ws:", 1),
    )


def unreadable(*, encrypted: bool) -> str:
    """`encrypted`: on our side."""
    if encrypted:
        return tr("it breaks the connection off; has it TLS at all? Without, its address is ws://HOST:PORT/ws")
    return tr("another program speaks there, or TLS: then ask for the whole invitation, or write wss://HOST:PORT/ws")


def no_certificate_maker() -> str:
    return tr("a table with TLS needs the library cryptography. In the project's folder type: pip install '.[lan]'")


def tls_where() -> str:
    return tr("--tls is for tables that other machines can join: that needs --lan")


def host_with_tls() -> str:
    return tr("strangers could connect to this machine, so the table has to be encrypted: add --tls")


def certificate_unusable(path: str, reason: str) -> str:
    return tr("the certificate of your tables, {path}, cannot be used: {reason}", path=path, reason=reason)
