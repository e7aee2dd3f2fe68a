"""Scan a corpus on a Ray cluster: the same fold, a model a worker, summaries merged where the scan was started.

Corpus and output lie where all machines see them. Workers give back the summary of one shard at a time, so a scan that
is interrupted goes on like any other, and the atlas has the same bytes as one made in one process.
"""

import io
import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import ray
import ray.data

from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.model_source import ModelSource
from attention_core.atlas.scan import Progress, ScanJob, ScanResult, computing_on, scan_shard
from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.texts.plan import Plan
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.pretrained.running.cancellation import stopping
from attention_core.refusal import Refusal

WORKERS = 2
"""Workers of a cluster without GPUs, unless given."""
BLOCKS = 10_000
"""Pieces into which the list of shards is cut, at most."""


class ShardScanner:
    """One worker: a model, and the summary of each shard it is given."""

    def __init__(self, source: ModelSource, corpus: Path, plan: Path, threads: int) -> None:
        self._threads = threads
        with computing_on(threads):
            self._model = ScannedModel(source.load())
        self._plan = Plan.load(plan)
        self._texts = ShardWindows(self._model.tokeniser, corpus, self._plan.window_tokens, kept_tokens=0)

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, Any]:
        """The summaries of some shards by their place in the plan, each as the bytes of its file."""
        summaries = []
        for place in batch["place"].tolist():
            kept = io.BytesIO()
            with computing_on(self._threads):
                scan_shard(self._model, self._texts, self._plan, self._plan.shards[place]).write(kept)
            summaries.append(kept.getvalue())
        return {"place": batch["place"], "summary": np.array(summaries, dtype=object)}


def scan_on_ray(
    source: ModelSource,
    corpus: Path,
    out: Path,
    settings: ScanSettings | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    *,
    address: str | None = None,
    workers: int | None = None,
    threads: int = 1,
) -> ScanResult:
    """Make an atlas as ``scan`` does, on the cluster at ``address`` or one started here.

    ``workers`` models work at once, one for each GPU unless given, each on ``threads`` of a processor. Raises what
    ``scan`` raises; ConnectionError if nothing answers at the address.
    """
    check = stopping(cancelled, "scan")
    with _cluster(address, workers or WORKERS), computing_on(threads):
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        gpus = int(resources.get("GPU", 0))
        workers = workers or gpus or WORKERS
        loaded = replace(source, device="cpu").load() if gpus else source.load()
        job = ScanJob(loaded, corpus, out, settings or ScanSettings(), check, "cuda" if gpus else None, threads=threads)
        if (finished := job.finished()) is not None:
            return finished
        plan, missing = job.plan(), set(job.missing())
        places = [place for place, shard in enumerate(plan.shards) if shard in missing]
        report = progress or (lambda _done, _shards, _tokens, _planned: None)
        done = len(plan.shards) - len(places)
        tokens = plan.tokens - sum(shard.tokens for shard in missing)
        report(done, len(plan.shards), tokens, plan.tokens)
        arguments = (source, corpus.resolve(), job.plan_file.resolve(), threads)
        for place, summary in _summaries(places, arguments, workers, threads, gpus / workers):
            job.keep(plan.shards[place], summary)
            done, tokens = done + 1, tokens + plan.shards[place].tokens
            report(done, len(plan.shards), tokens, plan.tokens)
            check()
        return job.finish(sum(shard.tokens for shard in missing))


def _summaries(
    places: list[int], given: tuple[Any, ...], workers: int, threads: int, gpus: float
) -> Iterator[tuple[int, bytes]]:
    """The shards at these places of the plan, in the order in which workers finish them."""
    if not places:
        return
    data = ray.data.from_items([{"place": place} for place in places], override_num_blocks=min(len(places), BLOCKS))
    folded = data.map_batches(
        ShardScanner,
        fn_constructor_args=given,
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(size=min(workers, len(places))),
        num_cpus=threads,
        num_gpus=min(gpus, 1.0),
    )
    try:
        for row in folded.iter_rows():
            yield int(row["place"]), row["summary"]
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, Refusal) else error) from error


@contextmanager
def _cluster(address: str | None, workers: int) -> Iterator[None]:
    """Connect to a cluster, or start one with a processor for each worker and one for everything else."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns of a change to come
    own: dict[str, Any] = (
        {} if address else {"num_cpus": max(workers + 1, os.cpu_count() or 1), "include_dashboard": False}
    )
    ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # Ray warns of its own defaults, such as use_push_based_shuffle.
            warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"ray\.")
            ray.data.DataContext.get_current().enable_progress_bars = False
            yield
    finally:
        ray.shutdown()
