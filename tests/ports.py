"""Ports for servers that must know theirs before they listen."""

import itertools
import os
import socket

FIRST_PORT = 10_000 + 200 * (os.getpid() % 100)
PORTS = itertools.cycle(range(FIRST_PORT, FIRST_PORT + 200))
"""Below those that systems give to connections: or one could have taken a port before its server listens there. Other
numbers for each process that runs tests at the same time.
"""


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on, all different."""
    return list(itertools.islice(filter(_is_free, PORTS), number))


def _is_free(port: int) -> bool:
    with socket.socket() as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do, after a connection that lingers
        try:
            trying.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
