"""One token in every layer and head: what it reads most, and which tokens read it most.

One row and one column of each map are computed, never the map: memory is heads × tokens, whatever the length.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.analysis import Analysis, Part
from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.selection import check_index

MAX_COUNT = 32
"""Tokens listed for each head at most."""


@dataclass(frozen=True, eq=False)
class TopTokens:
    """The largest weights of one row or column of each head, largest first. L layers, H heads."""

    indices: np.ndarray
    """(L, H, count) int64"""
    weights: np.ndarray
    """(L, H, count) float32; 0 where there is nothing more to list."""
    totals: np.ndarray
    """(L, H) float32: the sum over all tokens. Of a row 1 (or 0: it reads nothing); of a column how much it gets."""


@dataclass(frozen=True, eq=False)
class PartReads:
    """One part of the model; None where the token plays no such role."""

    name: str
    reads: TopTokens | None
    """Keys that this token reads, as a query."""
    read_by: TopTokens | None
    """Queries that read this token, as a key."""


@dataclass(frozen=True, eq=False)
class TokenReads:
    """All that one token reads and is read by."""

    side: str
    index: int
    parts: list[PartReads]


def token_reads(analysis: Analysis, index: int, *, side: str | None = None, count: int = 5) -> TokenReads:
    """The ``count`` largest weights of token ``index`` (of the side given, or of the first part's queries).

    Raises SelectionError for a token or a side that the analysis does not have, or a count outside 1…MAX_COUNT.
    """
    if not 1 <= count <= MAX_COUNT:
        raise SelectionError(f"count must be from 1 to {MAX_COUNT}, not {count}", field="count", limit=MAX_COUNT)
    sizes = {part.key_side: part.key_tokens for part in analysis.parts}
    sizes |= {part.query_side: part.query_tokens for part in analysis.parts}
    side = analysis.parts[0].query_side if side is None else side
    if side not in sizes:
        raise SelectionError(f"side must be one of {', '.join(sorted(sizes))}, not {side!r}", field="side")
    check_index("index", index, sizes[side])
    with torch.inference_mode():
        parts = [_part_reads(part, side, index, count) for part in analysis.parts]
    return TokenReads(side, index, [part for part in parts if part.reads is not None or part.read_by is not None])


def _part_reads(part: Part, side: str, index: int, count: int) -> PartReads:
    one = slice(index, index + 1)
    return PartReads(
        part.name,
        reads=_top(part, one, slice(0, part.key_tokens), count) if part.query_side == side else None,
        read_by=_top(part, slice(0, part.query_tokens), one, count) if part.key_side == side else None,
    )


def _top(part: Part, rows: slice, cols: slice, count: int) -> TopTokens:
    """Of one row or one column of every head."""
    found = [
        _largest(layer.attention.weights(rows, cols, layer.log_sum_exp)[0].flatten(1), count)
        for layer in part.record.layers
    ]
    weights, indices, totals = (torch.stack(each).cpu().numpy() for each in zip(*found, strict=True))
    return TopTokens(indices, weights, totals)


def _largest(weights: Float[Tensor, "H N"], count: int) -> tuple[Tensor, Tensor, Tensor]:
    best = weights.topk(min(count, weights.shape[-1]), dim=-1)
    return best.values.float(), best.indices, weights.sum(dim=-1).float()
