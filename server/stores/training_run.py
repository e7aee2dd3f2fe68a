"""One training run: its process, its recorded history, and following it. Used on one event loop."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from attention_core.refusal import Sentence
from attention_core.training.config import TrainingConfig
from attention_core.training.history import History
from attention_core.training.run import Update
from attention_core.training.run_facts import Facts
from attention_core.training.worker import Command, Report, work
from ..settings import Settings
from ..web import clients, owners
from ..web.errors import ApiError
from .child_process import ChildProcess

State = Literal["starting", "running", "paused", "finished", "stopped", "failed"]
Reason = Literal["diverged", "crashed", "time", "unwatched", "asked"]
"""Why a run has stopped or failed."""
STATES: tuple[State, ...] = get_args(State)
OVER: frozenset[State] = frozenset({"finished", "stopped", "failed"})


class TrainingRun:
    """A network in training, and its recorded history."""

    def __init__(self, config: TrainingConfig, facts: Facts, settings: Settings, *, home: str = "") -> None:
        self.id = f"{home}-{secrets.token_hex(6)}" if home else secrets.token_hex(6)
        self.client = clients.client()
        """Whose slot it takes."""
        self.owner = owners.claim()
        """The mark of who has started it."""
        self.config = config
        self.facts = facts
        self.history = History(settings.training_history_bytes)
        self.state: State = "starting"
        self.reason: Reason | None = None
        self.weights: dict[str, NDArray[Any]] = {}
        """Present while the run is paused and after its end; empty while it learns."""
        self.version = 0
        """Incremented with every change of the state."""
        self.watchers = 0
        self.model_id: str | None = None
        """Id in the catalog, once the network has been published."""
        self.publishing = asyncio.Lock()
        self.process: ChildProcess[TrainingConfig, Update | Report] = ChildProcess(work, config, self._hear)
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._idle: asyncio.TimerHandle | None = None
        self._deadline = self._loop.call_later(settings.training_time_s, self.end, "time")

    @property
    def step(self) -> int:
        """Step of the latest update."""
        newest = self.history.newest
        return 0 if newest is None else newest.step

    @property
    def is_over(self) -> bool:
        """Whether the run has ended for good."""
        return self.state in OVER

    @property
    def network_id(self) -> str:
        """The name of the network as it is now."""
        return f"training-{self.id}-{self.step}"

    def learned(self) -> dict[str, NDArray[Any]]:
        """The weights. Raises ApiError 409 while they change, and if they were never saved."""
        if not self.weights:
            why_not = Sentence("Pause the run or wait for its end: its weights change while it learns.")
            if self.is_over:
                why_not = Sentence("The run ended before its weights were saved. Start it again, and pause it in time.")
            raise ApiError(409, "no_weights", why_not, field="run_id")
        return self.weights

    async def start(self) -> None:
        """Start the process."""
        try:
            await asyncio.to_thread(self.process.start)
        except (OSError, EOFError):
            self._enter("failed", "crashed")

    def command(self, command: Command) -> None:
        """Send a command. Raises ApiError 409 if the run is over."""
        if self.is_over:
            raise ApiError(409, "run_over", "This run is over; start another.", field="run_id")
        self.touch()
        self.process.send(command)

    def end(self, reason: Reason) -> None:
        """Stop the run unless it is over."""
        if not self.is_over:
            self._enter("stopped", reason)
            self.process.kill()

    def touch(self) -> None:
        """Extend the run's life after a request, even if nobody watches. Starts the timeout."""
        if self._idle is not None:
            self._idle.cancel()
        if self.watchers == 0 and self.state != "starting" and not self.is_over:
            self._idle = self._loop.call_later(self._settings.training_idle_s, self.end, "unwatched")

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Keep the run alive while somebody follows its events."""
        self.watchers += 1
        self.touch()
        try:
            yield
        finally:
            self.watchers -= 1
            self.touch()

    async def follow(self, seen: int) -> AsyncIterator[Update | int]:
        """Every update after this step, past and future, and the run's version whenever its state has changed.

        Ends when the run is over and everything has been yielded.
        """
        told = -1
        while True:
            changed = self._changed
            if (update := self.history.after(seen)) is not None:
                seen = update.step
                yield update
            elif told != self.version:
                told, is_last = self.version, self.is_over
                yield told
                if is_last:  # the run may have ended while this was being sent; that is still to be yielded
                    return
            else:
                await changed.wait()

    def _hear(self, message: Update | Report | None) -> None:
        if isinstance(message, Update):
            if self.state == "starting":
                self.state, self.version = "running", self.version + 1
                self.touch()
            if not self.is_over:
                self.history.add(message)
                self.weights = {}
            self._wake()
        elif isinstance(message, Report):
            self._hear_report(message)
        elif not self.is_over:
            self._enter("failed", "crashed")

    def _hear_report(self, report: Report) -> None:
        if self.is_over:
            return
        self.weights = report.weights
        if report.state == "diverged":
            self._enter("failed", "diverged")
        else:
            self._enter(report.state, "asked" if report.state == "stopped" else None)

    def _enter(self, state: State, reason: Reason | None) -> None:
        self.state, self.reason = state, reason
        self.version += 1
        if self.is_over:
            self._deadline.cancel()
            self.touch()
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
