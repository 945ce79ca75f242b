"""How much one bot wins over two others, on duplicate deals: the same cards and leader with it in each seat."""

from random import Random
from statistics import mean, stdev

from server.bots.base import Bot
from server.games.base import SEATS
from server.games.chuo_pai.game import ChuoPai
from tests.deals import seen
from tests.server.bots.chuo_pai.cheating import CheatingBot

GAME = ChuoPai()


def advantage(bot: Bot, others: Bot, deals: int, seed: int, budget: int) -> tuple[float, float]:
    """The bot's points less the mean of the others', a deal, and half the 95 % interval of that."""
    differences = []
    for deal in range(deals):
        rng = Random(f"{seed}/{deal}")
        deck, first = tuple(rng.sample(GAME.pack, len(GAME.pack))), rng.randrange(3)
        gains = []
        for seat in SEATS:
            points = _scores([bot if each == seat else others for each in SEATS], deck, first, budget)
            gains.append((3 * points[seat] - sum(points)) / 2)
        differences.append(mean(gains))
    return mean(differences), 1.96 * stdev(differences) / deals**0.5


def _scores(bots: list[Bot], deck: tuple[str, ...], first: int, budget: int) -> tuple[int, int, int]:
    rngs = [Random(seat) for seat in SEATS]
    state = GAME.start(deck, first, {})
    while state.legal:
        seat, action = state.turn, state.legal[0]
        if len(state.legal) > 1:
            bot = bots[seat]
            if isinstance(bot, CheatingBot):
                bot.hands = state.hands
            action = bot.choose(seen(GAME, state, seat), rngs[seat], budget)
        state = GAME.apply(state, seat, action)
    result = GAME.result(state)
    assert result is not None
    return result.scores
