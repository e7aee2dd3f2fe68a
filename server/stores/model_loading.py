"""Load models on request: deduplicated, with progress, cancellation and the last failure."""

import asyncio
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from attention_core.disk_room import NoRoomError
from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.errors import Cancelled as LoadingCancelled
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.load_progress import LoadProgress, LoadState
from attention_core.pretrained.models.loading import LoadedModel
from ..requests.turns import aside
from ..web import owners
from ..web.errors import ApiError
from .computation_store import Cancelled, ComputationStore

REMEMBERED = 64
"""Number of models whose last failure is remembered."""


class ModelLoading:
    """Loads models, concurrent requests each model once. Used on one event loop.

    ``get`` waits for a model. One in memory is handed out at once; ``store`` loads the others, and what is not on this
    machine is fetched before, in ``downloads``: no model waits for another one's download. ``begin`` loads one in the
    background, independently of any connection, until ``withdraw``. Loading stops when nobody waits any more.
    ``measure`` is told how long a model took that was not in memory, its download included, and how that ended.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: ComputationStore[LoadedModel],
        downloads: ComputationStore[Path],
        *,
        patience_s: float,
        measure: Callable[[float, str], None] | None = None,
    ) -> None:
        self.store = store
        self.downloads = downloads
        self._measure = measure
        self._catalog = catalog
        self._patience_s = patience_s
        self._progress: dict[str, LoadProgress] = {}
        self._fetched_in: dict[str, float] = {}
        """Seconds of a download that loading has yet to follow."""
        self._asked: Counter[str] = Counter()
        """How many wait for it."""
        self._background: dict[str, asyncio.Task[None]] = {}
        self._owners: defaultdict[str, set[str]] = defaultdict(set)
        """The marks of who has begun to load it in the background."""
        self._ended: OrderedDict[str, ApiError | AnalysisError | NoRoomError] = OrderedDict()

    async def get(self, model_id: str, *, timeout_s: float | None = None) -> LoadedModel:
        """The model, loaded if necessary. Raises the errors of ``Catalog.load``, and ApiError like the store."""
        self._ended.pop(model_id, None)
        if (loaded := await aside(self._catalog.at_hand, model_id)) is not None:
            return loaded
        self._asked[model_id] += 1
        try:
            if await aside(self._catalog.place_of, model_id) is None:
                await self.downloads.get_or_compute(model_id, partial(self._fetch, model_id), timeout_s=timeout_s)
            return await self.store.get_or_compute(model_id, partial(self._load, model_id), timeout_s=timeout_s)
        finally:
            self._asked -= Counter({model_id: 1})

    def _fetch(self, model_id: str, cancelled: Cancelled) -> Path:
        start = time.perf_counter()
        with self._following(model_id, cancelled, start) as progress:
            folder = self._catalog.fetch(model_id, progress)
        self._fetched_in[model_id] = time.perf_counter() - start
        return folder

    def _load(self, model_id: str, cancelled: Cancelled) -> LoadedModel:
        start = time.perf_counter() - self._fetched_in.pop(model_id, 0.0)
        with self._following(model_id, cancelled, start) as progress:
            loaded = self._catalog.load(model_id, progress)
        self._count(start, progress, "loaded")
        return loaded

    @contextmanager
    def _following(self, model_id: str, cancelled: Cancelled, start: float) -> Iterator[LoadProgress]:
        """The progress of one step, known while it lasts; one that does not come to its end is counted."""
        self._progress[model_id] = progress = LoadProgress(cancelled)
        try:
            yield progress
        except LoadingCancelled:
            self._count(start, progress, "cancelled")
            raise
        except BaseException:
            self._count(start, progress, "failed")
            raise
        finally:
            del self._progress[model_id]

    def _count(self, start: float, progress: LoadProgress, outcome: str) -> None:
        if self._measure is not None and progress.state.stage != "waiting":  # else it was in memory, or unknown
            self._measure(time.perf_counter() - start, outcome)

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
        waits = self._asked[model_id] > 0 or model_id in self._background
        return LoadState("waiting") if waits else None

    def failure(self, model_id: str) -> ApiError | AnalysisError | NoRoomError | None:
        """Why the last loading started by ``begin`` failed."""
        return self._ended.get(model_id)

    async def close(self) -> None:
        """Cancel everything."""
        for model_id in tuple(self._background):
            await self._cancel(model_id)
        await self.downloads.close()
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
