"""Metrics that characterise a head, accumulated from blocks of weights.

Each metric is a mean over the queries, or a share of them. Definitions and sources are in ``METRICS`` and shown to the
user.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.row_blocks import Block
from attention_core.pretrained.recording.positional_regularity import PositionalRegularity


@dataclass(frozen=True)
class MetricInfo:
    """Description of a metric for users."""

    title: str
    definition: str
    source: str
    unit: str
    self_attention_only: bool = False
    """Whether it compares positions of queries and keys, so that it is undefined for cross-attention."""


METRICS: dict[str, MetricInfo] = {
    "entropy": MetricInfo(
        "Entropy",
        "−Σ w ln w of each query's weights, averaged: 0 when a query attends to one token, ln N "
        "when it attends to all N equally.",
        "Shannon (1948); for heads: Clark et al. (2019), section 3.3",
        "nats",
    ),
    "mean_distance": MetricInfo(
        "Mean distance",
        "Σ w · |query position − key position|, averaged over queries.",
        "Vig and Belinkov (2019), section 4.2",
        "tokens",
        self_attention_only=True,
    ),
    "previous_token": MetricInfo(
        "Previous token",
        "Weight on the previous token, averaged over the queries that have one.",
        "Clark et al. (2019), section 3.1",
        "share",
        self_attention_only=True,
    ),
    "next_token": MetricInfo(
        "Next token",
        "Weight on the next token, averaged over the queries that have one; 0 under a causal mask.",
        "Clark et al. (2019), section 3.1",
        "share",
        self_attention_only=True,
    ),
    "same_token": MetricInfo(
        "Same token",
        "Weight of each token on itself (the diagonal), averaged.",
        "Clark et al. (2019), section 3.1",
        "share",
        self_attention_only=True,
    ),
    "positional_regularity": MetricInfo(
        "Positional regularity",
        "Share of queries whose largest weight lies at the head's most frequent distance; 1 when it"
        " always attends to the same offset.",
        "Voita et al. (2019), section 5.1.1",
        "share",
        self_attention_only=True,
    ),
    "first_token": MetricInfo(
        "First token",
        "Weight on the first token, averaged over all queries. High values mark an attention sink.",
        "Xiao et al. (2023), section 3.1",
        "share",
    ),
    "separator": MetricInfo(
        "Separator",
        "Weight on separator tokens ([SEP], </s>), averaged over all queries; 0 where the text has none.",
        "Clark et al. (2019), section 3.2",
        "share",
    ),
}
"""Every metric by name, in the order in which it is shown."""


class HeadMetrics:
    """Accumulates the metrics of every head of one part, one block of weights at a time."""

    def __init__(
        self,
        num_layers: int,
        num_heads: int,
        num_queries: int,
        *,
        is_self_attention: bool,
        separators: Sequence[int],
        device: torch.device,
    ) -> None:
        self.num_queries = num_queries
        self.is_self_attention = is_self_attention
        self.separators = torch.tensor(separators, dtype=torch.long, device=device)
        self.sums: dict[str, Float[Tensor, "L H"]] = {
            name: torch.zeros(num_layers, num_heads, dtype=torch.float64, device=device)
            for name, info in METRICS.items()
            if is_self_attention or not info.self_attention_only
        }
        self.regularity = PositionalRegularity(num_layers, num_heads, num_queries, device)

    def add(
        self,
        layer: int,
        block: Block,
        weights: Float[Tensor, "H rows cols"],
        log_weights: Float[Tensor, "H rows cols"],
    ) -> None:
        """Add one block of one layer. Passing ``log_weights`` saves a logarithm per weight."""
        rows, cols = block.rows, block.cols
        finite = log_weights.clamp(min=torch.finfo(log_weights.dtype).min)  # 0 · −∞ counts as 0
        self._add("entropy", layer, -(weights * finite).sum(dim=(-1, -2)))
        if cols.start == 0:
            self._add("first_token", layer, weights[..., 0].sum(dim=-1))
        separators = self.separators[(self.separators >= cols.start) & (self.separators < cols.stop)] - cols.start
        if separators.numel():
            self._add("separator", layer, weights[..., separators].sum(dim=(-1, -2)))
        if not self.is_self_attention:
            return
        self.regularity.add(layer, block, weights)
        query = torch.arange(rows.start, rows.stop, device=weights.device, dtype=weights.dtype)[:, None]
        key = torch.arange(cols.start, cols.stop, device=weights.device, dtype=weights.dtype)
        distance = (query - key).abs_().flatten()
        self._add("mean_distance", layer, weights.flatten(1) @ distance)
        for name, offset in (("previous_token", -1), ("same_token", 0), ("next_token", 1)):
            diagonal = rows.start - cols.start + offset
            if -weights.shape[-2] < diagonal < weights.shape[-1]:
                self._add(name, layer, weights.diagonal(diagonal, dim1=-2, dim2=-1).sum(dim=-1))

    def _add(self, name: str, layer: int, sums: Float[Tensor, " H"]) -> None:
        self.sums[name][layer] += sums

    def result(self) -> dict[str, np.ndarray]:
        """Means over queries by metric name, each (L, H) float32."""
        with_neighbour = max(1, self.num_queries - 1)
        counts = {"previous_token": with_neighbour, "next_token": with_neighbour, "positional_regularity": 1}
        if self.is_self_attention:
            self.sums["positional_regularity"] = self.regularity.result()
        means = {name: sums / counts.get(name, self.num_queries) for name, sums in self.sums.items()}
        for name, info in METRICS.items():
            if info.unit == "share" and name in means:
                means[name].clamp_(max=1.0)  # many rounded weights may sum to 1 + 1e-7
        return {name: mean.cpu().numpy().astype(np.float32) for name, mean in means.items()}
