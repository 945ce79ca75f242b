"""A replay in line mode: typed lines go in, lines to show come out. It does no I/O."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from client_cli import words_replay
from client_cli.names import Lexicon
from client_cli.replay import Cursor, Replay
from client_cli.vocabulary import in_english


def whole_lines(replay: Replay) -> Sequence[str]:
    """All of a replay at once: the hands, each step as a line with its number from 1, and how it ended."""
    first, seat = replay.steps[0], replay.seat
    steps = (f"{number}. {words_replay.step_text(step, seat)}" for number, step in enumerate(replay.steps, start=1))
    hands = words_replay.hand_lines(first, seat)
    return [words_replay.heading(replay), *hands, *steps, *words_replay.ending_lines(replay.steps[-1], seat)]


def fits(replay: Replay, text: str) -> Callable[[int], bool]:
    """Whether the step at a place has that card, or says that text, whatever the case of its letters."""
    names = Lexicon.of(replay.steps[0].view.room.game)
    card, wanted = names.unfaced(text.strip()).lower(), text.strip().casefold()

    def at(place: int) -> bool:
        step = replay.steps[place]
        if card in names.order():
            return card in step.cards
        return wanted in words_replay.step_text(step, replay.seat).casefold()

    return at


class Stepping:
    """One person at one replay. `over`: they have seen enough."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.cursor = Cursor.over(replay.steps)
        self.over = False
        self._sought = ""

    def opening(self) -> Sequence[str]:
        hands = words_replay.hand_lines(self.replay.steps[0], self.replay.seat)
        return [words_replay.heading(self.replay), *hands, *self._step(), words_replay.help_lines()[0]]

    def typed(self, line: str) -> Sequence[str]:
        """What to show for one line from the person."""
        text = line.strip()
        if text.startswith("/"):
            return self._search(text[1:].strip())
        if text.isascii() and text.isdecimal():
            return self._jump(int(text[:9]))
        answer = self._answers().get(in_english(text).lower())
        return [words_replay.not_understood(text)] if answer is None else answer()

    def _answers(self) -> Mapping[str, Callable[[], Sequence[str]]]:
        cursor, step, seat = self.cursor, self.replay.steps[self.cursor.at], self.replay.seat
        moves = {
            ("", "n", "next"): cursor.next(),
            ("p", "previous"): cursor.previous(),
            ("r", "round"): cursor.next_round(),
            ("start",): cursor.go(0),
            ("end",): cursor.go(cursor.last),
        }
        answers: dict[str, Callable[[], Sequence[str]]] = {
            word: partial(self._moved, moved) for words, moved in moves.items() for word in words
        }
        return answers | {
            "hand": lambda: words_replay.hand_lines(step, seat),
            "hands": lambda: words_replay.hand_lines(step, seat),
            "table": lambda: words_replay.table_lines(step, seat),
            "help": words_replay.help_lines,
            "q": self._quit,
            "quit": self._quit,
        }

    def _quit(self) -> Sequence[str]:
        self.over = True
        return ()

    def _moved(self, cursor: Cursor) -> Sequence[str]:
        if cursor.at == self.cursor.at:
            return [words_replay.at_the_end() if cursor.at else words_replay.at_the_start()]
        self.cursor = cursor
        return self._step()

    def _jump(self, number: int) -> Sequence[str]:
        if not 1 <= number <= self.cursor.last + 1:
            return [words_replay.no_such_step(self.cursor.last + 1)]
        self.cursor = self.cursor.go(number - 1)
        return self._step()

    def _search(self, text: str) -> Sequence[str]:
        self._sought = text or self._sought
        found = self.cursor.find(fits(self.replay, self._sought)) if self._sought else None
        if found is None:
            return [words_replay.not_found(self._sought)]
        self.cursor = found
        return self._step()

    def _step(self) -> Sequence[str]:
        step, seat = self.replay.steps[self.cursor.at], self.replay.seat
        line = f"{self.cursor.at + 1}. {words_replay.step_text(step, seat)}"
        return [line, *words_replay.ending_lines(step, seat)]
