"""Load models on request: deduplicated, with progress, cancellation and the last failure."""

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from contextlib import suppress

from attention_core.disk_room import NoRoomError
from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.errors import Cancelled as LoadingCancelled
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.load_progress import LoadProgress, LoadState
from attention_core.pretrained.models.loading import LoadedModel
from ..web import owners
from ..web.errors import ApiError
from .computation_store import Cancelled, ComputationStore

REMEMBERED = 64
"""Number of models whose last failure is remembered."""


class ModelLoading:
    """Loads models through a store, so that concurrent requests load each once. Used on one event loop.

    ``get`` waits for a model. ``begin`` loads one in the background, independently of any connection, until
    ``withdraw``. Loading stops when nobody waits any more. ``measure`` is told how long a model took that was not in
    memory, and how that ended.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: ComputationStore[LoadedModel],
        *,
        patience_s: float,
        measure: Callable[[float, str], None] | None = None,
    ) -> None:
        self.store = store
        self._measure = measure
        self._catalog = catalog
        self._patience_s = patience_s
        self._progress: dict[str, LoadProgress] = {}
        self._background: dict[str, asyncio.Task[None]] = {}
        self._owners: defaultdict[str, set[str]] = defaultdict(set)
        """The marks of who has begun to load it in the background."""
        self._ended: OrderedDict[str, ApiError | AnalysisError | NoRoomError] = OrderedDict()

    async def get(self, model_id: str, *, timeout_s: float | None = None) -> LoadedModel:
        """The model, loaded if necessary. Raises the errors of ``Catalog.load``, and ApiError like the store."""

        def load(cancelled: Cancelled) -> LoadedModel:
            self._progress[model_id] = progress = LoadProgress(cancelled)
            start, outcome = time.perf_counter(), "failed"
            try:
                loaded = self._catalog.load(model_id, progress)
                outcome = "loaded"
            except LoadingCancelled:
                outcome = "cancelled"
                raise
            finally:
                del self._progress[model_id]
                if self._measure is not None and progress.state.stage != "waiting":  # else it was in memory, or unknown
                    self._measure(time.perf_counter() - start, outcome)
            return loaded

        self._ended.pop(model_id, None)
        return await self.store.get_or_compute(model_id, load, timeout_s=timeout_s)

    def begin(self, model_id: str) -> None:
        """Load the model in the background for who asks, and for whoever has asked already."""
        self._owners[model_id].add(owners.claim())
        if model_id not in self._background:
            self._background[model_id] = asyncio.create_task(self._wait(model_id))

    async def withdraw(self, model_id: str) -> None:
        """Take back what who asks has begun; loading stops once nobody has begun it any more."""
        if model_id in self._background and owners.owner() in self._owners[model_id]:
            self._owners[model_id].remove(owners.owner())
            if not self._owners[model_id]:
                await self._cancel(model_id)

    def state(self, model_id: str) -> LoadState | None:
        """The loading progress; None if the model is not being loaded."""
        progress = self._progress.get(model_id)
        if progress is not None:
            return progress.state
        waits = self.store.is_under_way(model_id) or model_id in self._background
        return LoadState("waiting") if waits else None

    def failure(self, model_id: str) -> ApiError | AnalysisError | NoRoomError | None:
        """Why the last loading started by ``begin`` failed."""
        return self._ended.get(model_id)

    async def close(self) -> None:
        """Cancel everything."""
        for model_id in tuple(self._background):
            await self._cancel(model_id)
        await self.store.close()

    async def _cancel(self, model_id: str) -> None:
        task = self._background[model_id]
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def _wait(self, model_id: str) -> None:
        try:
            await self.get(model_id, timeout_s=self._patience_s)
        except (AnalysisError, ApiError, NoRoomError) as error:
            self._ended[model_id] = error
            if len(self._ended) > REMEMBERED:
                self._ended.popitem(last=False)
        finally:
            del self._background[model_id]
            self._owners.pop(model_id, None)
