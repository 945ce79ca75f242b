import asyncio
import signal

from client_cli.frontend import FrontEnd
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo
from protocol.errors import ExitCode
from protocol.messages import Create


async def test_what_a_program_says_when_the_screen_is_gone_harms_nobody() -> None:
    ended, told = asyncio.Event(), asyncio.Event()

    async def talks_on(front: FrontEnd) -> ExitCode:
        front.show("here")
        await ended.wait()
        try:
            front.show("still here")
            front.note("and here")
            front.changed(Session("Anna", Create("chuo-pai")))
        finally:
            told.set()
        return ExitCode.OK

    app = Paizhuo(talks_on, Settings())
    async with app.run_test() as pilot:
        await pilot.pause()
        app.die_of(signal.SIGTERM)
    ended.set()
    await told.wait()
    await app.finish()
    assert app.died_of == signal.SIGTERM
