"""Training runs: bounded in number, stopped when nobody watches, kept for a while after their end.

All bookkeeping happens on the event loop's thread, so there are no locks.
"""

import asyncio
import secrets
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.sources import NETWORK_TITLE, ModelFolder
from attention_core.refusal import Sentence
from attention_core.training.config import TrainingConfig
from attention_core.training.export import export_arrays
from attention_core.training.history import History
from attention_core.training.run import Update
from attention_core.training.run_facts import Facts
from attention_core.training.worker import Command, Report, work
from ..settings import Settings
from ..web.errors import ApiError
from .child_process import ChildProcess
from .training_slots import no_slot

State = Literal["starting", "running", "paused", "finished", "stopped", "failed"]
Reason = Literal["diverged", "crashed", "time", "unwatched", "asked"]
"""Why a run has stopped or failed."""
STATES: tuple[State, ...] = get_args(State)
OVER: frozenset[State] = frozenset({"finished", "stopped", "failed"})

DAY_S = 86_400


class TrainingRun:
    """A network in training, and its recorded history."""

    def __init__(self, config: TrainingConfig, facts: Facts, settings: Settings, *, home: str = "") -> None:
        self.id = f"{home}-{secrets.token_hex(6)}" if home else secrets.token_hex(6)
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


class TrainingRuns:
    """The runs of this server. Created and used on one event loop."""

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        self._settings = settings
        self._catalog = catalog
        self._runs: OrderedDict[str, TrainingRun] = OrderedDict()
        self._folder: Path | None = None
        self._is_closed = False
        self.home = ""
        """Where several processes train networks, the name of this one, with which the ids of its runs begin."""
        self.begun = 0
        """Runs since the start of the server."""

    def states(self) -> list[State]:
        """The state of every run that is kept."""
        return [run.state for run in self._runs.values()]

    @property
    def active(self) -> int:
        """Number of runs that are not over."""
        return sum(not run.is_over for run in self._runs.values())

    def check_room(self) -> None:
        """Raise ApiError 503 if no further run may start."""
        limit = self._settings.training_runs
        if self._is_closed:
            raise ApiError(503, "server_busy", "The server is being stopped.")
        if self.active >= limit:
            raise no_slot(limit)

    async def begin(self, config: TrainingConfig, facts: Facts) -> TrainingRun:
        """Start a run, dropping the oldest ended one if necessary. Raises ApiError 503 if all slots are taken."""
        self.check_room()
        run = TrainingRun(config, facts, self._settings, home=self.home)
        self._runs[run.id] = run
        self.begun += 1
        over = [kept.id for kept in self._runs.values() if kept.is_over]
        for run_id in over[: max(0, len(self._runs) - self._settings.training_kept_runs)]:
            await self.remove(run_id)
        await run.start()
        return run

    def get(self, run_id: str) -> TrainingRun:
        """Look up a run. Raises ApiError 404."""
        if (run := self._runs.get(run_id)) is None:
            if self.home and "-" in run_id and not run_id.startswith(f"{self.home}-"):
                raise ApiError(
                    404,
                    "run_lost",
                    "The process that held this run has ended, and the run with it. "
                    "The same settings and seed make the same run again.",
                    field="run_id",
                )
            raise ApiError(
                404,
                "run_expired",
                "This run is no longer kept. The same settings and seed make the same run again.",
                field="run_id",
            )
        return run

    async def remove(self, run_id: str) -> None:
        """Stop and delete a run. Raises ApiError 404."""
        run = self.get(run_id)
        del self._runs[run_id]
        run.end("asked")
        if run.model_id is not None:
            await asyncio.to_thread(self._withdraw, run.model_id)

    async def publish(self, run: TrainingRun) -> str:
        """Add the network to the catalog and return its id. Raises ApiError 409 during training."""
        async with run.publishing:
            weights, model_id, before = run.weights, f"training-{run.id}-{run.step}", run.model_id
            if not weights:
                why_not = Sentence("Pause the run or wait for its end: its weights change while it learns.")
                if run.is_over:
                    why_not = Sentence(
                        "The run ended before its weights were saved. Start it again, and pause it in time."
                    )
                raise ApiError(409, "no_weights", why_not, field="run_id")
            if before != model_id:
                await asyncio.to_thread(self._write, run, model_id, weights)
                run.model_id = model_id
                if before is not None:
                    await asyncio.to_thread(self._withdraw, before)
            return model_id

    def folder(self, model_id: str) -> Path:
        """The folder of a published model: one that all processes share, if there is any."""
        if (shared := self._settings.networks_folder) is not None:
            return shared / model_id
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="observatory-training-"))
        return self._folder / model_id

    async def close(self) -> None:
        """Stop every run, delete their files, and accept no more."""
        self._is_closed = True
        for run_id in tuple(self._runs):
            with suppress(ApiError):
                await self.remove(run_id)
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def _write(self, run: TrainingRun, model_id: str, weights: dict[str, NDArray[Any]]) -> None:
        """Write the network, and list it once it is whole."""
        folder, config = self.folder(model_id), run.config
        title = f"Learned to {config.task}: {config.num_layers} × {config.num_heads} heads, step {run.step}"
        self._sweep(folder.parent)
        unfinished = folder.with_name(f".{model_id}")
        export_arrays(config, weights, unfinished)
        (unfinished / NETWORK_TITLE).write_text(title, encoding="utf-8")
        unfinished.rename(folder)
        self._catalog.add(ModelFolder(model_id, title, "training", folder))

    def _sweep(self, folder: Path) -> None:
        """Delete networks that have expired: of processes that could not do so."""
        own = {run.model_id for run in self._runs.values()}
        expired = time.time() - self._settings.shared_days * DAY_S
        for path in folder.glob("*"):
            with suppress(OSError):
                if path.name not in own and path.stat().st_mtime < expired:
                    shutil.rmtree(path)

    def _withdraw(self, model_id: str) -> None:
        self._catalog.discard(model_id)
        shutil.rmtree(self.folder(model_id), ignore_errors=True)
