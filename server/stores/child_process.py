"""Control a process of our own from the event loop: a training run, a scan, or the preparation of a corpus.

A process rather than a thread: many small tensor operations hold the GIL most of the time, torch's thread count is
per process, and only a process can be given low priority or killed. Where available, a fork server with torch already
imported starts one in a few milliseconds.
"""

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

HAS_FORK_SERVER = "forkserver" in multiprocessing.get_all_start_methods()
JOIN_S = 5.0
NICENESS = 10
"""Analyses have priority over what such a process computes."""

Order = TypeVar("Order")
Message = TypeVar("Message")


def prepare() -> None:
    """Start the fork server so that the first process does not wait for torch to import. Returns at once."""
    if HAS_FORK_SERVER:
        multiprocessing.get_context("forkserver").set_forkserver_preload(["attention_core.training.preload"])
        forkserver.ensure_running()


def _run(packed: bytes, pipe: Connection) -> None:
    """The target of a process: unpacking imports what the work needs, which is to have low priority, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Control-C
    with suppress(OSError, AttributeError):  # not available on every platform
        os.nice(NICENESS)
    work, order = pickle.loads(packed)  # noqa: S301 - from our parent
    work(order, pipe)


class ChildProcess(Generic[Order, Message]):
    """A process of low priority that runs ``work(order, pipe)``.

    What it sends arrives at ``on_message`` on the event loop's thread, and None at its end.
    """

    def __init__(
        self, work: Callable[[Order, Connection], None], order: Order, on_message: Callable[[Message | None], None]
    ) -> None:
        self._work = work
        self._order = order
        self._on_message = on_message
        self._loop = asyncio.get_running_loop()
        self._pipe: Connection | None = None
        self._process: multiprocessing.process.BaseProcess | None = None

    @property
    def pid(self) -> int | None:
        """The process id; None before the start."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Call in a thread: it may wait for the fork server. Raises OSError if no process can be started."""
        prepare()
        context = multiprocessing.get_context("forkserver") if HAS_FORK_SERVER else multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        packed = pickle.dumps((self._work, self._order))
        process = context.Process(target=_run, args=(packed, theirs), daemon=True)
        try:
            process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._pipe, self._process = ours, process
        threading.Thread(target=self._listen, args=(ours,), name="child", daemon=True).start()

    def send(self, command: Any) -> None:
        """Send a command; ignored if the process is gone."""
        if self._pipe is not None:
            with suppress(OSError):
                self._pipe.send(command)

    def kill(self) -> None:
        """Kill the process; what it has already sent is still delivered."""
        if self._process is not None:
            self._process.kill()

    def has_ended(self, patience_s: float = 0.0) -> bool:
        """Whether the process has ended, waiting up to this long. True if it never started."""
        if self._process is None:
            return True
        self._process.join(patience_s)
        return not self._process.is_alive()

    def _listen(self, pipe: Connection) -> None:
        with suppress(EOFError, OSError), pipe:
            while True:
                self._tell(pipe.recv())
        assert self._process is not None  # noqa: S101 - it was started before this thread was
        self._process.join(JOIN_S)
        self._tell(None)

    def _tell(self, message: Message | None) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._on_message, message)


async def result_of(work: Callable[[Order, Connection], None], order: Order) -> Any:
    """What a process sends last; None if it died without a word. Cancelling kills it."""
    ended: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    last: list[Any] = [None]

    def hear(message: Any) -> None:
        if message is not None:
            last[0] = message
        elif not ended.done():
            ended.set_result(last[0])

    process: ChildProcess[Order, Any] = ChildProcess(work, order, hear)
    starting = asyncio.ensure_future(asyncio.to_thread(process.start))
    try:
        await asyncio.shield(starting)
        return await ended
    finally:
        starting.add_done_callback(lambda _: process.kill())
