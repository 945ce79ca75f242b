"""The rows of the house rules of a game, in every form that sets up a table."""

from collections.abc import Callable, Iterator

from client_cli import words, words_house_rules
from client_cli.commands.host import house_rules
from client_cli.house_rules import HouseRules
from client_cli.language import tr
from client_cli.tui.lobby.rows_screen import Row
from protocol.messages import HouseRule
from protocol.view import OptionValue

Chosen = dict[str, OptionValue]
"""What differs from the defaults."""

Choose = Callable[[Chosen], None]


def rule_rows(known: HouseRules | None, game: str, chosen: Chosen, choose: Choose) -> Iterator[Row]:
    """`known`: None while the server is being asked. Rules that a server does not tell are typed."""
    if known is None:
        yield Row("rules", tr("House rules"), tr("asking for them ..."), sign=" ")
    elif game not in known:
        typed = ", ".join(f"{name}={words.option(value)}" for name, value in chosen.items())
        yield Row(
            "rules",
            tr("House rules"),
            typed or tr("the usual ones"),
            tr("This server does not tell which there are. Type them as NAME=VALUE, with commas between."),
            typed=lambda line: choose(house_rules([pair.strip() for pair in line.split(",") if pair.strip()])),
            text=typed,
        )
    else:
        for rule in known[game]:
            yield _row(rule, chosen, choose)


def _row(rule: HouseRule, chosen: Chosen, choose: Choose) -> Row:
    now = chosen.get(rule.name, rule.default)

    def take(value: OptionValue) -> None:
        others = {name: other for name, other in chosen.items() if name != rule.name}
        choose(others if value == rule.default else {**others, rule.name: value})

    def step(steps: int) -> None:
        if rule.least is None or rule.most is None:
            take(not now)
        else:
            take(rule.least + (int(now) + steps - rule.least) % (rule.most - rule.least + 1))

    return Row(
        f"rule {rule.name}",
        words_house_rules.title(rule.name),
        words.option(now),
        words_house_rules.meaning(rule),
        change=step,
    )


def known_rules(known: HouseRules | None, game: str, chosen: Chosen) -> Chosen:
    """Of the chosen rules, those that this server has; all where it does not tell."""
    if known is None or game not in known:
        return chosen
    names = {rule.name for rule in known[game]}
    return {name: value for name, value in chosen.items() if name in names}
