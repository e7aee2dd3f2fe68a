"""Bins of the distribution of a measure over queries."""

import math

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from attention_core.atlas.measures import MEASURES, PER_QUERY
from attention_core.atlas.summaries.summary import BINS

LENGTHS_FROM, LENGTHS_TO = -10, 10
"""Lengths have bins of equal ratio between these powers of two; the first holds everything below, the last above."""


def bin_numbers(values: Float[Tensor, "M H Q"], window_tokens: int) -> Int64[Tensor, "M H Q"]:
    """The bin of each value of each measure of PER_QUERY."""
    scales = [BINS / _range(name, window_tokens) for name in PER_QUERY]
    scaled = values * values.new_tensor(scales)[:, None, None]
    for row, name in enumerate(PER_QUERY):
        if MEASURES[name].unit == "length":
            scaled[row] = (values[row].clamp_min(1e-30).log2() - LENGTHS_FROM) * (BINS / (LENGTHS_TO - LENGTHS_FROM))
    return scaled.clamp_(0, BINS - 1).to(torch.int64)


def bin_edges(name: str, window_tokens: int) -> Float[np.ndarray, " edges"]:
    """The edges of a measure's bins, one more than there are bins."""
    if MEASURES[name].unit == "length":
        edges = 2.0 ** np.linspace(LENGTHS_FROM, LENGTHS_TO, BINS + 1)
        edges[0] = 0.0
        return edges
    return np.linspace(0, _range(name, window_tokens), BINS + 1)


def _range(name: str, window_tokens: int) -> float:
    """The largest value a measure can have."""
    return {"nats": math.log(window_tokens), "tokens": float(window_tokens)}.get(MEASURES[name].unit, 1.0)
