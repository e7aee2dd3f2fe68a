"""How specific a weight is to its query: the weight beside the mean of what the other queries give the same key.

A key may get much from every query, as a separator or the subject of a sentence does. Then a large weight from one
query says little about the two. Not counted are queries that the mask keeps from the key, and in self-attention the
key's own token.
"""

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.pretrained.recording.overview import PICTURE_SIZE
from attention_core.pretrained.recording.parts import PartRecord


def others_mean(weights: Float[Tensor, "N N"], allowed: Bool[Tensor, "N N"], query: int, key: int) -> float:
    """The mean weight of ``key`` from other queries than ``query``, in self-attention; NaN without any."""
    sums, counts = totals_of(weights, allowed, is_self_attention=True)
    own = 1.0 if query != key and bool(allowed[query, key]) else 0.0
    return float((sums[key] - own * weights[query, key]) / (counts[key] - own))


def weights_above_others(
    weights: Float[Tensor, "heads Q K"], allowed: Bool[Tensor, "heads Q K"], query: range, key: range | None
) -> tuple[Float[Tensor, "heads"], Float[Tensor, "heads"]]:
    """What the tokens ``query`` give these K keys together, and that minus the mean of what other queries give them.

    ``key`` are the keys as queries, which are not counted, in self-attention; None in cross-attention. Without other
    queries their mean is 0.
    """
    sums, others = weights.sum(dim=-1), allowed.any(dim=-1)
    for place in (query, key or range(0)):
        others[:, place.start : place.stop] = False
    own_mean = sums[:, query.start : query.stop].mean(dim=-1)
    return own_mean, own_mean - (sums * others).sum(dim=-1) / others.sum(dim=-1).clamp(min=1)


def totals_of(
    weights: Float[Tensor, "*heads Q K"], allowed: Bool[Tensor, "*heads Q K"], *, is_self_attention: bool
) -> Float[Tensor, "*heads 2 K"]:
    """For each key the sum of the weights that count, and how many these are."""
    if is_self_attention:
        allowed = allowed & ~torch.eye(allowed.shape[-1], dtype=torch.bool, device=allowed.device)
    return torch.stack([(weights * allowed).sum(dim=-2), allowed.sum(dim=-2).to(weights)], dim=-2)


def key_totals(part: PartRecord) -> Float[np.ndarray, "L H 2 K"] | None:
    """``totals_of`` every head of a short text, each token of which has a cell in the thumbnails; None for others."""
    first = part.layers[0].attention
    if max(first.num_queries, first.num_keys) > PICTURE_SIZE:
        return None
    rows, cols = slice(0, first.num_queries), slice(0, first.num_keys)
    scores = [
        totals_of(
            layer.attention.weights(rows, cols, layer.log_sum_exp)[0],
            layer.attention.allowed(rows, cols)[0],
            is_self_attention=part.query_side == part.key_side,
        )
        for layer in part.layers
    ]
    return torch.stack(scores).float().cpu().numpy()
