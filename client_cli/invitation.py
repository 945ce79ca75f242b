"""How others join a room: what its host is told, and passes on."""

from typing import NamedTuple

from client_cli import words
from client_cli.address import page_url
from client_cli.frontend import JoinPage


class Invitation(NamedTuple):
    """`url`: where others reach the server. `qr`: its page is to be shown as a QR code at once."""

    url: str
    qr: bool = False

    def lines(self, code: str) -> list[str]:
        """What to tell who has just opened the room."""
        said = words.invitation(self.url, code)
        return [said, self.page(code)] if self.qr else [said]

    def page(self, code: str) -> JoinPage:
        return JoinPage(page_url(self.url, code))
