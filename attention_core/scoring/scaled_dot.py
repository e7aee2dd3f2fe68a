"""Scaled dot-product attention: ``softmax(Q Kᵀ / √D) V`` (Vaswani et al. 2017, eq. 1)."""

import math

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.attend import attend
from attention_core.refusal import check_at_least
from attention_core.scoring.dot import dot_scores
from attention_core.trace import AttentionTrace


def default_scale(head_dim: int) -> float:
    """``1/√D``: keeps the variance of the scores at 1 when queries and keys have unit variance."""
    check_at_least(1, head_dim=head_dim)
    return 1.0 / math.sqrt(head_dim)


def scaled_dot_attention(
    queries: Float[Tensor, "... Q Dq"],
    keys: Float[Tensor, "... K Dk"],
    values: Float[Tensor, "... K V"],
    *,
    scale: float | None = None,
    bias: Float[Tensor, "..."] | None = None,
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
) -> AttentionTrace:
    """Every stage of ``softmax(Q Kᵀ · scale + bias) V``; ``scale`` is ``1/√D`` unless given.

    Raises ValueError unless queries and keys have one size (Dq = Dk).
    """
    return attend(
        queries,
        keys,
        values,
        raw_scores=dot_scores(queries, keys),
        scale=default_scale(queries.shape[-1]) if scale is None else scale,
        bias=bias,
        mask=mask,
    )
