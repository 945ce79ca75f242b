"""What is said about the rules pages beside what stands in them; and the answer to `rules` at a table."""

from collections.abc import Sequence

from client_cli.language import current_language, listed, tr
from client_cli.rules import places_of, rules_page
from client_cli.rules.page import Line, Page
from client_cli.text import clipped
from client_cli.vocabulary import in_english, shown

ALL = "all"


def sections(page: Page) -> str:
    return tr("Sections: {headings}", headings=listed(page.headings()))


def one_of_them(command: str) -> str:
    """How a part is asked for. `command`: what the whole is asked for with."""
    return tr("For one of them, or for a word: {command} 5, {command} score.", command=command)


def nothing_about(topic: str) -> str:
    return tr("The rules have nothing about '{topic}'.", topic=clipped(topic))


def answer(game: str, topic: str) -> Sequence[str]:
    """To `rules TOPIC`: a part of the page, the whole for `all`, and how to ask for `""`; nothing without a page."""
    page = rules_page(game, current_language())
    if page is None:
        return []
    if not topic:
        rules = shown("rules")
        whole = tr("For the whole page: {command} all.", command=rules)
        return [page.title, sections(page), one_of_them(rules), whole]
    lines = (
        page.lines() if in_english(topic.lower()) == ALL else page.excerpt(places_of(topic, game, current_language()))
    )
    return [_as_one(line) for line in lines if line.text] or [nothing_about(topic), sections(page)]


def _as_one(line: Line) -> str:
    return " " * line.margin + line.marker + line.text
