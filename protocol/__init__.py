"""What crosses the wire between a Paizhuo server and its clients.

Imports the standard library and msgspec only, so that a client needs nothing of the server.
"""

VERSION = 1
"""Protocol version; part of the subprotocol names. It changes only when old clients can no longer follow."""
