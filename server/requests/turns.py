"""Where requests are worked out: off the event loop, a few at once, each client in its turn.

Python computes one thing at a time. So each thread at work slows down all others, and with as many threads as there are
requests one client's many hold up everybody. Whatever computes an answer does it in a turn (``in_turn``); what waits
for another server does so in a line of its own (``for_others``); ``aside`` is for short looks that must not wait in
line, as a health check is. A test closes all other ways into a thread to routes and pages.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar

from ..settings import Settings
from ..web import clients
from ..web.busy import server_busy, too_many_requests
from .fair_queue import FairQueue
from .usage import Usage

Result = TypeVar("Result")
Given = ParamSpec("Given")

WAITING, CLIENT_WAITING = 16, 4
"""Requests to other servers at once, of all and of one client. Each holds a thread that sleeps."""
LOOK_AGAIN_S = 0.05
"""Seconds until those who wait are looked at again where nobody who is at work ends: see ``Usage``."""
LOOKS = 16
"""Short looks at once."""
LINE, LEAST_LINE = 4, 32
"""How much longer the line for a turn is than that for an analysis, which takes longer; and where that is short: the
pages of one browser ask for some answers at once."""


@dataclass(eq=False)
class _Waiting:
    """A call in the line."""

    client: str
    called: "asyncio.Future[None]"


class Turns:
    """A number of threads, which clients are given in turn. Used on one event loop.

    At most ``at_once`` calls run, of one client ``of_client``; of those that wait, a client may have ``client_line``
    (429 beyond) and all together ``line`` (503 beyond). The server's own calls have no share. With ``usage``, who has
    had clearly more than another who is at work waits for that one, and than one who was here of late, has half.
    """

    def __init__(
        self, at_once: int, of_client: int, line: int, client_line: int, *, usage: Usage | None = None
    ) -> None:
        self.workers = at_once
        self.running = 0
        self._of_client = of_client
        self._line = line
        self._client_line = client_line
        self._running_of: Counter[str] = Counter()
        self._queue: FairQueue[_Waiting] = FairQueue()
        self._threads = CapacityLimiter(at_once)
        self._usage = usage
        self._looking: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """Calls in the line."""
        return len(self._queue)

    async def run(
        self, call: Callable[[], Result], *, is_admitted: bool = False, limiter: CapacityLimiter | None = None
    ) -> Result:
        """What the call returns, run in a thread once it is this client's turn, and once this ``limiter`` has room.

        Raises ApiError if the line is full, unless the call ``is_admitted``: it ends what has had a place in it.
        """
        async with self._turn(is_admitted):
            return await anyio.to_thread.run_sync(call, limiter=limiter or self._threads)

    @asynccontextmanager
    async def _turn(self, is_admitted: bool) -> AsyncIterator[None]:
        client = clients.client()
        await self._wait(client, is_admitted=is_admitted)
        try:
            yield
        finally:
            self._leave(client)

    async def _wait(self, client: str, *, is_admitted: bool = False) -> None:
        self.go_on()  # others may be let in by now, who came before
        if self.running < self.workers and self._may_run(client) and not self._queue.held_by(client):
            self._enter(client)
            return
        if not is_admitted and len(self._queue) >= self._line:
            raise server_busy(self.workers + self._line)
        if not is_admitted and client and self._queue.held_by(client) >= self._client_line:
            raise too_many_requests(self._client_line)
        waiting = _Waiting(client, asyncio.get_running_loop().create_future())
        self._queue.add(client, waiting)
        self._look_again()
        try:
            await waiting.called
        except asyncio.CancelledError:
            if waiting.called.cancelled():
                self._queue.remove(client, waiting)
            else:  # it had just been called
                self._leave(client)
            raise

    def _may_run(self, client: str) -> bool:
        if not client:
            return True
        if self._usage is None:
            return self._running_of[client] < self._of_client
        most = self._usage.share(client, self._of_client, _now())
        return self._running_of[client] < most and self._usage.may_begin(client, _now())

    def _enter(self, client: str) -> None:
        self.running += 1
        self._running_of[client] += 1
        if self._usage is not None:
            self._usage.begin(client, _now())

    def _leave(self, client: str) -> None:
        self.running -= 1
        self._running_of -= Counter({client: 1})
        if self._usage is not None:
            self._usage.end(client, _now())
        self.go_on()

    def _look_again(self) -> None:
        """Do so in a moment, where there is a free thread for somebody who waits for others to end."""
        if self._usage is not None and self._looking is None and self.running < self.workers:
            self._looking = asyncio.get_running_loop().call_later(LOOK_AGAIN_S, self._looked)

    def _looked(self) -> None:
        self._looking = None
        self.go_on()

    def go_on(self) -> None:
        """Let in who may be now."""
        while self.running < self.workers and (next_one := self._queue.next(self._may_run)) is not None:
            self._enter(next_one.client)
            next_one.called.set_result(None)
        if len(self._queue):
            self._look_again()


def _now() -> float:
    return asyncio.get_running_loop().time()


@dataclass(frozen=True)
class Lines:
    """All ways into a thread, of one event loop."""

    turns: Turns
    """For what computes."""
    parsers: CapacityLimiter
    """For large bodies, one at a time of those whose turn it is: parsing never lets go of Python."""
    others: Turns
    """For what waits for another server."""
    looks: CapacityLimiter
    """For short looks, which do not wait in line."""
    usage: Usage
    """What clients have had of late, of turns and of analyses."""


def lines_of(settings: Settings) -> Lines:
    """The lines that these settings ask for."""
    line, client_line = (max(LEAST_LINE, LINE * number) for number in (settings.queue_size, settings.client_share))
    of_client = max(1, settings.answers_at_once // 2)
    usage = Usage()
    return Lines(
        turns=Turns(settings.answers_at_once, of_client, line, client_line, usage=usage),
        parsers=CapacityLimiter(1),
        others=Turns(WAITING, CLIENT_WAITING, line, client_line),
        looks=CapacityLimiter(LOOKS),
        usage=usage,
    )


_lines: RunVar[Lines] = RunVar("lines")


def open_lines(lines: Lines) -> None:
    """Use these on this event loop from now on."""
    _lines.set(lines)


def lines() -> Lines:
    """Those of this event loop."""
    try:
        return _lines.get()
    except LookupError:
        open_lines(lines_of(Settings()))
        return _lines.get()


async def in_turn(call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Compute in a thread, in this client's turn. Raises ApiError 429 or 503 if too many calls wait."""
    return await lines().turns.run(partial(call, *given, **named))


async def packed(call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Pack in a thread what has been worked out, in this client's turn, however many wait."""
    return await lines().turns.run(partial(call, *given, **named), is_admitted=True)


async def parsing(call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Parse a large body in a thread, in this client's turn, one at a time. Raises as ``in_turn``."""
    return await lines().turns.run(partial(call, *given, **named), limiter=lines().parsers)


async def for_others(call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Wait for another server in a thread, which holds up nothing that is computed here. Raises as ``in_turn``."""
    return await lines().others.run(partial(call, *given, **named))


async def aside(call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Have a short look in a thread, at a folder or a list, without waiting in a line."""
    return await anyio.to_thread.run_sync(partial(call, *given, **named), limiter=lines().looks)


async def turn_by_turn(pieces: Iterator[Result]) -> AsyncIterator[Result]:
    """The pieces of a long answer, each worked out in a turn of its own."""
    while (piece := await in_turn(next, pieces, None)) is not None:
        yield piece
