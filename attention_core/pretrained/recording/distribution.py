"""The distribution of one stage of one head: histogram, moments, and the entropy of each query's weights."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.windows import ROWS_AT_ONCE, stage_window


@dataclass(frozen=True)
class Distribution:
    """Statistics of the unmasked cells; masked ones are only counted."""

    edges: Float[np.ndarray, "edges"]
    """Of the bins, equally spaced from minimum to maximum."""
    counts: Int[np.ndarray, "bins"]
    mean: float
    standard_deviation: float
    minimum: float
    maximum: float
    masked: int
    """Cells that the mask hides, in any stage."""
    row_entropy: Float[np.ndarray, "queries"]
    """Of each query's weights, in nats."""


def distribution(layer: LayerRecord, head: int, stage: str, bins: int) -> Distribution:
    """Two passes over the head in bands of rows: range and moments first, then the histogram."""
    attention = layer.attention
    queries, keys = attention.num_queries, attention.num_keys
    bands = [slice(start, min(start + ROWS_AT_ONCE, queries)) for start in range(0, queries, ROWS_AT_ONCE)]
    count, total, squares = 0, 0.0, 0.0
    minimum, maximum = float("inf"), float("-inf")
    entropies = []
    for rows in bands:
        seen = _visible(layer, head, stage, rows).double()
        count += seen.numel()
        total += float(seen.sum())
        squares += float(seen.square().sum())
        if seen.numel():
            minimum, maximum = min(minimum, float(seen.min())), max(maximum, float(seen.max()))
        weights = stage_window(layer, head, "weights", rows, slice(0, keys))
        entropies.append(torch.special.entr(weights).sum(dim=-1))
    if count == 0:
        minimum = maximum = 0.0
    edges = np.linspace(minimum, maximum if maximum > minimum else minimum + 1.0, bins + 1)
    counts = np.zeros(bins, dtype=np.int64)
    for rows in bands:
        counts += np.histogram(_visible(layer, head, stage, rows).cpu().numpy(), bins=edges)[0]
    mean = total / max(1, count)
    return Distribution(
        edges=edges,
        counts=counts,
        mean=mean,
        standard_deviation=max(0.0, squares / max(1, count) - mean**2) ** 0.5,
        minimum=minimum,
        maximum=maximum,
        masked=queries * keys - count,
        row_entropy=torch.cat(entropies).float().cpu().numpy(),
    )


def _visible(layer: LayerRecord, head: int, stage: str, rows: slice) -> Float[Tensor, " cells"]:
    cols = slice(0, layer.attention.num_keys)
    values = stage_window(layer, head, stage, rows, cols)
    attention = layer.attention.head(head)
    if attention.mask is None and not attention.edits:
        return values.flatten()
    return values[attention.allowed(rows, cols)[0, 0]]
