"""What is said of hints, of what cannot be chosen, and of emotes. As in `words`: values in, one line out."""

from collections.abc import Mapping, Sequence

from client_cli.language import listed, sentences, tr, tr_later, tr_n
from client_cli.speaker import Speaker
from client_cli.vocabulary import shown
from client_cli.words import usage
from protocol.notation import Action
from protocol.reasons import HintCode, WhyCode
from protocol.view import Reason

EMOTES: Mapping[str, str] = {
    "hello": tr_later("Hello!"),
    "nice": tr_later("Nice move!"),
    "oops": tr_later("Oops!"),
    "thanks": tr_later("Thank you!"),
    "hurry": tr_later("Please hurry."),
    "laugh": tr_later("Ha ha!"),
    "sorry": tr_later("Sorry!"),
    "good_game": tr_later("Good game!"),
}
"""What each emote says, by its name on the wire."""

WHY: Mapping[str, str] = {
    WhyCode.OFFERED: tr_later("That is one of your choices."),
    WhyCode.NO_DEAL: tr_later("No deal is being played."),
    WhyCode.DEAL_OVER: tr_later("The deal is over."),
    WhyCode.NO_SUCH_ACTION: tr_later("That is neither an action of this game nor cards of it."),
    WhyCode.NO_CARDS: tr_later("No cards are named."),
    WhyCode.NOT_YOUR_TURN: tr_later("It is the turn of {who}."),
    WhyCode.NOT_IN_HAND: tr_later("You do not hold that: {cards}."),
    WhyCode.MUST_LEAD: tr_later("Whoever leads a round must play."),
    WhyCode.MUST_BEAT: tr_later("You can beat {play} of {who}, so you must."),
    WhyCode.NO_PLAY: tr_later("Cards that are played together are all alike, or a combination."),
    WhyCode.TOO_MANY_CARDS: tr_later("A combination has at most {number} cards at this table."),
    WhyCode.OTHER_KIND: tr_later(
        "Only a combination beats a combination, and only cards alike beat cards alike: {play}."
    ),
    WhyCode.OTHER_FAMILY: tr_later("It is of another family than {play} of {who}."),
    WhyCode.SAME_RANK: tr_later("It is as high as {play} of {who}, and equals do not beat each other."),
    WhyCode.LOWER_RANK: tr_later("It is lower than {play} of {who}."),
    WhyCode.DISCARD_DUE: tr_later("You must discard a card now."),
    WhyCode.NO_DISCARD_DUE: tr_later("You have no card too many, so you discard none now."),
    WhyCode.ONLY_WIN: tr_later("You have no loose card to discard: only win is left."),
    WhyCode.ONE_CARD: tr_later("You discard a single card."),
    WhyCode.LOCKED_IN_KAN: tr_later("A kan is never split: {cards}."),
    WhyCode.CARD_IN_QUESTION: tr_later("First it must be settled who takes {cards}."),
    WhyCode.NOTHING_TO_CLAIM: tr_later("You have no claim on {cards}."),
    WhyCode.DECLARED: tr_later("Your answer to {cards} is given, and final."),
    WhyCode.AUTO_PASS: tr_later("It was passed for you: automatic pass is on."),
    WhyCode.OWN_DISCARD: tr_later("You have discarded {cards} yourself."),
    WhyCode.OTHER_CARD: tr_later("Only {cards} can be claimed now."),
    WhyCode.DEAD: tr_later("Your hand is dead: it can no longer win, chi or peng."),
    WhyCode.NOT_COMPLETE: tr_later("Your hand is not complete: seven groups must use every card."),
    WhyCode.TOO_FEW_HUXI: tr_later("Your hand is complete, but counts {number} huxi: it takes 15."),
    WhyCode.NEEDS_REVEAL: tr_later("Only a card that is revealed from the stock wins."),
    WhyCode.NO_OPENING_WIN: tr_later("At this table the dealer does not win before the first discard."),
    WhyCode.NO_THREE: tr_later("For a pao you need three {cards} as a kan, a wei or a peng."),
    WhyCode.PAO_NEEDS_REVEAL: tr_later("A peng grows into a pao only by a card that is revealed: {cards}."),
    WhyCode.NO_PAIR: tr_later("For a peng you need exactly two loose {cards}; you have {number}."),
    WhyCode.BARRED_BY_DISCARD: tr_later("You have discarded {cards} before, so you may not chi or peng it."),
    WhyCode.BARRED_BY_PASS: tr_later("You have let {cards} go before, so you may not chi or peng it."),
    WhyCode.NOT_YOUR_CHI: tr_later("Only {who} may chi {cards}."),
    WhyCode.NO_GROUP: tr_later("That makes no group: {cards}."),
    WhyCode.WITHOUT_CARD: tr_later("Every group of a chi must hold the card in question: {cards}."),
    WhyCode.COPIES_LEFT: tr_later("All {number} {cards} must go into groups at once."),
    WhyCode.NO_DISCARD_LEFT: tr_later("You would have no loose card left to discard."),
}
"""Why something is no choice. `{cards}` are those of the reason, `{play}` the same with what they are called."""

