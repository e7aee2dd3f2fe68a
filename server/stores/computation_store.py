"""Run long computations: bounded concurrency, deduplicated by key, results cached within a byte budget.

All bookkeeping happens on the event loop's thread, so there are no locks; only the computation itself runs elsewhere.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from cachetools import LRUCache

from server.stores.fair_queue import FairQueue
from server.web import clients
from server.web.errors import ApiError

Result = TypeVar("Result")
Cancelled = Callable[[], bool]
"""Called by the computation between steps: true when nobody waits for it any more."""

RETRY_AFTER_S = 2


@dataclass(eq=False)
class _Job(Generic[Result]):
    """One computation, and the number of requests waiting for it."""

    key: str
    compute: "Callable[[Cancelled], Result]"
    client: str
    """The first client to request it, to whom it is counted."""
    future: "asyncio.Future[Result]"
    worker: "Future[tuple[Result, int]] | None" = None
    waiting: int = 1
    gave_up: bool = False
    """Whether the computation was cancelled; its error is then no answer for later requests."""

    def cancelled(self) -> bool:
        """See ``Cancelled``."""
        self.gave_up = self.gave_up or self.waiting == 0
        return self.gave_up


class ComputationStore(Generic[Result]):
    """Results by key. Created and used on one event loop.

    - At most ``workers`` computations run and ``queue_size`` wait; more are refused (503 ``server_busy``).
    - Clients take turns; one client may have at most ``client_queue_size`` computations waiting, more are refused (429
      ``too_many_requests``).
    - Concurrent requests for one key share one computation; it is cancelled only when nobody waits any more.
    - No request waits longer than ``timeout_s`` seconds (503 ``timeout``).
    - Results are cached up to ``cache_bytes`` in total, evicting the least recently used; a larger one is returned
      but not cached. Failures are not cached.
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
    ) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="analysis")
        self._workers = workers
        self._capacity = workers + queue_size
        self._share = queue_size if client_queue_size is None else client_queue_size
        self._queue: FairQueue[_Job[Result]] = FairQueue()
        self._timeout_s = timeout_s
        self._size = size
        self._kept: LRUCache[str, Result] = LRUCache(maxsize=cache_bytes, getsizeof=size)
        self._jobs: dict[str, _Job[Result]] = {}
        self._is_closed = False

    @property
    def under_way(self) -> int:
        """Number of computations running or queued."""
        return len(self._jobs)

    @property
    def kept_bytes(self) -> int:
        """Bytes of the cached results."""
        return int(self._kept.currsize)

    def get(self, key: str) -> Result | None:
        """A cached result, marked as recently used."""
        return self._kept.get(key)

    def is_under_way(self, key: str) -> bool:
        """Whether this key is running or queued."""
        return key in self._jobs

    async def get_or_compute(
        self, key: str, compute: Callable[[Cancelled], Result], *, timeout_s: float | None = None
    ) -> Result:
        """The result for this key: cached, in progress, or computed by ``compute(cancelled)`` in a worker.

        Raises the errors of ``compute``, and ApiError as documented for the class. Cancelling the caller withdraws its
        request. ``timeout_s`` overrides the store's.
        """
        limit = self._timeout_s if timeout_s is None else timeout_s
        try:
            async with asyncio.timeout(limit) as deadline:
                while True:
                    if (kept := self._kept.get(key)) is not None:
                        return kept
                    job = self._join(key) or self._start(key, compute)
                    try:
                        return await self._wait(job)
                    except Exception:
                        if not job.gave_up:
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
                headers=_retry_later(),
            ) from None

    async def close(self) -> None:
        """Cancel every computation and wait for the workers."""
        self._is_closed = True
        for job in tuple(self._jobs.values()):
            job.gave_up = True
            if job.worker is None:  # has not begun
                job.future.cancel()
        await asyncio.to_thread(self._executor.shutdown, cancel_futures=True)

    def _join(self, key: str) -> _Job[Result] | None:
        job = self._jobs.get(key)
        if job is not None:
            job.waiting += 1
        return job

    def _start(self, key: str, compute: Callable[[Cancelled], Result]) -> _Job[Result]:
        client = clients.client()
        must_wait = self._running >= self._workers
        if len(self._jobs) >= self._capacity:
            raise ApiError(
                503,
                "server_busy",
                "The server is busy; try again in a moment.",
                limit=self._capacity,
                headers=_retry_later(),
            )
        if must_wait and client and self._queue.held_by(client) >= self._share:
            raise ApiError(
                429,
                "too_many_requests",
                "You already have as many requests waiting as one client may have; try again in a moment.",
                limit=self._share,
                headers=_retry_later(),
            )
        job = self._jobs[key] = _Job(key, compute, client, asyncio.get_running_loop().create_future())
        self._queue.add(client, job)
        self._run_next()
        return job

    @property
    def _running(self) -> int:
        return len(self._jobs) - len(self._queue)

    def _run_next(self) -> None:
        """Give free workers the oldest queued jobs, each client in turn."""
        loop = asyncio.get_running_loop()
        while self._queue and self._running < self._workers and not self._is_closed:
            job = self._queue.next()
            job.worker = self._executor.submit(self._measured, job)
            job.worker.add_done_callback(lambda worker, job=job: _on_loop(loop, lambda: self._finish(job, worker)))  # type: ignore[misc]

    def _measured(self, job: _Job[Result]) -> tuple[Result, int]:
        """Run in a worker: the result and its size."""
        result = job.compute(job.cancelled)
        return result, self._size(result)

    async def _wait(self, job: _Job[Result]) -> Result:
        try:
            return await asyncio.shield(job.future)
        finally:
            job.waiting -= 1
            if job.waiting == 0 and job.worker is None:  # has not begun
                self._queue.remove(job.client, job)
                del self._jobs[job.key]
                job.future.cancel()

    def _finish(self, job: _Job[Result], worker: "Future[tuple[Result, int]]") -> None:
        del self._jobs[job.key]
        self._run_next()
        if worker.cancelled():  # the store is being closed
            job.future.cancel()
            return
        error = worker.exception()
        if error is not None:
            job.future.set_exception(error)
            job.future.exception()  # marks the exception as retrieved, even if nobody waits
            return
        result, size = worker.result()
        if size <= self._kept.maxsize:
            self._kept[job.key] = result
        job.future.set_result(result)


def _on_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)


def _retry_later() -> dict[str, str]:
    return {"Retry-After": str(RETRY_AFTER_S)}
