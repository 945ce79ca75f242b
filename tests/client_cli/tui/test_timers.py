import asyncio
from itertools import count

import pytest
from textual import _time

from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo


async def test_a_timer_that_rings_once_does_so_also_when_it_is_begun_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Paizhuo(None, Settings())
    async with app.run_test():
        rung = asyncio.Event()
        seconds = count()
        monkeypatch.setattr(_time, "get_time", lambda: float(next(seconds)))  # held up whenever it looks at the clock
        app.set_timer(1 / 120, rung.set)
        async with asyncio.timeout(10):
            await rung.wait()
