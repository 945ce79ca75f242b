"""The only place where the parts are wired into a running server."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from protocol.errors import ErrorCode
from server.bots.pool import BotPool
from server.certificate import Certificate, Unusable
from server.chance import SystemChance
from server.clock import Clock, SystemClock
from server.exposure import refuse_strangers
from server.faults import log_for_nobody
from server.gateway.admission import Admission
from server.gateway.conversations import Conversations
from server.gateway.websocket import CannotListen, listen, remedy
from server.node.hub import Hub
from server.rooms.due import Timing
from server.rooms.refusal import Refusal
from server.settings import ServerSettings, http_url
from server.store.base import BackedUp, Refused, Store
from server.store.fitness import Demands
from server.store.urls import store_from_url
from server.systemd import Manager, Passed, passed_sockets

logger = logging.getLogger(__name__)

STOPPING = (signal.SIGTERM, signal.SIGINT)

STORE_S, POOL_S = 1.5, 0.5
"""With `gateway.conversations.BREAK_OFF_S`, `node.hub.GOODBYE_MS`, `store.child.STOP_S`,
`operator.listener.STOP_S` and `tracing.FLUSH_S`, what a stop may take after `drain_s` at most."""

AFTER_DRAIN_S = 5
"""What is promised of all that together."""

NO_SOCKETS = Passed()


LEAST_TOKEN = 16


@asynccontextmanager
async def running(
    settings: ServerSettings,
    pool: BotPool | None = None,
    passed: Passed = NO_SOCKETS,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[int]:
    """A server that serves until the block ends; yields the bound port. `pool`: its bots; closed with it. `passed`:
    sockets in place of the addresses in the settings. `tls`: for the players' connections; None for plain ones.

    Raises `store.base.Unfit` and `store.base.Refused` for the store, `gateway.websocket.CannotListen` for the address.
    """
    clock, chance = SystemClock(), SystemChance()
    store = store_from_url(settings.store, clock, Demands(settings.wait_replicas, settings.allow_eviction))
    node = chance.command_id().hex()[:8]
    timing = Timing(grace_ms=settings.grace_s * 1000, beat_ms=settings.beat_ms)
    async with AsyncExitStack() as parts:
        pool = pool or BotPool(settings.bot_workers)
        parts.push_async_callback(_bounded, POOL_S, pool.close)
        hub = Hub(node, store, pool, clock, chance, timing, advertised=settings.advertise)
        parts.push_async_callback(_bounded, STORE_S, store.close)
        await store.open(hub)
        await parts.enter_async_context(hub)
        conversations = Conversations()
        admission = Admission(settings.limits, conversations.traffic.turned_away)
        if settings.admin_port is not None or passed.operator is not None:
            watched = Watched(hub, conversations, admission, pool, store.now_ms)
            await _listen_to_the_operator(parts, settings, passed.operator, watched, clock, _copying(store))
        port = await parts.enter_async_context(
            listen(
                hub, clock, settings, conversations=conversations, admission=admission, passed=passed.players, tls=tls
            )
        )
        parts.callback(hub.drain)
        gc.freeze()  # what stands now stays: a full collection that visits it holds the loop for over 10 ms
        warming = asyncio.create_task(pool.warm_up())  # while nobody waits for a bot
        parts.callback(warming.cancel)
        yield port
    logger.info("stopped: %s", hub.counters)


class Watched(NamedTuple):
    """What the operator sees into."""

    hub: Hub
    conversations: Conversations
    admission: Admission
    pool: BotPool
    store_ms: Callable[[], int]


async def _listen_to_the_operator(
    parts: AsyncExitStack,
    settings: ServerSettings,
    passed: socket.socket | None,
    watched: Watched,
    clock: Clock,
    back_up: Callable[[], Awaitable[str]] | None,
) -> None:
    """Until all else has ended, so that it tells of the end, too. Raises `CannotListen`."""
    from server.operator.administration import Administration, Held  # noqa: PLC0415
    from server.operator.lag import LoopLag  # noqa: PLC0415
    from server.operator.listener import listening  # noqa: PLC0415 a quarter of a second that most do not need
    from server.operator.metrics import ServerCollector, metrics  # noqa: PLC0415
    from server.operator.routes import state_of_health  # noqa: PLC0415

    hub, conversations, admission, pool, store_ms = watched
    token = token_in(settings.admin_token_file) if settings.admin_token_file else ""
    held = Held(hub, conversations, admission, clock, store_ms, settings.drain_s, back_up)
    administration = Administration(held)
    host, port = settings.admin_host, settings.admin_port or 0
    lag = LoopLag(clock)
    watching = asyncio.create_task(lag.watch())
    parts.callback(watching.cancel)
    health = state_of_health(hub, clock, lambda: conversations.draining)
    shown = metrics(ServerCollector(hub, conversations, pool, lag))
    routes = (*health, shown, *administration.routes())
    try:
        bound = await parts.enter_async_context(listening(host, port, routes, passed, token))
    except (OSError, UnicodeError) as fault:
        raise CannotListen(remedy(fault, host, port, "--admin-host", "--admin-port")) from None
    logger.info("the operator's listener is at %s", http_url(host, bound))


def _copying(store: Store) -> Callable[[], Awaitable[str]] | None:
    """What makes a copy of the store, if only the server can."""
    if not isinstance(store, BackedUp):
        return None

    async def copy() -> str:
        try:
            return str(await store.back_up())
        except Refused as refused:
            raise Refusal(ErrorCode.STORE_UNAVAILABLE, str(refused)) from None

    return copy


class UnusableToken(Exception):
    """What is to be the operator's token is none. The text is one sentence that says what to do."""


