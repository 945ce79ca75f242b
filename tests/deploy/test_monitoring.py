"""Prometheus's rules and Grafana's dashboard: by promtool, and against what a server really tells."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from server.bots.thinking import Sort
from server.gateway.conversations import Conversations
from server.operator.lag import LoopLag
from server.operator.metrics import ServerCollector, metrics
from server.operator.routes import Asked
from tests.deploy.files import DEPLOY, passes, tool
from tests.server.node.nodes import running_nodes

yaml = pytest.importorskip("yaml", reason="needs PyYAML: make tools")

PROMETHEUS = DEPLOY / "prometheus"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana/paizhuo.json").read_text())
NAME = re.compile(r"\b(?:paizhuo|process|python)_[a-z_]+\b")

FROM_LINUX = ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds")


def rules() -> list[Any]:
    return [
        rule for group in yaml.safe_load((PROMETHEUS / "alerts.yaml").read_text())["groups"] for rule in group["rules"]
    ]


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))
    yield from (each["query"]["query"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query")


async def told() -> str:
    """All that a server's metrics say, with something in each."""
    async with running_nodes() as nodes:
        sort = Sort("paohuzi", "hard", "late")
        nodes.a.pool.thinking.answered[sort].add(0.1)
        nodes.a.pool.thinking.thought[sort].add(0.1)
        nodes.a.hub.counters.store_errors["refused"] += 1
        conversations = Conversations()
        conversations.traffic.answers["act", "ok"] += 1
        conversations.traffic.ended(1000)
        conversations.traffic.turned_away["origin"] += 1
        await nodes.a.create()
        collector = ServerCollector(nodes.a.hub, conversations, nodes.a.pool, LoopLag(nodes.clock))
        return (await metrics(collector).answer(Asked({}, {}, b""))).text


async def test_every_metric_that_is_drawn_or_watched_is_told() -> None:
    named = {name for expression in expressions() for name in NAME.findall(expression)}
    there = set(re.findall(r"^# TYPE (\S+)", text := await told(), re.MULTILINE)) | set(
        re.findall(r"^(\w+)[{ ]", text, re.MULTILINE)
    )
    assert len(named) > 20
    assert named - there - set(FROM_LINUX) == set()


async def test_what_is_counted_is_drawn() -> None:
    """Nothing is counted in vain."""
    drawn = {name for expression in expressions() for name in NAME.findall(expression)}
    counted = {
        name
        for name, kind in re.findall(r"^# TYPE (paizhuo_\S+) (\w+)", await told(), re.MULTILINE)
        if not {name, f"{name}_bucket", f"{name}_count"} & drawn
    }
    assert counted == set()


def test_labels_in_rules_are_values_that_there_are() -> None:
    codes = set(re.findall(r'code="(\w+)"', " ".join(rule["expr"] for rule in rules())))
    assert codes == {"internal", "4013", "rate_limited"}


def test_a_panel_has_a_place_of_its_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


@pytest.mark.parametrize(
    "command",
    [("check", "config", "prometheus.yaml"), ("check", "rules", "alerts.yaml"), ("test", "rules", "alerts.test.yaml")],
    ids=" ".join,
)
def test_prometheus_takes_the_rules_and_they_do_what_they_say(command: tuple[str, ...]) -> None:
    passes(tool("promtool", "Debian's package prometheus"), *command, cwd=PROMETHEUS)


def test_the_readme_tells_of_every_alert() -> None:
    readme = (DEPLOY / "README.md").read_text()
    for rule in rules():
        assert f"`{rule['alert']}`" in readme
