"""Deals of Chuo Pai played to their end as fast as plain integers and tables allow.

Plain functions over integers and tables, so that a compiler can take the file as it is. The rules are those of
`server.games.chuo_pai.game`: a test holds every step against them.

All seats play as a normal player does (`normal`), which knows the cards that are not its own, but not who holds them.
What such a player thinks of the sets of a family depends on a few small numbers, as for a combination. So it is found
once and kept: most leads are a handful of look-ups.

A hand is an integer of three bits to an identity. Adding `4 - copies` to each raises the third bit of every identity
that it has so often: one addition and one mask find all sets of a size that beat another. Some identities together
are such third bits, here `Tops`.
"""

from server.bots.chuo_pai.normal import APART, CONTROL, CONTROL_AT_END, FEW
from server.games.chuo_pai.cards import COMBINATIONS, FAMILIES, LANE, Hand, count, lanes
from server.games.chuo_pai.plays import COMBINATION, PLAYS

Tops = int
Number = int
"""Of a play, in the order of `PLAYS`."""

NOTHING: Number = -1

NUMBERS: dict[str, Number] = {action: number for number, action in enumerate(PLAYS)}

TAKEN: list[Hand] = [play.taken for play in PLAYS.values()]
SIZE: list[int] = [len(play.cards) for play in PLAYS.values()]
RANK: list[int] = [-play.rank if play.kind == COMBINATION else -1 for play in PLAYS.values()]
"""Of a combination, 0 the highest; -1 for a set."""

_NUMBERS: dict[Hand, Number] = {taken: number for number, taken in enumerate(TAKEN)}
_ONES: Hand = sum(1 << lane for lane in LANE.values())
_LIFT: list[Hand] = [(4 - copies) * _ONES for copies in range(5)]
"""For each size of a set."""

_TOP: dict[str, Tops] = {card: 4 << lane for card, lane in LANE.items()}
_RANKS: list[list[list[int]]] = [[[LANE[card] for card in rank] for rank in family] for family in FAMILIES]
"""For each family from the highest rank down: the lanes of its identities."""
_FAMILIES: list[Hand] = [lanes(card for rank in family for card in rank) for family in FAMILIES]
_FAMILY: list[int] = [play.family for play in PLAYS.values()]
_PARTS: list[Hand] = [lanes((named, *matching)) for named, matching in COMBINATIONS]
_PARTNERS: list[Tops] = [sum(_TOP[card] for card in (named, *matching)) for named, matching in COMBINATIONS]
_TRIPLES: list[list[int]] = [[LANE[card] for card in (named, *matching)] for named, matching in COMBINATIONS]
"""For each combination: the lanes of its cards, the named one first."""

_SETS: list[dict[Tops, Number]] = [
    {} if not size else {top: _NUMBERS[size * (top >> 2)] for top in _TOP.values()} for size in range(5)
]
"""For each size and identity: the play."""
_ABOVE: list[Tops] = [0] * len(PLAYS)
"""For each set: the identities that beat it."""
_HIGHER: dict[int, Hand] = {}
"""For each lane: the lanes of all identities that beat its own."""


def _fill_ranks() -> None:
    for family in FAMILIES:
        higher: Tops = 0
        for rank in family:
            for card in rank:
                _HIGHER[LANE[card]] = 7 * (higher >> 2)
                for size in range(1, 5):
                    _ABOVE[_SETS[size][_TOP[card]]] = higher
            higher += sum(_TOP[card] for card in rank)


_fill_ranks()

_ORDER: list[list[int]] = [[lane for rank in ranks for lane in rank] for ranks in _RANKS]
"""For each family: the lanes of its identities in the order of their ranks."""
_PLACE: dict[Tops, tuple[int, int]] = {4 << lane: (place, lane) for order in _ORDER for place, lane in enumerate(order)}
"""For each identity: its place in that order, and its lane."""
_PLACES: list[list[tuple[int, int]]] = [
    [(family, order.index(lane)) for lane in triple for family, order in enumerate(_ORDER) if lane in order]
    for triple in _TRIPLES
]
"""For each combination: the families of its cards, the named one first, and their places there."""
_USES: dict[int, int] = {
    lane: sum(1 << rank for rank, triple in enumerate(_TRIPLES) if lane in triple) for order in _ORDER for lane in order
}
"""For each lane: which combinations need its identity, a bit to each rank."""
_CONCERNED: list[int] = [sum({_USES[lane] for lane in order}) for order in _ORDER]
"""For each family: which combinations need cards of it, a bit to each rank."""

