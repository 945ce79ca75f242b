"""How a screen of the lobby asks for a table: the application runs what it is handed, and comes back."""

from textual.message import Message

from client_cli.frontend import Program


class Begin(Message):
    """Run this program over the screen that asks for it."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
