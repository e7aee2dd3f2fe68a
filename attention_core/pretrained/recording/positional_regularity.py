"""Positional heads: how often a head's maximum weight lies at the same relative offset (Voita et al. 2019, §5.1.1).

A head is called positional if nearly always (in the paper, at least 90 % of the time) the key with its largest weight
is at one relative position, in practice −1 or +1. Here that share itself is measured: the queries whose largest weight
is at the head's most frequent offset ``key − query``, among queries that attend to anything. The first of equal weights
counts.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.blockwise.row_blocks import Block


class PositionalRegularity:
    """Accumulates blocks of weights layer by layer, in O(heads × queries) memory."""

    def __init__(self, num_layers: int, num_heads: int, num_queries: int, device: torch.device) -> None:
        self.shares: Float[Tensor, "L H"] = torch.zeros(num_layers, num_heads, dtype=torch.float64, device=device)
        self._largest = torch.zeros(num_heads, num_queries, dtype=torch.float64, device=device)
        self._key = torch.zeros(num_heads, num_queries, dtype=torch.long, device=device)
        self._layer: int | None = None
        self._rows: slice | None = None

    def add(self, layer: int, block: Block, weights: Float[Tensor, "H rows cols"]) -> None:
        """Add one block; layers in order, all rows of each, and the keys of a row in order."""
        if layer != self._layer:
            self._finish_layer()
            self._layer = layer
        places = first_of_largest(weights)
        largest = weights.gather(-1, places.unsqueeze(-1)).squeeze(-1)
        if block.cols.start:
            places += block.cols.start
        if block.rows == self._rows:  # further keys of the same rows
            better = largest > self._largest[:, block.rows]
            places = torch.where(better, places, self._key[:, block.rows])
            largest = torch.where(better, largest, self._largest[:, block.rows])
        self._key[:, block.rows] = places
        self._largest[:, block.rows] = largest
        self._rows = block.rows

    def result(self) -> Float[Tensor, "L H"]:
        """The share of each head, after the last block."""
        self._finish_layer()
        return self.shares

    def _finish_layer(self) -> None:
        if self._layer is not None:
            self.shares[self._layer] = share_at_one_offset(self._key, self._largest > 0)
            self._rows = self._layer = None


def first_of_largest(weights: Float[Tensor, "*batch cols"]) -> Int[Tensor, "*batch"]:
    """Index of the maximum of each row, the first of equals.

    Uses numpy on the CPU, which is about ten times faster than torch's argmax.
    """
    if weights.device.type == "cpu":
        return torch.from_numpy(weights.numpy().argmax(axis=-1))
    return weights.argmax(dim=-1)


def share_at_one_offset(keys: Int[Tensor, "H Q"], reads: Tensor) -> Float[Tensor, " H"]:
    """Of the unmasked queries, the share at the head's most frequent offset; 0 if there is none."""
    num_queries = keys.shape[-1]
    offsets = keys - torch.arange(num_queries, device=keys.device) + num_queries - 1
    size = max(num_queries, int(offsets.max()) + 1)
    counts = torch.zeros(keys.shape[0], size, dtype=torch.float64, device=keys.device)
    counts.scatter_add_(-1, offsets, reads.to(counts.dtype))
    return counts.amax(dim=-1) / reads.sum(dim=-1).clamp(min=1)
