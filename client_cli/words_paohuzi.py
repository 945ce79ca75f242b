"""The sentences that only a table of Paohuzi needs; all others are in `words`.

Values in, one line out. Names come from other people: what is printed must go through `render.safe`.
"""

from collections.abc import Iterable, Mapping, Sequence

from client_cli import vocabulary
from client_cli.language import listed, rows_listed, sentences, tr, tr_later
from client_cli.speaker import Speaker
from client_cli.words import cards
from protocol.notation import Card
from protocol.view import Group, Result

KINDS: Mapping[str, str] = {
    "ti": tr_later("ti"),
    "pao": tr_later("pao"),
    "wei": tr_later("wei"),
    "kan": tr_later("kan"),
    "peng": tr_later("peng"),
    "chi": tr_later("chi"),
    "pair": tr_later("pair"),
}
"""The groups, as the wire calls them."""

PUBLIC: Mapping[str, tuple[str, str]] = {
    "revealed": (tr_later("{card}, revealed by you"), tr_later("{card}, revealed by {who}")),
    "discarded": (tr_later("{card}, discarded by you"), tr_later("{card}, discarded by {who}")),
}
"""The public card, and whose it is: the viewer's or another's."""


def help_paohuzi() -> tuple[str, ...]:
    return (
        tr("Discard: type the card (s3) or the number of the choice (1)."),
        tr("Claim: type win, pao, peng, chi s1+s2+s3, pass, or a number. Enter: ask again."),
        tr("hand: your cards and melds. table: melds, discards, and what lies there."),
        tr("cards: all cards. rules: how the game is played."),
        tr("last: what was played since your last turn. history: the whole deal."),
        tr("auto pass on, auto pass off: pass by itself where you cannot win, or ask."),
        tr("auto on, auto off: a bot plays for you, or you play yourself."),
        tr("While you are away a bot plays for you: a choice or Enter ends that."),
        tr("say TEXT: speak to all. ready: go on to the next deal."),
    )


def hand(speaker: Speaker, kans: Sequence[Group], loose: Sequence[tuple[str, Sequence[Card]]]) -> str:
    """`Your hand (5): kan s4四; small s2二; big b9玖`"""
    count = sum(len(kan.cards) for kan in kans) + sum(len(cards) for _, cards in loose)
    return tr("Your hand ({count}): {cards}", count=count, cards=laid_out(speaker, kans, loose))


def laid_out(speaker: Speaker, kans: Sequence[Group], loose: Sequence[tuple[str, Sequence[Card]]]) -> str:
    """The three cards of a kan are named once."""
    rows = [(kind("kan"), kan.cards[:1]) for kan in kans] + [(size.lower(), cards) for size, cards in loose]
    return rows_listed(f"{name} {' '.join(map(speaker.names.faced, cards))}".strip() for name, cards in rows)


def own_melds(speaker: Speaker, melds: Sequence[Group], own_huxi: int | str) -> str:
    return sentences(
        tr("Your melds: {groups}.", groups=groups(speaker, melds)) if melds else "",
        tr("Your huxi so far, with kans: {huxi}.", huxi=own_huxi),
    )


def melds_of(speaker: Speaker, seat: int, melds: Sequence[Group], huxi: int | str) -> str:
    shown = groups(speaker, melds)
    if seat == speaker.seat:
        return tr("Your melds, {huxi} huxi: {groups}.", huxi=huxi, groups=shown)
    return tr("Melds of {who}, {huxi} huxi: {groups}.", who=speaker.who(seat), huxi=huxi, groups=shown)


def kind(kind: str) -> str:
    """What a group is called; as the wire has it where only newer clients know it."""
    return tr(KINDS[kind]) if kind in KINDS else kind


def groups(speaker: Speaker, shown: Iterable[Group]) -> str:
    """`peng s5五 for 1, chi s1一+s2二+s3三 for 3`: identical cards are named once, and numbers stand apart."""
    named = ((f"{kind(group.kind or '')} {_cards(speaker, group)}", group.value or 0) for group in shown)
    return listed(tr("{group} for {huxi}", group=group, huxi=huxi) for group, huxi in named)


def _cards(speaker: Speaker, group: Group) -> str:
    return speaker.cards(group.cards if len(set(group.cards)) > 1 else group.cards[:1])


