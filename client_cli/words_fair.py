"""How the cards of a deal came about, in words. As in `words`."""

from collections.abc import Callable, Mapping, Sequence

from client_cli.fairness import Unshown, Verdict, Wrong
from client_cli.language import sentences, tr, tr_later
from client_cli.speaker import Speaker
from protocol.view import Happening

_VOID = (
    tr_later(
        "Your program was waited for in vain: the cards of deal {deal} are drawn without it. That was time {times}."
    ),
    tr_later(
        "The program of {who} was waited for in vain: the cards of deal {deal} are drawn without it. "
        "That was time {times}."
    ),
)

_WRONG: Mapping[Wrong, Callable[[], str]] = {
    "proof": lambda: tr("What the server reveals of it does not fit together."),
    "commitment": lambda: tr("The server had shown this program another commitment."),
    "left_out": lambda: tr("The server left out what this program had added to the cards."),
    "pledges": lambda: tr("The server had shown this program other pledges of the players."),
    "reused": lambda: tr("The server used a secret twice."),
    "cards": lambda: tr("The cards that you have seen are not those that were drawn."),
    "no_proof": lambda: tr("The server does not reveal how the cards came about."),
}


def judged(verdict: Verdict | Unshown, *, watching: bool = False) -> str:
    """One line: calm where all is well, and loud where it is not. `watching`: nobody expects a part of theirs in it."""
    if isinstance(verdict, Unshown):
        if verdict.offered:
            return tr("Not checked: the server says that deals can be checked, but shows nothing to do it by here.")
        return tr("Not checked: this server does not show how the cards come about.")
    deal = verdict.deal
    if verdict.wrong:
        loud = tr("!!! DEAL {deal} WAS NOT FAIR !!!", deal=deal)
        why = (_WRONG[wrong]() for wrong in verdict.wrong)
        return sentences(loud, *why, tr("Do not trust this server. To keep what it has sent: save"))
    if verdict.own:
        return tr("Checked: the cards of deal {deal} were nobody's choice.", deal=deal)
    if watching:
        return tr("Checked: the cards of deal {deal} are those that were drawn.", deal=deal)
    return tr(
        "Checked: the cards of deal {deal} are those that were drawn, but nothing of yours is in them.", deal=deal
    )


def saved_otherwise(deal: int) -> str:
    return sentences(
        tr("!!! DEAL {deal}: THE SAVED PROOF IS NOT WHAT THIS PROGRAM WAS SHOWN !!!", deal=deal),
        tr("It is saved as the server has sent it now. Do not trust this server."),
    )


def mark(verdict: Verdict) -> str:
    """In a word or two."""
    if verdict.wrong:
        return tr("NOT FAIR")
    return tr("fair") if verdict.own else tr("checked")


def void(speaker: Speaker, it: Happening) -> str:
    """Nobody has seen a card of it."""
    fair, seat = speaker.view.fair, it.seat or 0
    times = max(1, fair.voids[seat]) if fair is not None else 1
    return tr(_VOID[not speaker.is_you(it.seat)], who=speaker.who(it.seat, it.name), deal=it.value or 1, times=times)


def checked(line: int, verdict: str, contributed: Sequence[int], voided: int, faults: Sequence[str]) -> str:
    """Of a saved deal. `faults` are English: they are for whoever looks into it."""
    where = tr("Line {line}:", line=line)
    if verdict == "unproven":
        return sentences(where, tr("no proof is saved with this deal."))
    if verdict == "unreadable":
        return sentences(where, tr("no record of a deal: {reason}", reason="; ".join(faults)))
    if faults:
        return sentences(where, tr("NOT FAIR: {faults}", faults="; ".join(faults)))
    seats = ", ".join(str(seat + 1) for seat in contributed)
    by = tr("players of these seats added to it: {seats}.", seats=seats) if seats else tr("no player added to it.")
    again = tr("Rounds that came to nothing: {count}.", count=voided) if voided else ""
    return sentences(where, tr("the deck follows from what had been committed to;"), by, again)


def proves() -> str:
    return tr(
        "This proves that each deck follows from what is in the file. That the table was shown the same before the "
        "deal, only the programs that sat there can tell; and a server always sees the cards that it deals. How they "
        "were played is checked by paizhuo-server verify."
    )


def no_deal() -> str:
    return tr("There is no deal in it.")


def unreadable(file: str, reason: str) -> str:
    return tr("cannot read {file}: {reason}", file=file, reason=reason)
