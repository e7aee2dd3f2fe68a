"""What the stores, the models and the graphics card hold, as Prometheus metrics, read when they are asked for."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.devices import device_memory
from ..requests.turns import Turns
from . import scan, training_run
from .computation_store import ComputationStore
from .counted_cache import CountedCache
from .kept_requests import KeptRequests
from .scans import Scans
from .training_runs import TrainingRuns


class StoreMetrics(Collector):
    """Computations, caches, training runs and scans. To be read on the event loop."""

    def __init__(
        self,
        stores: Mapping[str, ComputationStore[Any]],
        requests: KeptRequests,
        training: TrainingRuns,
        scans: Scans,
        lines: Mapping[str, Turns],
    ) -> None:
        self._stores = stores
        self._requests = requests
        self._training = training
        self._scans = scans
        self._lines = lines

    def collect(self) -> Iterable[Metric]:
        """The metrics, as they are now."""
        yield from self._computations()
        yield from self._caches()
        failures = "Requests that OBSERVATORY_SHARED_DIR could not be given or asked for."
        yield CounterMetricFamily("observatory_shared_dir_failures", failures, value=self._requests.failures)
        yield _by_state(
            "observatory_training_runs",
            "Training runs that are kept.",
            training_run.STATES,
            self._training.states(),
        )
        yield CounterMetricFamily("observatory_training_runs_begun", "Training runs begun.", value=self._training.begun)
        states = [each.state for each in self._scans.all()]
        yield _by_state("observatory_scans", "Scans of corpora that are kept.", scan.STATES, states)

    def _computations(self) -> Iterable[Metric]:
        stores: list[tuple[str, ComputationStore[Any] | Turns]] = [*self._stores.items(), *self._lines.items()]
        running = {name: store.running for name, store in stores}
        waiting = {name: store.waiting for name, store in stores}
        workers = {name: store.workers for name, store in stores}
        yield _gauges(
            "observatory_computations_running",
            "Runs at work; computations that share one count once.",
            "store",
            running,
        )
        yield _gauges("observatory_computations_waiting", "Computations in the queue.", "store", waiting)
        yield _gauges("observatory_computation_workers", "Computations that may run at once.", "store", workers)

    def _caches(self) -> Iterable[Metric]:
        stores = {name: store.cache for name, store in self._stores.items() if store.cache.maxsize > 0}
        caches: dict[str, CountedCache[Any]] = {**stores, "requests": self._requests.cache}
        used = {name: cache.currsize for name, cache in caches.items()}
        limits = {name: cache.maxsize for name, cache in caches.items()}
        entries = {name: len(cache) for name, cache in caches.items()}
        yield _gauges("observatory_cache_bytes", "Bytes of what is kept.", "cache", used)
        yield _gauges("observatory_cache_limit_bytes", "Bytes that may be kept.", "cache", limits)
        yield _gauges("observatory_cache_entries", "Number of what is kept.", "cache", entries)
        for name, says in (
            ("hits", "Answers found in a cache."),
            ("misses", "Answers that had to be computed, or looked for elsewhere."),
            ("evictions", "Answers that had to make room."),
        ):
            family = CounterMetricFamily(f"observatory_cache_{name}", says, labels=["cache"])
            for label, cache in caches.items():
                family.add_metric([label], getattr(cache, name))
            yield family


class ModelMetrics(Collector):
    """The models in memory and the graphics card. May be read in any thread."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def collect(self) -> Iterable[Metric]:
        """The metrics, as they are now; those of a graphics card only where there is one."""
        loaded = self._catalog.loaded_bytes()
        limit = self._catalog.max_model_bytes
        yield GaugeMetricFamily("observatory_models_loaded", "Models in memory.", value=len(loaded))
        yield _gauges("observatory_model_bytes", "Bytes of a model in memory.", "model", loaded)
        mapped = self._catalog.mapped_bytes()
        yield GaugeMetricFamily("observatory_model_mapped_bytes", "Bytes of weight files in memory.", value=mapped)
        yield GaugeMetricFamily("observatory_model_limit_bytes", "Bytes that all models may take.", value=limit)
        if (memory := device_memory(self._catalog.device)) is None:
            return
        device = str(self._catalog.device)
        for name, says, value in (
            ("size", "Memory of the graphics card.", memory.size),
            ("free", "Memory of the graphics card that no process has taken.", memory.free),
            ("reserved", "Memory of the graphics card that this process has taken.", memory.reserved),
            ("allocated", "Memory of the graphics card that this process's tensors hold.", memory.allocated),
        ):
            yield _gauges(f"observatory_gpu_memory_{name}_bytes", says, "device", {device: value})


def _gauges(name: str, says: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, says, labels=[label])
    for of, value in values.items():
        family.add_metric([of], value)
    return family


def _by_state(name: str, says: str, states: Sequence[str], found: Iterable[str]) -> Metric:
    counted = Counter(found)
    return _gauges(name, says, "state", {state: counted[state] for state in states})
