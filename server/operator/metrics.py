"""Everything that the server counts, as Prometheus reads it (`/metrics`).

The parts of the server count in plain numbers, each for itself, and know nothing of Prometheus: they are read here,
when somebody asks. No label comes from what a player sends.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import TypeVar

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from server import __version__
from server.bots.pool import BotPool
from server.durations import Durations
from server.gateway.conversations import Conversations
from server.gateway.http import Page
from server.node.hub import Hub
from server.operator.lag import LoopLag
from server.operator.routes import Asked, Route

AT_ONCE = 500
"""Connections that are counted in one turn of the loop."""

Labels = TypeVar("Labels", bound=tuple[str, ...])


class ServerCollector(Collector):
    """Reads one server's counts. What has to be counted then and there, `look` counts first."""

    def __init__(self, hub: Hub, conversations: Conversations, pool: BotPool, lag: LoopLag) -> None:
        self._hub = hub
        self._conversations = conversations
        self._pool = pool
        self._lag = lag
        self._states: Counter[tuple[str, str]] = Counter()
        self._waiting_bytes = 0

    async def look(self) -> None:
        """Count the connections, so many in one turn of the loop."""
        states: Counter[tuple[str, str]] = Counter()
        waiting_bytes = 0
        for number, each in enumerate(tuple(self._conversations.all), 1):
            states[each.subprotocol, each.state] += 1
            waiting_bytes += each.outbox.waiting_bytes
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
        self._states, self._waiting_bytes = states, waiting_bytes

    def collect(self) -> Iterator[Metric]:
        yield _gauge("build_info", "Always 1; what runs is in the label.", {(__version__,): 1}, "version")
        yield from self._gateway()
        yield from self._node()
        yield from self._bots()
        yield _histogram("loop_lag_seconds", "How late the event loop was, looked at 4 times a second.", self._lag.lags)

    def _gateway(self) -> Iterator[Metric]:
        traffic = self._conversations.traffic
        yield _gauge("connections", "Connections now.", self._states, "subprotocol", "state")
        yield _gauge("outbox_bytes", "What waits to be sent to all connections.", {(): self._waiting_bytes})
        yield _gauge("draining", "1 while the server stops.", {(): self._conversations.draining})
        yield _counter("connections_closed", "Connections that ended, by close code.", _one(traffic.closed), "code")
        yield _counter("connections_refused", "Requests that got no connection.", _one(traffic.turned_away), "reason")
        yield _counter("frames_received", "Messages from clients.", {(): traffic.frames_in})
        yield _counter("received_bytes", "Payload of messages from clients.", {(): traffic.bytes_in})
        yield _counter("frames_sent", "Messages to clients.", {(): traffic.frames_out})
        yield _counter("sent_bytes", "Payload of messages to clients.", {(): traffic.bytes_out})
        yield _counter(
            "commands",
            "Messages by what they ask, and `ok` or the code of the refusal.",
            traffic.answers,
            "kind",
            "code",
        )
        yield _histogram("command_seconds", "From a message until what it asks is done or refused.", traffic.command_s)
        yield _histogram("lobby_wait_seconds", "Until it was the turn of one who does not play.", traffic.lobby_s)

    def _node(self) -> Iterator[Metric]:
        counters = self._hub.counters
        yield _gauge("rooms", "Rooms open on this server.", self._hub.open_rooms(), "game", "phase")
        yield _gauge("servers", "Servers of this store that are known to players.", {(): len(self._hub.servers())})
        yield _gauge("store_usable", "0 while the store is out of reach.", {(): self._hub.store_usable})
        yield _counter("appends", "Entries written into logs of rooms.", {(): counters.appends})
        yield _counter("append_conflicts", "Appends that came after another's.", {(): counters.conflicts})
        yield _counter("caught_up", "Times a room missed what was published.", {(): counters.caught_up})
        yield _histogram("append_seconds", "From the wish to write until the store confirmed it.", counters.append_s)
        yield _counter("store_errors", "Requests to the store that failed.", _one(counters.store_errors), "kind")

    def _bots(self) -> Iterator[Metric]:
        thinking, labels = self._pool.thinking, ("game", "level", "answer")
        yield _gauge("bot_workers", "Processes that think for bots.", {(): len(self._pool.pids)})
        yield _gauge("bot_moves_waiting", "Moves that wait for a free process.", {(): self._pool.waiting})
        yield _histograms(
            "bot_answer_seconds", "From a bot's turn until its move, waiting included.", thinking.answered, *labels
        )
        yield _histograms("bot_thought_seconds", "Thinking alone.", thinking.thought, *labels)


class _One(CollectorRegistry):
    """As if there were one metric alone."""

    def __init__(self, metric: Metric) -> None:
        super().__init__()
        self._metric = metric

    def collect(self) -> Iterator[Metric]:
        yield self._metric


def metrics(collector: ServerCollector) -> Route:
    """`/metrics`: of the server, of its process and of Python's memory. The loop has other turns in between."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(collector)

    async def answer(_: Asked) -> Page:
        await collector.look()
        written = []
        for metric in registry.collect():
            written.append(generate_latest(_One(metric)).decode())
            await asyncio.sleep(0)
        return Page(HTTPStatus.OK, "".join(written), CONTENT_TYPE_LATEST)

    return Route("GET", "/metrics", answer)


def _one(counts: Mapping[str, int]) -> dict[tuple[str], int]:
    return {(label,): count for label, count in counts.items()}


def _counter(name: str, about: str, counts: Mapping[Labels, float], *labels: str) -> Metric:
    family = CounterMetricFamily(f"paizhuo_{name}", about, labels=labels)
    for values, count in counts.items():
        family.add_metric(values, count)
    return family


def _gauge(name: str, about: str, counts: Mapping[Labels, float], *labels: str) -> Metric:
    family = GaugeMetricFamily(f"paizhuo_{name}", about, labels=labels)
    for values, count in counts.items():
        family.add_metric(values, count)
    return family


def _histogram(name: str, about: str, durations: Durations) -> Metric:
    return _histograms(name, about, {(): durations})


def _histograms(name: str, about: str, all_durations: Mapping[Labels, Durations], *labels: str) -> Metric:
    family = HistogramMetricFamily(f"paizhuo_{name}", about, labels=labels)
    for values, durations in all_durations.items():
        buckets = [("+Inf" if bound_s == float("inf") else str(bound_s), count) for bound_s, count in durations.up_to()]
        family.add_metric(values, buckets, durations.sum_s)
    return family
