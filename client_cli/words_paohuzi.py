"""The English sentences that only a table of Paohuzi needs; all others are in `words`.

Values in, one line out. Names come from other people: what is printed must go through `render.safe`.
"""

from collections.abc import Iterable, Sequence

from client_cli.words import Speaker
from protocol.notation import Card
from protocol.view import Group, Result

HELP = (
    "Discard: type the card (s3) or the number of the choice (1).",
    "Claim: type win, pao, peng, chi s1+s2+s3, pass, or a number. Enter: ask again.",
    "hand: your cards and melds. table: melds, discards, and what lies there.",
    "cards: all cards. actions: all choices. rules: how the game is played.",
    "last: what was played since your last turn. history: the whole deal.",
    "auto pass on, auto pass off: pass by itself where you cannot win, or ask.",
    "auto on, auto off: a bot plays for you, or you play yourself.",
    "While you are away a bot plays for you: a choice or Enter ends that.",
    "say TEXT: speak to all. ready: go on to the next deal.",
)


def hand(speaker: Speaker, kans: Sequence[Group], loose: Sequence[tuple[str, Sequence[Card]]]) -> str:
    """`Your hand (5): kan s4四 s4四 s4四 | small s2二* | big b9玖`"""
    count = sum(len(kan.cards) for kan in kans) + sum(len(cards) for _, cards in loose)
    return f"Your hand ({count}): {laid_out(speaker, kans, loose)}"


def laid_out(speaker: Speaker, kans: Sequence[Group], loose: Sequence[tuple[str, Sequence[Card]]]) -> str:
    rows = [("kan", kan.cards) for kan in kans] + [(size.lower(), cards) for size, cards in loose]
    return " | ".join(f"{name} {' '.join(map(speaker.names.marked, cards))}".strip() for name, cards in rows)


def own_melds(speaker: Speaker, melds: Sequence[Group], own_huxi: int | str) -> str:
    laid = f"Your melds: {groups(speaker, melds)}. " if melds else ""
    return f"{laid}Your huxi so far, with kans: {own_huxi}."


def melds_of(speaker: Speaker, seat: int, melds: Sequence[Group], huxi: int | str) -> str:
    whose = "Your melds" if seat == speaker.seat else f"Melds of {speaker.who(seat)}"
    return f"{whose}, {huxi} huxi: {groups(speaker, melds)}."


def groups(speaker: Speaker, shown: Iterable[Group]) -> str:
    """`peng s5五 1, chi s1一+s2二+s3三 3`: identical cards are named once."""
    return ", ".join(f"{group.kind} {_cards(speaker, group)} {group.value or 0}" for group in shown)


def _cards(speaker: Speaker, group: Group) -> str:
    return speaker.cards(group.cards if len(set(group.cards)) > 1 else group.cards[:1])


def _whom(speaker: Speaker, seat: int | None) -> str:
    return "you" if seat is not None and seat == speaker.seat else speaker.who(seat)


def discard(choices: Sequence[str], win: str | None, clock: str) -> str:
    """The question of a seat that owes a discard. `win`: the choice that wins at once, where there is one."""
    if win is None:
        return f"Your turn{clock}. Discard: {'  '.join(choices)}"
    rest = f". Or discard: {'  '.join(choices)}" if choices else ""
    return f"YOU CAN WIN NOW{clock}: {win}{rest}"


def claim(card: str, choices: Sequence[str], *, wins: bool, clock: str) -> str:
    """`card`: as `public_card` has it."""
    return f"{'YOU CAN WIN' if wins else 'You can claim it'}: {card}{clock}. {'  '.join(choices)}"


def public_card(speaker: Speaker, group: Group) -> str:
    """`b7柒, revealed by Budi`"""
    by = "the dealer's, face up" if group.kind == "dealt" else f"{group.kind} by {_whom(speaker, group.seat)}"
    return f"{speaker.cards(group.cards)}, {by}"


def standing(card: str) -> str:
    return f"You have nothing to decide now. In question: {card}."


def question_card(card: str) -> str:
    return f"In question: {card}."


def dealer(speaker: Speaker, seat: int, card: Card) -> str:
    are = "You are the dealer" if seat == speaker.seat else f"{speaker.who(seat)} is the dealer"
    return f"{are}; the card that was dealt face up: {speaker.cards([card])}."


def discards(speaker: Speaker, by_seat: Sequence[tuple[int, Sequence[Card]]]) -> str:
    rows = (f"{speaker.who(seat)} {' '.join(map(speaker.names.faced, cards))}" for seat, cards in by_seat if cards)
    return f"Discards: {' | '.join(rows) or 'none'}."


def stock(count: int) -> str:
    return f"Stock: {count} card{'' if count == 1 else 's'}."


def dead(speaker: Speaker, seats: Sequence[int]) -> str:
    return f"Dead hands, which can no longer win: {', '.join(_whom(speaker, seat) for seat in seats)}."


def barred(speaker: Speaker, cards: Sequence[Card]) -> str:
    return f"You may no longer chi or peng: {' '.join(map(speaker.names.faced, cards))}."


def winning_groups(speaker: Speaker, result: Result) -> str:
    return f"What counts: {groups(speaker, result.groups)}. Together {result.huxi} huxi, that is {result.tun} tun."


def payments(speaker: Speaker, result: Result) -> str:
    """Who pays whom, from the scores."""
    winner = next(iter(result.winners))
    paying = [
        f"{speaker.who(seat)} {'pay' if seat == speaker.seat else 'pays'} {-points}"
        for seat, points in enumerate(result.scores)
        if points < 0
    ]
    return f"{' and '.join(paying)} to {_whom(speaker, winner)}."


def hand_at_the_end(speaker: Speaker, seat: int, laid_out: str) -> str:
    whose = "Your hand" if seat == speaker.seat else f"Hand of {speaker.who(seat)}"
    return f"{whose}: {laid_out or 'nothing'}"


def played(speaker: Speaker, seat: int, verb: str, groups: Sequence[Sequence[Card]]) -> str:
    """One entry of the history."""
    return f"{speaker.who(seat)}: {' '.join([verb, *map(speaker.cards, groups)])}"
