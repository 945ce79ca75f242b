"""The compose files: their schema, and the commands in them on a real Valkey."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from server.store.child import find_binary
from tests.deploy.files import DEPLOY, passes, tool

yaml = pytest.importorskip("yaml", reason="needs PyYAML: make tools")

FILES = ("compose.yaml", "compose.sentinel.yaml", "compose.cluster.yaml")


class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
    """Knows what compose adds to YAML: `!reset` and `!override`, which concern the merge of several files."""


def _as_if_untagged(loader: Any, _: str, node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else None


Loader.add_multi_constructor("!", _as_if_untagged)


def loaded(name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.load((DEPLOY / name).read_text(), Loader)
    return document


def test_the_compose_files_are_as_their_schema_says(tmp_path: Path) -> None:
    plain = [tmp_path / f"{name}.json" for name in FILES]
    for path in plain:
        document = loaded(path.stem)
        document["services"] = {name: its for name, its in document["services"].items() if its is not None}
        path.write_text(json.dumps(document))
    passes(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", *plain)


def test_what_a_compose_file_mounts_and_builds_is_there() -> None:
    document = loaded("compose.yaml")
    for config in document["configs"].values():
        assert (DEPLOY / config["file"]).is_file()
    build = document["services"]["one"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_the_proxy_sends_players_to_the_servers() -> None:
    services = loaded("compose.yaml")["services"]
    servers = str(services["proxy"]["environment"]["SERVERS"]).split()
    assert {place.partition(":")[0] for place in servers} <= set(services)
    adapt = (tool("caddy", "Debian's package caddy"), "adapt", "--adapter", "caddyfile", "--config", "Caddyfile")
    made = passes(*adapt, environment={"DOMAIN": "cards.example", "SERVERS": " ".join(servers)})
    assert re.findall(r'"dial":"([^"]+)"', made) == servers
    assert '"host":["cards.example"]' in made


def test_everything_that_a_service_names_is_defined() -> None:
    document = loaded("compose.yaml")
    for name in FILES[1:]:
        variant = loaded(name)
        services = document["services"] | variant["services"]
        volumes = set(document["volumes"]) | set(variant["volumes"])
        for service in filter(None, services.values()):
            assert set(service.get("networks", ())) <= set(document["networks"])
            assert {volume.partition(":")[0] for volume in service.get("volumes", ())} <= volumes
            assert all(services.get(other) is not None for other in service.get("depends_on", ()))


def stores() -> list[Any]:
    """Every command of a Valkey in the compose files, and of the one in Kubernetes."""
    found = []
    for name in FILES:
        for service, its in loaded(name)["services"].items():
            if its and "valkey-server" in str(its.get("command")):
                found.append(pytest.param(its["command"], id=f"{name} {service}"))
    in_kubernetes = yaml.safe_load_all((DEPLOY / "kubernetes/overlays/single/valkey.yaml").read_text())
    (stateful,) = (each for each in in_kubernetes if each["kind"] == "StatefulSet")
    found.append(pytest.param(stateful["spec"]["template"]["spec"]["containers"][0]["args"], id="kubernetes"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("command", stores())
def test_a_store_starts_as_it_is_told_and_keeps_what_it_must(command: list[str], short_path: Path) -> None:
    if len(command) == 1:  # for a shell
        command = shlex.split(command[0].replace("$$(hostname)", "localhost").removeprefix("exec "))
    assert command[0] == "valkey-server"
    settings = ["localhost" if word.startswith(("valkey", "replica")) else word for word in command[1:]]
    socket = short_path / "s"
    place = ["--port", "0", "--unixsocket", str(socket), "--dir", str(short_path)]
    if "--cluster-enabled" in settings:
        place[1] = "16399"  # a cluster has no use for one without
    process = subprocess.Popen([find_binary(), *settings, *place], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said: list[str] = []
        while "ready to accept connections" not in "".join(said).lower():
            said.append(process.stdout.readline())
            assert said[-1], "".join(said)
        with Redis(unix_socket_path=str(socket), decode_responses=True) as client:
            kept = dict[str, str](client.config_get("append*") | client.config_get("maxmemory-policy"))
        assert (kept["appendonly"], kept["appendfsync"], kept["maxmemory-policy"]) == ("yes", "always", "noeviction")
    finally:
        process.kill()
        process.communicate()
