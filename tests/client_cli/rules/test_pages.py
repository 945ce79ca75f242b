"""The pages of rules say the same in every language, and what they show is so: the rules engines are asked."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

import pytest
from wcwidth import wcwidth

from client_cli import words_paohuzi
from client_cli.commands.host import house_rules
from client_cli.language import LANGUAGES, choose_language
from client_cli.names import GAMES, Lexicon, codes_alone
from client_cli.plain import Conversation
from client_cli.rules import places_of, rules_page
from client_cli.rules.page import Line, Page, Place
from client_cli.vocabulary import in_english
from protocol.notation import CARDS, groups_of
from server.games.chuo_pai.cards import hand_of
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PLAYS, answers, leads
from server.games.paohuzi.claims import options
from server.games.paohuzi.game import Paohuzi
from server.games.paohuzi.groups import CHIS, arrangement, most_huxi, text
from tests.client_cli.conversations import sit_down
from tests.client_cli.tables import table, view
from tests.server.games.chuo_pai.test_game import dealt
from tests.server.games.paohuzi.positions import group, holding

CHUO_PAI = ChuoPai()
HOUSE_RULES = {"chuo-pai": CHUO_PAI.options, "paohuzi": Paohuzi().options}
KINDS = "|".join(words_paohuzi.KINDS)


def page(game: str, language: str = "en") -> Page:
    found = rules_page(game, language)
    assert found is not None
    return found


def codes(line: Line) -> list[str]:
    """Cards, groups, actions and what is typed, of a page in the spoken language: in English, cards as their codes."""
    return [_in_english(codes_alone(line.text[start:end])) for start, end in line.codes]


def _in_english(code: str) -> str:
    kinds = {words_paohuzi.kind(kind): kind for kind in words_paohuzi.KINDS}
    first, _, rest = code.partition(" ")
    return f"{kinds[first]} {rest}" if first in kinds and rest else in_english(code)


def numbers(line: Line) -> list[int]:
    """Those that are no part of a code, in their order."""
    bare = "".join(" " if any(a <= at < b for a, b in line.codes) else sign for at, sign in enumerate(line.text))
    return [int(number) for number in re.findall(r"\d+", bare)]


def lines(game: str, section: str, language: str = "en") -> Iterator[Line]:
    """`section`: by its English heading."""
    place = next(place for place, it in enumerate(page(game).sections) if it.heading == section)
    yield from page(game, language).sections[place].lines


def shape(line: Line, game: str, language: str) -> tuple[object, ...]:
    """What is the same in every language. Two topics of the rules are, if they lead to the same place."""
    choose_language(language)
    shown = [places_of(code[6:], game, "en")[0] if code.startswith("rules ") else code for code in codes(line)]
    return (line.margin, line.marker, shown, Counter(numbers(line)))


every_page = pytest.mark.parametrize("language", LANGUAGES)
every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(autouse=True)
def spoken(request: pytest.FixtureRequest) -> Iterator[None]:
    """The language of the page that a test is about."""
    case = getattr(request.node, "callspec", None)
    choose_language(case.params.get("language", "en") if case else "en")
    yield
    choose_language("en")


@every_page
@every_game
def test_every_page_calls_cards_and_combinations_as_the_table_does(game: str, language: str) -> None:
    shown = " ".join(line.text for line in page(game, language).lines())
    names = Lexicon.of(game)
    for family, members in names.families.items():
        assert re.search(rf"{family}字?[:：]", shown)
        for card, name in members.items():
            assert re.search(rf"\b{card} ?{name}", shown)
    for name in names.combinations.values():
        assert name in shown


@every_page
@every_game
def test_every_language_has_the_same_lines_with_the_same_cards_and_numbers(game: str, language: str) -> None:
    english, other = page(game), page(game, language)
    assert len(english.sections) == len(other.sections)
    for one, its in zip(english.sections, other.sections, strict=True):
        assert [shape(line, game, language) for line in its.lines] == [shape(line, game, "en") for line in one.lines]


@every_page
@every_game
def test_every_language_explains_its_words_in_items_that_can_be_asked_for(game: str, language: str) -> None:
    for place, line in enumerate(page(game, language).sections[-1].lines):
        assert line.explains()
        for name in line.explains():
            assert Place(len(page(game).sections) - 1, place) in places_of(name, game, language)


@every_page
@every_game
def test_no_character_is_of_a_width_that_terminals_do_not_agree_on(game: str, language: str) -> None:
    signs = {sign for line in page(game, language).lines() for sign in line.text}
    assert [sign for sign in signs if wcwidth(sign) != wcwidth(sign, ambiguous_width=2)] == []


@every_game
def test_every_part_is_found_by_words_of_another_language(game: str) -> None:
    for language in LANGUAGES:
        for number, section in enumerate(page(game, language).sections):
            assert Place(number) in places_of(section.heading, game, "en")


@every_game
def test_a_slip_in_a_heading_is_forgiven_and_other_words_are_nowhere(game: str) -> None:
    assert places_of("glosary", game, "zh") == [Place(len(page(game).sections) - 1)]
    assert places_of("trumps", game, "en") == ()


@pytest.mark.parametrize("game", ["whist", "", "../__init__", "x" * 5000, "chuo-pai/../chuo-pai", "."])
def test_other_games_have_no_page(game: str) -> None:
    assert rules_page(game, "en") is None
    assert places_of("score", game, "en") == ()


@every_game
def test_all_that_is_typed_is_known(game: str) -> None:
    """Cards, actions, words of the conversation, options of the game: there is no other code on a page."""
    conversation: Conversation = sit_down(table(view()))
    assert conversation.session.view is not None
    words = conversation._words.meanings(conversation.session.view, "", "")
    known = {"pass", "win", "pao", "peng", "1", "#11", "--deals 3", *HOUSE_RULES[game]({})}
    for line in page(game).lines():
        for code in set(codes(line)) - known:
            cards = re.sub(rf"^(play|discard|{KINDS}) ", "", code)
            if set(re.split(r"[ +]", cards)) <= set(CARDS[game]):
                continue
            if code.startswith(("--option ", f"paizhuo host {game} --option ")):
                (rules,) = re.findall(r"--option (\S+)$", code)
                assert HOUSE_RULES[game](house_rules([rules]))
            elif code.startswith("rules "):
                assert places_of(code.removeprefix("rules "), game, "en")
            else:
                assert code.split()[0] in words


@every_game
def test_every_house_rule_is_explained(game: str) -> None:
    explained = [name for line in lines(game, "House rules") for name in line.explains()]
    assert explained == list(HOUSE_RULES[game]({}))


# Chuo Pai


def test_every_play_on_the_page_is_one_but_for_those_that_are_said_to_be_none() -> None:
    """Those begin an item; and the opening bonus is none."""
    for line in page("chuo-pai").lines():
        for (start, _), code in zip(line.codes, codes(line), strict=True):
            if "+" in code and code != "12+24" and not code.startswith("-"):
                assert (f"play {code.removeprefix('play ')}" in PLAYS) == (start > 0)


def test_what_beats_what_is_so() -> None:
    asked = [codes(line) for line in lines("chuo-pai", "What beats what") if line.marker]
    assert len(asked) == 6
    for highest, hand, *plays in asked:
        expected = set(plays) if plays == ["pass"] else {f"play {play}" for play in plays}
        assert set(answers(hand_of(hand.split()), f"play {highest}")) == expected


def test_what_can_be_led_is_so() -> None:
    hand, *plays = codes(list(lines("chuo-pai", "What beats what"))[-1])
    assert set(leads(hand_of(hand.split()), 12)) == {f"play {play}" for play in plays}


def test_cards_of_other_families_do_not_beat_each_other() -> None:
    ((one, other),) = [codes(line) for line in lines("chuo-pai", "The cards") if "never beat" in line.text]
    assert not PLAYS[f"play {one}"].beats(PLAYS[f"play {other}"])


def test_the_opening_bonus_is_so() -> None:
    with_bonus, without = [line for line in lines("chuo-pai", "The deal") if line.marker]
    for line, others in ((with_bonus, ""), (without, "24 24 24 24")):
        state = CHUO_PAI.start(dealt(codes(line)[0], others, ""), 0, {})
        deal = CHUO_PAI.view(state, 0)
        pile = next(zone for zone in deal.zones if (zone.name, zone.seat) == ("pile", 0))
        hand = next(zone for zone in deal.zones if (zone.name, zone.seat) == ("hand", 0))
        assert numbers(line) == [pile.count, hand.count]


def test_the_round_is_won_as_told() -> None:
    (line,) = [line for line in lines("chuo-pai", "A round") if not line.marker and line.codes]
    led, _, answered, *beating = codes(line)
    for play in beating[:-1]:
        assert PLAYS[f"play {answered}"].beats(PLAYS[f"play {led}"])
        assert PLAYS[f"play {play}"].beats(PLAYS[f"play {answered}"])
    assert numbers(line) == [len(groups_of(f"play {beating[-1]}")[0])]


def test_the_points_of_the_example_add_up() -> None:
    (line,) = [line for line in lines("chuo-pai", "The end and the score") if line.marker]
    *parts, total = numbers(line)
    assert parts == [len(code.split("+")) for code in codes(line)]
    assert total == sum(parts)


# Paohuzi


def groups_with_huxi(line: Line) -> list[tuple[str, int]]:
    after = [re.match(r"[:：] ?(\d+)", line.text[end:]) for _, end in line.codes]
    return [(code, int(huxi[1])) for code, huxi in zip(codes(line), after, strict=True) if huxi and " " in code]


@every_page
def test_every_group_counts_what_is_said(language: str) -> None:
    found = [each for line in page("paohuzi", language).lines() for each in groups_with_huxi(line)]
    assert len(found) > 40
    for name, huxi in found:
        assert group(name).value == huxi
    named = Counter(kind for line in lines("paohuzi", "The groups", language) for kind, _ in groups_with_huxi(line))
    assert {kind.split()[0] for kind in named} == set(KINDS.split("|"))


def test_what_is_said_to_be_no_chi_is_none() -> None:
    wrong = [codes(line)[0] for line in lines("paohuzi", "The groups") if line.codes and line.codes[0][0] == 0]
    assert len(wrong) == 3
    assert not set(wrong) & {"+".join(chi.cards) for chi in CHIS}


def test_the_complete_hands_are_complete_and_count_what_is_said() -> None:
    lists = groupby(lines("paohuzi", "A complete hand"), key=lambda line: bool(line.marker))
    lists_only = [list(items) for listed, items in lists if listed]
    examples = [items for items in lists_only if any(line.codes for line in items)]
    for laid, held, made, total in examples:
        hand, card = codes(held)[-2:]
        kans = [code for code in codes(held) if code.startswith("kan ")]
        seat = holding("; ".join([hand, *(f"kan {kan.split('+')[-1]}" for kan in kans), *codes(laid)]))
        shown = [each for line in (laid, held, made) for each in groups_with_huxi(line)]
        assert most_huxi(seat.fixed, seat.loose, card) == sum(huxi for _, huxi in shown) == numbers(total)[0]
        assert sorted(map(text, arrangement(seat.fixed, seat.loose, card))) == sorted(name for name, _ in shown)
    ((small, huxi),) = groups_with_huxi(total)
    assert numbers(total)[-1] == sum(huxi for _, huxi in shown) - 3 + huxi < 15
    assert (group(small).kind, len(examples)) == ("peng", 2)


def test_what_lays_itself_is_so() -> None:
    reveals = [codes(line) for line in lines("paohuzi", "The claims") if line.marker == "- " and len(line.codes) == 3]
    assert len(reveals) == 2
    for card, hand, laid in reveals:
        assert holding(f"kan {card}" if hand.startswith("kan") else hand).mandatory(card) == group(laid)


def test_what_is_asked_is_so() -> None:
    asked = list(lines("paohuzi", "The claims"))[-6:]
    for line in asked:
        card, hand, *actions = codes(line)
        own = f"kan {card}" if hand.startswith("kan") else hand
        before = "before you" in line.text
        revealed = "reveals" in line.text
        found = options(holding(f"{own}; b1 b9"), card, 1 if before else 2, revealed=revealed, may_chi=before)
        assert set(found) == set(actions)


def test_chi_and_bi_are_so() -> None:
    shown = [codes(line) for line in lines("paohuzi", "More about chi") if line.marker]
    assert [len(each) for each in shown] == [3, 4, 2]
    for card, hand, *chi in shown:
        found = options(holding(hand), card, 1, revealed=False, may_chi=True)
        assert [action for action in found if action.startswith("chi")] == chi[:1]


def test_the_score_is_so() -> None:
    scored = [numbers(line) for line in lines("paohuzi", "The score") if line.marker]
    for huxi, tun in ((15, 1), (17, 1), (18, 2), (20, 2), (21, 3), (24, 4)):
        (said,) = [each for each in scored if huxi in each[:2]]
        assert (said[-1] if len(said) < 4 else said[1]) == tun == 1 + (huxi - 15) // 3
        assert len(said) < 4 or said[2:] == [2 * tun, tun]
    heavenly = [line for line in lines("paohuzi", "The score") if groups_with_huxi(line)]
    for line in heavenly:
        huxi, tun, won, lost = numbers(line)[-4:]
        assert huxi == sum(each for _, each in groups_with_huxi(line))
        assert (tun, won, lost) == (1 + (huxi - 15) // 3, 2 * tun, tun)
