import asyncio
import signal

import pytest

from client_cli.frontend import FrontEnd, ToConfirm
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo
from protocol.errors import ExitCode
from protocol.messages import Create


class TalksOn:
    """A program that says more when the screen is gone, which `ended` tells it."""

    def __init__(self) -> None:
        self.ended, self.told = asyncio.Event(), asyncio.Event()

    async def __call__(self, front: FrontEnd) -> ExitCode:
        front.show("here")
        await self.ended.wait()
        try:
            front.show("still here")
            front.note("and here")
            front.changed(Session("Anna", Create("chuo-pai")))
        finally:
            self.told.set()
        return ExitCode.OK

    async def finish(self, app: Paizhuo) -> None:
        self.ended.set()
        await self.told.wait()
        await app.finish()


async def test_what_a_program_says_when_the_screen_is_gone_harms_nobody() -> None:
    program = TalksOn()
    app = Paizhuo(program, Settings())
    async with app.run_test() as pilot:
        await pilot.pause()
        app.die_of(signal.SIGTERM)
    await program.finish(app)
    assert app.died_of == signal.SIGTERM


async def test_what_is_to_be_confirmed_stays_however_much_is_said_after_it() -> None:
    told = asyncio.Event()

    async def program(front: FrontEnd) -> ExitCode:
        for line in (ToConfirm("Sure?"), *map(str, range(30))):
            front.show(line)
        told.set()
        await asyncio.Event().wait()
        return ExitCode.OK

    app = Paizhuo(program, Settings())
    async with app.run_test() as pilot:
        await told.wait()
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert any("Sure?" in segment.text for strip in strips for segment in strip)
        app.exit()
    await app.finish()


async def run_until_it_fails(app: Paizhuo) -> None:
    def fail() -> None:
        raise RuntimeError("made to fail")

    async with app.run_test() as pilot:
        await pilot.pause()
        app.call_later(fail)


async def test_what_a_program_says_after_a_fault_of_ours_is_no_second_one() -> None:
    program = TalksOn()
    app = Paizhuo(program, Settings())
    with pytest.raises(RuntimeError, match="made to fail"):
        await run_until_it_fails(app)
    await program.finish(app)
