import asyncio
import importlib
import sys

import pytest

from server import eventloop


async def kind_of_loop() -> str:
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def test_programs_run_on_uvloop() -> None:
    assert eventloop.run(kind_of_loop()) == "uvloop"


def test_without_uvloop_they_run_on_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "uvloop", None)
        importlib.reload(eventloop)
        assert eventloop.run(kind_of_loop()) == "asyncio"
    importlib.reload(eventloop)
