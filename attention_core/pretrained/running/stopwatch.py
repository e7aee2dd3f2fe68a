"""Time the steps of an analysis."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch


class Stopwatch:
    """Wall-clock milliseconds by name."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.milliseconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time the block."""
        start = time.perf_counter()
        yield
        if self.device.type == "cuda":  # kernels run asynchronously
            torch.cuda.synchronize(self.device)
        self.milliseconds[name] = (time.perf_counter() - start) * 1000.0
