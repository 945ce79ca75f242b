"""When the players of `bench server` may answer."""

import asyncio

from server.commands.bench_traffic import Gate, Part


async def test_a_shut_gate_holds_answers_and_an_open_one_lets_all_through() -> None:
    gate, answers = Gate(), list[int]()
    gate.let(lambda: answers.append(1))
    gate.let(lambda: answers.append(2))
    assert answers == []
    playing = asyncio.create_task(gate.play(Part(seconds=0.01)))
    await asyncio.sleep(0)
    assert answers == [1, 2]
    gate.let(lambda: answers.append(3))
    assert answers == [1, 2, 3]
    gate.moves += 3
    played = await playing
    assert played.moves == 3
    assert played.seconds >= 0.01
    gate.let(lambda: answers.append(4))
    assert answers == [1, 2, 3]


async def test_at_a_rate_one_answer_goes_through_at_a_time() -> None:
    gate, answers = Gate(), list[int]()

    def answer(number: int) -> None:
        answers.append(number)
        gate.let(lambda: answer(number + 1))

    gate.let(lambda: answer(1))
    await gate.play(Part(seconds=0.02, moves_per_s=250))
    assert answers == [1, 2, 3, 4, 5]
