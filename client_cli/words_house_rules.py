"""What the rules of the house are called. Of rules that only newer servers know, what the server says itself."""

from collections.abc import Callable, Mapping

from client_cli import words
from client_cli.language import tr
from protocol.messages import HouseRule
from protocol.view import OptionValue

_TITLES: Mapping[str, Callable[[], str]] = {
    "max_combination": lambda: tr("Largest combination"),
    "dealer_opening_win": lambda: tr("Dealer may win at once"),
    "chi_passed_reveal": lambda: tr("Chi of a revealed card"),
}
_MEANINGS: Mapping[str, Callable[[], str]] = {
    "max_combination": lambda: tr("The most cards that a combination of partners may have."),
    "dealer_opening_win": lambda: tr("The dealer may win before the first discard, with the cards that were dealt."),
    "chi_passed_reveal": lambda: tr(
        "A revealed card may also be taken by chi by the next player. The player who revealed it goes first."
    ),
}


def title(name: str) -> str:
    """Of the rule with this name."""
    return _TITLES.get(name, lambda: name)()


def named(name: str, value: OptionValue) -> str:
    """`Largest combination: 4`"""
    return tr("{rule}: {value}", rule=title(name), value=words.option(value))


def meaning(rule: HouseRule) -> str:
    return _MEANINGS.get(rule.name, lambda: rule.text)()
