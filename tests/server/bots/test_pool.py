import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from protocol.view import TableView
from server.bots.base import fallback, offered
from server.bots.ladder import bot_for, reasons_for
from server.bots.pool import BotPool, PoolClosed
from server.bots.thinking import Sort
from server.bots.worker import Question
from server.games.registry import GAMES
from tests.deals import seen

LONG_MS = 60_000
MISBEHAVING = (sys.executable, str(Path(__file__).with_name("misbehaving.py")))


@pytest.fixture
def view() -> TableView:
    game = GAMES["chuo-pai"]
    return seen(game, game.start(tuple(Random(1).sample(game.pack, len(game.pack))), 0, {}), 0)


@pytest.fixture
async def pool() -> AsyncIterator[BotPool]:
    pool = BotPool(workers=1, command=MISBEHAVING, hang_ms=300)
    yield pool
    await pool.close()


async def choose(pool: BotPool, view: TableView, game: str = "chuo-pai", timeout_ms: int = LONG_MS) -> str:
    return await pool.choose(game, "easy", view, seed=2**64 - 1, timeout_ms=timeout_ms)


async def thinking(pool: BotPool, view: TableView) -> asyncio.Task[str]:
    """A choice that never ends by itself, in a worker that is up already."""
    await choose(pool, view)
    task = asyncio.create_task(choose(pool, view, "hang"))
    await asyncio.sleep(0)
    return task


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_the_choice_is_the_one_that_the_bot_makes_with_the_same_seed(view: TableView) -> None:
    pool = BotPool()
    try:
        for seed in range(5):
            expected = bot_for("chuo-pai", "random").choose(view, Random(seed))
            assert await pool.choose("chuo-pai", "random", view, seed, LONG_MS) == expected
    finally:
        await pool.close()


async def test_a_choice_is_explained_where_that_is_asked_for(view: TableView) -> None:
    pool = BotPool()
    try:
        plain = await pool.answer(Question("chuo-pai", "easy", 3, view), LONG_MS)
        explained = await pool.answer(Question("chuo-pai", "easy", 3, view, explained=True), LONG_MS)
        assert plain is not None
        assert explained is not None
        assert (plain.action, plain.reasons) == (explained.action, ())
        assert explained.reasons == reasons_for("chuo-pai", view, plain.action) != ()
    finally:
        await pool.close()


async def test_a_bot_that_fails_gives_no_answer(pool: BotPool, view: TableView) -> None:
    assert await pool.answer(Question("crash", "easy", 1, view, explained=True), LONG_MS) is None


async def test_there_is_no_process_before_the_first_choice_and_one_after_it(pool: BotPool, view: TableView) -> None:
    before = pool.pids
    await choose(pool, view)
    first = pool.pids
    await choose(pool, view)
    assert before == ()
    assert len(first) == 1
    assert pool.pids == first


async def test_choices_made_at_once_share_the_workers_there_may_be(view: TableView) -> None:
    pool = BotPool(workers=2)
    try:
        actions = await asyncio.gather(*(choose(pool, view) for _ in range(10)))
        assert set(actions) <= set(offered(view))
        assert len(pool.pids) == 2
    finally:
        await pool.close()


@pytest.mark.parametrize(
    ("game", "timeout_ms", "how", "replaced"),
    [
        ("crash", LONG_MS, "crashed", True),
        ("hang", 200, "took too long", True),
        ("hang", LONG_MS, "took too long", True),
        ("overspend", 200, "took too long for", True),
        ("fail", LONG_MS, "raised KeyError at __main__:", False),
        ("invent", LONG_MS, "not offered", False),
        ("count", LONG_MS, "cannot be read", True),
        ("babble", LONG_MS, "too long", True),
        ("no such game", LONG_MS, "raised KeyError at server.bots.ladder:", False),
    ],
)
async def test_the_default_action_stands_in_for_a_bot_that_fails_and_the_next_choice_is_as_ever(
    pool: BotPool,
    view: TableView,
    caplog: pytest.LogCaptureFixture,
    game: str,
    timeout_ms: int,
    how: str,
    replaced: bool,
) -> None:
    await choose(pool, view)
    (failing,) = pool.pids

    assert await choose(pool, view, game, timeout_ms) == fallback(view)

    assert await choose(pool, view) == bot_for("chuo-pai", "easy").choose(view, Random(2**64 - 1))
    assert gone(failing) is replaced, "a worker that is in step is kept"
    (message,) = [record.message for record in caplog.records if record.name == "server.bots.pool"]
    assert how in message
    assert offered(view)[-1].removeprefix("play ") not in message


