"""The units of systemd, by its own tool."""

import re
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from server.app import AFTER_DRAIN_S
from server.settings import ServerSettings
from server.systemd import PLAYERS
from tests.deploy.files import DEPLOY, passes, tool

UNITS = DEPLOY / "systemd"
MOST_EXPOSED = 1.5
"""By `systemd-analyze security`, from 0 (best) to 10."""


@pytest.fixture
def installed(tmp_path: Path) -> tuple[Path, Path]:
    """The units, as if the program were where they say: the tool looks for it."""
    program = Path(sys.executable).parent / "paizhuo-server"
    service, listening = (tmp_path / f"paizhuo-server.{kind}" for kind in ("service", "socket"))
    written = (UNITS / service.name).read_text()
    service.write_text(written.replace("/opt/paizhuo/bin/paizhuo-server", str(program)))
    listening.write_text((UNITS / listening.name).read_text())
    return service, listening


def test_the_units_pass_systemd_analyze_verify(installed: tuple[Path, Path]) -> None:
    assert not passes(tool("systemd-analyze", "a system with systemd"), "verify", *installed)


def test_the_service_is_little_exposed(installed: tuple[Path, Path]) -> None:
    analyze = tool("systemd-analyze", "a system with systemd")
    said = passes(analyze, "security", "--offline=true", "--no-pager", installed[0])
    (exposure,) = re.findall(r"Overall exposure level for paizhuo-server.service: ([0-9.]+)", said)
    assert float(exposure) <= MOST_EXPOSED


class Unit(ConfigParser):
    def optionxform(self, optionstr: str) -> str:
        return optionstr


def unit(kind: str) -> Unit:
    read = Unit(strict=False, interpolation=None)
    read.read_string((UNITS / f"paizhuo-server.{kind}").read_text())
    return read


def test_a_service_that_stops_has_the_time_that_it_is_promised() -> None:
    promised_s = ServerSettings(store="sqlite:unused").drain_s + AFTER_DRAIN_S
    assert int(unit("service")["Service"]["TimeoutStopSec"]) > promised_s


def test_the_socket_is_the_one_that_the_server_looks_for() -> None:
    listening = unit("socket")["Socket"]
    assert listening["FileDescriptorName"] == PLAYERS
    assert int(listening["ListenStream"]) == ServerSettings(store="sqlite:unused").port
