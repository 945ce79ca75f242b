"""A program that answers, late or not, in one line or in many, and one that is gone."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from client_cli import asked_program
from client_cli.asked_program import LONGEST_ANSWER_BYTES, AskedProgram, Gone, Late
from client_cli.failure import CommandFailed
from protocol.errors import ExitCode

LONG_S = 60.0
SHORT_S = 0.2

ECHO = "import sys\nfor line in sys.stdin: print(line.strip(), flush=True)"


def python(code: str) -> AskedProgram:
    return AskedProgram((sys.executable, "-I", "-S", "-c", code))


async def asks_on(program: AskedProgram) -> None:
    """Until there are no more answers: what is in a pipe may have been written before its end was closed."""
    while True:
        await program.answer(b"x" * 10**6, LONG_S)


async def answers(code: str, questions: Sequence[bytes]) -> list[str]:
    async with python(code) as program:
        return [await program.answer(question, LONG_S) for question in questions]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked_program, "END_S", SHORT_S)


async def test_each_question_gets_its_answer() -> None:
    assert await answers(ECHO, [b"a", b"", "打".encode(), b"x" * 200]) == ["a", "", "打", "x" * 200]


async def test_blanks_ends_of_lines_and_what_is_no_text_are_no_trouble() -> None:
    code = r"import os; input(); os.write(1, b' a\t\r\n'); input(); os.write(1, b'\xff\x00b'); os.close(1); input()"
    assert await answers(code, [b"1", b"2"]) == ["a", "\ufffd\0b"]


async def test_a_huge_line_is_one_answer_and_costs_no_memory() -> None:
    code = "input(); print('x' * 10**7, flush=True); input(); print('y', flush=True); input()"
    huge, after = await answers(code, [b"1", b"2"])
    assert huge == "x" * LONGEST_ANSWER_BYTES
    assert after == "y"


async def test_what_is_said_between_questions_answers_none() -> None:
    code = "print('hello', flush=True)\nwhile input(): print('a\\nb', flush=True)"
    async with python(code) as program:
        while not program.unasked:  # noqa: ASYNC110 - a counter has no event to wait for
            await asyncio.sleep(0)
        assert await program.answer(b"1", LONG_S) == "a"
        while program.unasked < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert await program.answer(b"2", LONG_S) == "a"


async def test_a_late_answer_is_no_answer_to_the_next_question(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    code = f"a = input(); open({str(gate)!r}).close(); print(a, flush=True); print(input(), flush=True); input()"
    async with python(code) as program:
        with pytest.raises(Late):
            await program.answer(b"1", SHORT_S)
        with pytest.raises(Late):  # it is not even asked
            await program.answer(b"2", 0.01)
        gate.open("w").close()
        assert await program.answer(b"3", LONG_S) == "3"


@pytest.mark.usefixtures("impatient")
async def test_a_program_that_never_reads_is_late_and_holds_nothing_up() -> None:
    async with python("import time; time.sleep(600)") as program:
        for _ in range(2):
            with pytest.raises(Late):
                await program.answer(b"x" * 10**7, 0.05)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("input(); raise SystemExit(3)", "The program has ended with exit code 3."),
        ("import os; input(); os.kill(os.getpid(), 9)", "The program was ended by signal 9."),
        ("import os, time; input(); os.close(1); time.sleep(600)", "The program has closed its input or its output."),
        ("import os, time; os.close(0); time.sleep(600)", "The program has closed its input or its output."),
    ],
)
async def test_a_program_that_will_answer_no_more_is_gone(code: str, reason: str) -> None:
    told = asyncio.Event()
    async with python(code) as program:
        program.when_gone = told.set
        for _ in range(2):
            with pytest.raises(Gone, match=reason):
                await asks_on(program)
        assert told.is_set()


async def test_a_last_answer_counts_although_the_program_is_gone() -> None:
    assert await answers("print(input(), end='')", [b"a"]) == ["a"]


async def test_the_end_of_a_program_is_told_while_nothing_is_asked() -> None:
    told = asyncio.Event()
    async with python("") as program:
        program.when_gone = told.set
        await asyncio.wait_for(told.wait(), LONG_S)
        assert str(program.gone) == "The program has ended with exit code 0."


async def test_a_program_ends_when_it_is_asked_no_more(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    async with python(f"import sys; sys.stdin.read(); open({str(ended)!r}, 'w').close()"):
        pass
    assert ended.exists()


@pytest.mark.usefixtures("impatient")
async def test_a_program_that_does_not_end_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    left = asyncio.create_task(asyncio.to_thread(held.read_bytes))  # ends when nobody can write any more
    code = f"import os, time\nos.open({str(held)!r}, os.O_WRONLY)\nos.fork()\nprint(flush=True)\ntime.sleep(600)"
    async with python(code) as program:
        await program.answer(b"", LONG_S)
    await asyncio.wait_for(left, LONG_S)


@pytest.mark.parametrize("command", ["/nonesuch", "/", "a\0b"])
async def test_what_is_no_program_is_told(command: str) -> None:
    with pytest.raises(CommandFailed, match=" cannot be started: ") as failed:
        async with AskedProgram((command,)):
            pass
    assert failed.value.exit_code == ExitCode.USAGE