async def test_a_worker_that_died_while_idle_costs_no_choice(
    pool: BotPool, view: TableView, caplog: pytest.LogCaptureFixture
) -> None:
    await choose(pool, view)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    await pool._idle[0]._process.wait()
    await choose(pool, view)
    assert pid not in pool.pids
    assert not caplog.records


@pytest.mark.parametrize(
    ("command", "how"),
    [(("/nowhere/python",), "has no process"), ((sys.executable, "-c", ""), "crashed")],
    ids=["missing", "ends at once"],
)
async def test_a_worker_that_cannot_start_leaves_the_default_action(
    view: TableView, caplog: pytest.LogCaptureFixture, command: tuple[str, ...], how: str
) -> None:
    pool = BotPool(command=command)
    assert await choose(pool, view) == fallback(view)
    assert pool.pids == ()
    assert how in caplog.text
    await pool.close()


async def test_a_choice_does_not_wait_for_ever_behind_another(
    pool: BotPool, view: TableView, caplog: pytest.LogCaptureFixture
) -> None:
    slow = await thinking(pool, view)
    (pid,) = pool.pids
    for _ in range(3):
        assert await choose(pool, view, timeout_ms=1) == fallback(view)
    assert caplog.text.count("no free worker") == 1, "that bots cannot keep up is told once a minute"
    assert pool.pids == (pid,), "the worker is not to blame"
    assert await slow == fallback(view)


async def test_a_choice_that_is_given_up_ends_its_worker_only_if_it_hangs(pool: BotPool, view: TableView) -> None:
    await choose(pool, view)
    (pid,) = pool.pids
    for game in ("chuo-pai", "hang"):
        task = asyncio.create_task(choose(pool, view, game, timeout_ms=200))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert await choose(pool, view) in offered(view)
        assert gone(pid) is (game == "hang")


async def test_an_answer_that_comes_too_late_is_not_taken_and_costs_no_worker(view: TableView) -> None:
    pool = BotPool(command=MISBEHAVING)
    try:
        await choose(pool, view)
        pids = pool.pids
        late = asyncio.create_task(choose(pool, view, "slow", timeout_ms=1))
        after = asyncio.create_task(choose(pool, view))
        assert await late == fallback(view)
        assert await after == bot_for("chuo-pai", "easy").choose(view, Random(2**64 - 1))
        assert pool.pids == pids
    finally:
        await pool.close()


async def test_closing_ends_idle_and_thinking_workers(view: TableView) -> None:
    pool = BotPool(workers=2, command=MISBEHAVING, hang_ms=LONG_MS)
    task = await thinking(pool, view)
    await choose(pool, view)
    first, second = pool.pids
    await pool.close()
    assert gone(first)
    assert gone(second)
    assert pool.pids == ()
    with pytest.raises(PoolClosed):
        await task


async def test_closing_while_a_worker_starts_leaves_none_behind(view: TableView) -> None:
    pool = BotPool(command=MISBEHAVING)
    task = asyncio.create_task(choose(pool, view))
    await asyncio.sleep(0)
    await pool.close()
    assert pool.pids == ()
    with pytest.raises(PoolClosed):
        await task


async def test_a_closed_pool_makes_no_choice_and_may_be_closed_again(pool: BotPool, view: TableView) -> None:
    await pool.close()
    with pytest.raises(PoolClosed):
        await choose(pool, view)
    await pool.close()


async def test_a_view_that_asks_nothing_is_no_question(pool: BotPool, view: TableView) -> None:
    with pytest.raises(ValueError, match="asks nothing"):
        await choose(pool, replace(view, prompt=None))
    assert pool.pids == ()


