"""The kernels that an installation may have as machine code do exactly what their sources do."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOCKSTEP = Path(__file__).with_name("lockstep.py")

with (ROOT / "pyproject.toml").open("rb") as project:
    HOOKS = tomllib.load(project)["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]
FILES = [file.removeprefix("/") for file in HOOKS["mypyc"]["include"]]
MODULES = [file.removesuffix(".py").replace("/", ".") for file in FILES]


def results(folder: Path, kind: str) -> list[str]:
    command = [sys.executable, str(LOCKSTEP), str(folder), kind, *MODULES]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no C compiler (cc)")
def test_compiled_kernels_keep_step_with_their_sources(tmp_path: Path) -> None:
    for package in ("protocol", "server"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    mypyc = [sys.executable, "-m", "mypyc", "--config-file=", *FILES]
    built = subprocess.run(
        mypyc, cwd=tmp_path, env=os.environ | {"MYPYC_OPT_LEVEL": "0"}, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    pure = results(ROOT, "pure")
    assert len(pure) > 300
    assert results(tmp_path, "compiled") == pure
