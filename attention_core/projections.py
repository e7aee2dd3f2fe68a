"""Query, key and value: three linear projections of one input.

``Q = X W_qᵀ + b_q``, ``K = X W_kᵀ + b_k``, ``V = X W_vᵀ + b_v`` (weights are (out, in), as in ``linear``), then
``softmax(Q Kᵀ / √d_k) V``.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.linear import linear, random_linear
from attention_core.scoring.scaled_dot import scaled_dot_attention
from attention_core.trace import AttentionTrace


@dataclass(frozen=True, eq=False)
class Projection:
    """Weight (out, in) and, where there is one, bias (out)."""

    weight: Float[Tensor, "O I"]
    bias: Float[Tensor, " Ob"] | None = None

    def __call__(self, inputs: Float[Tensor, "... Ix"]) -> Float[Tensor, "... O"]:
        """``x Wᵀ + b``; ValueError where sizes do not fit."""
        return linear(inputs, self.weight, self.bias)


def project_and_attend(
    inputs: Float[Tensor, "... N I"],
    query: Projection,
    key: Projection,
    value: Projection,
    *,
    scale: float | None = None,
) -> AttentionTrace:
    """Self-attention of one head: every stage from one input. ``scale`` is ``1/√d_k`` unless given.

    Raises ValueError if a projection does not take inputs of size I, or if query and key sizes differ.
    """
    return scaled_dot_attention(query(inputs), key(inputs), value(inputs), scale=scale)


def draw_projections(
    d_model: int, d_k: int, d_v: int, *, bias: bool = False, generator: torch.Generator
) -> tuple[Projection, Projection, Projection]:
    """Query, key and value projections as torch initialises three linear layers, in this order."""
    layers = [random_linear(d_model, size, bias=bias, generator=generator) for size in (d_k, d_k, d_v)]
    query, key, value = (Projection(layer.weight.detach(), layer.bias.detach() if bias else None) for layer in layers)
    return query, key, value
