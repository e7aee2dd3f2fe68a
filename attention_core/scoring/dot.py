"""Dot-product attention: ``softmax(Q Kᵀ) V`` (Luong et al. 2015, §3.1, "dot").

The score is ``q · k = |q| |k| cos θ``: both direction and length count. A longer key gets more weight from
queries on its side and less from those on the other.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.attend import attend
from attention_core.refusal import InvalidValueError
from attention_core.trace import AttentionTrace


def dot_scores(queries: Float[Tensor, "... Q Dq"], keys: Float[Tensor, "... K Dk"]) -> Float[Tensor, "... Q K"]:
    """``Q Kᵀ``: row i, column j is ``q_i · k_j``. Raises ValueError unless queries and keys have one size (Dq = Dk)."""
    if queries.shape[-1] != keys.shape[-1]:
        raise InvalidValueError(
            "queries have size {query_size} but keys have size {key_size}", queries.shape[-1], keys.shape[-1]
        )
    return queries @ keys.transpose(-1, -2)


def dot_attention(
    queries: Float[Tensor, "... Q Dq"],
    keys: Float[Tensor, "... K Dk"],
    values: Float[Tensor, "... K V"],
    *,
    scale: float = 1.0,
    bias: Float[Tensor, "..."] | None = None,
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
) -> AttentionTrace:
    """Every stage of ``softmax(Q Kᵀ · scale + bias) V``; the scores are unscaled unless a scale is given.

    Raises ValueError unless queries and keys have one size (Dq = Dk).
    """
    return attend(queries, keys, values, dot_scores(queries, keys), scale=scale, bias=bias, mask=mask)
