"""What is said of the local network. As in `words`: values in, one line out."""

from client_cli.language import tr


def library_missing() -> str:
    return tr("finding rooms in the local network needs zeroconf. In the project's folder type: pip install '.[lan]'")


def unusable(reason: str) -> str:
    return tr("the local network cannot be searched: {reason}", reason=reason)


def not_announced(reason: str) -> str:
    return tr("Your room is open, but not announced: {reason}", reason=reason)


def announced() -> str:
    return tr("Everybody in your local network can find this room: paizhuo rooms --lan")


def announce_where() -> str:
    return tr("--announce makes a room known in your local network: that needs --lan")


def one_or_all() -> str:
    return tr("name a server, or search the local network with --lan, but not both")


def no_rooms_nearby(servers: int) -> str:
    if servers:
        return tr("No room is open in your local network just now.")
    return tr("Nobody announces rooms in your local network. To do so: paizhuo host chuo-pai --lan --announce")
