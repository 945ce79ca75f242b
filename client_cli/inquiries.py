"""What a person asks the server about their choices, and what is said once it answers. No I/O."""

from collections import deque

from client_cli import words_advice
from client_cli.layouts import layout_of
from client_cli.speaker import Speaker
from client_cli.words_refusals import refusal
from protocol.errors import ErrorCode
from protocol.messages import MAX_WHY_CHARACTERS, AskHint, Because, Hint, Refused, Why
from protocol.reasons import WhyCode
from protocol.view import Prompt

REFUSALS = frozenset(
    (
        ErrorCode.MALFORMED,
        ErrorCode.NOT_ASKED,
        ErrorCode.NOT_SEATED,
        ErrorCode.NO_HINT,
        ErrorCode.RATE_LIMITED,
        ErrorCode.STALE_PROMPT,
    )
)
"""With which a server refuses what is asked here."""

SAYS_NO_MORE = frozenset((WhyCode.NO_CARDS, WhyCode.NO_SUCH_ACTION))
"""Reasons that whoever is told that something is no choice knows already."""


class Inquiries:
    """All that wait for their answers. A hint may take longer than what is asked after it."""

    def __init__(self) -> None:
        self._hints = 0
        self._whys: deque[bool] = deque()  # typed; else asked for the person, who need not hear of a failure

    @property
    def waiting(self) -> bool:
        return bool(self._hints or self._whys)

    def forget(self) -> None:
        """The connection is another one: what was asked on the one before is answered by nobody."""
        self._hints = 0
        self._whys.clear()

    def hint(self, prompt: Prompt) -> AskHint:
        self._hints += 1
        return AskHint(prompt.id)

    def why(self, prompt: Prompt | None, text: str, *, typed: bool) -> Why:
        """`typed`: the person asks, rather than this program because it does not understand them."""
        self._whys.append(typed)
        return Why(0 if prompt is None else prompt.id, text[:MAX_WHY_CHARACTERS])

    def answered(self, answer: Hint | Because, speaker: Speaker, prompt: Prompt | None) -> list[str]:
        """`prompt`: what is open now."""
        typed = self._typed_why() if isinstance(answer, Because) else self._typed_hint()
        if answer.prompt != (0 if prompt is None else prompt.id):
            return [words_advice.question_gone()] if typed else []
        choices = () if prompt is None else layout_of(speaker.view.room.game).choices(speaker, prompt)
        if isinstance(answer, Because):
            known = not typed and answer.reason.code in SAYS_NO_MORE
            return [] if known else [words_advice.because(speaker, answer.reason, choices)]
        if prompt is None or answer.action not in prompt.actions:
            return [words_advice.no_hint()]
        action = choices[prompt.actions.index(answer.action)]
        return [words_advice.hint(speaker, action, answer.reasons)]

    def refused(self, refused: Refused) -> list[str] | None:
        """None for a refusal of something else."""
        if refused.n is not None or refused.code not in REFUSALS:
            return None
        if not self.waiting and refused.code != ErrorCode.MALFORMED:
            return None
        of_hint = refused.code in (ErrorCode.NO_HINT, ErrorCode.NOT_ASKED) or not self._whys
        typed = self._typed_hint() if of_hint else self._typed_why()
        match refused.code:
            case _ if not typed:
                return []
            case ErrorCode.MALFORMED:
                return [words_advice.older_server()]
            case ErrorCode.NOT_ASKED | ErrorCode.STALE_PROMPT:
                return [words_advice.question_gone()]
            case ErrorCode.NO_HINT:
                return [words_advice.no_hint()]
        return [refusal(refused.code, refused.text)]

    def _typed_hint(self) -> bool:
        """One hint less is waited for; all of them are typed."""
        self._hints = max(0, self._hints - 1)
        return True

    def _typed_why(self) -> bool:
        """One reason less is waited for: was it asked for by the person?"""
        return self._whys.popleft() if self._whys else True
