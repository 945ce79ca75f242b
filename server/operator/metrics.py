"""Everything that the server counts, as Prometheus reads it (`/metrics`).

The parts of the server count in plain numbers, each for itself, and know nothing of Prometheus: they are read here,
when somebody asks. No label comes from what a player sends.
"""

from collections.abc import Iterable, Iterator
from http import HTTPStatus

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from server import __version__
from server.durations import Durations
from server.gateway.http import Page
from server.node.hub import Hub
from server.operator.routes import Asked, Route


class ServerCollector(Collector):
    """Reads one server's counts."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def collect(self) -> Iterator[Metric]:
        yield _gauge("paizhuo_build_info", "Always 1; what runs is in the label.", ("version",), {(__version__,): 1})
        yield from self._node()

    def _node(self) -> Iterator[Metric]:
        counters = self._hub.counters
        yield _counter("paizhuo_appends", "Entries written into logs of rooms.", counters.appends)
        yield _counter("paizhuo_append_conflicts", "Appends that came after another server's.", counters.conflicts)
        yield _counter("paizhuo_caught_up", "Times a room missed what was published.", counters.caught_up)
        yield _histogram(
            "paizhuo_append_seconds", "From the request to write until the store confirmed it.", counters.append_s
        )


def metrics(collector: Collector) -> Route:
    """`/metrics`: of the server, of its process and of Python's memory."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(collector)

    async def answer(_: Asked) -> Page:
        return Page(HTTPStatus.OK, generate_latest(registry).decode(), CONTENT_TYPE_LATEST)

    return Route("GET", "/metrics", answer)


def _counter(name: str, about: str, count: float) -> Metric:
    return CounterMetricFamily(name, about, value=count)


def _gauge(name: str, about: str, labels: Iterable[str], values: dict[tuple[str, ...], float]) -> Metric:
    family = GaugeMetricFamily(name, about, labels=tuple(labels))
    for named, value in values.items():
        family.add_metric(named, value)
    return family


def _histogram(name: str, about: str, durations: Durations) -> Metric:
    buckets = [("+Inf" if bound_s == float("inf") else str(bound_s), count) for bound_s, count in durations.up_to()]
    return HistogramMetricFamily(name, about, buckets=buckets, sum_value=durations.sum_s)
