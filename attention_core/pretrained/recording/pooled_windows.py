"""Pool any window of any stage to a given size, fast enough to browse 16,384 tokens.

The exact cells are computed tile by tile, pooled while they are in the cache, and never stored. Three exact shortcuts
make it fast: fully masked tiles are skipped; the largest weight is found among the logarithms, so that each cell needs
only one exponential; and the mean of scores over a cell is the product of its mean query and its mean key, because
scores are linear in both.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.given_weights import GivenWeights
from attention_core.blockwise.parallel import map_shares
from attention_core.blockwise.row_blocks import Block
from attention_core.blockwise.tiles import tiles
from attention_core.pretrained.recording.pooling import cell_size, max_of_cells, sum_of_cells
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.windows import SCORES, STAGES, Pooling, key_norms
from attention_core.refusal import check_choice

Result = TypeVar("Result")
MASKED = float("-inf")
BEFORE_THE_MASK = frozenset({"raw_scores", "scaled_scores"})


def pooled_window(
    layer: LayerRecord, head: int, stage: str, rows: slice, cols: slice, max_size: int, pooling: Pooling
) -> Float[Tensor, "cells_down cells_across"]:
    """The window pooled to at most ``max_size`` cells a side, of the first text of the batch.

    Maximum or mean of each cell. The mean ignores −∞ (masked scores); a fully masked cell is −∞.
    """
    check_choice("stage", stage, STAGES)
    attention, log_sum_exp = layer.attention.head(head), layer.log_sum_exp[:, head : head + 1]
    window = _Window(
        attention=attention,
        log_sum_exp=log_sum_exp,
        stage=stage,
        rows=rows,
        cols=cols,
        norms=key_norms(layer, head, stage, cols),
        cell_rows=cell_size(rows.stop - rows.start, max_size),
        cell_cols=cell_size(cols.stop - cols.start, max_size),
        rough=pooling == "max" and attention.may_be_rough(log_sum_exp),
    )
    if pooling == "max":
        pooled = window.largest()
    else:
        pooled = window.mean_scores() if stage in SCORES else window.mean_weights()
    return pooled.to(window.attention.precision)  # summed in float64


@dataclass(frozen=True, eq=False)
class _Window:
    """One window of one stage of one head, and its cell size."""

    attention: BlockwiseAttention
    """One head."""
    log_sum_exp: Float[Tensor, "B 1 Q 2"]
    stage: str
    rows: slice
    cols: slice
    norms: Float[Tensor, " cols"] | None
    """Factor of the weights of each key in the window."""
    cell_rows: int
    cell_cols: int
    rough: bool
    """Whether float32 products are accurate enough for the largest weights of cells, which are never summed."""

    def largest(self) -> Float[Tensor, "down across"]:
        """Maximum of each cell."""
        return reduce(torch.maximum, self._shared(self._largest_of))

    def _largest_of(self, share: Iterable[Block]) -> Float[Tensor, "down across"]:
        plain = self.stage in SCORES or isinstance(self.attention, GivenWeights)
        result = self._filled(MASKED if self.stage in SCORES else 0.0)
        for tile in share:
            cell = self._cell_in(tile)
            pooled = max_of_cells(self._values(tile), *cell) if plain else max_of_cells(self._logs(tile), *cell).exp()
            there = self._cells_of(tile, result)
            torch.maximum(there, pooled, out=there)
        return result

    def mean_weights(self) -> Float[Tensor, "down across"]:
        """Mean of each cell of weights, weighted stages included; masked weights are 0."""
        return reduce(torch.add, self._shared(self._sum_of)) / self._area(self.rows, self.cols)

    def _sum_of(self, share: Iterable[Block]) -> Float[Tensor, "down across"]:
        total = self._filled(0.0)
        for tile in share:
            self._cells_of(tile, total).add_(sum_of_cells(self._values(tile), *self._cell_in(tile)))
        return total

    def mean_scores(self) -> Float[Tensor, "down across"]:
        """Mean of each cell of scores, ignoring −∞."""
        plain = self.attention.bias is None and self.attention.cap is None and not self.attention.edits
        linear = self.stage == "raw_scores" or plain
        if self.stage in BEFORE_THE_MASK and linear:
            return self._mean_products(self.rows, self.cols)
        sums = self._shared(lambda share: self._finite_sum_of(share, linear=linear))
        total, count = (reduce(torch.add, of_all) for of_all in zip(*sums, strict=True))
        return (total / count.clamp(min=1)).masked_fill_(count == 0, MASKED)

    def _finite_sum_of(
        self, share: Iterable[Block], *, linear: bool
    ) -> tuple[Float[Tensor, "down across"], Float[Tensor, "down across"]]:
        """Sum and count of the finite values in each cell."""
        total, count = self._filled(0.0), self._filled(0.0)
        for tile in share:
            area = self._area(tile.rows, tile.cols)
            if tile.fully_visible and linear:
                sums, seen = self._mean_products(tile.rows, tile.cols).mul_(area), area
            else:
                scores, cell = self._values(tile), self._cell_in(tile)
                finite = scores != MASKED
                sums = sum_of_cells(scores.masked_fill(~finite, 0.0), *cell)
                seen = sum_of_cells(finite.to(scores.dtype), *cell)
            self._cells_of(tile, total).add_(sums)
            self._cells_of(tile, count).add_(seen)
        return total, count

    def _mean_products(self, rows: slice, cols: slice) -> Float[Tensor, "down across"]:
        """Mean of ``q · k`` over each cell, scaled where the stage is."""
        queries, keys = (
            vectors.to(self.log_sum_exp.dtype)
            for vectors in (self.attention.queries[0, 0, rows], self.attention.keys[0, 0, cols])
        )
        mean_queries = sum_of_cells(queries, self._within(self.cell_rows, rows), 1) / self._lengths(
            rows, self.cell_rows
        )
        mean_keys = sum_of_cells(keys, self._within(self.cell_cols, cols), 1) / self._lengths(cols, self.cell_cols)
        products = mean_queries @ mean_keys.T
        return products if self.stage == "raw_scores" else products.mul_(self.attention.scale)

    def _values(self, tile: Block) -> Float[Tensor, "rows cols"]:
        """The stage at full resolution."""
        rows, cols, visible = tile.rows, tile.cols, tile.fully_visible
        if self.stage in SCORES:
            return self.attention.rough_scores(self.stage, rows, cols, fully_visible=visible)[0, 0]
        weights = self.attention.weights(rows, cols, self.log_sum_exp, fully_visible=visible)[0, 0]
        return weights if self.norms is None else weights.mul_(self._norms_of(tile, self.norms))

    def _logs(self, tile: Block) -> Float[Tensor, "rows cols"]:
        """``ln`` of the stage, for weights and weighted ones."""
        rows, cols, visible = tile.rows, tile.cols, tile.fully_visible
        logs = self.attention.log_weights(rows, cols, self.log_sum_exp, fully_visible=visible, rough=self.rough)[0, 0]
        return logs if self.norms is None else logs.add_(self._norms_of(tile, self.norms).log())

    def _norms_of(self, tile: Block, norms: Float[Tensor, " window"]) -> Float[Tensor, " cols"]:
        return norms[tile.cols.start - self.cols.start : tile.cols.stop - self.cols.start]

    def _shared(self, work: Callable[[Sequence[Block]], Result]) -> list[Result]:
        """Apply ``work`` to shares of all tiles of this stage that hold more than 0 or −∞."""
        blocks = None if self.stage in BEFORE_THE_MASK else self.attention.blocks
        shares = list(tiles(self.rows, self.cols, self.cell_rows, self.cell_cols, blocks))
        return map_shares(work, shares, self.log_sum_exp.device)

    def _filled(self, value: float) -> Float[Tensor, "down across"]:
        down = -(-(self.rows.stop - self.rows.start) // self.cell_rows)
        across = -(-(self.cols.stop - self.cols.start) // self.cell_cols)
        return self.log_sum_exp.new_full((down, across), value)

    def _cells_of(self, tile: Block, result: Float[Tensor, "down across"]) -> Tensor:
        """The cells that a tile covers, as a view."""
        top, bottom = tile.rows.start - self.rows.start, tile.rows.stop - self.rows.start
        left, right = tile.cols.start - self.cols.start, tile.cols.stop - self.cols.start
        down = slice(top // self.cell_rows, -(-bottom // self.cell_rows))
        return result[down, left // self.cell_cols : -(-right // self.cell_cols)]

    def _cell_in(self, tile: Block) -> tuple[int, int]:
        """A tile that is part of one cell counts as one cell."""
        return self._within(self.cell_rows, tile.rows), self._within(self.cell_cols, tile.cols)

    @staticmethod
    def _within(cell: int, span: slice) -> int:
        return min(cell, span.stop - span.start)

    def _area(self, rows: slice, cols: slice) -> Float[Tensor, "down across"]:
        """Number of scores in each cell of this window."""
        return self._lengths(rows, self.cell_rows) * self._lengths(cols, self.cell_cols).T

    def _lengths(self, span: slice, cell: int) -> Float[Tensor, "cells 1"]:
        count = span.stop - span.start
        return self.log_sum_exp.new_tensor([[min(cell, count - start)] for start in range(0, count, cell)])
