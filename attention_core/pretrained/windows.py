"""Any window of any stage of any head, exact, from the record; or pooled to a size.

Pooling cuts the window into cells of one size (the last may be smaller), so that one pixel is always the same number
of tokens: with ``max_size`` 64, 512 tokens give 64 cells of 8, and 65 tokens give 33 cells of 2.
"""

import math
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor

from attention_core.given_weights import GivenWeights
from attention_core.pretrained.output_projections import value_norms
from attention_core.pretrained.recorder import LayerRecord
from attention_core.trace import STAGES as TRACE_STAGES

STAGES = (*TRACE_STAGES, "value_weighted", "norm_weighted")
"""The square stages of a recorded head. ``value_weighted`` is weight · ‖value‖; ``norm_weighted`` is ‖α f(x)‖ with
``f(x) = (x W_V + b_V) W_O``: how long the vector is that the head adds to the residual stream (Kobayashi et al. 2020,
section 3)."""

SCORES = frozenset({"raw_scores", "scaled_scores", "masked_scores"})
"""The stages before the softmax."""

Pooling = Literal["max", "mean"]
ROWS_AT_ONCE = 256


def known_stages(layer: LayerRecord) -> tuple[str, ...]:
    """The stages that this record can show: given weights have no scores, and only values can weight a weight."""
    unknown: set[str] = set()
    if isinstance(layer.attention, GivenWeights):
        unknown |= SCORES
    if layer.attention.values.shape[-1] == 0:
        unknown.add("value_weighted")
    if layer.projection is None:
        unknown.add("norm_weighted")
    return tuple(stage for stage in STAGES if stage not in unknown)


def cell_size(count: int, max_size: int | None) -> int:
    """How many tokens one cell spans so that ``count`` tokens give at most ``max_size`` cells."""
    return 1 if max_size is None else max(1, math.ceil(count / max_size))


def stage_window(layer: LayerRecord, head: int, stage: str, rows: slice, cols: slice) -> Float[Tensor, "rows cols"]:
    """One stage of one head for these queries and keys, at full resolution, of the first text of the batch."""
    return _stage(layer, head, stage, rows, cols)[0, 0]


def pooled_window(
    layer: LayerRecord, head: int, stage: str, rows: slice, cols: slice, max_size: int, pooling: Pooling
) -> Float[Tensor, "cells_down cells_across"]:
    """The same window pooled to at most ``max_size`` cells a side, a band of rows at a time."""
    cell_rows = cell_size(rows.stop - rows.start, max_size)
    cell_cols = cell_size(cols.stop - cols.start, max_size)
    step = cell_rows * max(1, ROWS_AT_ONCE // cell_rows)
    bands = []
    for start in range(rows.start, rows.stop, step):
        band = slice(start, min(start + step, rows.stop))
        bands.append(pool(_stage(layer, head, stage, band, cols)[0, 0], cell_rows, cell_cols, pooling))
    return torch.cat(bands)


def _stage(layer: LayerRecord, head: int, stage: str, rows: slice, cols: slice) -> Float[Tensor, "B 1 rows cols"]:
    attention = layer.attention.head(head)
    log_sum_exp = layer.log_sum_exp[:, head : head + 1]
    match stage:
        case "raw_scores":
            return attention.raw_scores(rows, cols)
        case "scaled_scores":
            return attention.scaled_scores(rows, cols)
        case "masked_scores":
            return attention.masked_scores(rows, cols)
        case "weights":
            return attention.weights(rows, cols, log_sum_exp)
        case "value_weighted":
            norms = attention.values[:, :, cols].float().norm(dim=-1)
            return attention.weights(rows, cols, log_sum_exp) * norms.unsqueeze(-2)
        case "norm_weighted":
            return attention.weights(rows, cols, log_sum_exp) * _norms_behind_projection(layer, head, cols)
        case _:
            raise ValueError(f"stage must be one of {', '.join(STAGES)}, not {stage!r}")


def _norms_behind_projection(layer: LayerRecord, head: int, cols: slice) -> Float[Tensor, " cols"]:
    """‖f(x)‖ of these keys, of the first text of the batch."""
    if layer.projection is None:
        raise ValueError("stage norm_weighted needs the layer's output projection, which is not known")
    values = layer.attention.head(head).values[0, 0, cols]
    return value_norms(values, layer.projection.of_head(head, values.shape[-1]))


def pool(
    matrix: Float[Tensor, "*batch rows cols"], cell_rows: int, cell_cols: int, pooling: Pooling
) -> Float[Tensor, "*batch cells_down cells_across"]:
    """Maximum or mean of each cell. The mean leaves out −∞ (masked cells); a cell of nothing else is −∞."""
    if cell_rows == 1 and cell_cols == 1:
        return matrix
    if pooling == "max":
        return _pool_max(matrix, cell_rows, cell_cols)
    finite = matrix != float("-inf")
    total = _pool_sum(matrix.masked_fill(~finite, 0.0), cell_rows, cell_cols)
    count = _pool_sum(finite.to(matrix.dtype), cell_rows, cell_cols)
    return (total / count.clamp(min=1)).masked_fill(count == 0, float("-inf"))


def _pool_max(matrix: Tensor, cell_rows: int, cell_cols: int) -> Tensor:
    # Rows first: that reduction runs along memory, and leaves the slow one little to do.
    return _cells(matrix, cell_rows, cell_cols, float("-inf")).amax(dim=-3).amax(dim=-1)


def _pool_sum(matrix: Tensor, cell_rows: int, cell_cols: int) -> Tensor:
    return _cells(matrix, cell_rows, cell_cols, 0.0).sum(dim=-3).sum(dim=-1)


def _cells(matrix: Tensor, cell_rows: int, cell_cols: int, fill: float) -> Tensor:
    """(…, rows, cols) → (…, cells down, cell rows, cells across, cell cols), the last cells filled up."""
    down = math.ceil(matrix.shape[-2] / cell_rows)
    across = math.ceil(matrix.shape[-1] / cell_cols)
    missing = (0, across * cell_cols - matrix.shape[-1], 0, down * cell_rows - matrix.shape[-2])
    filled = F.pad(matrix, missing, value=fill) if any(missing) else matrix
    return filled.reshape(*matrix.shape[:-2], down, cell_rows, across, cell_cols)
