"""Virtual time: machines that run asyncio programs on one timeline. No I/O, no threads, no clock on a wall.

Every machine has an event loop of its own, so one can freeze or die while the others go on. When no machine has work
left, time jumps to whatever comes next; a whole minute of a quiet world costs nothing.
"""

import asyncio
import warnings
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any
from weakref import WeakSet

TURNS_AT_ONCE = 100_000
"""Turns without a step of time after which the world is taken to go round in circles."""


class Livelock(AssertionError):
    """A machine never runs out of work."""


class Event:
    """Something that will happen at a time."""

    __slots__ = ("args", "call")

    def __init__(self, call: Callable[..., None], args: tuple[Any, ...]) -> None:
        self.call: Callable[..., None] | None = call
        self.args = args

    def cancel(self) -> None:
        self.call = None
        self.args = ()


class Timeline:
    """What will happen, in seconds from the beginning. `rng` decides whose turn it is where several could go on."""

    def __init__(self, rng: Random) -> None:
        self.now_s = 0.0
        self.runnable: list[Loop] = []
        self._rng = rng
        self._events: list[tuple[float, int, Event | _Timer]] = []
        self._numbers = count()

    def after(self, delay_s: float, call: Callable[..., None], *args: Any) -> Event:
        return self.at(self.now_s + delay_s, call, *args)

    def at(self, at_s: float, call: Callable[..., None], *args: Any) -> Event:
        event = Event(call, args)
        self.put(at_s, event)
        return event

    def put(self, at_s: float, event: "Event | _Timer") -> None:
        heappush(self._events, (at_s, next(self._numbers), event))

    def settle(self) -> None:
        """Let all machines go on until none has anything to do at this moment. Raises `Livelock`."""
        runnable = self.runnable
        for _ in range(TURNS_AT_ONCE):
            if not runnable:
                return
            runnable.pop(self._rng.randrange(len(runnable)) if len(runnable) > 1 else 0).turn()
        raise Livelock(f"at {self.now_s:.3f} s, on {', '.join(loop.name for loop in runnable)}")

    def run(self, until_s: float) -> None:
        """Let everything happen that happens up to then. Raises `Livelock`."""
        events = self._events
        self.settle()
        while events and events[0][0] <= until_s:
            at_s, _, event = heappop(events)
            if event.call is None:
                continue
            self.now_s = at_s
            event.call(*event.args)
            if self.runnable:
                self.settle()
        self.now_s = until_s


class _Handle(asyncio.Handle):
    """asyncio's own, without what only its debugging needs: half of the time would go there."""

    __slots__ = ()

    def __init__(self, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None) -> None:
        self._callback = callback
        self._args = args
        self._context = context
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True
        self._args = ()


class _Timer(asyncio.TimerHandle):
    """A handle that stands on the timeline as an event."""

    __slots__ = ("args", "call")

    def __init__(
        self, loop: "Loop", when: float, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None
    ) -> None:
        self._callback = callback
        self._args = args
        self._context = context
        self._cancelled = False
        self._when = when
        self.call: Callable[..., None] | None = loop.ring
        self.args = (self,)

    def cancel(self) -> None:
        self._cancelled = True
        self.call = None
        self.args = self._args = ()  # type: ignore[assignment]  # the timeline passes it over


class _Task(asyncio.Task[Any]):
    """Hashed by its number, so that a set of tasks has the same order in every run."""

    def __init__(self, coro: Coroutine[Any, Any, Any], number: int, **named: Any) -> None:
        self.number = number
        super().__init__(coro, **named)

    def __hash__(self) -> int:
        return self.number


class Loop(asyncio.AbstractEventLoop):
    """The event loop of one machine, whose clock goes `rate` times as fast as the timeline.

    `faults` holds what asyncio reported: tasks and callbacks that ended in an exception that nobody took.
    """

    def __init__(self, timeline: Timeline, name: str, rate: float = 1.0) -> None:
        self.name = name
        self.frozen = False
        self.faults: list[dict[str, Any]] = []
        self._timeline = timeline
        self._rate = rate
        self._ready: deque[_Handle | _Timer] = deque()
        self._tasks: WeakSet[_Task] = WeakSet()
        self._numbers = count()
        self._closed = False
        self._ending = False

    # What the timeline asks

    def turn(self) -> None:
        """Run what is ready now; what becomes ready by that has its turn next."""
        asyncio._set_running_loop(self)
        try:
            ready = self._ready
            for _ in range(len(ready)):
                handle = ready.popleft()
                if handle._cancelled:
                    continue
                try:
                    if handle._context is None:
                        handle._callback(*handle._args)
                    else:
                        handle._context.run(handle._callback, *handle._args)
                except Exception as error:  # noqa: BLE001 - as asyncio does: a callback harms no other
                    self.call_exception_handler({"message": "in a callback", "exception": error})
        finally:
            asyncio._set_running_loop(None)
        if self._ready and not self.frozen:
            self._timeline.runnable.append(self)

    def freeze(self) -> None:
        """Stop as a paused process does: what arrives waits, and timers that are due ring late."""
        self.frozen = True
        if self in self._timeline.runnable:
            self._timeline.runnable.remove(self)

    def thaw(self) -> None:
        self.frozen = False
        if self._ready and self not in self._timeline.runnable:
            self._timeline.runnable.append(self)

    def end(self) -> None:
        """Take everything out of the world that runs here. Nothing that it still does reaches anybody, provided that
        its wires were cut before."""
        self.freeze()
        self._ending = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of work that has never begun
            self._cancel_all()
        self._closed = True

    def _cancel_all(self) -> None:
        for _ in range(100):
            tasks = sorted((task for task in self._tasks if not task.done()), key=hash)
            if not tasks and not self._ready:
                return
            for task in tasks:
                task.cancel()
            while self._ready:
                self.turn()
        raise Livelock(f"{self.name} does not end")

    # What asyncio asks

    def time(self) -> float:
        return self._timeline.now_s * self._rate

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = _Handle(callback, args, context)
        if self._closed:
            return handle
        ready = self._ready
        if not ready and not self.frozen and asyncio._get_running_loop() is not self:
            self._timeline.runnable.append(self)
        ready.append(handle)
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = _Timer(self, when, callback, args, context)
        if not self._closed:
            self._timeline.put(max(when / self._rate, self._timeline.now_s), timer)
        return timer

    def ring(self, handle: _Timer) -> None:
        """Its time has come."""
        if self._closed:
            return
        if not self._ready and not self.frozen:
            self._timeline.runnable.append(self)
        self._ready.append(handle)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Coroutine[Any, Any, Any], **named: Any) -> asyncio.Task[Any]:  # type: ignore[override]
        task = _Task(coro, next(self._numbers), loop=self, **named)
        self._tasks.add(task)
        return task

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return asyncio._get_running_loop() is self

    def is_closed(self) -> bool:
        return self._closed

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self._ending:
            self.faults.append(context)
