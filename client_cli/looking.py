"""The words with which a person looks at the table, and what they show. Pure."""

from collections.abc import Callable, Mapping, Sequence

from client_cli import render, words, words_advice, words_remaining, words_replay, words_rules
from client_cli.layouts import layout_of
from client_cli.speaker import Speaker
from protocol.notation import groups_of
from protocol.view import Prompt


def looks(
    speaker: Speaker, prompt: Prompt | None, points: Mapping[int, Sequence[int]], rest: str
) -> dict[str, Callable[[], Sequence[str]]]:
    """What each word shows, with the `rest` of its line. `prompt`: the open question. `points`: of deals, by number."""
    layout = layout_of(speaker.view.room.game)
    return {
        "hand": lambda: layout.held_lines(speaker) or [words.no_hand()],
        "cards": lambda: render.card_lines(speaker),
        "remaining": lambda: words_remaining.remaining_lines(speaker),
        "table": lambda: layout.table_lines(speaker),
        "history": lambda: layout.history_lines(speaker) or [words.nothing_yet()],
        "last": lambda: (
            words_replay.deals(speaker, points)
            if rest.lower() == "deals"
            else layout.history_lines(speaker, last_round=True) or [words.nothing_yet()]
        ),
        "rules": lambda: words_rules.answer(speaker.view.room.game, rest),
        "actions": lambda: _choices(speaker, prompt, rest),
        "emotes": lambda: [words_advice.emotes()],
    }


def _choices(speaker: Speaker, prompt: Prompt | None, text: str) -> Sequence[str]:
    """With their numbers, a line each; only those with all the cards of `text`, if it names any."""
    layout = layout_of(speaker.view.room.game)
    if prompt is None:
        return [words.not_your_turn()]
    wanted = set(speaker.names.unfaced(text).replace("+", " ").split())
    choices = zip(layout.listed(speaker, prompt), layout.choices(speaker, prompt), strict=True)
    found = [line for line, action in choices if wanted <= {card for group in groups_of(action) for card in group}]
    return found or [words.no_choice_with(text)]


def help_lines(game: Sequence[str], *, private: bool, opens: bool) -> tuple[str, ...]:
    """All words, those of the `game` first. `private`: the game ends with the program. `opens`: as its host, a room."""
    going = words.help_private() if private else words.help_going()
    return (
        *game,
        words.help_choices(),
        *words_advice.help_advice(),
        words_remaining.help_line(),
        words.help_save(),
        *words_replay.help_in_a_room(),
        going,
        *(words.help_host() if opens else ()),
    )
