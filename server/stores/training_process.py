"""Control a training process from the event loop.

A process rather than a thread: many small tensor operations hold the GIL most of the time, torch's thread count is
per process, and only a process can be given low priority or killed. Where available, a fork server with torch already
imported starts one in a few milliseconds.
"""

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection

from attention_core.training.config import TrainingConfig
from attention_core.training.run import Update
from attention_core.training.worker import Command, Report, work

HAS_FORK_SERVER = "forkserver" in multiprocessing.get_all_start_methods()
JOIN_S = 5.0

Message = Update | Report | None
"""None: the process is gone."""


def prepare() -> None:
    """Start the fork server so that the first run does not wait for torch to import. Returns at once."""
    if HAS_FORK_SERVER:
        multiprocessing.get_context("forkserver").set_forkserver_preload(["attention_core.training.preload"])
        forkserver.ensure_running()


class TrainingProcess:
    """A process whose messages arrive at ``on_message`` on the event loop's thread, with None at its end."""

    def __init__(self, config: TrainingConfig, on_message: Callable[[Message], None]) -> None:
        self._config = config
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
        process = context.Process(target=work, args=(self._config, theirs), daemon=True)
        try:
            process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._pipe, self._process = ours, process
        threading.Thread(target=self._listen, args=(ours,), name="training", daemon=True).start()

    def send(self, command: Command) -> None:
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

    def _tell(self, message: Message) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._on_message, message)
