"""Run long computations: bounded concurrency, deduplicated by key, results cached within a byte budget.

All bookkeeping happens on the event loop's thread, so there are no locks; only computations run elsewhere.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from attention_core.refusal import Refusal
from ..requests.fair_queue import FairQueue
from ..requests.turns import lines
from ..web import clients
from ..web.busy import retry_later, server_busy, too_many_requests
from ..web.errors import ApiError, stopping
from ..web.free_memory import trimming
from ..web.monitoring import Measures
from .counted_cache import CountedCache

Result = TypeVar("Result")
Cancelled = Callable[[], bool]
"""Called by the computation between steps: true when nobody waits for it any more."""


@dataclass(frozen=True, eq=False)
class Shared(Generic[Result]):
    """How a computation is done together with others that wait at the same moment."""

    key: Hashable
    """Equal for computations that can share one run."""
    item: Any
    compute: Callable[[list[Any], list[Cancelled]], Sequence[Result | Exception]]
    """From the items of some computations to their results or errors, in order."""


@dataclass(eq=False)
class _Job(Generic[Result]):
    """One computation, and the number of requests waiting for it."""

    key: str
    compute: "Callable[[Cancelled], Result]"
    client: str
    """The first client to request it, to whom it is counted."""
    future: "asyncio.Future[Result]"
    since: float
    """When it was queued, then when it began."""
    shared: Shared[Result] | None = None
    has_begun: bool = False
    waiting: int = 1
    gave_up: bool = False
    """Whether the computation was cancelled; its error is then no answer for later requests."""

    def cancelled(self) -> bool:
        """See ``Cancelled``."""
        self.gave_up = self.gave_up or self.waiting == 0
        return self.gave_up

    def can_share(self, other: "_Job[Result]") -> bool:
        """Whether the other can be done in one run with it."""
        return self.shared is not None and other.shared is not None and self.shared.key == other.shared.key


class ComputationStore(Generic[Result]):
    """Results by key. Created and used on one event loop.

    - At most ``workers`` computations run, of one client ``client_workers``, and ``queue_size`` wait; more are refused
      (503 ``server_busy``).
    - Clients take turns; one client may have at most ``client_queue_size`` computations waiting, more are refused (429
      ``too_many_requests``).
    - Concurrent requests for one key share one computation; it is cancelled only when nobody waits any more.
    - No request waits longer than ``timeout_s`` seconds (503 ``timeout``).
    - Results are cached up to ``cache_bytes`` in total, evicting the least recently used of the client whose take most;
      a larger one is returned but not cached. Failures are not cached.
    - Computations that wait at the same moment and say how they can share a run (``Shared``) do so, up to ``batch`` at
      once in one worker: all of the client whose turn it is, and of each other no more than of this one. None waits for
      another to come.
    - What ``computes`` counts as what its client has had of late; who has had clearly more has half of its workers.
    - How long computations waited and took is reported to ``measures``.
    """

    def __init__(
        self,
        *,
        workers: int,
        queue_size: int,
        cache_bytes: int,
        timeout_s: float,
        size: Callable[[Result], int],
        client_queue_size: int | None = None,
        client_workers: int | None = None,
        computes: bool = True,
        batch: int = 1,
        measures: Measures | None = None,
    ) -> None:
        self.workers = workers
        self.batch = batch
        self.cache: CountedCache[Result] = CountedCache(cache_bytes)
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="analysis")
        self._capacity = workers + queue_size
        self._share = queue_size if client_queue_size is None else client_queue_size
        self._client_workers = workers if client_workers is None else client_workers
        self._computes = computes
        self._at_work: Counter[str] = Counter()
        """Runs at work by the client to whom they are counted."""
        self._queue: FairQueue[_Job[Result]] = FairQueue()
        self._timeout_s = timeout_s
        self._size = size
        self._measures = measures
        self._jobs: dict[str, _Job[Result]] = {}
        self.running = 0
        """Runs at work, each in a worker; computations that share one count once."""
        self._is_closed = False

    @property
    def under_way(self) -> int:
        """Number of computations running or queued."""
        return len(self._jobs)

    @property
    def waiting(self) -> int:
        """Number of computations queued."""
        return len(self._queue)

    def get(self, key: str) -> Result | None:
        """A cached result, marked as recently used."""
        return self.cache.find(key)

    def holds(self, key: str) -> bool:
        """Whether there is a cached result, which is marked as recently used, but not counted as found."""
        return self.cache.get(key) is not None

    def is_under_way(self, key: str) -> bool:
        """Whether this key is running or queued."""
        return key in self._jobs

    async def get_or_compute(
        self,
        key: str,
        compute: Callable[[Cancelled], Result],
        *,
        shared: Shared[Result] | None = None,
        timeout_s: float | None = None,
    ) -> Result:
        """The result for this key: cached, in progress, or computed by ``compute(cancelled)`` in a worker.

        ``shared`` says how it is computed together with others. Raises the errors of ``compute``, and ApiError as
        documented for the class. Cancelling the caller withdraws its request. ``timeout_s`` overrides the store's.
        """
        limit = self._timeout_s if timeout_s is None else timeout_s
        try:
            async with asyncio.timeout(limit) as deadline:
                while True:
                    if (kept := self.cache.find(key)) is not None:
                        return kept
                    if (job := self._jobs.get(key)) is not None:
                        job.waiting += 1
                    else:
                        job = self._start(key, compute, shared)
                    try:
                        return await self._wait(job)
                    except Exception:
                        if self._is_closed or not job.gave_up:
                            raise
        except TimeoutError:
            if not deadline.expired():
                raise
            raise ApiError(
                503,
                "timeout",
                "This took longer than {seconds} seconds (OBSERVATORY_ANALYSIS_TIMEOUT_S). Try a shorter text.",
                f"{limit:g}",
                limit=limit,
                headers=retry_later(),
            ) from None

    def stop(self) -> None:
        """Refuse whoever waits, at once, and everybody from now on (503)."""
        self._is_closed = True
        for job in self._jobs.values():
            job.gave_up = True
            if not job.future.done():
                job.future.set_exception(stopping())
                job.future.exception()  # retrieved, even if nobody waits

    async def close(self) -> None:
        """Cancel every computation and wait for the workers."""
        self.stop()
        await asyncio.to_thread(self._executor.shutdown, cancel_futures=True)

    def _start(self, key: str, compute: Callable[[Cancelled], Result], shared: Shared[Result] | None) -> _Job[Result]:
        if self._is_closed:
            raise stopping()
        client = clients.client()
        must_wait = self.running >= self.workers or not self._may_run(client)
        if len(self._jobs) >= self._capacity:
            raise server_busy(self._capacity)
        if must_wait and client and self._queue.held_by(client) >= self._share:
            raise too_many_requests(self._share)
        self.cache.misses += 1
        loop = asyncio.get_running_loop()
        job = self._jobs[key] = _Job(key, compute, client, loop.create_future(), loop.time(), shared)
        self._queue.add(client, job)
        self._run_next()
        return job

    def _run_next(self) -> None:
        """Give free workers the oldest queued jobs, each client in turn, with those that can share the run."""
        loop = asyncio.get_running_loop()
        while self.running < self.workers and not self._is_closed:
            if (first := self._queue.next(self._may_run)) is None:
                return
            jobs = [first]
            if first.shared is not None:
                jobs += self._queue.take(first.can_share, self.batch - 1, of=first.client, may=self._may_run)
            self.running += 1
            self._at_work[first.client] += 1
            if self._computes:
                lines().usage.begin(first.client, loop.time())
            for job in jobs:
                queued, job.since, job.has_begun = job.since, loop.time(), True
                if self._measures is not None:
                    self._measures.waited(job.since - queued)
            if self._measures is not None and len(jobs) > 1:
                self._measures.shared(len(jobs))
            worker = self._executor.submit(self._compute, jobs)
            worker.add_done_callback(lambda worker, jobs=jobs: _on_loop(loop, lambda: self._finish(jobs, worker)))  # type: ignore[misc]

    def _may_run(self, client: str) -> bool:
        most = self._client_workers
        if self._computes:
            most = lines().usage.share(client, most, asyncio.get_running_loop().time())
        return not client or self._at_work[client] < most

    def _compute(self, jobs: "list[_Job[Result]]") -> "list[tuple[Result, int] | Exception]":
        """Run in a worker: each result and its size, or its error."""
        first = jobs[0]
        with trimming():
            if first.shared is None or len(jobs) == 1:
                result = first.compute(first.cancelled)
                return [(result, self._size(result))]
            items = [job.shared.item for job in jobs if job.shared is not None]
            results = first.shared.compute(items, [job.cancelled for job in jobs])
        return [each if isinstance(each, Exception) else (each, self._size(each)) for each in results]

    async def _wait(self, job: _Job[Result]) -> Result:
        try:
            return await asyncio.shield(job.future)
        finally:
            job.waiting -= 1
            if job.waiting == 0 and not job.has_begun:
                self._queue.remove(job.client, job)
                del self._jobs[job.key]
                job.future.cancel()

    def _finish(self, jobs: "list[_Job[Result]]", worker: "Future[list[tuple[Result, int] | Exception]]") -> None:
        self.running -= 1
        self._at_work -= Counter({jobs[0].client: 1})
        if self._computes:
            lines().usage.end(jobs[0].client, asyncio.get_running_loop().time())
        for job in jobs:
            del self._jobs[job.key]
        self._run_next()
        if worker.cancelled():
            return  # the store is being closed, and who waited was refused
        failure = worker.exception()
        results = worker.result() if failure is None else [failure] * len(jobs)
        for job, result in zip(jobs, results, strict=True):
            self._settle(job, result)

    def _settle(self, job: _Job[Result], found: tuple[Result, int] | BaseException) -> None:
        """Keep a result, and hand it or the error to who waits."""
        error = found if isinstance(found, BaseException) else None
        if self._measures is not None:
            self._measures.computed(asyncio.get_running_loop().time() - job.since, _outcome(job, error))
        if job.future.done():
            return  # refused, since the server stops
        if isinstance(found, BaseException):
            job.future.set_exception(found)
            job.future.exception()  # marks the exception as retrieved, even if nobody waits
            return
        result, size = found
        self.cache.keep(job.key, result, job.client, size)
        job.future.set_result(result)


def _outcome(job: _Job[Any], error: BaseException | None) -> str:
    if error is None:
        return "done"
    if job.gave_up:
        return "cancelled"
    return "refused" if isinstance(error, Refusal) else "failed"


def _on_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)
