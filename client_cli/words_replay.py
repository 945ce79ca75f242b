"""What is said of a replay. As in `words`: values in, lines out; each step in the words of a played game."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from client_cli.language import listed, rows_listed, sentences, tr, tr_n
from client_cli.layouts import layout_of
from client_cli.records import Wanted
from client_cli.render import house_rules, zone
from client_cli.replay import Acted, Replay, ReplayStep
from client_cli.speaker import Speaker
from client_cli.text import clipped
from client_cli.vocabulary import shown
from client_cli.words import not_saved
from client_cli.words_happenings import happened
from client_cli.words_paohuzi import kind
from protocol.notation import groups_of
from protocol.view import Zone


def help_lines() -> Sequence[str]:
    return (
        tr("Enter or n: the next step. p: the one before. A number: that step."),
        tr("r: the next round or turn. start, end: the first step, the last."),
        tr("/TEXT: the next step that says it, or has that card. /: search again."),
        tr("hands: all hands now. table: what lies there. q: stop."),
    )


def heading(replay: Replay) -> str:
    """Which game, under which house rules."""
    view = replay.steps[0].view
    title = Speaker(view, replay.seat).names.title()
    return tr_n(
        "Replay of {game}, {count} step, with all hands.",
        "Replay of {game}, {count} steps, with all hands.",
        len(replay.steps),
        game=listed((title, *house_rules(view))),
    )


def step_sentences(step: ReplayStep, seat: int | None) -> Sequence[str]:
    """What happened, as everybody at the table was told it; of an answer that was secret then, what it was."""
    speaker = Speaker(step.view, seat)
    told = [line for it in step.happened if (line := happened(speaker, it)) is not None]
    return told or ([_answer(speaker, step.action)] if step.action else [])


def step_text(step: ReplayStep, seat: int | None) -> str:
    """The step in one line."""
    return sentences(*step_sentences(step, seat))


def _answer(speaker: Speaker, acted: Acted) -> str:
    verb = shown(acted.action.partition(" ")[0])
    action = " ".join([verb, *map(speaker.cards, groups_of(acted.action))])
    if acted.seat == speaker.seat:
        return tr("You answer: {action}.", action=action)
    return tr("{who} answers: {action}.", who=speaker.who(acted.seat), action=action)


def hand_lines(step: ReplayStep, seat: int | None) -> Sequence[str]:
    """What each seat holds, a line each."""
    speaker = Speaker(step.view, seat)
    hands = [(each.seat, zone(step.view, "hand", each.seat)) for each in step.view.seats]
    return [_hand(speaker, owner, hand) for owner, hand in hands if hand is not None]


def _hand(speaker: Speaker, seat: int, hand: Zone) -> str:
    locked = [(kind(group.kind), group.cards[:1]) for group in hand.groups if group.kind != "hand"]
    loose = [card for group in hand.groups if group.kind == "hand" for card in group.cards]
    rows = [*locked, *speaker.names.laid_out(loose)]
    cards = rows_listed(f"{name} {' '.join(map(speaker.names.faced, row))}".strip() for name, row in rows)
    if seat == speaker.seat:
        return tr("Your hand ({count}): {cards}", count=hand.count, cards=cards or tr("nothing"))
    return tr("Hand of {who} ({count}): {cards}", who=speaker.who(seat), count=hand.count, cards=cards or tr("nothing"))


def table_lines(step: ReplayStep, seat: int | None) -> Sequence[str]:
    """The table without its room, and without totals of its match: a record is of one deal."""
    view = replace(step.view, room=replace(step.view.room, deals=1))
    return layout_of(view.room.game).table_lines(Speaker(view, seat))[1:]


def ending_lines(step: ReplayStep, seat: int | None) -> Sequence[str]:
    """How the deal ended, with all hands; nothing unless it has."""
    return layout_of(step.view.room.game).ending_lines(Speaker(step.view, seat))


def not_found(text: str) -> str:
    return tr("No other step has '{text}'.", text=clipped(text))


def no_such_step(count: int) -> str:
    return tr("There are steps from 1 to {count}.", count=count)


def not_understood(text: str) -> str:
    return tr("'{text}' means nothing here. Type help for help.", text=clipped(text))


def at_the_end() -> str:
    return tr("This is the last step. q: stop. start: from the beginning.")


def at_the_start() -> str:
    return tr("This is the first step.")


# In the room where the deals were played


def help_in_a_room() -> Sequence[str]:
    return (
        tr("replay, replay DEAL: a deal that is over, step by step with all hands."),
        tr("last deals: the deals that are over."),
    )


def deals(speaker: Speaker, points: Mapping[int, Sequence[int]]) -> Sequence[str]:
    """The deals of the room that are over, each with its points, where this viewer has seen them."""
    room = speaker.view.room
    over = range(1, room.deal + (speaker.view.result is not None))
    if not over:
        return [tr("No deal of this room is over yet.")]
    return [
        tr("Deal {deal}: {points}.", deal=deal, points=speaker.scores(points[deal]))
        if deal in points
        else tr("Deal {deal}.", deal=deal)
        for deal in over
    ] + [tr("Type replay and the number of a deal to see it with all hands.")]


def no_such_deal(deals: int) -> str:
    if not deals:
        return tr("No deal has begun yet.")
    return tr("Type it as: replay DEAL, where DEAL is a number from 1 to {deals}", deals=deals)


def will_be_replayed(deal: int) -> str:
    return tr("Deal {deal} will be shown when it is over.", deal=deal)


def not_fetched(wanted: Wanted) -> str:
    """Of a record that the connection was lost for."""
    if wanted.file is not None:
        return not_saved()
    return tr("The deal cannot be replayed: the connection to the server is lost.")
