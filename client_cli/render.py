"""A view as lines of text. Pure; the sentences come from `words`.

Of the games, this is the `Layout` of Chuo Pai, and of any game whose views read like its.
"""

from collections.abc import Sequence
from math import ceil
from operator import itemgetter

from client_cli import vocabulary
from client_cli.input import cards_text
from client_cli.language import listed as in_a_row
from client_cli.speaker import Speaker
from client_cli.words import help_chuo_pai, not_your_turn
from client_cli.words_house_rules import named
from protocol.notation import Action, Card
from protocol.view import Prompt, TableView, Zone

HAS_CLAIMS = False
MOST_CHOICES_SHOWN = 12
"""Longer lists are too long to be listened to: they are cut in the question and listed in full, with the same numbers,
on request."""


def fact(view: TableView, label: str, seat: int | None = None) -> int | str | None:
    """The value of one public fact; with a `seat`, of that seat's."""
    facts = view.deal.facts if view.deal else ()
    return next((it.value for it in facts if it.label == label and (seat is None or it.seat == seat)), None)


def zone(view: TableView, name: str, seat: int | None = None) -> Zone | None:
    zones = view.deal.zones if view.deal else ()
    return next((it for it in zones if it.name == name and it.seat == seat), None)


def cards_in(zone: Zone | None) -> tuple[Card, ...]:
    return tuple(card for group in zone.groups for card in group.cards) if zone else ()


def numbered(prompt: Prompt) -> list[str]:
    """The choices as they are typed: without the verb where all share one."""
    verbs = {action.partition(" ")[0] for action in prompt.actions}
    shown = [cards_text(action) if len(verbs) == 1 else action for action in prompt.actions]
    return [f"{number}) {text}" for number, text in enumerate(map(vocabulary.shown, shown), start=1)]


def question(speaker: Speaker, prompt: Prompt) -> str:
    """The prompt in one line. Of many choices the longest are shown: the short ones are plain from the hand."""
    view = speaker.view
    choices = numbered(prompt)
    if len(choices) > MOST_CHOICES_SHOWN:
        longest = sorted(range(len(choices)), key=lambda at: -prompt.actions[at].count("+"))[:MOST_CHOICES_SHOWN]
        left_out = speaker.more_choices(len(choices) - MOST_CHOICES_SHOWN)
        choices = [*(choices[at] for at in sorted(longest)), left_out]
    shown = in_a_row(choices)
    highest = str(fact(view, "highest") or "")
    best = speaker.cards(highest.split("+")) if highest else ""
    owner = next((it.seat for it in view.deal.facts if it.label == "highest"), None) if view.deal else None
    return speaker.your_turn(shown, fact(view, "round") or "", best, owner, remaining_s(prompt))


def help_lines() -> Sequence[str]:
    return help_chuo_pai()


def remaining_s(prompt: Prompt) -> int | None:
    return None if prompt.remaining_ms is None else ceil(prompt.remaining_ms / 1000)


def choices(_speaker: Speaker, prompt: Prompt) -> Sequence[Action]:
    return prompt.actions


def listed(_speaker: Speaker, prompt: Prompt) -> Sequence[str]:
    return numbered(prompt)


def held_lines(speaker: Speaker) -> Sequence[str]:
    hand = hand_line(speaker)
    return [hand] if hand else []


def hand_line(speaker: Speaker) -> str | None:
    cards = cards_in(zone(speaker.view, "hand", speaker.seat)) if speaker.seat is not None else ()
    return speaker.hand(cards) if cards else None


def ending_lines(speaker: Speaker) -> Sequence[str]:
    """What everybody still held when the deal ended; nothing once the next deal is on the table."""
    if speaker.view.result is None:
        return ()
    hands = [(seat.seat, cards_in(zone(speaker.view, "hand", seat.seat))) for seat in speaker.view.seats]
    return (
        [speaker.hand_at_the_end(seat, " ".join(cards)) for seat, cards in hands]
        if any(map(itemgetter(1), hands))
        else ()
    )


def standing_line(speaker: Speaker) -> str:
    turn = fact(speaker.view, "turn")
    return speaker.to_act(turn) if isinstance(turn, int) and turn != speaker.seat else not_your_turn()


def house_rules(view: TableView) -> Sequence[str]:
    return [named(name, value) for name, value in sorted(view.room.options.items())]


def seat_lines(speaker: Speaker) -> list[str]:
    """Who sits where, with how many cards."""
    view = speaker.view
    hands = [(seat, zone(view, "hand", seat.seat)) for seat in view.seats]
    return [
        speaker.seat_line(seat, hand.count if hand else None, fact(view, "points", seat.seat)) for seat, hand in hands
    ]


def table_lines(speaker: Speaker) -> list[str]:
    """The whole table as a list: the room, each seat, and what lies in the round."""
    view = speaker.view
    lines = [speaker.room_line(fact(view, "round"), house_rules(view)), *seat_lines(speaker)]
    lying = zone(view, "round")
    if lying is not None:
        lines += [f"{speaker.who(group.seat)}: {speaker.cards(group.cards)}" for group in lying.groups]
    if isinstance(turn := fact(view, "turn"), int):
        lines.append(speaker.to_act(turn))
    return lines


def history_lines(speaker: Speaker, *, last_round: bool = False) -> list[str]:
    """Every public action of the deal, or of its newest round."""
    entries = speaker.view.deal.history if speaker.view.deal else ()
    before = []
    if last_round and entries:
        newest = entries[-1].partition(" ")[0]
        entries = tuple(entry for entry in entries if entry.partition(" ")[0] == newest)
        # Nothing has been played in the round that begins: the question is what happened just now.
        before = [speaker.round_before()] if newest != str(fact(speaker.view, "round")) else []
    return before + [speaker.played_line(entry) for entry in entries]


def card_lines(speaker: Speaker) -> Sequence[str]:
    """All cards of the game with their names, a family a line."""
    return [
        f"{family}: {', '.join(speaker.card_named(card, name) for card, name in members.items())}"
        for family, members in speaker.names.families.items()
    ]
