"""A view of Paohuzi as lines of text: the `Layout` of that game. Pure; the sentences come from `words_paohuzi`."""

from collections.abc import Sequence

from client_cli import vocabulary
from client_cli import words_paohuzi as say
from client_cli.render import cards_in, fact, house_rules, remaining_s, seat_lines, zone
from client_cli.speaker import Speaker
from client_cli.words import clock, not_your_turn, passing_on
from protocol.notation import Action, Card, groups_of, join
from protocol.view import Group, Prompt, TableView, Zone

HAS_CLAIMS = True
WIN = "win"
COPIES_CLAIMED = {"peng": 3, "pao": 4}
"""How many identical cards the public card and its like make: of claims that name no cards."""


def help_lines() -> Sequence[str]:
    return say.help_paohuzi()


def held_lines(speaker: Speaker) -> Sequence[str]:
    """The own hand in its groups, and what is on the table of it; nothing for a spectator."""
    view = speaker.view
    hand = zone(view, "hand", speaker.seat)
    if speaker.seat is None or hand is None:
        return ()
    melds = _groups(zone(view, "melds", speaker.seat))
    own_huxi = fact(view, "own_huxi", speaker.seat) or 0
    lines = [say.hand(speaker, *_sorted(speaker, hand))] if hand.groups else []
    return [*lines, say.own_melds(speaker, melds, own_huxi)] if melds or own_huxi else lines


def choices(speaker: Speaker, prompt: Prompt) -> Sequence[Action]:
    """The actions with all the cards that they lay down: `peng b7+b7+b7`."""
    card = cards_in(zone(speaker.view, "public"))[:1]
    return [
        f"{action} {join(card * COPIES_CLAIMED[action])}" if card and action in COPIES_CLAIMED else action
        for action in prompt.actions
    ]


def listed(speaker: Speaker, prompt: Prompt) -> Sequence[str]:
    """The choices with their numbers; discards as cards alone."""
    shown = (vocabulary.shown(text.removeprefix("discard ")) for text in choices(speaker, prompt))
    return [f"{number}) {text}" for number, text in enumerate(shown, start=1)]


def question(speaker: Speaker, prompt: Prompt) -> str:
    """The prompt in one line."""
    numbered = listed(speaker, prompt)
    wins = [text for text, action in zip(numbered, prompt.actions, strict=True) if action == WIN]
    rest = [text for text, action in zip(numbered, prompt.actions, strict=True) if action != WIN]
    public, left = _public(speaker.view), clock(remaining_s(prompt))
    if public is None or public.kind == "dealt":
        return say.discard(rest, wins[0] if wins else None, left)
    return say.claim(say.public_card(speaker, public), [*wins, *rest], wins=bool(wins), clock=left)


def table_lines(speaker: Speaker) -> Sequence[str]:
    """The room, each seat and its melds, what lies on the table, and what only the viewer may know."""
    view = speaker.view
    lines = [speaker.room_line(None, house_rules(view)), *seat_lines(speaker)]
    if view.you is not None and view.you.auto_pass:
        lines.append(passing_on())
    if view.deal is None:
        return lines
    lines += [
        say.melds_of(speaker, seat.seat, melds, fact(view, "huxi", seat.seat) or 0)
        for seat in view.seats
        if (melds := _groups(zone(view, "melds", seat.seat)))
    ]
    lines += [say.discards(speaker, *each) for each in _discards(view)] or [say.no_discards()]
    if dead := [it.seat for it in view.deal.facts if it.label == "dead" and it.seat is not None]:
        lines.append(say.dead(speaker, dead))
    if barred := fact(view, "barred", speaker.seat):
        lines.append(say.barred(speaker, str(barred).split("+")))
    if (stock := zone(view, "stock")) is not None:
        lines.append(say.stock(stock.count))
    return [*lines, *_dealer_lines(speaker), *_turn_lines(speaker)]


def _dealer_lines(speaker: Speaker) -> Sequence[str]:
    seat, card = fact(speaker.view, "dealer"), fact(speaker.view, "dealer_card")
    return [say.dealer(speaker, seat, str(card))] if isinstance(seat, int) and card else []


def _turn_lines(speaker: Speaker) -> Sequence[str]:
    public, turn = _public(speaker.view), fact(speaker.view, "turn")
    if not isinstance(turn, int):
        return []
    if public is not None and public.kind != "dealt":
        return [say.question_card(say.public_card(speaker, public))]
    return [speaker.to_act(turn)]


def ending_lines(speaker: Speaker) -> Sequence[str]:
    """How the deal ended, group by group, and all hands; nothing once the next deal is on the table."""
    view = speaker.view
    if view.result is None:
        return ()
    won = [say.winning_groups(speaker, view.result), say.payments(speaker, view.result)] if view.result.winners else []
    hands = ((seat.seat, zone(view, "hand", seat.seat)) for seat in view.seats)
    return won + [
        speaker.hand_at_the_end(seat, say.laid_out(speaker, *_sorted(speaker, hand)))
        for seat, hand in hands
        if hand is not None
    ]


def history_lines(speaker: Speaker, *, last_round: bool = False) -> Sequence[str]:
    """Every discard and claim of the deal, or those from the viewer's last one on."""
    entries = speaker.view.deal.history if speaker.view.deal else ()
    if last_round:
        own = [place for place, entry in enumerate(entries) if entry.split(" ")[1:2] == [str(speaker.seat)]]
        entries = entries[own[-1] if own else 0 :]
    return [_played_line(speaker, entry) for entry in entries]


def _played_line(speaker: Speaker, entry: str) -> str:
    """As it is if it is not `ROUND SEAT ACTION`."""
    match entry.split(" ", 2):
        case [_, ("0" | "1" | "2") as seat, action]:
            return say.played(speaker, int(seat), action.split(" ")[0], groups_of(action))
        case _:
            return entry


def standing_line(speaker: Speaker) -> str:
    """What goes on while the viewer is asked nothing."""
    public, turn = _public(speaker.view), fact(speaker.view, "turn")
    if public is not None and public.kind != "dealt":
        return say.standing(say.public_card(speaker, public))
    return speaker.to_act(turn) if isinstance(turn, int) and turn != speaker.seat else not_your_turn()


def _groups(zone: Zone | None) -> Sequence[Group]:
    return zone.groups if zone else ()


def _public(view: TableView) -> Group | None:
    return next(iter(_groups(zone(view, "public"))), None)


def _sorted(speaker: Speaker, hand: Zone) -> tuple[Sequence[Group], Sequence[tuple[str, Sequence[Card]]]]:
    """The kans, and the loose cards by size."""
    kans = [group for group in hand.groups if group.kind == "kan"]
    loose = [card for group in hand.groups if group.kind != "kan" for card in group.cards]
    return kans, speaker.names.laid_out(loose)


def _discards(view: TableView) -> Sequence[tuple[int, Sequence[Card]]]:
    """Of each seat that has any."""
    lying = _groups(zone(view, "discards"))
    by_seat = [
        (it.seat, [card for group in lying if group.seat == it.seat for card in group.cards]) for it in view.seats
    ]
    return [(seat, cards) for seat, cards in by_seat if cards]
