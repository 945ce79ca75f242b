"""The screen of one sitting: the table, what happens, and what the person answers."""

import asyncio

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, RichLog, Static

from client_cli.layouts import layout_of
from client_cli.render import safe
from client_cli.session import Session
from client_cli.words import Speaker


class TableScreen(Screen[None]):
    """`typed`: what the person has answered, as lines of the conversation, in order."""

    BINDINGS = [("escape", "leave", "Go")]

    def __init__(self) -> None:
        super().__init__()
        self.typed: asyncio.Queue[str] = asyncio.Queue()
        self._over = False
        self._seen = asyncio.Event()

    def compose(self) -> ComposeResult:
        yield Static(id="table")
        yield RichLog(wrap=True, markup=False, highlight=False)
        yield Input()

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def tell(self, line: str, *, aside: bool = False) -> None:
        """One more line of what happens. `aside`: it is about the program."""
        self.query_one(RichLog).write(f"({safe(line)})" if aside else safe(line))

    def draw(self, session: Session) -> None:
        """Show what the session holds now."""
        view = session.view
        if view is None:
            return
        speaker, layout = Speaker(view, session.seat), layout_of(view.room.game)
        lines = [*layout.table_lines(speaker), *layout.held_lines(speaker)]
        if session.prompt is not None:
            lines.append(layout.question(speaker, session.prompt))
        self.query_one("#table", Static).update(Content("\n".join(map(safe, lines))))

    async def seen(self) -> None:
        """The sitting is over: wait until the person has looked at how it ended, and goes."""
        self._over = True
        await self._seen.wait()

    def action_leave(self) -> None:
        if self._over:
            self._seen.set()
        else:
            self.typed.put_nowait("quit")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.input.clear()
        if self._over:
            self._seen.set()
        else:
            self.typed.put_nowait(event.value)
