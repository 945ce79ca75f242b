"""What the project is made of: known weaknesses and licences of every package that it may install.

    python -m tests.supply audit [--must]      against a database of weaknesses; exit code 1 where one is found
    python -m tests.supply licences            a list; exit code 1 where a licence is unknown or not allowed

An audit needs the network. Without it, or where the database knows nothing of the packages, it says loudly that nothing
was audited, and passes; with `--must` it fails then, too.
"""

import json
import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PINS = ROOT / "constraints.txt"
AUDIT_S = 120
"""Longer than that no database may hold up a check."""

WITH_US = {
    *("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "PSF-2.0", "Zlib"),
    *("LGPL-2.1-or-later", "MPL-2.0"),  # of libraries that are used as they are
}
"""Of what runs with our programs. BSD: which of them, a package does not say."""

FOR_WORK = WITH_US | {"GPL-3.0", "LGPL-3.0"}
"""Of what only looks at our work."""

EXTRAS = frozenset(("lan", "openspiel", "server", "tracing"))

OTHER_NAMES = {
    "apache": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license v2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd 2-clause license": "BSD-2-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd license": "BSD",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
"""SPDX's names for what older packages write."""


class Licensed(NamedTuple):
    """`licence`: an SPDX expression, or what the package says where that is none."""

    name: str
    version: str
    licence: str
    with_us: bool

    @property
    def allowed(self) -> bool:
        return is_allowed(self.licence, WITH_US if self.with_us else FOR_WORK)


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """May it be used under one of the alternatives of an SPDX expression?"""
    plain = expression.replace("(", " ").replace(")", " ")
    alternatives = [part.split(" AND ") for part in plain.split(" OR ")]
    return any(all(name.strip() in allowed for name in part) for part in alternatives)


def licence_of(package: Distribution) -> str:
    """By its SPDX expression, else its one line of licence, else its classifiers."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classified = [
        classifier.rpartition(" :: ")[2]
        for classifier in metadata.get_all("Classifier") or ()
        if classifier.startswith("License :: ") and not classifier.endswith("DFSG approved")
    ]
    said = metadata["License"].strip() if "License" in metadata else ""
    candidates = [said] if said and "\n" not in said and said != "UNKNOWN" else []
    named = [_by_spdx(name) for name in (*candidates, *classified)]
    return next((name for name in named if name in FOR_WORK), " / ".join(named) or "none")


def _by_spdx(name: str) -> str:
    return OTHER_NAMES.get(name.lower(), name)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def with_us() -> frozenset[str]:
    """The names of all packages that our programs may load, as far as they are installed."""
    found: set[str] = set()
    waiting = [("paizhuo", EXTRAS)]
    while waiting:
        name, extras = waiting.pop()
        try:
            requires = distribution(name).requires or ()
        except PackageNotFoundError:
            continue
        found.add(plain(name))
        for line in requires:
            requirement = Requirement(line)
            applies = [
                requirement.marker is None or requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)
            ]
            if any(applies) and plain(requirement.name) not in found:
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return frozenset(found)


def licences() -> list[Licensed]:
    """Of every installed package."""
    ours = with_us()
    return sorted(
        {
            Licensed(package.name, package.version, licence_of(package), plain(package.name) in ours)
            for package in distributions()
        },
        key=lambda each: (not each.with_us, plain(each.name)),
    )


def list_licences() -> int:
    found = licences()
    width = max(len(each.name) for each in found)
    for each in found:
        use = "with us " if each.with_us else "for work"
        print(f"{use}  {each.name:<{width}}  {each.version:<18} {each.licence}")
    wrong = [each for each in found if not each.allowed]
    for each in wrong:
        print(f"NOT ALLOWED, or unknown: {each.name} {each.version} is under {each.licence!r}: see tests/supply.py")
    print(f"{len(found)} packages, {sum(each.with_us for each in found)} of them with our programs")
    return 1 if wrong else 0


class Audited(NamedTuple):
    """`weak`: a line for each weakness; `skipped`: packages of which nothing is known; `trouble`: why there is no
    answer at all."""

    weak: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    known: int = 0
    trouble: str = ""


def read_audit(out: str, err: str) -> Audited:
    """What pip-audit found, which says `no weaknesses` of packages that it did not find, too."""
    try:
        dependencies: list[dict[str, Any]] = json.loads(out)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Audited(trouble=(err.strip().splitlines() or ["no answer"])[-1])
    return Audited(
        tuple(_weaknesses(dependencies)),
        tuple(each["name"] for each in dependencies if "skip_reason" in each),
        sum("skip_reason" not in each for each in dependencies),
    )


def _weaknesses(dependencies: Iterable[dict[str, Any]]) -> Iterator[str]:
    for each in dependencies:
        for weakness in each.get("vulns", ()):
            mended = ", ".join(weakness.get("fix_versions", ())) or "nowhere yet"
            names = ", ".join((weakness["id"], *weakness.get("aliases", ())))
            yield f"{each['name']} {each['version']}: {names}; mended in {mended}"


def audit(must: bool) -> int:
    command = (sys.executable, "-m", "pip_audit", "--requirement", str(PINS), "--no-deps", "--disable-pip")
    options = ("--format", "json", "--progress-spinner", "off", "--timeout", "10")
    try:
        ended = subprocess.run((*command, *options), capture_output=True, text=True, check=False, timeout=AUDIT_S)
    except subprocess.TimeoutExpired:
        return tell(Audited(trouble=f"no answer in {AUDIT_S} s"), must)
    return tell(read_audit(ended.stdout, ended.stderr), must)


def tell(audited: Audited, must: bool) -> int:
    """Say what came of it; returns the exit code."""
    for line in audited.weak:
        print(f"KNOWN WEAKNESS: {line}")
    if audited.trouble:
        print(f"NOT AUDITED: no database of weaknesses could be asked ({audited.trouble[:200]})")
    elif audited.skipped and not audited.known:
        print(f"NOT AUDITED: the database knows none of the {len(audited.skipped)} packages (a mirror, perhaps)")
    elif audited.skipped:
        print(f"NOT AUDITED, being unknown to the database: {', '.join(audited.skipped)}")
    print(f"{audited.known} packages audited, {len(audited.weak)} known weaknesses")
    incomplete = bool(audited.trouble or audited.skipped)
    return 1 if audited.weak or (must and incomplete) else 0


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.supply", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("audit", "licences"))
    parser.add_argument("--must", action="store_true", help="fail where something could not be audited")
    asked = parser.parse_args()
    return audit(asked.must) if asked.what == "audit" else list_licences()


if __name__ == "__main__":
    sys.exit(main())
