"""The words with which a person asks the server for advice. No I/O."""

from client_cli import words, words_advice
from client_cli.commanding import Commanding
from client_cli.input import by_number
from client_cli.inquiries import Inquiries
from client_cli.speaker import Speaker


def ask_hint(seat: Commanding, inquiries: Inquiries) -> None:
    """What would a bot do? Raises `Busy`."""
    prompt = seat.open_question()
    if seat.session.seat is None:
        seat.answer(words.not_seated())
    elif prompt is None:
        seat.answer(words.not_your_turn())
    else:
        seat.send(inquiries.hint(prompt))


def ask_why(seat: Commanding, inquiries: Inquiries, speaker: Speaker, text: str) -> None:
    """Why are these cards, or is this choice, not to be had? Raises `Busy`."""
    prompt = seat.open_question()
    if seat.session.seat is None:
        seat.answer(words.not_seated())
    elif not text:
        seat.answer(words_advice.why_usage())
    else:
        meant = speaker.names.unfaced(text)
        if prompt is not None and meant not in speaker.names.order():
            meant = by_number(meant, prompt.actions) or meant
        seat.send(inquiries.why(prompt, meant, typed=True))
