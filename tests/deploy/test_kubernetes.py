"""What Kustomize makes of the files, against the schemas of Kubernetes and against what the server is."""

import re
from pathlib import Path
from typing import Any

import pytest

from server.app import AFTER_DRAIN_S
from server.settings import ServerSettings
from tests.deploy.files import DEPLOY, passes, tool

yaml = pytest.importorskip("yaml", reason="needs PyYAML: make tools")

OVERLAYS = sorted(path.name for path in (DEPLOY / "kubernetes/overlays").iterdir())


def made(overlay: str) -> str:
    return passes(tool("kubectl"), "kustomize", DEPLOY / "kubernetes/overlays" / overlay)


def resources(overlay: str) -> dict[tuple[str, str], Any]:
    return {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(made(overlay))}


def test_what_is_made_is_as_the_schemas_of_kubernetes_say(tmp_path: Path) -> None:
    paths = [tmp_path / f"{overlay}.yaml" for overlay in OVERLAYS]
    for path in paths:
        path.write_text(made(path.stem))
    passes(tool("kubernetes-validate"), "--strict", "--quiet", *paths)


@pytest.fixture(scope="module")
def single() -> dict[tuple[str, str], Any]:
    return resources("single")


def pod(single: dict[tuple[str, str], Any]) -> Any:
    return single["Deployment", "paizhuo"]["spec"]["template"]["spec"]


def test_a_pod_has_the_time_to_drain(single: dict[tuple[str, str], Any]) -> None:
    (container,) = pod(single)["containers"]
    unreachable_s = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    needed_s = unreachable_s + ServerSettings(store="sqlite:unused").drain_s + AFTER_DRAIN_S
    assert pod(single)["terminationGracePeriodSeconds"] > needed_s
    rolling = single["Deployment", "paizhuo"]["spec"]["strategy"]["rollingUpdate"]
    assert (rolling["maxSurge"], rolling["maxUnavailable"]) == (1, 0)


def test_probes_and_services_lead_to_ports_that_there_are(single: dict[tuple[str, str], Any]) -> None:
    (container,) = pod(single)["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    containerfile = (DEPLOY / "Containerfile").read_text()
    assert {str(port) for port in ports.values()} == set(re.findall(r"PAIZHUO_(?:ADMIN_)?PORT=(\d+)", containerfile))
    for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[kind]["httpGet"]["port"] in ports
    for name in ("paizhuo", "paizhuo-operator"):
        for port in single["Service", name]["spec"]["ports"]:
            assert port["targetPort"] in ports


def test_no_service_sets_a_variable_that_the_server_takes_for_its_own(single: dict[tuple[str, str], Any]) -> None:
    """A Service called paizhuo gives every pod PAIZHUO_PORT=tcp://..., unless that is switched off."""
    assert pod(single)["enableServiceLinks"] is False


def test_pods_and_policies_are_selected_by_labels_that_they_have(single: dict[tuple[str, str], Any]) -> None:
    labels = single["Deployment", "paizhuo"]["spec"]["template"]["metadata"]["labels"]
    selected = [
        single["Service", "paizhuo"]["spec"]["selector"],
        single["PodDisruptionBudget", "paizhuo"]["spec"]["selector"]["matchLabels"],
        single["NetworkPolicy", "paizhuo"]["spec"]["podSelector"]["matchLabels"],
    ]
    assert all(selector.items() <= labels.items() for selector in selected)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_secret_that_the_servers_read_is_made(overlay: str) -> None:
    found = resources(overlay)
    (container,) = pod(found)["containers"]
    (store,) = (each for each in container["env"] if each["name"] == "PAIZHUO_STORE")
    reference = store["valueFrom"]["secretKeyRef"]
    assert reference["key"] in found["Secret", reference["name"]]["data"]


def test_everything_that_autoscaling_looks_at_is_counted(single: dict[tuple[str, str], Any]) -> None:
    metrics = single["HorizontalPodAutoscaler", "paizhuo"]["spec"]["metrics"]
    assert [each["pods"]["metric"]["name"] for each in metrics if each["type"] == "Pods"] == ["paizhuo_connections"]
