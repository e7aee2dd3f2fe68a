"""Put windows of similar length into batches, padded on the right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from attention_core.atlas.texts.windows import Window

PADDED = 16
"""A window may be shorter than the longest of its batch by one in so many of its tokens."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Windows that go through the model together."""

    windows: tuple[Window, ...]
    ids: Int64[Tensor, "B N"]
    """Token ids; 0 where a window has ended."""
    real: Bool[np.ndarray, "B N"]
    """Whether there is a token."""
    special: Bool[np.ndarray, "B N"]

    @cached_property
    def is_padded(self) -> bool:
        """Whether some window is shorter than the longest."""
        return not bool(self.real.all())

    def each(self, values: Sequence[Int[np.ndarray, " _"]], rest: int) -> Int64[np.ndarray, "B N"]:
        """One number per token of each window as a matrix, ``rest`` where a window has ended."""
        table = np.full(self.real.shape, rest, dtype=np.int64)
        table[self.real] = np.concatenate(values)
        return table


def batches(windows: Sequence[Window], cells: int) -> Iterator[Batch]:
    """All windows, the longest first; a batch has at most ``cells`` pairs of a query and a key, or one window."""
    order = sorted(windows, key=lambda window: (-len(window.tokens), window.id))
    start = 0
    while start < len(order):
        longest = len(order[start].tokens)
        most = max(1, cells // longest**2)
        stop = start + 1
        while stop < len(order) and stop - start < most and len(order[stop].tokens) * (PADDED + 1) >= longest * PADDED:
            stop += 1
        yield _batch(order[start:stop])
        start = stop


def _batch(windows: Sequence[Window]) -> Batch:
    lengths = np.array([len(window.tokens) for window in windows])
    real = np.arange(lengths.max()) < lengths[:, None]
    ids = np.zeros(real.shape, dtype=np.int64)
    special = np.zeros(real.shape, dtype=bool)
    ids[real] = np.concatenate([window.tokens.ids for window in windows])
    special[real] = np.concatenate([window.tokens.special for window in windows])
    return Batch(tuple(windows), torch.from_numpy(ids), real, special)