SPEAKING_FOR: Mapping[str, str] = {
    HintCode.FORCED: tr_later("It is the only choice."),
    HintCode.LAST_IN_ROUND: tr_later("Nobody plays after you in this round."),
    HintCode.TOO_FEW_CARDS: tr_later("Whoever plays after you has too few cards to beat it."),
    HintCode.UNBEATABLE: tr_later("No cards that you have not seen beat it."),
    HintCode.LOWEST: tr_later("It is your lowest of its kind and size."),
    HintCode.LONE_CARD: tr_later("It goes with nothing else in your hand."),
    HintCode.KEEPS_TOGETHER: tr_later("It keeps together: {cards}."),
    HintCode.KEEPS_TOP: tr_later("You keep what nothing unseen beats: {cards}."),
    HintCode.COMPLETE: tr_later("Your hand is complete, with {number} huxi."),
    HintCode.BRINGS_HUXI: tr_later("It adds {number} huxi."),
    HintCode.ENOUGH_HUXI: tr_later("Your fixed groups then count {number} huxi, enough to win."),
    HintCode.NO_MORE_GROUPS: tr_later("No claim on this card would give you more whole groups."),
    HintCode.WAITS_FOR: tr_later("Any of these, revealed, then completes your hand: {cards}."),
    HintCode.SAFE: tr_later("Nobody can claim it."),
    HintCode.NO_CHI: tr_later("{who} cannot chi it."),
    HintCode.NO_PENG: tr_later("Nobody can peng or pao it."),
}
"""What speaks for a hint; as in `WHY`."""


def help_advice() -> tuple[str, ...]:
    return (
        tr("hint: what a bot would do, and why. why CARDS: why they are no choice."),
        tr("emotes: what can be said in every language. emote NAME: say it."),
    )


def because(speaker: Speaker, reason: Reason, choices: Sequence[str]) -> str:
    """Why something is no choice. `choices`: with all that may be typed of them."""
    number = reason.number or 0
    if reason.code == WhyCode.OFFERED and 1 <= number <= len(choices):
        return tr("That is one of your choices: {action}", action=shown(choices[number - 1]))
    if reason.code == WhyCode.OTHER_COUNT:
        return tr_n(
            "It takes {count} card to beat {play}.",
            "It takes {count} cards to beat {play}.",
            number,
            play=speaker.cards(reason.cards),
        )
    return _said(speaker, WHY, reason) or tr("That is none of the choices.")


def hint(speaker: Speaker, action: Action, reasons: Sequence[Reason]) -> str:
    """`action`: with all that may be typed of it."""
    return sentences(tr("Hint: {action}.", action=shown(action)), *(_reason(speaker, reason) for reason in reasons))


def _reason(speaker: Speaker, reason: Reason) -> str:
    """Empty for one that only newer servers know."""
    count = reason.number or 0
    if reason.code == HintCode.TAKES_ROUND:
        return tr_n("It takes the round: {count} point.", "It takes the round: {count} points.", count)
    if reason.code == HintCode.WINS_DEAL:
        return tr_n(
            "The deal ends, and nobody has more than your {count} point.",
            "The deal ends, and nobody has more than your {count} points.",
            count,
        )
    if reason.code == HintCode.MORE_GROUPS:
        return tr_n("It makes {count} whole group.", "It makes {count} whole groups.", count)
    if reason.code == HintCode.KEEPS_GROUPS:
        return tr_n("It keeps your {count} whole group.", "It keeps your {count} whole groups.", count)
    return _said(speaker, SPEAKING_FOR, reason)


def _said(speaker: Speaker, words: Mapping[str, str], reason: Reason) -> str:
    if reason.code not in words:
        return ""
    return tr(
        words[reason.code],
        cards=" ".join(map(speaker.names.faced, reason.cards)),
        play=speaker.cards(reason.cards),
        number=reason.number,
        who=speaker.whom(reason.seat),
    )


def emote(kind: str, text: str) -> str:
    """What an emote says; `text` for one that only newer servers know."""
    return tr(EMOTES[kind]) if kind in EMOTES else text


def emotes() -> str:
    each = listed(f"{number}) {shown(kind)}: {tr(said)}" for number, (kind, said) in enumerate(EMOTES.items(), start=1))
    return tr("Type emote and a name or a number. {emotes}", emotes=each)


def why_usage() -> str:
    return usage(tr("why CARDS, or why ACTION"))


def question_gone() -> str:
    return tr("The question has changed meanwhile.")


def no_hint() -> str:
    return tr("There is no hint now: decide without it, or ask again.")


def older_server() -> str:
    return tr("This server is older than this program and does not know that.")
