import sys
from pathlib import Path

import pytest

from tests.terminal import Terminal

SHOWS_ITS_SIZE = """
import fcntl, struct, termios
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.widgets import Static
from client_cli.tui.driver import terminal_driver

measured = LinuxDriver._get_terminal_size

def measured_and_pulled(driver):
    size = measured(driver)
    if size == (100, 30):
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))  # the signal comes before this returns
    return size

class Size(Static):
    def render(self):
        return f"{self.app.size.width} x {self.app.size.height}"

class Sized(App):
    def compose(self):
        yield Size()

LinuxDriver._get_terminal_size = measured_and_pulled
Sized(driver_class=terminal_driver()).run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="windows send no signals there")
async def test_a_window_that_changes_while_it_is_measured_is_measured_again(tmp_path: Path) -> None:
    async with Terminal((), tmp_path, program=(sys.executable, "-c", SHOWS_ITS_SIZE)) as terminal:
        await terminal.shows("80 x 24")
        terminal.resizes(100, 30)
        await terminal.shows("60 x 20")
