"""Codes of reasons: why cards or an action are none of the choices, and what speaks for a hint.

What a `protocol.view.Reason` of each code is about stands behind it; clients have the words.
"""

from enum import StrEnum


class WhyCode(StrEnum):
    """Why something is none of the offered actions: of all reasons that hold the plainest."""

    OFFERED = "offered"  # it is one of the choices; number: its place among them, from 1
    NO_DEAL = "no_deal"  # no deal is being played
    DEAL_OVER = "deal_over"
    NO_SUCH_ACTION = "no_such_action"  # neither an action of this game nor cards of it
    NO_CARDS = "no_cards"  # it names no cards
    NOT_YOUR_TURN = "not_your_turn"  # seat: whose turn it is
    NOT_IN_HAND = "not_in_hand"  # cards: those that the hand has not, or not so many of

    # Chuo Pai
    MUST_LEAD = "must_lead"  # who leads a round cannot pass
    MUST_BEAT = "must_beat"  # who can beat the highest play cannot pass; cards, seat: that play and whose
    NO_PLAY = "no_play"  # cards: neither copies of one card nor a combination
    TOO_MANY_CARDS = "too_many_cards"  # number: the most cards of a combination at this table
    OTHER_KIND = "other_kind"  # cards alike against a combination, or the reverse; cards, seat: the highest play
    OTHER_FAMILY = "other_family"  # than the highest play has; cards, seat: the highest play
    OTHER_COUNT = "other_count"  # number: how many cards are needed; cards, seat: the highest play
    SAME_RANK = "same_rank"  # as high as the highest play; cards, seat: the highest play
    LOWER_RANK = "lower_rank"  # than the highest play; cards, seat: the highest play

    # Paohuzi
    DISCARD_DUE = "discard_due"  # the seat must discard, and can do nothing else
    NO_DISCARD_DUE = "no_discard_due"  # it is the seat's turn, but it has no card too many
    ONLY_WIN = "only_win"  # there is no loose card to discard
    ONE_CARD = "one_card"  # a discard is a single card
    LOCKED_IN_KAN = "locked_in_kan"  # cards: those of a kan, which is never split
    CARD_IN_QUESTION = "card_in_question"  # cards: the public card, before which nothing is discarded
    NOTHING_TO_CLAIM = "nothing_to_claim"  # cards: the public card
    DECLARED = "declared"  # the seat's claim on this card is made; cards: the public card
    AUTO_PASS = "auto_pass"  # noqa: S105 the seat's own switch passes on such claims
    OWN_DISCARD = "own_discard"  # nobody claims a card that they discarded; cards: that one
    OTHER_CARD = "other_card"  # it names another card than the public one; cards: the public card
    DEAD = "dead"  # a dead hand never wins, chis or pengs
    NOT_COMPLETE = "not_complete"  # the cards do not form seven groups
    TOO_FEW_HUXI = "too_few_huxi"  # number: what the complete hand counts
    NEEDS_REVEAL = "needs_reveal"  # a win takes a card from the stock
    NO_OPENING_WIN = "no_opening_win"  # the table has no such house rule
    NO_THREE = "no_three"  # a pao takes a kan, a wei or a peng; cards: the public card
    PAO_NEEDS_REVEAL = "pao_needs_reveal"  # a peng grows only by a revealed card; cards: the public card
    NO_PAIR = "no_pair"  # a peng takes two loose ones; cards: the public card; number: how many there are
    BARRED_BY_DISCARD = "barred_by_discard"  # the seat has discarded such a card; cards: it
    BARRED_BY_PASS = "barred_by_pass"  # noqa: S105 the seat has let such a card go; cards: it
    NOT_YOUR_CHI = "not_your_chi"  # seat: who alone may chi this card
    NO_GROUP = "no_group"  # cards: they form no chi group, or none with the public card
    WITHOUT_CARD = "without_card"  # every group of a chi holds the public card; cards: the group that does not
    COPIES_LEFT = "copies_left"  # all copies go into groups; cards: the public card; number: how many there are
    NO_DISCARD_LEFT = "no_discard_left"  # no loose card would be left to discard


class HintCode(StrEnum):
    """What speaks for an action. Each is true of the deal, whatever lies in other hands."""

    FORCED = "forced"  # it is the only choice

    # Chuo Pai
    WINS_DEAL = "wins_deal"  # the deal ends, and nobody has more points; number: the points
    TAKES_ROUND = "takes_round"  # nobody will beat it; number: the points that it brings
    LAST_IN_ROUND = "last_in_round"  # nobody plays after it in this round
    TOO_FEW_CARDS = "too_few_cards"  # whoever plays after it has fewer cards than it takes to beat it
    UNBEATABLE = "unbeatable"  # no cards that the seat has not seen beat it
    LOWEST = "lowest"  # of the choices of its kind and size none is lower
    LONE_CARD = "lone_card"  # cards: they go with nothing else in the hand
    KEEPS_TOGETHER = "keeps_together"  # cards: what another choice would break, and this one does not
    KEEPS_TOP = "keeps_top"  # cards: those left in the hand that no unseen card beats

    # Paohuzi (and `LONE_CARD`)
    COMPLETE = "complete"  # the hand is complete; number: its huxi
    BRINGS_HUXI = "brings_huxi"  # number: the huxi that it adds
    ENOUGH_HUXI = "enough_huxi"  # the groups that are fixed then have enough to win; number: their huxi
    MORE_GROUPS = "more_groups"  # number: how many more whole groups the seat has with it
    KEEPS_GROUPS = "keeps_groups"  # it breaks no group; number: the whole groups in the hand and on the table
    NO_MORE_GROUPS = "no_more_groups"  # no claim on this card would give the seat more whole groups
    WAITS_FOR = "waits_for"  # cards: each of them, revealed, then completes the hand
    SAFE = "safe"  # nobody can claim the discard
    NO_CHI = "no_chi"  # the next seat cannot chi the discard; seat: it
    NO_PENG = "no_peng"  # nobody can peng or pao the discard
