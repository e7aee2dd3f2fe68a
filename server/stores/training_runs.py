"""Training runs: bounded in number, stopped when nobody watches, kept for a while after their end.

All bookkeeping happens on the event loop's thread, so there are no locks.
"""

import asyncio
import io
import shutil
import tempfile
import time
import zipfile
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from attention_core.disk_room import room_in
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.sources import NETWORK_TITLE, ModelFolder
from attention_core.training.config import TrainingConfig
from attention_core.training.export import export_arrays
from attention_core.training.run_facts import Facts
from ..settings import Settings
from ..web import clients
from ..web.errors import ApiError, stopping
from .fair_eviction import Holdings
from .folders import SHARED, TEMPORARY
from .training_run import State, TrainingRun
from .training_slots import no_slot, share_taken

DAY_S = 86_400


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
        """Raise ApiError 503 if no further run may start, 429 if the client has its share: all slots but one."""
        limit, client = self._settings.training_runs, clients.client()
        if self._is_closed:
            raise stopping()
        if self.active >= limit:
            raise no_slot(limit)
        share = max(1, limit - 1)
        if client and sum(run.client == client and not run.is_over for run in self._runs.values()) >= share:
            raise share_taken(share)

    async def begin(self, config: TrainingConfig, facts: Facts) -> TrainingRun:
        """Start a run, dropping ended ones of the client with most if necessary. Raises as ``check_room``."""
        self.check_room()
        run = TrainingRun(config, facts, self._settings, home=self.home)
        self._runs[run.id] = run
        self.begun += 1
        await self._make_room()
        await run.start()
        return run

    async def _make_room(self) -> None:
        """Drop ended runs if too many are kept."""
        held: Holdings[str] = Holdings()
        for run in self._runs.values():
            held.add(run.id, run.client)
        going_on = {run.id for run in self._runs.values() if not run.is_over}
        for run_id in held.leaving(self._settings.training_kept_runs, going_on):
            with suppress(ApiError):  # it has been deleted meanwhile
                await self.remove(run_id)

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
        """Add the network to the catalog and return its id. Raises ApiError 409 during training, NoRoomError."""
        async with run.publishing:
            weights, model_id, before = run.learned(), run.network_id, run.model_id
            if before != model_id:
                await asyncio.to_thread(self._write, run, model_id, weights)
                run.model_id = model_id
                if before is not None:
                    await asyncio.to_thread(self._withdraw, before)
            return model_id

    async def packed(self, run: TrainingRun) -> tuple[str, bytes]:
        """The network's name, and its folder as a zip; the catalog does not change. Raises ApiError 409 as above."""
        return run.network_id, await asyncio.to_thread(_zipped, run.config, run.learned(), run.network_id)

    def folder(self, model_id: str) -> Path:
        """The folder of a published model: one that all processes share, if there is any."""
        if (shared := self._settings.networks_folder) is not None:
            return shared / model_id
        if self._folder is None:
            with room_in(TEMPORARY):
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
        try:
            with room_in(TEMPORARY if self._settings.networks_folder is None else SHARED):
                export_arrays(config, weights, unfinished)
                (unfinished / NETWORK_TITLE).write_text(title, encoding="utf-8")
                unfinished.rename(folder)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
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


def _zipped(config: TrainingConfig, weights: dict[str, NDArray[Any]], name: str) -> bytes:
    """A network as a folder in transformers' format, packed."""
    packed = io.BytesIO()
    with room_in(TEMPORARY), tempfile.TemporaryDirectory(prefix="observatory-network-") as place:
        folder = Path(place) / name
        export_arrays(config, weights, folder)
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.glob("[!.]*")):
                archive.write(path, f"{name}/{path.name}")
    return packed.getvalue()