def token_in(path: str) -> str:
    """Raises `UnusableToken`."""
    try:
        token = Path(path).read_text().strip()
    except (OSError, UnicodeError):
        raise UnusableToken(f"the operator's token cannot be read from {path}") from None
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable():
        raise UnusableToken(
            f"the operator's token in {path} must have {LEAST_TOKEN} plain characters at least: openssl rand -hex 16"
        )
    return token


async def _bounded(limit_s: float, close: Callable[[], Awaitable[None]]) -> None:
    """What cannot be closed in time is broken off, and left to the end of the process."""
    try:
        async with asyncio.timeout(limit_s):
            await close()
    except TimeoutError:
        logger.warning("%s was not closed in time", type(getattr(close, "__self__", close)).__name__)


async def serve(settings: ServerSettings, ready: Callable[[str], None]) -> int:
    """Run until SIGTERM or SIGINT (or the end of stdin, where the settings ask for that); `ready` gets the URL.

    A second signal ends the process at once, as the system does it.

    With a certificate, SIGHUP has it read anew: one that is not usable leaves all as it was, and says so in the log.

    Returns the signal that ended it, 0 for stdin. Raises what `running` raises, `certificate.Unusable`,
    `exposure.Exposed` and `systemd.Unexpected`.
    """
    manager, passed = Manager(SystemClock()), passed_sockets()
    settings = _at_their_hosts(settings, passed)
    certificate = Certificate(Path(settings.tls_cert), Path(settings.tls_key)) if settings.tls_cert else None
    if certificate is None and not settings.insecure:
        await refuse_strangers(settings.host)
    loop, serving = asyncio.get_running_loop(), asyncio.current_task()
    loop.set_exception_handler(log_for_nobody)
    ended: asyncio.Future[int] = loop.create_future()
    started = broken_off = False
    stopping: tuple[signal.Signals, ...] = STOPPING

    def end(number: int) -> None:
        nonlocal broken_off
        for each in stopping:  # the next one ends the process at once
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        manager.stopping(settings.drain_s + AFTER_DRAIN_S)
        if not ended.done():
            ended.set_result(number)
            if not started and serving is not None:  # a store may take minutes to load its log
                broken_off = serving.cancel()

    if certificate is not None:
        loop.add_signal_handler(signal.SIGHUP, _read_anew, certificate, manager)
    elif manager.there:
        loop.add_signal_handler(signal.SIGHUP, _read_nothing, manager)
    else:  # a hangup is the end, as of other programs in a terminal
        stopping = (*stopping, signal.SIGHUP)
    for number in stopping:
        loop.add_signal_handler(number, end, int(number))
    try:
        async with AsyncExitStack() as parts:
            reassuring = asyncio.create_task(manager.reassure())
            parts.callback(reassuring.cancel)
            tls = None if certificate is None else certificate.context
            port = await parts.enter_async_context(running(settings, passed=passed, tls=tls))
            started = True
            url = settings.url(port)
            manager.ready(f"listening on {url}")
            if settings.stop_with_stdin:
                _when_stdin_ends(loop, lambda: end(0))
            ready(url)
            return await ended
    except asyncio.CancelledError:
        if not broken_off or serving is None or serving.uncancel():
            raise
        return ended.result()


def _at_their_hosts(settings: ServerSettings, passed: Passed) -> ServerSettings:
    """Sockets that were handed over are where they are."""
    if passed.players is not None:
        settings = replace(settings, host=passed.players.getsockname()[0])
    if passed.operator is not None:
        settings = replace(settings, admin_host=passed.operator.getsockname()[0])
    return settings


def _read_anew(certificate: Certificate, manager: Manager) -> None:
    try:
        with manager.reloading():
            certificate.read_anew()
    except Unusable as unusable:
        logger.error("the certificate stays the one before: %s", unusable)
    else:
        logger.info("the certificate has been read anew; it is valid until %s", certificate.until)


def _read_nothing(manager: Manager) -> None:
    with manager.reloading():
        logger.info("there is no certificate to read anew; all other settings need a restart")


def _when_stdin_ends(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """A thread, since files and /dev/null cannot be awaited as pipes can."""

    def read_to_the_end() -> None:
        with contextlib.suppress(OSError):  # a stdin that cannot be read has ended, too
            while os.read(sys.stdin.fileno(), 4096):
                pass
        with contextlib.suppress(RuntimeError):  # the loop is closed: the server has ended for another reason
            loop.call_soon_threadsafe(call)

    threading.Thread(target=read_to_the_end, name="stdin", daemon=True).start()
