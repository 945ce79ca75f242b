"""What the operator's listener can be asked, in terms of no HTTP library."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, NamedTuple

from server.clock import Clock
from server.gateway.http import STOPPING, Page, Readiness, page
from server.node.port import Node


class Asked(NamedTuple):
    """One request. `parameters`: what stands in the path for the {names} of the route; `by`: from where it came."""

    parameters: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes
    by: str = ""


class Route(NamedTuple):
    """A path, which may have {names} in it, and what answers there. GET answers HEAD, too. `guarded`: only for who has
    the operator's token, or is on this very machine where there is none.
    """

    method: Literal["GET", "POST"]
    path: str
    answer: Callable[[Asked], Awaitable[Page]]
    guarded: bool = False


def state_of_health(node: Node, clock: Clock, draining: Callable[[], bool] = lambda: False) -> tuple[Route, ...]:
    """Whether the process lives (`/healthz`), whether it can serve (`/readyz`), and what it is (`/version`).

    `draining`: it stops, and is ready no more from that moment on.
    """
    readiness = Readiness(node, clock)

    def always(path: str) -> Route:
        async def answer(_: Asked) -> Page:
            return page(path, "")

        return Route("GET", path, answer)

    async def ready(_: Asked) -> Page:
        return STOPPING if draining() else await readiness.page()

    return (always("/healthz"), Route("GET", "/readyz", ready), always("/version"))
