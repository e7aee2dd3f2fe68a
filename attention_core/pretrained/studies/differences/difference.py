"""The difference between two analyses.

Both must have the same number of queries and of keys in the compared part, so that cells correspond: the same model
before and after an intervention, or texts or models with equal counts. Differences are signed, second − first. A cell
that is masked (−∞) in either is masked in the difference.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.row_blocks import ROWS_PER_BLOCK, Block
from attention_core.blockwise.tiles import tiles
from attention_core.pretrained.errors import Cancelled, NotComparableError
from attention_core.pretrained.recording.pooling import max_of_cells, sum_of_cells
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.selection import cell_of_window, check_index, check_name, span
from attention_core.pretrained.recording.windows import SCORES, Pooling, stage_window
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.pretrained.studies.differences.prediction_difference import PredictionChange, prediction_difference

MASKED = float("-inf")
BEFORE_THE_MASK = frozenset({"raw_scores", "scaled_scores"})
COLS_PER_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class DifferenceSummary:
    """Distances between two analyses."""

    part: str
    largest: Float[np.ndarray, "layers heads"]
    """The largest |change| of any weight."""
    predictions: list[PredictionChange]
    """At the positions that both predict."""

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return self.largest.nbytes + sum(200 * len(each.candidates) for each in self.predictions)


def comparable_parts(first: Analysis, second: Analysis, part: str | None, *, whole: bool = True) -> tuple[Part, Part]:
    """The same part of both. ``whole`` also requires equal numbers of layers and heads, not only of tokens.

    Raises SelectionError for a part that ``first`` does not have, NotComparableError if counts differ.
    """
    ours = first.part(part)
    theirs = next((each for each in second.parts if each.name == ours.name), None)
    if theirs is None:
        names = ", ".join(each.name for each in second.parts)
        raise NotComparableError("the other analysis has no part {name}, only {names}", ours.name, names)
    for what in ("query_tokens", "key_tokens", *(("layers", "heads") if whole else ())):
        mine, other = getattr(ours, what), getattr(theirs, what)
        if mine != other:
            raise NotComparableError(
                "the two analyses cannot be compared cell by cell: {mine} and {other} {what}",
                mine,
                other,
                what.replace("_", " "),
            )
    return ours, theirs


def difference_window(
    first: Analysis,
    second: Analysis,
    part: str | None,
    layer: int,
    head: int,
    stage: str = "weights",
    rows: tuple[int, int] | None = None,
    cols: tuple[int, int] | None = None,
    max_size: int | None = None,
    pooling: Pooling = "max",
    max_cells: int = 2**20,
    other_head: tuple[int, int] | None = None,
) -> np.ndarray:
    """(rows, cols) float32 of second − first in one stage of one head, pooled if ``max_size`` requires it.

    ``other_head`` is the (layer, head) of the second where it is another than that of the first.

    Pools the exact differences of a cell: ``max`` is the one furthest from 0, with its sign; ``mean`` their mean.
    Raises the errors of ``Analysis.window`` and ``comparable_parts``.
    """
    parts = comparable_parts(first, second, part, whole=False)
    places = ((layer, head), other_head or (layer, head))
    names = (("layer", "head"), ("other_layer", "other_head") if other_head else ("layer", "head"))
    for each, place, name in zip(parts, places, names, strict=True):
        check_name("stage", stage, each.stages)
        check_index(name[0], place[0], each.layers)
        check_index(name[1], place[1], each.heads)
    row_span = span("rows", rows, parts[0].query_tokens)
    col_span = span("cols", cols, parts[0].key_tokens)
    cell = cell_of_window(row_span, col_span, max_size, max_cells)
    layers = (parts[0].record.layers[places[0][0]], parts[1].record.layers[places[1][0]])
    with torch.inference_mode():
        return (
            _pooled(layers, (places[0][1], places[1][1]), stage, row_span, col_span, cell, pooling)
            .float()
            .cpu()
            .numpy()
        )


def _pooled(
    layers: tuple[LayerRecord, LayerRecord],
    heads: tuple[int, int],
    stage: str,
    rows: slice,
    cols: slice,
    cell: tuple[int, int],
    pooling: Pooling,
) -> Float[Tensor, "down across"]:
    """Pool tile by tile. Outside all tiles weights are 0, or scores masked, in both."""
    height, width = rows.stop - rows.start, cols.stop - cols.start
    shape = (-(-height // cell[0]), -(-width // cell[1]))
    nothing = MASKED if stage in SCORES else 0.0
    first = layers[0].log_sum_exp
    up, down = first.new_full(shape, nothing), first.new_full(shape, nothing)
    total, count = first.new_zeros(shape), first.new_zeros(shape)
    for tile in tiles(rows, cols, *cell, _common_blocks(layers, stage)):
        before, after = (
            stage_window(layer, head, stage, tile.rows, tile.cols) for layer, head in zip(layers, heads, strict=True)
        )
        change = (after - before).masked_fill_((before == MASKED) | (after == MASKED), MASKED)
        within = (min(cell[0], change.shape[0]), min(cell[1], change.shape[1]))
        top, left = (tile.rows.start - rows.start) // cell[0], (tile.cols.start - cols.start) // cell[1]
        place = (
            slice(top, -(-(tile.rows.stop - rows.start) // cell[0])),
            slice(left, -(-(tile.cols.stop - cols.start) // cell[1])),
        )
        seen = change != MASKED
        if pooling == "max":
            up[place] = torch.maximum(up[place], max_of_cells(change, *within))
            down[place] = torch.maximum(down[place], max_of_cells((-change).masked_fill_(~seen, MASKED), *within))
        else:
            total[place] += sum_of_cells(change.masked_fill(~seen, 0.0), *within)
            count[place] += sum_of_cells(seen.to(change.dtype), *within)
    if pooling == "max":
        return torch.where(down > up, -down, up)
    if stage not in SCORES:
        heights = sum_of_cells(first.new_ones(height, 1), cell[0], 1)
        return total / (heights * sum_of_cells(first.new_ones(1, width), 1, cell[1]))
    return (total / count.clamp(min=1)).masked_fill_(count == 0, MASKED)


def _common_blocks(layers: tuple[LayerRecord, LayerRecord], stage: str) -> tuple[Block, ...] | None:
    """Blocks whose spans hold for both; None where every cell must be compared."""
    first, second = (layer.attention.blocks for layer in layers)
    spans = [[(block.rows, block.cols, block.solid) for block in blocks] for blocks in (first, second)]
    return first if stage not in BEFORE_THE_MASK and spans[0] == spans[1] else None


def summarise(
    first: Analysis, second: Analysis, part: str | None, cancelled: Callable[[], bool] | None = None
) -> DifferenceSummary:
    """Difference of each head's weights, computed block by block, and of the predictions.

    Raises the errors of ``comparable_parts``, and Cancelled once ``cancelled``, called between blocks, returns true.
    """
    ours, theirs = comparable_parts(first, second, part)
    largest = np.zeros((ours.layers, ours.heads), dtype=np.float32)
    with torch.inference_mode():
        for layer, pair in enumerate(zip(ours.record.layers, theirs.record.layers, strict=True)):
            largest[layer] = _largest_change(pair, cancelled or (lambda: False)).cpu().numpy()
    return DifferenceSummary(ours.name, largest, prediction_difference(first, second).predictions)


def _largest_change(layers: tuple[LayerRecord, LayerRecord], cancelled: Callable[[], bool]) -> Float[Tensor, " H"]:
    attention = layers[0].attention
    largest = torch.zeros(attention.num_heads, device=attention.queries.device)
    rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
    blocks = _common_blocks(layers, "weights")
    for tile in tiles(rows, cols, 1, 1, blocks, rows_at_once=ROWS_PER_BLOCK, cols_at_once=COLS_PER_BLOCK):
        if cancelled():
            raise Cancelled("the comparison was cancelled")
        visible = tile.fully_visible and blocks is not None
        before, after = (
            layer.attention.weights(tile.rows, tile.cols, layer.log_sum_exp, fully_visible=visible)[0]
            for layer in layers
        )
        largest = torch.maximum(largest, after.sub_(before).abs_().amax(dim=(-1, -2)))
    return largest
