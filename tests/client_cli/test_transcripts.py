"""Transcripts of whole deals: everything public and every question once, in order, a line each, in plain words."""

import io
import unicodedata
from collections.abc import Iterator, Sequence

import pytest
from msgspec.structs import replace

from client_cli import words
from client_cli.console import write_line
from client_cli.speaker import Speaker
from client_cli.words_happenings import happened
from protocol.messages import Act, Done, Table
from protocol.view import You
from tests.client_cli.conversations import sit_down
from tests.screens.played import course

QUESTIONS = ("Round ", "Your turn. ", "You can claim it: ", "YOU CAN WIN")
HELD = ("Your hand (", "Your melds: ", "Your huxi so far")
LONGEST_LINE = 280
"""Characters: more is too much to be listened to."""


def told(game: str, seed: int) -> Iterator[tuple[Table, Sequence[str], bool]]:
    """Each message, what is said of it, and whether it asks something new."""
    conversation = sit_down()
    n = prompt_id = 0
    before = None
    for message in course(game, seed):
        prompt = message.view.prompt
        new = prompt is not None and (before is None or before.actions != prompt.actions or bool(message.happened))
        prompt_id, before = prompt_id + new, prompt
        numbered = None if prompt is None else replace(prompt, id=prompt_id)
        shown = replace(message.view, prompt=numbered, you=You(0, n))
        step = conversation.received(replace(message, view=shown))
        yield message, step.lines, new
        if any(isinstance(command, Act) for command in step.send):  # a pass that nobody had to type
            n += 1
            conversation.received(Done(n))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
def test_everything_public_and_every_question_is_told_once_and_in_order(game: str, seed: int) -> None:
    first, questions = True, 0
    for message, lines, asks in told(game, seed):
        speaker = Speaker(message.view, 0)
        public = [line for it in message.happened if (line := happened(speaker, it)) is not None]
        assert len(public) == len(message.happened), "a happening without words"
        said = [line for line in lines if not line.startswith(HELD)]
        said, first = said[first:], False  # after the welcome
        assert said[: len(public)] == public
        if message.view.result is None:
            asked = said[len(public) :]
            assert len(asked) == asks
            assert all(line.startswith(QUESTIONS) or line == words.cannot_beat() for line in asked)
            questions += asks
    assert questions > 5


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
def test_a_transcript_is_plain_short_and_fit_for_ascii(game: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace")
    for _, lines, _ in told(game, 7):
        for line in lines:
            assert len(line) <= LONGEST_LINE, line
            assert not {unicodedata.category(sign) for sign in line} & {"So", "Sk", "Cc", "Cf", "Co", "Cn", "Zl", "Zp"}
            assert not any(unicodedata.name(sign, "").startswith(("BOX DRAWING", "BLOCK")) for sign in line)
            assert not set("|*_#~<>{}\\") & set(line), line
            write_line(line, out)
    out.flush()
    transcript = raw.getvalue().decode("ascii")
    assert r"\u" not in transcript.replace(r"\u5c0f\u6885", ""), "only names are spelt out"
