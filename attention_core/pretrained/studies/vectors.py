"""The vectors behind one cell: query, key and values of its two tokens, and how their product becomes a weight.

``raw = Σ_d q_d k_d``, ``scaled = raw · scale``, ``masked = scaled + bias`` (−∞ where the mask forbids), and
``weight = exp(masked − log Σ_j exp(masked_j))`` over the whole row. Queries and keys are those of the dot product:
after RoPE and normalisation, if the model has them.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.head_edit import HeadEdit
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """One token's vectors in one head; null for roles that it does not have (cross-attention)."""

    index: int
    query: Float[np.ndarray, "size"] | None
    key: Float[np.ndarray, "size"] | None
    """Of the KV head that this query head uses."""
    value: Float[np.ndarray, "value_size"] | None


@dataclass(frozen=True, eq=False)
class PairVectors:
    """The vectors behind one cell of one head."""

    part: str
    layer: int
    head: int
    kv_head: int
    """The KV head that this query head uses."""
    query_token: TokenVectors
    key_token: TokenVectors
    products: Float[np.ndarray, "size"]
    """``q_d k_d``: they add up to ``raw_score``."""
    raw_score: float
    scale: float
    """What the raw score is multiplied by; includes the temperature of a changed head."""
    scaled_score: float
    cap: float | None
    """The scaled score becomes ``cap · tanh(score / cap)``; None if scores are not capped."""
    bias: float
    masked_score: float
    """−∞ where the key is masked."""
    weight: float
    sink_weight: float | None
    """What the head's learned sink takes of this row, so that its weights add up to less than 1; None without one."""


def pair_vectors(analysis: Analysis, part: str | None, layer: int, head: int, query: int, key: int) -> PairVectors:
    """The vectors behind the weight of ``key`` for ``query``.

    Raises SelectionError for arguments out of range, ValueError for weights uploaded without queries and keys.
    """
    chosen = analysis.part(part)
    check_index("layer", layer, chosen.layers)
    check_index("head", head, chosen.heads)
    check_index("query", query, chosen.query_tokens)
    check_index("key", key, chosen.key_tokens)
    record = chosen.record.layers[layer]
    attention = record.attention.head(head)
    log_sum_exp = record.log_sum_exp[:, head : head + 1]
    row, col = slice(query, query + 1), slice(key, key + 1)
    same_tokens = chosen.query_side == chosen.key_side

    def vectors(index: int, *, reads: bool, is_read: bool) -> TokenVectors:
        return TokenVectors(
            index,
            query=_vector(attention.queries, index) if reads else None,
            key=_vector(attention.keys, index) if is_read else None,
            value=_vector(attention.values, index) if is_read else None,
        )

    with torch.inference_mode():
        return PairVectors(
            part=chosen.name,
            layer=layer,
            head=head,
            kv_head=chosen.key_heads[head],
            query_token=vectors(query, reads=True, is_read=same_tokens),
            key_token=vectors(key, reads=same_tokens, is_read=True),
            products=_vector(attention.queries, query) * _vector(attention.keys, key),
            raw_score=float(attention.raw_scores(row, col)),
            scale=attention.scale / attention.edits.get(0, HeadEdit()).temperature,
            scaled_score=float(attention.scaled_scores(row, col)),
            cap=attention.cap,
            bias=0.0 if attention.bias is None else float(attention.bias.window(row, col)[0].squeeze()),
            masked_score=float(attention.masked_scores(row, col)),
            weight=float(attention.weights(row, col, log_sum_exp)),
            sink_weight=None if (sink := attention.sink_weights(row, log_sum_exp)) is None else float(sink),
        )


def _vector(tensor: Float[Tensor, "B 1 N D"], index: int) -> np.ndarray:
    return tensor[0, 0, index].float().cpu().numpy()
