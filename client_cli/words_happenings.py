"""One sentence for each kind of happening: for whoever does it, and for all others. As in `words`."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from client_cli import words_fair
from client_cli.language import sentences, tr, tr_later
from client_cli.speaker import Speaker
from client_cli.words import AWAY, HOST_ASKED, points, room_closed
from protocol.view import Happening

LEADS = (tr_later("You lead."), tr_later("{who} leads."))
FIRST: Mapping[str, tuple[str, str]] = {"paohuzi": (tr_later("You are the dealer."), tr_later("{who} is the dealer."))}
"""What it means to begin a deal, in games where that is not to lead."""

HEAVENLY: Mapping[str, tuple[str, str]] = {
    "heavenly-ti": (
        tr_later("You win at the deal, with three ti or more: a heavenly win."),
        tr_later("{who} wins at the deal, with three ti or more: a heavenly win."),
    ),
    "heavenly-kan": (
        tr_later("You win at the deal, with five kan or more: a heavenly win."),
        tr_later("{who} wins at the deal, with five kan or more: a heavenly win."),
    ),
}
BONUS = (tr_later("You score an opening bonus: {cards}."), tr_later("{who} scores an opening bonus: {cards}."))
"""Of servers that do not say how much it is."""

BONUS_POINTS = (
    tr_later("You score an opening bonus with {cards}: {points}."),
    tr_later("{who} scores an opening bonus with {cards}: {points}."),
)
WON_WITH = (tr_later("You win with {cards}."), tr_later("{who} wins with {cards}."))
WON_IN_HAND = (tr_later("You win with the cards in hand."), tr_later("{who} wins with the cards in hand."))


def happened(speaker: Speaker, happening: Happening) -> str | None:
    """One line, or None for a kind that this client does not know."""
    sentence = _HAPPENINGS.get(happening.kind)
    return sentence(speaker, happening) if sentence else None


def _by(you: str, other: str) -> Callable[[Speaker, Happening], str]:
    """A sentence whose subject is the happening's seat, in the second and in the third person."""

    def sentence(speaker: Speaker, it: Happening) -> str:
        return tr(
            you if speaker.is_you(it.seat) else other,
            who=speaker.who(it.seat, it.name),
            cards=speaker.cards(it.cards),
            card=speaker.cards(it.cards[:1]),
            huxi=_huxi_of(speaker, it),
            points=points(it.value or 0),
            number=(it.seat or 0) + 1,
        )

    return sentence


def _deal_started(speaker: Speaker, it: Happening) -> str:
    begins = tr("Deal {deal} of {deals} begins.", deal=it.value or 1, deals=speaker.view.room.deals)
    first = _by(*FIRST.get(speaker.names.game, LEADS))
    return sentences(begins, "" if it.seat is None else first(speaker, it))


def _deal_over(speaker: Speaker, it: Happening) -> str:
    result = speaker.view.result
    return sentences(
        tr("Deal {deal} of {deals} is over.", deal=it.value or 1, deals=speaker.view.room.deals),
        tr("Points: {scores}.", scores=speaker.scores(it.scores)),
        speaker.winners(result.winners, "deal") if result and result.scores == it.scores else "",
    )


def _won(speaker: Speaker, it: Happening) -> str:
    pair = HEAVENLY.get(it.name) or (WON_WITH if it.cards else WON_IN_HAND)
    return _by(*pair)(speaker, replace(it, name=""))


def _huxi_of(speaker: Speaker, it: Happening) -> str:
    """What a meld counts, as long as it lies on the table."""
    zones = speaker.view.deal.zones if speaker.view.deal else ()
    melds = (meld for zone in zones if (zone.name, zone.seat) == ("melds", it.seat) for meld in zone.groups)
    value = next((meld.value for meld in melds if (meld.kind, meld.cards) == (it.kind, it.cards)), None)
    return "" if value is None else tr(": {count} huxi", count=value)


