"""Split work among threads that each run torch single-threaded.

torch distributes every single operation over its threads, which wait for each other at its end. For operations of
less than a millisecond that gains little on an idle machine and loses time on a busy one, where each wait lasts until
the slowest thread is scheduled. Here every thread has its own share of the whole work, and all wait once.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_shares(
    work: Callable[[Sequence[Item]], Result],
    items: Sequence[Item],
    device: torch.device,
    threads: int | None = None,
) -> list[Result]:
    """Apply ``work`` to interleaved shares of the items (every n-th, so shares are balanced and deterministic).

    There are up to ``threads`` shares (torch's number by default), none empty; one on a device other than the CPU.
    All callers share the threads, so that concurrent requests do not oversubscribe the cores. An error in any share
    is raised.
    """
    count = threads or torch.get_num_threads()
    if device.type != "cpu" or min(count, len(items)) < 2:
        return [work(items)]
    is_inference = torch.is_inference_mode_enabled()

    def compute(share: Sequence[Item]) -> Result:
        with torch.inference_mode(is_inference):
            return work(share)

    return list(_pool(count).map(compute, [items[start::count] for start in range(min(count, len(items)))]))


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    """A process-wide thread pool; torch uses one thread in each."""
    own = torch.get_num_threads()
    pool = ThreadPoolExecutor(count, "side-by-side")
    together = Barrier(count)

    def compute_alone() -> None:
        torch.get_num_threads()  # the first call in a thread sets its number; it must not run after ours
        torch.set_num_threads(1)
        together.wait()

    for started in [pool.submit(compute_alone) for _ in range(count)]:
        started.result()
    torch.set_num_threads(own)  # the default of new threads
    return pool
