"""The container: what can be known of it without an engine to build it."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from server.limits import Limits
from server.settings import ServerSettings
from tests.deploy.files import DEPLOY, every, passes, tool

CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
ROOT = DEPLOY.parent


def test_the_containerfile_passes_hadolint() -> None:
    passes(tool("hadolint"), DEPLOY / "Containerfile")


def test_what_it_copies_is_there_and_let_into_the_build() -> None:
    allowed = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    copied = [
        word for line in re.findall(r"^COPY (?!--)(.+)$", CONTAINERFILE, re.MULTILINE) for word in line.split()[:-1]
    ]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
        assert name in allowed


def settings_in(text: str) -> set[str]:
    return set(re.findall(r"\bPAIZHUO_[A-Z_]+", text))


@pytest.mark.parametrize(
    "path", [path for path in every([".yaml", ".service", ""]) if path.is_file()], ids=lambda path: path.name
)
def test_every_setting_is_one_of_the_servers(path: Path) -> None:
    known = {f"PAIZHUO_{field.name.upper()}" for field in (*fields(ServerSettings), *fields(Limits))}
    assert settings_in(path.read_text()) <= known


def test_the_healthcheck_asks_the_listener_that_is_there() -> None:
    (port,) = re.findall(r"PAIZHUO_ADMIN_PORT=(\d+)", CONTAINERFILE)
    assert f"http://127.0.0.1:{port}/healthz" in CONTAINERFILE


def test_it_is_no_root_who_runs_it() -> None:
    last_user = re.findall(r"^USER (.+)$", CONTAINERFILE, re.MULTILINE)[-1]
    assert int(last_user.partition(":")[0]) > 0
