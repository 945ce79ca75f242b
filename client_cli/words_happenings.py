"""One sentence for each kind of happening: for whoever does it, and for all others. As in `words`."""

from collections.abc import Callable

from client_cli.words import AWAY, HOST_ASKED, ROOM_CLOSED, Speaker, counted
from protocol.view import Happening

FIRST: dict[str, tuple[str, str]] = {"paohuzi": ("are the dealer", "is the dealer")}
"""What it means to begin a deal, in games where that is not to lead."""


def happened(speaker: Speaker, happening: Happening) -> str | None:
    """One line, or None for a kind that this client does not know."""
    sentence = _HAPPENINGS.get(happening.kind)
    return sentence(speaker, happening) if sentence else None


def _by(you: str, other: str) -> Callable[[Speaker, Happening], str]:
    """A sentence whose subject is the happening's seat, in the second and in the third person."""

    def sentence(speaker: Speaker, it: Happening) -> str:
        pattern = you if it.seat is not None and it.seat == speaker.seat else other
        return pattern.format(
            who=speaker.who(it.seat, it.name),
            cards=speaker.cards(it.cards),
            card=speaker.cards(it.cards[:1]),
            huxi=_huxi_of(speaker, it),
            points=counted(it.value or 0, "point"),
            number=(it.seat or 0) + 1,
        )

    return sentence


def _deal_started(speaker: Speaker, it: Happening) -> str:
    verb = FIRST.get(speaker.names.game, ("lead", "leads"))[it.seat != speaker.seat]
    leads = "" if it.seat is None else f" {speaker.who(it.seat)} {verb}."
    return f"Deal {it.value or 1} of {speaker.view.room.deals} begins.{leads}"


def _deal_over(speaker: Speaker, it: Happening) -> str:
    result = speaker.view.result
    won = f" {speaker.winners(result.winners, 'the deal')}" if result and result.scores == it.scores else ""
    return f"Deal {it.value or 1} of {speaker.view.room.deals} is over. Points: {speaker.scores(it.scores)}.{won}"


def _won(speaker: Speaker, it: Happening) -> str:
    wins = f"{speaker.who(it.seat)} {'win' if it.seat is not None and it.seat == speaker.seat else 'wins'}"
    heavenly = {"heavenly-ti": "three ti or more", "heavenly-kan": "five kan or more"}.get(it.name)
    if heavenly:
        return f"{wins} at the deal, with {heavenly}: a heavenly win."
    return f"{wins} with {speaker.cards(it.cards)}." if it.cards else f"{wins} with the cards in hand."


def _huxi_of(speaker: Speaker, it: Happening) -> str:
    """What a meld counts, as long as it lies on the table."""
    zones = speaker.view.deal.zones if speaker.view.deal else ()
    melds = (meld for zone in zones if (zone.name, zone.seat) == ("melds", it.seat) for meld in zone.groups)
    value = next((meld.value for meld in melds if (meld.kind, meld.cards) == (it.kind, it.cards)), None)
    return "" if value is None else f": {value} huxi"


def _match_over(speaker: Speaker, it: Happening) -> str:
    best = [seat for seat, total in enumerate(it.scores) if total == max(it.scores)]
    return f"The match is over. Totals: {speaker.scores(it.scores)}. {speaker.winners(best, 'the match')}"


_HAPPENINGS: dict[str, Callable[[Speaker, Happening], str]] = {
    "sat": _by("You sit down on seat {number}.", "{who} sits down on seat {number}."),
    "bot_sat": _by("A bot takes your seat.", "A bot, {who}, takes seat {number}."),
    "left": _by("You have left.", "{who} has left."),
    "removed": _by("You have been taken off your seat.", "{who} has been taken off seat {number}."),
    "host": _by("You are the host now.", "{who} is the host now."),
    "match_started": lambda _speaker, _it: "The match begins.",
    "deal_started": _deal_started,
    "host_asked": _by(HOST_ASKED, "{who}, the host, is asked whether they are still there."),
    "away": _by(AWAY, "{who} is away: a bot plays meanwhile."),
    "back": _by("You are back.", "{who} is back."),
    "autopilot_on": _by("A bot plays for you now.", "A bot plays for {who} now."),
    "autopilot_off": _by("You play yourself again.", "{who} plays again."),
    "ready": _by("You are ready for the next deal.", "{who} is ready for the next deal."),
    "deal_over": _deal_over,
    "match_over": _match_over,
    "closed": lambda _speaker, _it: ROOM_CLOSED,
    "bonus": _by("You score an opening bonus: {cards}.", "{who} scores an opening bonus: {cards}."),
    "led": _by("You lead {cards}.", "{who} leads {cards}."),
    "played": _by("You play {cards}.", "{who} plays {cards}."),
    "passed": _by("You pass.", "{who} passes."),
    "round_won": _by("You win the round with {cards}: {points}.", "{who} wins the round with {cards}: {points}."),
    "leads": _by("You lead the next round.", "{who} leads the next round."),
    "dealt_public": _by(
        "Your last card is dealt face up: {cards}.", "The last card of {who} is dealt face up: {cards}."
    ),
    "ti": _by("You lay a ti of {card}{huxi}.", "{who} lays a ti of {card}{huxi}."),
    "wei": _by("You lay a wei of {card}{huxi}.", "{who} lays a wei of {card}{huxi}."),
    "pao": _by("You lay a pao of {card}{huxi}.", "{who} lays a pao of {card}{huxi}."),
    "peng": _by("You lay a peng of {card}{huxi}.", "{who} lays a peng of {card}{huxi}."),
    "chi": _by("You lay a chi, {cards}{huxi}.", "{who} lays a chi, {cards}{huxi}."),
    "revealed": _by("You reveal {cards}.", "{who} reveals {cards}."),
    "discarded": _by("You discard {cards}.", "{who} discards {cards}."),
    "unclaimed": lambda speaker, it: f"Nobody takes {speaker.cards(it.cards)}.",
    "dead": _by(
        "Your hand is dead: it owes a discard and has none. It can no longer win.",
        "The hand of {who} is dead: it owes a discard and has none. It can no longer win.",
    ),
    "won": _won,
    "drawn_game": lambda _speaker, _it: "The stock is empty and nobody has won: the deal is a draw.",
}
