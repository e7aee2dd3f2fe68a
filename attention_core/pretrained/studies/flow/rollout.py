"""Attention rollout: each input token's share in a token after several layers (Abnar & Zuidema 2020).

Each layer mixes by ``A = ½ W̄ + ½ I``, W̄ the mean of its heads' weights and I the residual connection; the rollout
to layer l is ``A_l ⋯ A_1``. Rows sum to 1 if every query attends to something and nothing to a learned sink. Values,
norms and feed-forward layers are ignored: only weights count.

The whole product is an N × N matrix and is computed only for short texts. One row needs only a vector, multiplied
through the layers from the last to the first, a block of queries at a time, so memory is linear in the length. The rows
after every layer are computed together: each starts at its own layer, so the weights are swept once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.row_blocks import ROWS_PER_BLOCK
from attention_core.blockwise.tiles import tiles
from attention_core.pretrained.errors import WindowTooLargeError
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping

MAX_SQUARE_TOKENS = 1024
"""Longest text whose whole rollout is computed."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """Rows of ``A_l ⋯ A_1``."""

    part: str
    layer: int
    """The last layer of the product."""
    query: int | None
    """The token whose row it is; null for all tokens."""
    matrix: Float[np.ndarray, "rows tokens"]
    """Columns are the input tokens of the first layer."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.matrix.nbytes


@dataclass(frozen=True, eq=False)
class RolloutByLayer:
    """What one token is a mixture of after each layer."""

    part: str
    query: int
    rollout: Float[np.ndarray, "layers tokens"]
    """Row ``query`` of ``A_l ⋯ A_1``: what its token is a mixture of after each layer."""
    mean_weights: Float[np.ndarray, "layers tokens"]
    """Row ``query`` of each layer's weights, averaged over heads."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.rollout.nbytes + self.mean_weights.nbytes


def rollout(
    analysis: Analysis,
    *,
    part: str | None = None,
    layer: int | None = None,
    query: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Rollout:
    """The rollout through ``layer`` (by default the last): of one query at any length, of all for short texts.

    Raises SelectionError for arguments out of range, WindowTooLargeError for all queries of a long text.
    """
    chosen = analysis.self_attending_part(part)
    last = chosen.layers - 1 if layer is None else check_index("layer", layer, chosen.layers)
    layers = chosen.record.layers[: last + 1]
    check = stopping(cancelled, "rollout")
    with torch.inference_mode():
        if query is not None:
            matrix = rollout_row(layers, check_index("query", query, chosen.query_tokens), check).unsqueeze(0)
        elif chosen.query_tokens > MAX_SQUARE_TOKENS:
            raise WindowTooLargeError(
                "the rollout of all {query_tokens} tokens is larger than that of {limit}: ask for one query",
                chosen.query_tokens,
                field="query",
                limit=MAX_SQUARE_TOKENS,
            )
        else:
            matrix = rollout_square(layers, check)
    return Rollout(chosen.name, last, query, matrix.float().cpu().numpy())


def rollout_by_layer(
    analysis: Analysis, query: int, *, part: str | None = None, cancelled: Callable[[], bool] | None = None
) -> RolloutByLayer:
    """The rollout of one query through each layer, and each layer's mean weights, at any length.

    Raises SelectionError for arguments out of range.
    """
    chosen = analysis.self_attending_part(part)
    check_index("query", query, chosen.query_tokens)
    layers = chosen.record.layers
    with torch.inference_mode():
        rows = rollout_rows(layers, query, stopping(cancelled, "rollout"))
        weights = torch.stack([mean_weights(layer, query) for layer in layers])
    return RolloutByLayer(chosen.name, query, rows.float().cpu().numpy(), weights.float().cpu().numpy())


def rollout_row(layers: Sequence[LayerRecord], query: int, check: Callable[[], None]) -> Float[Tensor, " N"]:
    """Row ``query`` of the product, as ``e_query A_l ⋯ A_1`` from left to right, in float64."""
    rows = _unit_rows(layers, 1, query)
    for layer in reversed(layers):
        rows = mixed_once(rows, layer, check)
    return rows[0]


def rollout_rows(layers: Sequence[LayerRecord], query: int, check: Callable[[], None]) -> Float[Tensor, "L N"]:
    """Row ``query`` of the product through each layer, in float64."""
    rows = _unit_rows(layers, len(layers), query)
    for index in reversed(range(len(layers))):
        rows[index:] = mixed_once(rows[index:], layers[index], check)
    return rows


def mean_weights(layer: LayerRecord, query: int) -> Float[Tensor, " N"]:
    """The mean over heads of one query's weights in one layer."""
    everything = slice(0, layer.attention.num_keys)
    weights = layer.attention.weights(slice(query, query + 1), everything, layer.log_sum_exp)
    return weights[0].mean(dim=0)[0]


def mixed_once(rows: Float[Tensor, "R N"], layer: LayerRecord, check: Callable[[], None]) -> Float[Tensor, "R N"]:
    """``rows A`` for the layer's ``A = ½ W̄ + ½ I``."""
    mixed = torch.zeros_like(rows)
    everything = slice(0, rows.shape[1])
    # Tiles of all heads fit into the cache, unlike whole rows, and few of them need the mask.
    for tile in tiles(everything, everything, 1, 1, layer.attention.blocks, rows_at_once=ROWS_PER_BLOCK):
        shares = rows[:, tile.rows]
        if not bool(shares.any()):  # these tokens have no share yet
            continue
        check()
        weights = layer.attention.weights(tile.rows, tile.cols, layer.log_sum_exp, fully_visible=tile.fully_visible)
        mixed[:, tile.cols] += shares @ weights[0].mean(dim=0).double()
    return 0.5 * rows + 0.5 * mixed


def _unit_rows(layers: Sequence[LayerRecord], count: int, query: int) -> Float[Tensor, "R N"]:
    rows = torch.zeros(count, layers[0].attention.num_keys, dtype=torch.float64, device=layers[0].log_sum_exp.device)
    rows[:, query] = 1.0
    return rows


def rollout_square(layers: Sequence[LayerRecord], check: Callable[[], None]) -> Float[Tensor, "N N"]:
    """The full product, in float64."""
    num_tokens = layers[0].attention.num_keys
    product = torch.eye(num_tokens, dtype=torch.float64, device=layers[0].log_sum_exp.device)
    for layer in layers:
        check()
        product = mixing(layer) @ product
    return product


def mixing(layer: LayerRecord) -> Float[Tensor, "N N"]:
    """The dense matrix ``½ W̄ + ½ I`` of one layer."""
    num_tokens = layer.attention.num_keys
    matrix = 0.5 * torch.eye(num_tokens, dtype=torch.float64, device=layer.log_sum_exp.device)
    for block, weights in layer.attention.weight_blocks(layer.log_sum_exp):
        matrix[block.rows, block.cols] += 0.5 * weights[0].mean(dim=0)
    return matrix