def _match_over(speaker: Speaker, it: Happening) -> str:
    best = [seat for seat, total in enumerate(it.scores) if total == max(it.scores)]
    return sentences(
        tr("The match is over."),
        tr("Totals: {scores}.", scores=speaker.scores(it.scores)),
        speaker.winners(best, "match"),
    )


_HAPPENINGS: dict[str, Callable[[Speaker, Happening], str]] = {
    "sat": _by(tr_later("You sit down on seat {number}."), tr_later("{who} sits down on seat {number}.")),
    "bot_sat": _by(tr_later("A bot takes your seat."), tr_later("A bot, {who}, takes seat {number}.")),
    "left": _by(tr_later("You have left."), tr_later("{who} has left.")),
    "removed": _by(tr_later("You have been taken off your seat."), tr_later("{who} has been taken off seat {number}.")),
    "host": _by(tr_later("You are the host now."), tr_later("{who} is the host now.")),
    "match_started": lambda _speaker, _it: tr("The match begins."),
    "void": words_fair.void,
    "deal_started": _deal_started,
    "host_asked": _by(HOST_ASKED, tr_later("{who}, the host, is asked whether they are still there.")),
    "away": _by(AWAY, tr_later("{who} is away: a bot plays meanwhile.")),
    "back": _by(tr_later("You are back."), tr_later("{who} is back.")),
    "autopilot_on": _by(tr_later("A bot plays for you now."), tr_later("A bot plays for {who} now.")),
    "autopilot_off": _by(tr_later("You play yourself again."), tr_later("{who} plays again.")),
    "ready": _by(tr_later("You are ready for the next deal."), tr_later("{who} is ready for the next deal.")),
    "deal_over": _deal_over,
    "match_over": _match_over,
    "closed": lambda _speaker, _it: room_closed(),
    "bonus": lambda speaker, it: _by(*(BONUS if it.value is None else BONUS_POINTS))(speaker, it),
    "led": _by(tr_later("You lead {cards}."), tr_later("{who} leads {cards}.")),
    "played": _by(tr_later("You play {cards}."), tr_later("{who} plays {cards}.")),
    "passed": _by(tr_later("You pass."), tr_later("{who} passes.")),
    "round_won": _by(
        tr_later("You win the round with {cards}: {points}."), tr_later("{who} wins the round with {cards}: {points}.")
    ),
    "leads": _by(tr_later("You lead the next round."), tr_later("{who} leads the next round.")),
    "dealt_public": _by(
        tr_later("Your last card is dealt face up: {cards}."),
        tr_later("The last card of {who} is dealt face up: {cards}."),
    ),
    "ti": _by(tr_later("You lay a ti of {card}{huxi}."), tr_later("{who} lays a ti of {card}{huxi}.")),
    "wei": _by(tr_later("You lay a wei of {card}{huxi}."), tr_later("{who} lays a wei of {card}{huxi}.")),
    "pao": _by(tr_later("You lay a pao of {card}{huxi}."), tr_later("{who} lays a pao of {card}{huxi}.")),
    "peng": _by(tr_later("You lay a peng of {card}{huxi}."), tr_later("{who} lays a peng of {card}{huxi}.")),
    "chi": _by(tr_later("You lay a chi, {cards}{huxi}."), tr_later("{who} lays a chi, {cards}{huxi}.")),
    "revealed": _by(tr_later("You reveal {cards}."), tr_later("{who} reveals {cards}.")),
    "discarded": _by(tr_later("You discard {cards}."), tr_later("{who} discards {cards}.")),
    "unclaimed": lambda speaker, it: tr("Nobody takes {cards}.", cards=speaker.cards(it.cards)),
    "dead": _by(
        tr_later("Your hand is dead: it owes a discard and has none. It can no longer win."),
        tr_later("The hand of {who} is dead: it owes a discard and has none. It can no longer win."),
    ),
    "won": _won,
    "drawn_game": lambda _speaker, _it: tr("The stock is empty and nobody has won: the deal is a draw."),
}
