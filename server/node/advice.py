"""What a seated player is told who asks about the own question. All of it comes from the view of that seat."""

import asyncio

from protocol.errors import ErrorCode
from protocol.messages import Because, Hint, Refused
from protocol.reasons import HintCode, WhyCode
from protocol.view import Reason, TableView
from server.bots.ladder import strongest
from server.bots.pool import BotPool
from server.bots.worker import Question
from server.games.registry import game_named
from server.rooms.refusal import Refusal

HINT_TIMEOUT_MS = 1_000
"""How long the bot may think, and how long a hint waits for others before that."""

NO_HINT = Refused(ErrorCode.NO_HINT, "The bot has no hint now; decide without it, or ask again.", retry_ms=1000)


class Adviser:
    """Thinks of one hint at a time, so that the bots that play wait for one thought at most."""

    def __init__(self, pool: BotPool) -> None:
        self._pool = pool
        self._one_at_a_time = asyncio.Lock()

    async def hint(self, view: TableView) -> Hint | Refused:
        """What the strongest bot would do about the view's question: the same for the same view."""
        assert view.prompt is not None
        prompt = view.prompt
        if len(prompt.actions) == 1:
            return Hint(prompt.id, prompt.actions[0], (Reason(HintCode.FORCED),))
        game = view.room.game
        question = Question(game, strongest(game), prompt.id, view, explained=True)
        try:
            async with asyncio.timeout(HINT_TIMEOUT_MS / 1000):
                await self._one_at_a_time.acquire()
        except TimeoutError:
            return NO_HINT
        try:
            answer = await self._pool.answer(question, HINT_TIMEOUT_MS)
        finally:
            self._one_at_a_time.release()
        return NO_HINT if answer is None else Hint(prompt.id, answer.action, answer.reasons)


def must_be_open(view: TableView, prompt: int) -> None:
    """Raises `Refusal` where `prompt` is not the view's question."""
    if view.prompt is None or prompt == 0 or prompt > view.prompt.id:
        raise Refusal(ErrorCode.NOT_ASKED, "You have nothing to decide now.")
    if prompt != view.prompt.id:
        raise Refusal(ErrorCode.STALE_PROMPT, "That question has been settled already.")


def why(view: TableView, prompt: int, text: str) -> Because:
    """Why `text` is no offered action. Raises `Refusal` where another question than `prompt` is open (0: none)."""
    if prompt != (0 if view.prompt is None else view.prompt.id):
        raise Refusal(ErrorCode.STALE_PROMPT, "The question has changed.")
    if view.deal is None:
        return Because(prompt, Reason(WhyCode.NO_DEAL))
    return Because(prompt, game_named(view.room.game).why(view, text))