def discard(choices: Sequence[str], win: str | None, clock: str) -> str:
    """The question of a seat that owes a discard. `win`: the choice that wins at once, where there is one."""
    shown = listed(choices)
    if win is None:
        return tr("Your turn{clock}. Discard: {choices}", clock=clock, choices=shown)
    if not choices:
        return tr("YOU CAN WIN NOW{clock}: {win}", clock=clock, win=win)
    return tr("YOU CAN WIN NOW{clock}: {win}. Or discard: {choices}", clock=clock, win=win, choices=shown)


def claim(card: str, choices: Sequence[str], *, wins: bool, clock: str) -> str:
    """`card`: as `public_card` has it."""
    shown = listed(choices)
    if wins:
        return tr("YOU CAN WIN: {card}{clock}. {choices}", card=card, clock=clock, choices=shown)
    return tr("You can claim it: {card}{clock}. {choices}", card=card, clock=clock, choices=shown)


def public_card(speaker: Speaker, group: Group) -> str:
    """`b7柒, revealed by Budi`"""
    card = speaker.cards(group.cards)
    if group.kind not in PUBLIC:
        return tr("{card}, the dealer's, face up", card=card)
    yours, others = PUBLIC[group.kind]
    return tr(yours, card=card) if speaker.is_you(group.seat) else tr(others, card=card, who=speaker.who(group.seat))


def standing(card: str) -> str:
    return tr("You have nothing to decide now. In question: {card}.", card=card)


def question_card(card: str) -> str:
    return tr("In question: {card}.", card=card)


def dealer(speaker: Speaker, seat: int, card: Card) -> str:
    shown = speaker.cards([card])
    if seat == speaker.seat:
        return tr("You are the dealer; the card that was dealt face up: {card}.", card=shown)
    return tr("{who} is the dealer; the card that was dealt face up: {card}.", who=speaker.who(seat), card=shown)


def discards(speaker: Speaker, seat: int, cards: Sequence[Card]) -> str:
    shown = " ".join(map(speaker.names.faced, cards))
    if seat == speaker.seat:
        return tr("Your discards: {cards}.", cards=shown)
    return tr("Discards of {who}: {cards}.", who=speaker.who(seat), cards=shown)


def no_discards() -> str:
    return tr("There are no discards.")


def discards_of(speaker: Speaker, seat: int, cards: str) -> str:
    if seat == speaker.seat:
        return tr("Your discards: {cards}", cards=cards)
    return tr("Discards of {who}: {cards}", who=speaker.who(seat), cards=cards)


def stock(count: int) -> str:
    return tr("Stock: {cards}.", cards=cards(count))


def dead(speaker: Speaker, seats: Sequence[int]) -> str:
    return tr("Dead hands, which can no longer win: {names}.", names=listed(map(speaker.whom, seats)))


def barred(speaker: Speaker, cards: Sequence[Card]) -> str:
    return tr("You may no longer chi or peng: {cards}.", cards=" ".join(map(speaker.names.faced, cards)))


def winning_groups(speaker: Speaker, result: Result) -> str:
    return tr(
        "What counts: {groups}. Together {huxi} huxi, that is {tun} tun.",
        groups=groups(speaker, result.groups),
        huxi=result.huxi,
        tun=result.tun,
    )


def payments(speaker: Speaker, result: Result) -> str:
    """Who pays whom, from the scores."""
    winner = next(iter(result.winners))
    return sentences(
        *(_payment(speaker, seat, winner, -points) for seat, points in enumerate(result.scores) if points < 0)
    )


def _payment(speaker: Speaker, seat: int, winner: int, points: int) -> str:
    if seat == speaker.seat:
        return tr("You pay {points} to {winner}.", points=points, winner=speaker.who(winner))
    if winner == speaker.seat:
        return tr("{who} pays you {points}.", points=points, who=speaker.who(seat))
    return tr("{who} pays {points} to {winner}.", points=points, who=speaker.who(seat), winner=speaker.who(winner))


def played(speaker: Speaker, seat: int, verb: str, groups: Sequence[Sequence[Card]]) -> str:
    """One entry of the history."""
    return f"{speaker.who(seat)}: {' '.join([vocabulary.shown(verb), *map(speaker.cards, groups)])}"
