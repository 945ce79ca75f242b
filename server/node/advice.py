"""What a seated player is told who asks about the own question. All of it comes from the view of that seat."""

from protocol.errors import ErrorCode
from protocol.messages import Because, Hint
from protocol.reasons import HintCode, WhyCode
from protocol.view import Reason, TableView
from server.bots.base import offered, strongest
from server.bots.pool import BotPool
from server.bots.worker import Question
from server.games.registry import game_named
from server.rooms.refusal import Refusal

HINT_TIMEOUT_MS = 1_000
"""How long the bot may think: whoever asks must not wait long to act all the same."""


async def hint(view: TableView, prompt: int, pool: BotPool) -> Hint:
    """What the strongest bot would do: the same for the same view.

    Raises `Refusal` where `prompt` is not open, or the bot gives no answer.
    """
    _must_be_open(view, prompt)
    actions = offered(view)
    if len(actions) == 1:
        return Hint(prompt, actions[0], (Reason(HintCode.FORCED),))
    game = view.room.game
    answer = await pool.answer(Question(game, strongest(game), prompt, view, explained=True), HINT_TIMEOUT_MS)
    if answer is None:
        raise Refusal(ErrorCode.NO_HINT, "The bot has no hint now; decide without it, or ask again.", retry_ms=1000)
    return Hint(prompt, answer.action, answer.reasons)


def why(view: TableView, prompt: int, text: str) -> Because:
    """Why `text` is no offered action. Raises `Refusal` where another question than `prompt` is open (0: none)."""
    if prompt != (0 if view.prompt is None else view.prompt.id):
        raise Refusal(ErrorCode.STALE_PROMPT, "The question has changed.")
    if view.deal is None:
        return Because(prompt, Reason(WhyCode.NO_DEAL))
    return Because(prompt, game_named(view.room.game).why(view, text))


def _must_be_open(view: TableView, prompt: int) -> None:
    if view.prompt is None or prompt == 0 or prompt > view.prompt.id:
        raise Refusal(ErrorCode.NOT_ASKED, "You have nothing to decide now.")
    if prompt != view.prompt.id:
        raise Refusal(ErrorCode.STALE_PROMPT, "That question has been settled already.")
