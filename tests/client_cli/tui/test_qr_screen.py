"""The code of a room's page lies over the table until it is closed."""

import pytest
from textual.color import Color
from textual.widgets import Static

from client_cli.frontend import FrontEnd, JoinPage
from client_cli.qr import qr_lines
from client_cli.settings import Settings
from client_cli.tui.app import Paizhuo
from client_cli.tui.qr_screen import QrScreen
from protocol.errors import ExitCode

PAGE = JoinPage("http://10.0.0.2:8470/j/K7QF2MXR")


def shows_code(app: Paizhuo) -> bool:
    return isinstance(app.screen, QrScreen)


@pytest.mark.parametrize("theme", ["dark", "light", "high-contrast"])
async def test_it_is_dark_on_white_in_every_theme_and_any_key_closes_it(theme: str) -> None:
    async def hosts(front: FrontEnd) -> ExitCode:
        front.show(PAGE)
        await front.line()
        return ExitCode.OK

    app = Paizhuo(hosts, Settings())
    async with app.run_test() as pilot:
        app.theme = theme
        await pilot.pause()
        assert shows_code(app)
        code = app.screen.query_one("#qr", Static)
        assert str(code.content).splitlines() == qr_lines(PAGE, light=True)
        assert (code.styles.color, code.styles.background) == (Color.parse("black"), Color.parse("white"))
        assert (code.size.width, code.size.height) == (len(qr_lines(PAGE)[0]), len(qr_lines(PAGE)))
        await pilot.press("escape")
        assert not shows_code(app)
    await app.finish()