_BEATING: list[Hand] = [_HIGHER[named] | _HIGHER[one] | _HIGHER[other] for named, one, other in _TRIPLES]
"""For each combination: the lanes of all identities that beat one of its cards."""

_LARGEST: list[dict[Hand, int]] = [{}, {}, {}, {}]
"""For each combination, by what a hand holds of its cards: its most cards, 0 for none."""
_CHOICE: list[dict[Hand, list[Number]]] = [{}, {}, {}, {}]
"""For each combination, by what a hand holds of its cards, and for each size: the play, or `NOTHING`."""


def _fill_combinations() -> None:
    for rank, units in enumerate([[1 << lane for lane in triple] for triple in _TRIPLES]):
        for holding in range(125):
            copies = [holding // 25, holding // 5 % 5, holding % 5]
            matching = copies[1] + copies[2]
            largest = copies[0] + matching if copies[0] and matching else 0
            choice = [NOTHING] * 13
            for size in range(2, largest + 1):
                of_named = max(1, size - matching)
                of_one = min(copies[1], size - of_named)
                taken = of_named * units[0] + of_one * units[1] + (size - of_named - of_one) * units[2]
                choice[size] = _NUMBERS[taken]
            part = sum(count * unit for count, unit in zip(copies, units, strict=True))
            _LARGEST[rank][part] = largest
            _CHOICE[rank][part] = choice


_fill_combinations()

Appraised = tuple[float, Number]
"""The best of some plays, and what it is worth in points; `NOTHING` where there are none."""
Standing = tuple[list[int], list[int]]
"""Of some cards, for each identity of a family in the order of its ranks: how many beat it, and the most copies of one
identity that does.
"""

_NONE: Appraised = (-99.0, NOTHING)

_COSTS: list[list[float]] = [[control / (1 + higher) for higher in range(25)] for control in (CONTROL, CONTROL_AT_END)]
"""What it costs to play a card, by whether others hold few cards, and how many of theirs beat it."""


def _worth_of_sets(few: int, copies: int, beaten: int) -> list[tuple[float, int]]:
    """For each number of cards that beat one of so many copies: the best size of a set, and what that is worth, where
    others beat sets of up to `beaten` copies.
    """
    return [
        max(
            [
                (-cost * size + (size if size > beaten else 0) - (APART if size < copies else 0), size)
                for size in range(1, copies + 1)
            ],
            default=(-99.0, 0),
        )
        for cost in _COSTS[few]
    ]


_WORTH: list[list[list[list[tuple[float, int]]]]] = [
    [[_worth_of_sets(few, copies, beaten) for beaten in range(5)] for copies in range(5)] for few in range(2)
]

# What has been found is kept, as most of it is soon asked for again.
_STANDINGS: list[dict[Hand, Standing]] = [{} for _ in FAMILIES]
"""By family, and by what others hold of it."""
_BEST_SETS: list[list[list[dict[Hand, tuple[Hand, dict[Hand, Appraised]]]]]] = [
    [[{} for _ in range(16)] for _ in FAMILIES] for _ in range(10)
]
"""By whether others hold few cards, and up to four cards of who holds the most; by family; by which combinations the
leader holds; by its cards of the family: the lanes of what beats some of them, and by what others hold of that, the
best set.
"""
_BEST_COMBINATIONS: list[list[list[dict[Hand, tuple[dict[Hand, Appraised], dict[int, Appraised]]]]]] = [
    [[{} for _ in range(13)] for _ in COMBINATIONS] for _ in range(26)
]
"""By whether others hold few cards, and the bound of combinations; by rank; by the most cards of a higher combination
that others may have; by the leader's cards of the combination: by what others hold above these the best one, and again
by how many beat each of them.
"""
_MOST_KEPT = 100_000
_kept = [0]
"""One number: how much there is."""


def _keep_one_more() -> None:
    """Forgets everything once so much is kept that memory counts."""
    _kept[0] += 1
    if _kept[0] <= _MOST_KEPT:
        return
    _kept[0] = 0
    for standings in _STANDINGS:
        standings.clear()
    for families in _BEST_SETS:
        for of_family in families:
            for sets in of_family:
                sets.clear()
    for ranks in _BEST_COMBINATIONS:
        for of_rank in ranks:
            for combinations in of_rank:
                combinations.clear()


def _standing(family: int, rest: Hand) -> Standing:
    """`rest`: cards of the family."""
    known = _STANDINGS[family]
    found = known.get(rest)
    if found is None:
        _keep_one_more()
        beating: list[int] = []
        most: list[int] = []
        higher = highest = 0
        for rank in _RANKS[family]:
            for _ in rank:
                beating.append(higher)
                most.append(highest)
            for lane in rank:
                copies = rest >> lane & 7
                higher += copies
                highest = max(highest, copies)
        found = known[rest] = beating, most
    return found


def _held(hand: Hand) -> int:
    """Which combinations the hand has, a bit to each rank."""
    ranks = 0
    for rank in range(4):
        if _LARGEST[rank][hand & _PARTS[rank]]:
            ranks |= 1 << rank
    return ranks


def _best_set(family: int, hand: Hand, rest: Hand, ranks: int, most: int, few: bool) -> Appraised:
    """Of one family's sets. `rest`: cards of the others; `most`: how many the one with more has, of any family."""
    worth, best = _NONE
    beating, highest = _standing(family, rest)
    for place, lane in enumerate(_ORDER[family]):
        copies = hand >> lane & 7
        if copies:
            value, size = _WORTH[few][copies][min(highest[place], most)][beating[place]]
            if ranks & _USES[lane]:
                value -= APART
            if value > worth:
                worth = value
                best = _SETS[size][4 << lane]
    return worth, best


def _beaten_by(rank: int, rest: Hand) -> int:
    """How many of these cards beat each card of the combination: of 32 values each, the named one first."""
    number = 0
    for family, place in _PLACES[rank]:
        number = number << 5 | _standing(family, rest & _FAMILIES[family])[0][place]
    return number


def _best_combination(rank: int, hand: Hand, higher: int, beaten: int, few: bool, bound: int) -> Appraised:
    """Of the combinations of one rank. `higher`: as `_beaten_by`; `beaten`: the most cards of others' higher ones."""
    costs = [_COSTS[few][higher >> shift & 31] for shift in (10, 5, 0)]
    worth, best = _NONE
    named, one, other = _TRIPLES[rank]
    of_named, of_one, of_other = hand >> named & 7, hand >> one & 7, hand >> other & 7
    for a in range(1, of_named + 1):
        for b in range(of_one + 1):
            for c in range(of_other + 1):
                size = a + b + c
                if size == a or size > bound:
                    continue
                value = -(costs[0] * a + costs[1] * b + costs[2] * c)
                if size > beaten:
                    value += size
                value -= APART * ((a < of_named) + (0 < b < of_one) + (0 < c < of_other))
                if value > worth:
                    worth = value
                    best = _NUMBERS[(a << named) + (b << one) + (c << other)]
    return worth, best


def lead(hand: Hand, rest: Hand, most: int, few: bool, max_combination: int) -> Number:
    """The play with which `hand` leads. `rest`: the cards of both others, `most`: how many the one with more has."""
    ranks = _held(hand)
    worth, best = _lead_of_combinations(ranks, hand, rest, most, few, max_combination) if ranks else _NONE
    most = min(most, 4)
    for family, sets in enumerate(_BEST_SETS[few * 5 + most]):
        part = hand & _FAMILIES[family]
        if part:
            row = sets[ranks & _CONCERNED[family]].get(part)
            if row is None:
                row = sets[ranks & _CONCERNED[family]][part] = _beating(family, part), {}
            above = rest & row[0]
            found = row[1].get(above)
            if found is None:
                _keep_one_more()
                found = row[1][above] = _best_set(family, part, above, ranks, most, few)
            if found[0] > worth:
                worth, best = found
    return best


def _lead_of_combinations(ranks: int, hand: Hand, rest: Hand, most: int, few: bool, bound: int) -> Appraised:
    """Of the combinations of these ranks."""
    worth, best = _NONE
    beaten = rank = 0
    combinations = _BEST_COMBINATIONS[few * 13 + bound]
    while ranks:
        if ranks & 1:
            part = hand & _PARTS[rank]
            known = combinations[rank][beaten].get(part)
            if known is None:
                known = combinations[rank][beaten][part] = {}, {}
            above = rest & _BEATING[rank]
            found = known[0].get(above)
            if found is None:
                _keep_one_more()
                higher = _beaten_by(rank, above)
                found = known[1].get(higher)
                if found is None:
                    found = known[1][higher] = _best_combination(rank, part, higher, beaten, few, bound)
                known[0][above] = found
            if found[0] > worth:
                worth, best = found
        ranks >>= 1
        if ranks:
            beaten = max(beaten, min(_LARGEST[rank][rest & _PARTS[rank]], most))
        rank += 1
    return worth, best


def _beating(family: int, hand: Hand) -> Hand:
    """The lanes of what beats some of these cards of one family."""
    beating = 0
    for lane in _ORDER[family]:
        if hand >> lane & 7:
            beating |= _HIGHER[lane]
    return beating


def answer(hand: Hand, highest: Number, rest: Hand, following: int, few: bool) -> Number:
    """The play with which `hand` beats the highest one; `NOTHING` where it cannot. `rest`: the cards of both others,
    `following`: how many has who acts after it.

    Of combinations always the lowest.
    """
    size = SIZE[highest]
    rank = RANK[highest]
    if rank >= 0:
        while rank > 0:
            rank -= 1
            number = _CHOICE[rank][hand & _PARTS[rank]][size]
            if number >= 0:
                return number
        return NOTHING
    beating = (hand + _LIFT[size]) & _ABOVE[highest]
    if not beating:
        return NOTHING
    if not beating & (beating - 1):
        return _SETS[size][beating]
    family = _FAMILY[highest]
    higher, most = _standing(family, rest & _FAMILIES[family])
    ranks = _held(hand)
    worth, best = _NONE
    while beating:
        top = beating & -beating
        beating -= top
        place, lane = _PLACE[top]
        value = -_COSTS[few][higher[place]] * size
        if following < size or most[place] < size:
            value += size
        if size < hand >> lane & 7:
            value -= APART
        if ranks & _USES[lane]:
            value -= APART
        if value > worth:
            worth = value
            best = _SETS[size][top]
    return best


def played(x: Hand, y: Hand, z: Hand, max_combination: int) -> tuple[int, int, int]:
    """The cards that each seat still wins, from a round that `x` leads, or the next who holds cards."""
    size_x, size_y, size_z = count(x), count(y), count(z)
    won_x = won_y = won_z = turned = 0
    while (x and (y or z)) or (y and z):
        if not x:
            x, y, z, won_x, won_y, won_z = y, z, x, won_y, won_z, won_x
            size_x, size_y, size_z = size_y, size_z, size_x
            turned += 1
            continue
        highest = lead(x, y + z, max(size_y, size_z), size_y + size_z <= FEW, max_combination)
        size = SIZE[highest]
        x -= TAKEN[highest]
        size_x -= size
        owner = 0
        if size_y >= size:
            number = answer(y, highest, x + z, size_z, size_x + size_z <= FEW)
            if number >= 0:
                y -= TAKEN[number]
                size_y -= size
                highest = number
                owner = 1
        if size_z >= size:
            number = answer(z, highest, x + y, 0, size_x + size_y <= FEW)
            if number >= 0:
                z -= TAKEN[number]
                size_z -= size
                highest = number
                owner = 2
        if owner == 0:
            won_x += size
        elif owner == 1:
            won_y += size
            x, y, z, won_x, won_y, won_z = y, z, x, won_y, won_z, won_x
            size_x, size_y, size_z = size_y, size_z, size_x
            turned += 1
        else:
            won_z += size
            x, y, z, won_x, won_y, won_z = z, x, y, won_z, won_x, won_y
            size_x, size_y, size_z = size_z, size_x, size_y
            turned += 2
    turned %= 3
    if turned == 0:
        return won_x, won_y, won_z
    if turned == 1:
        return won_z, won_x, won_y
    return won_y, won_z, won_x


def tried(x: Hand, y: Hand, z: Hand, highest: Number, followers: int, max_combination: int) -> tuple[int, int, int]:
    """As `played`, from a play of `x`, which so many seats clockwise from it may yet beat in this round."""
    size = SIZE[highest]
    x -= TAKEN[highest]
    owner = 0
    if followers:
        number = answer(y, highest, x + z, count(z) if followers > 1 else 0, count(x + z) <= FEW)
        if number >= 0:
            y -= TAKEN[number]
            highest = number
            owner = 1
    if followers > 1:
        number = answer(z, highest, x + y, 0, count(x + y) <= FEW)
        if number >= 0:
            z -= TAKEN[number]
            highest = number
            owner = 2
    if owner == 0:
        won_x, won_y, won_z = played(x, y, z, max_combination)
        return won_x + size, won_y, won_z
    if owner == 1:
        won_y, won_z, won_x = played(y, z, x, max_combination)
        return won_x, won_y + size, won_z
    won_z, won_x, won_y = played(z, x, y, max_combination)
    return won_x, won_y, won_z + size
