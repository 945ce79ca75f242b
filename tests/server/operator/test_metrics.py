"""What Prometheus is told."""

import sys

from prometheus_client.parser import text_string_to_metric_families

from server import __version__
from server.operator.metrics import ServerCollector, metrics
from server.operator.routes import Asked
from tests.server.node.nodes import running_nodes

NOTHING = Asked({}, {}, b"")


async def test_a_node_tells_what_it_has_written() -> None:
    async with running_nodes() as nodes:
        collector = ServerCollector(nodes.a.hub)
        assert (await samples(collector))["paizhuo_appends_total"] == 0
        await nodes.a.create()
        found = await samples(collector)
    assert found["paizhuo_appends_total"] == found["paizhuo_append_seconds_count"] == 1
    assert found["paizhuo_append_seconds_bucket{le=+Inf}"] == 1
    assert found[f"paizhuo_build_info{{version={__version__}}}"] == 1
    assert found["paizhuo_append_conflicts_total"] == 0


async def test_the_process_and_its_memory_are_told_of() -> None:
    async with running_nodes() as nodes:
        found = await samples(ServerCollector(nodes.a.hub))
    assert found["python_gc_collections_total{generation=0}"] >= 0
    if sys.platform == "linux":
        assert found["process_resident_memory_bytes"] > 0


async def samples(route_of: ServerCollector) -> dict[str, float]:
    """Every sample by its name and labels, as Prometheus would read them."""
    page = await metrics(route_of).answer(NOTHING)
    assert page.content_type.startswith("text/plain; version=")
    return {
        sample.name + "".join(f"{{{name}={value}}}" for name, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page.text)
        for sample in family.samples
    }
