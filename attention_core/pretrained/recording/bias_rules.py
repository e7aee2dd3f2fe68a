"""Biases as rules: by distance where the diagonals are constant, else as they are."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.bias import BiasRule


@dataclass(frozen=True, eq=False)
class RelativeBias:
    """A bias that depends only on the distance ``key − query`` (T5, ALiBi): 2N − 1 numbers per head."""

    by_distance: Float[Tensor, "B H distances"]
    """Index 0 is the distance ``−(Q − 1)``."""
    num_queries: int

    def window(self, rows: slice, cols: slice) -> Float[Tensor, "B H rows cols"]:
        """See BiasRule."""
        device = self.by_distance.device
        query = torch.arange(rows.start, rows.stop, device=device)[:, None]
        key = torch.arange(cols.start, cols.stop, device=device)
        return self.by_distance[..., key - query + self.num_queries - 1]


@dataclass(frozen=True, eq=False)
class DenseBias:
    """A bias of unknown structure: the only case in which a Q × K matrix is kept."""

    values: Float[Tensor, "B H Q K"]

    def window(self, rows: slice, cols: slice) -> Float[Tensor, "B H rows cols"]:
        """See BiasRule. An axis of size 1 covers all rows or columns."""
        row = rows if self.values.shape[-2] > 1 else slice(None)
        col = cols if self.values.shape[-1] > 1 else slice(None)
        return self.values[..., row, col]


@dataclass(frozen=True, eq=False)
class ContentBias(DenseBias):
    """A bias that was computed from queries and keys (DeBERTa, XLNet): other queries would have another."""


def relative_bias(bias: Float[Tensor, "B H Q K"]) -> BiasRule | None:
    """The rule behind a dense bias: None if it is 0 everywhere, by distance if its diagonals are constant."""
    if not bool(bias.any()):
        return None
    num_queries, num_keys = bias.shape[-2:]
    if num_queries > 1 and num_keys > 1 and torch.equal(bias[..., 1:, 1:], bias[..., :-1, :-1]):
        by_distance = torch.cat([bias[..., :, 0].flip(-1), bias[..., 0, 1:]], dim=-1)
        return RelativeBias(by_distance, num_queries)
    return DenseBias(bias)
