"""Broadcast any supported mask over batch and heads."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.attend import mask_scores
from attention_core.masks import causal_mask, sliding_window_mask
from attention_core.refusal import InvalidValueError


def mask_for_heads(
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None,
    queries: Float[Tensor, "B H Q D"],
    num_keys: int,
    *,
    is_causal: bool,
    window: int | None = None,
) -> Bool[Tensor, "..."] | Float[Tensor, "..."] | None:
    """A mask that broadcasts to (Q, K), (B, Q, K) or (B, H, Q, K), combined with the causal mask if asked for.

    Three axes are (B, Q, K), as padding masks have them: a head axis is inserted. An additive mask takes the dtype of
    the queries. With ``window`` the causal mask shows each query its last ``window`` keys only, its own included. None
    if every key is visible. Raises ValueError for a mask that does not broadcast.
    """
    batch, heads, num_queries, _ = queries.shape
    if mask is not None:
        by_head = mask.unsqueeze(1) if mask.dim() == 3 else mask
        full = (batch, heads, num_queries, num_keys)
        axes = zip(reversed(by_head.shape), reversed(full), strict=False)
        if by_head.dim() > 4 or any(size not in (1, of) for size, of in axes):
            raise InvalidValueError("mask must broadcast to {full}, which {shape} does not", full, tuple(mask.shape))
        mask = by_head if by_head.dtype == torch.bool else by_head.to(queries.dtype)
    reaches_all = window is None or num_keys <= window
    if not is_causal or (mask is None and num_queries == 1 and reaches_all):
        return mask
    if window is None or reaches_all:
        triangle = causal_mask(num_queries, num_keys, device=queries.device)
    else:
        triangle = sliding_window_mask(num_queries, num_keys, window, device=queries.device)
    if mask is None:
        return triangle
    return mask & triangle if mask.dtype == torch.bool else mask_scores(mask, triangle)