async def test_who_has_the_least_time_is_next_and_who_wants_reasons_is_last(pool: BotPool, view: TableView) -> None:
    await choose(pool, view)
    answered: list[str] = []

    async def ask(name: str, question: Question, timeout_ms: int) -> None:
        await pool.answer(question, timeout_ms)
        answered.append(name)

    plain = Question("chuo-pai", "easy", 1, view)
    await asyncio.gather(
        ask("in thought", plain, LONG_MS),
        ask("hint", replace(plain, explained=True), LONG_MS // 4),
        ask("patient", plain, LONG_MS),
        ask("urgent", plain, LONG_MS // 3),
        ask("as urgent", plain, LONG_MS // 3),
    )
    assert answered == ["in thought", "urgent", "as urgent", "patient", "hint"]


async def test_the_more_wait_the_less_each_may_think_and_the_answer_says_how_much(
    pool: BotPool, view: TableView
) -> None:
    await choose(pool, view)
    question = Question("chuo-pai", "easy", 1, view)
    budgets = [
        answer.budget for answer in await asyncio.gather(*(pool.answer(question, LONG_MS) for _ in range(50))) if answer
    ]
    assert len(budgets) == 50
    assert budgets[-1] > 5 * budgets[0], "49 waited, and then none"
    alone = await pool.answer(question, LONG_MS)
    assert alone is not None
    assert alone.budget > 5 * budgets[0]


async def test_an_easier_bot_answers_while_somebody_has_waited_too_long_and_the_answer_says_so(
    pool: BotPool, view: TableView
) -> None:
    await choose(pool, view)
    question = Question("chuo-pai", "hard", 5, view, budget=20)
    hanging = asyncio.create_task(choose(pool, view, "hang", timeout_ms=100))
    await asyncio.sleep(0)
    first, last = await asyncio.gather(*(pool.answer(question, LONG_MS) for _ in range(2)))
    assert await hanging == fallback(view)
    assert first is not None
    assert last is not None
    assert (first.level, last.level) == ("normal", "hard"), "for the last one there is time again"
    for answer in (first, last):
        assert answer.action == bot_for("chuo-pai", answer.level).choose(view, Random(5), answer.budget)


async def test_a_smaller_budget_that_the_asker_sets_stays(pool: BotPool, view: TableView) -> None:
    answer = await pool.answer(Question("chuo-pai", "easy", 1, view, budget=3), LONG_MS)
    assert answer is not None
    assert answer.budget == 3


async def test_one_hanging_bot_among_many_costs_one_worker_and_only_its_own_choice(
    pool: BotPool, view: TableView, caplog: pytest.LogCaptureFixture
) -> None:
    await choose(pool, view)
    before = set(pool.pids)
    games = ["chuo-pai"] * 40
    games[5:5] = ["hang"]
    actions = await asyncio.gather(*(choose(pool, view, game, 300 if game == "hang" else LONG_MS) for game in games))
    after = set(pool.pids)
    expected = bot_for("chuo-pai", "easy").choose(view, Random(2**64 - 1))
    assert actions == [fallback(view) if game == "hang" else expected for game in games]
    assert len(after) == 1
    assert not after & before
    assert len([record for record in caplog.records if record.name == "server.bots.pool"]) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signals_meant_for_the_server_do_not_stop_a_worker(
    pool: BotPool, view: TableView, caplog: pytest.LogCaptureFixture, number: signal.Signals
) -> None:
    await choose(pool, view)
    (pid,) = pool.pids
    os.kill(pid, number)
    await choose(pool, view)
    assert pool.pids == (pid,)
    assert not caplog.records


@pytest.mark.parametrize("game", ["chuo-pai", "hang"])
def test_a_worker_ends_with_its_server_even_in_mid_thought(game: str) -> None:
    """Both hold the error pipe; its end is reached when the last of them is gone."""
    server = subprocess.Popen(
        [sys.executable, __file__, game], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    assert server.stderr is not None
    with server:
        pid = int(server.stdout.readline())
        server.kill()
        assert server.stderr.read() == ""
    assert pid != server.pid


async def _serve_until_killed(game: str) -> None:
    deal = GAMES["chuo-pai"]
    view = seen(deal, deal.start(deal.pack, 0, {}), 0)
    pool = BotPool(command=MISBEHAVING)
    await choose(pool, view)
    task = asyncio.create_task(choose(pool, view, game))
    await asyncio.sleep(0)
    print(*pool.pids, flush=True)
    await asyncio.wait([task])
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve_until_killed(sys.argv[1]))


async def test_a_pool_is_warmed_up_before_the_first_choice(view: TableView) -> None:
    pool = BotPool(workers=2)
    await asyncio.gather(pool.warm_up(), choose(pool, view))
    pids = pool.pids
    assert len(pids) == 2
    await choose(pool, view)
    assert pool.pids == pids
    await pool.close()
    assert all(gone(pid) for pid in pids)


async def test_a_pool_may_be_closed_while_it_warms_up() -> None:
    pool = BotPool(workers=2)
    warming = asyncio.create_task(pool.warm_up())
    await asyncio.sleep(0)
    await pool.close()
    await warming
    assert not pool.pids


async def test_how_long_bots_take_is_counted_by_how_it_ended(pool: BotPool, view: TableView) -> None:
    good = BotPool()
    try:
        await good.choose("chuo-pai", "easy", view, 1, LONG_MS)
        (sort,) = good.thinking.answered
        assert sort == Sort("chuo-pai", "easy", "as_asked")
        assert 0 < good.thinking.thought[sort].sum_s < good.thinking.answered[sort].sum_s
    finally:
        await good.close()
    await choose(pool, view)
    await choose(pool, view, "hang", timeout_ms=1)
    assert {sort.ending for sort in pool.thinking.answered} >= {"late"}
    assert not [sort for sort in pool.thinking.thought if sort.ending in {"late", "failed"}]
