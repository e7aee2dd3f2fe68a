"""Cosine attention: ``softmax(cos(Q, K) · scale) V``, which depends on angles and not on norms.

With unit vectors the dot product is ``cos θ`` exactly, in [−1, 1], so a scale (1 / temperature) decides how sharp the
weights can get (Liu et al. 2022, Swin v2, §3.2; Loshchilov et al. 2025, nGPT, §2.3).
"""

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.attend import attend
from attention_core.qk_norm import l2_norm
from attention_core.scoring.dot import dot_scores
from attention_core.trace import AttentionTrace


def cosine_scores(queries: Float[Tensor, "... Q Dq"], keys: Float[Tensor, "... K Dk"]) -> Float[Tensor, "... Q K"]:
    """``q · k / (|q| |k|) = cos θ`` between each query and each key; 0 where either is the zero vector.

    Multiplying any query or key by a positive number changes nothing, as long as its length stays above ``l2_norm``'s
    ε of 1e-12.
    Raises ValueError unless queries and keys have one size (Dq = Dk).
    """
    return dot_scores(l2_norm(queries), l2_norm(keys))


def cosine_attention(
    queries: Float[Tensor, "... Q Dq"],
    keys: Float[Tensor, "... K Dk"],
    values: Float[Tensor, "... K V"],
    *,
    scale: float | Float[Tensor, "..."] = 1.0,
    bias: Float[Tensor, "..."] | None = None,
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
) -> AttentionTrace:
    """Every stage of ``softmax(cos(Q, K) · scale + bias) V``; a learned scale may be given as a tensor.

    The trace keeps the original queries and keys, not normalised.
    Raises ValueError unless queries and keys have one size (Dq = Dk).
    """
    return attend(queries, keys, values, cosine_scores(queries, keys), scale=scale, bias=bias, mask=mask)
