"""Which texts are addresses of servers that players may be sent to."""

import re

MAX_CHARACTERS = 200

_ADDRESS = re.compile(
    r"wss?://(\[[0-9a-fA-F:.]{2,45}\]|[0-9A-Za-z]([0-9A-Za-z.-]*[0-9A-Za-z])?)(:[0-9]{1,5})?(/[0-9A-Za-z._~/-]*)?",
    re.ASCII,
)


def is_address(text: str) -> bool:
    """Is it `ws://` or `wss://`, a host, perhaps a port and a path, and nothing else: no password, no query?"""
    return len(text) <= MAX_CHARACTERS and _ADDRESS.fullmatch(text) is not None
