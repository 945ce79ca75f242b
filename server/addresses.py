"""Which texts are addresses of servers that players may be sent to."""

import re
from ipaddress import ip_address

MAX_CHARACTERS = 200

_ADDRESS = re.compile(
    r"(?P<scheme>wss?)://(?:\[(?P<v6>[0-9a-fA-F:.]{2,45})\]|(?P<host>[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?))"
    r"(?::(?P<port>[0-9]{1,5}))?/[0-9A-Za-z._~/-]+(?P<pin>#(?:[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]-?){16,52})?",
    re.ASCII,
)


def is_address(text: str) -> bool:
    """Is it `ws://` or `wss://`, a host, perhaps a port, a path, and nothing else: no password, no query?

    Behind the # of a wss:// address may stand the fingerprint of its certificate (protocol/README.md, section 1).
    0.0.0.0 and [::] are no hosts: a server listens there, but nobody connects to them.
    """
    found = _ADDRESS.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if found is None or (found["pin"] and found["scheme"] == "ws") or not 1 <= int(found["port"] or 1) <= 65535:
        return False
    try:
        return not ip_address(found["v6"] or found["host"]).is_unspecified
    except ValueError:  # a name
        return found["v6"] is None
