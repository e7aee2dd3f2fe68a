"""Cache of max-pooled raw scores of a long text, for every head.

These windows take longest: no mask skips anything, and a maximum needs every single product. For a whole text of 16,384
tokens that is N² D multiplications, too many for every request. So they are computed once, during the analysis, in
cells small enough to form those of coarser windows. The cache does not grow with N.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.given_weights import GivenWeights
from attention_core.pretrained.recording.parts import PartRecord
from attention_core.pretrained.recording.pooled_windows import pooled_window
from attention_core.pretrained.recording.pooling import cell_size, max_of_cells
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.windows import Pooling

SIDE = 512
"""Largest number of cells per side: 1 MiB per head."""
LEAST_WORK = 2**33
"""Multiplications of a whole window (N² D) below which it is computed on request: about 0.1 s on 2 cores."""
MAX_BYTES = 2**26
"""For all heads of a part together; models with more heads are not cached."""


@dataclass(frozen=True, eq=False)
class PooledScores:
    """Maximum ``q · k`` of every cell, for every head of one part."""

    cell_rows: int
    cell_cols: int
    size: tuple[int, int]
    """Numbers of queries and keys."""
    maxima: Float[Tensor, "L H down across"]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.maxima.nbytes

    def window(
        self, layer: int, head: int, rows: slice, cols: slice, max_size: int
    ) -> Float[Tensor, "cells_down cells_across"] | None:
        """``pooled_window`` of the raw scores; None where its cells are not unions of cached cells."""
        down = self._within(rows, self.cell_rows, self.size[0], max_size)
        across = self._within(cols, self.cell_cols, self.size[1], max_size)
        if down is None or across is None:
            return None
        return max_of_cells(self.maxima[layer, head, down[0], across[0]], down[1], across[1]).clone()

    @staticmethod
    def _within(span: slice, kept: int, count: int, max_size: int) -> tuple[slice, int] | None:
        """The cells that make up a span, and how many of them form one requested cell."""
        cell = cell_size(span.stop - span.start, max_size)
        if cell % kept or span.start % kept or (span.stop % kept and span.stop != count):
            return None
        return slice(span.start // kept, -(-span.stop // kept)), cell // kept


def pool_scores(part: PartRecord, on_block: Callable[[], None]) -> PooledScores | None:
    """Pool the scores of a part's first text; None without scores or need. ``on_block`` may raise."""
    first = part.layers[0].attention
    queries, keys = first.num_queries, first.num_keys
    side = _side(queries, keys)
    cell_rows, cell_cols = cell_size(queries, side), cell_size(keys, side)
    shape = (len(part.layers), first.num_heads, -(-queries // cell_rows), -(-keys // cell_cols))
    is_little = queries * keys * first.queries.shape[-1] < LEAST_WORK
    if isinstance(first, GivenWeights) or is_little or 4 * torch.Size(shape).numel() > MAX_BYTES:
        return None
    maxima = torch.empty(shape)
    rows, cols = slice(0, queries), slice(0, keys)
    for index, layer in enumerate(part.layers):
        for head in range(first.num_heads):
            on_block()
            maxima[index, head] = pooled_window(layer, head, "raw_scores", rows, cols, side, "max")
    return PooledScores(cell_rows, cell_cols, (queries, keys), maxima)


def _side(*counts: int) -> int:
    """``SIDE``, or half of it if the cells that pages request are not unions of such cells."""
    return SIDE if all(cell_size(count, SIDE // 2) % cell_size(count, SIDE) == 0 for count in counts) else SIDE // 2


def cached_pooled_window(
    kept: PooledScores | None,
    record: LayerRecord,
    layer: int,
    head: int,
    stage: str,
    rows: slice,
    cols: slice,
    max_size: int,
    pooling: Pooling,
) -> Float[Tensor, "cells_down cells_across"]:
    """``pooled_window``, answered from the cache where possible.

    Unless the head was changed, the largest scaled score of a cell is its largest raw score times the positive scale.
    """
    is_scaled = stage == "scaled_scores" and head not in record.attention.edits and record.attention.scale > 0
    if kept is not None and pooling == "max" and (stage == "raw_scores" or is_scaled):
        window = kept.window(layer, head, rows, cols, max_size)
        if window is not None:
            return window.mul_(record.attention.scale) if is_scaled else window
    return pooled_window(record, head, stage, rows, cols, max_size, pooling)
