"""From scores to output: scale → bias → mask → softmax → weighted sum. The product's only softmax.

Two implementations of the same computation: ``attend`` keeps every stage for inspection, ``attend_fused`` calls torch's
fused kernel for speed. A third, ``blockwise.BlockwiseAttention``, serves lengths at which the full matrix does not fit
in memory; its exponentials are computed here too.
"""

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.trace import AttentionTrace


def softmax(scores: Float[Tensor, "... K"]) -> Float[Tensor, "... K"]:
    """``exp(s − max s) / Σ exp(s − max s)`` over the last axis, finite for any finite scores.

    A row of nothing but −∞ (every key masked) gives weights 0. NaN is passed on, not repaired.
    Half precision is computed in float32 and rounded once, as in torch's own softmax.
    """
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    maximum = row_maximum(wide)
    exponentials = (wide - maximum).exp()
    total = exponentials.sum(dim=-1, keepdim=True)
    return (exponentials / total.masked_fill(total == 0, 1.0)).to(scores.dtype)


def row_maximum(scores: Float[Tensor, "... K"]) -> Float[Tensor, "... 1"]:
    """The value softmax subtracts: each row's maximum, or 0 for a row of −∞. A constant to autograd."""
    if scores.shape[-1] == 0:
        return scores.new_zeros(*scores.shape[:-1], 1)
    maximum = scores.detach().amax(dim=-1, keepdim=True)
    return maximum.masked_fill(maximum == float("-inf"), 0.0)


def softmax_unstable(scores: Float[Tensor, "... K"]) -> Float[Tensor, "... K"]:
    """Textbook softmax ``exp(s) / Σ exp(s)``, every step rounded to the scores' own precision.

    Only for showing why ``softmax`` subtracts the maximum: ``exp`` overflows above ln(largest number)
    (11.1 in float16, 88.7 in float32 and bfloat16, 709.8 in float64), and ∞ / ∞ is NaN; a row in which
    everything underflows is 0 / 0, also NaN.
    """
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def entropy(weights: Float[Tensor, "... K"]) -> Float[Tensor, "..."]:
    """``−Σ w ln w`` of each row, in nats: 0 when one key gets everything, ln K when K keys share evenly.

    ``0 ln 0`` counts as 0, so a fully masked row has entropy 0.
    """
    return -(weights * weights.clamp_min(torch.finfo(weights.dtype).tiny).log()).sum(dim=-1)


def cap_scores(scores: Float[Tensor, "..."], cap: float) -> Float[Tensor, "..."]:
    """``cap · tanh(scores / cap)``: nearly the score where it is small, never beyond ±cap (Gemma 2, section 2)."""
    return torch.tanh(scores / cap) * cap


def mask_scores(
    scores: Float[Tensor, "... Q K"], mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None
) -> Float[Tensor, "... Q K"]:
    """−∞ where a boolean mask is false, or the sum with an additive mask."""
    if mask is None:
        return scores
    return scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask


def fully_masked(masked_scores: Float[Tensor, "... Q K"]) -> Bool[Tensor, "... Q"]:
    """True for a query that may attend to no key: its scores are all −∞, and its weights 0."""
    return (masked_scores == float("-inf")).all(dim=-1)


def attend(
    queries: Float[Tensor, "... Q Dq"],
    keys: Float[Tensor, "... K Dk"],
    values: Float[Tensor, "... K V"],
    raw_scores: Float[Tensor, "... Q K"],
    *,
    scale: float | Float[Tensor, "..."] = 1.0,
    bias: Float[Tensor, "..."] | None = None,
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    dropout: float = 0.0,
    generator: torch.Generator | None = None,
) -> AttentionTrace:
    """Compute weights and output from the scores of any scoring function, keeping every stage.

    ``weights = softmax(raw_scores · scale + bias + mask)``, ``output = weights · values`` (Vaswani et al. 2017, eq. 1,
    with ``raw_scores = Q Kᵀ`` and ``scale = 1/√D``). Dropout applies to the weighted sum, not to the weights in the
    trace; with a ``generator`` (on the CPU, whatever the device of the scores) it leaves torch's global random state
    alone.
    """
    scaled_scores = raw_scores * scale
    biased_scores = scaled_scores if bias is None else scaled_scores + bias
    masked_scores = mask_scores(biased_scores, mask)
    weights = softmax(masked_scores)
    mixed = drop(weights, dropout, generator) if dropout > 0 else weights
    head_outputs = mixed @ values
    return AttentionTrace(
        queries=queries,
        keys=keys,
        values=values,
        raw_scores=raw_scores,
        scaled_scores=scaled_scores,
        bias=bias,
        mask=mask,
        masked_scores=masked_scores,
        weights=weights,
        head_outputs=head_outputs,
        output=head_outputs,
    )


def drop(
    weights: Float[Tensor, "..."], probability: float, generator: torch.Generator | None = None
) -> Float[Tensor, "..."]:
    """Dropout: zero each weight with this probability, else ``weight / (1 − probability)`` (Srivastava et al. 2014)."""
    if generator is None:
        return F.dropout(weights, probability)
    kept = torch.rand(weights.shape, generator=generator).to(weights.device) >= probability
    return weights * kept / (1.0 - probability)


def attend_fused(
    queries: Float[Tensor, "... H Q D"],
    keys: Float[Tensor, "... Hkv K D"],
    values: Float[Tensor, "... Hkv K V"],
    *,
    scale: float = 1.0,
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    is_causal: bool = False,
    dropout: float = 0.0,
) -> Float[Tensor, "... H Q V"]:
    """Head outputs from torch's fused kernel; dot-product scores only, no stage is kept.

    A bias is passed as an additive ``mask``. ``is_causal`` aligns the diagonal to the top left, as torch does: it is
    correct only for as many queries as keys. H may be a multiple of Hkv (grouped queries).
    """
    return F.scaled_dot_product_attention(
        queries,
        keys,
        values,
        attn_mask=mask,
        dropout_p=dropout,
        is_causal=is_causal,
        scale=scale,
        enable_gqa=queries.shape[-3] != keys.shape[-3],
    )


def softmax_with_sink(scores: Float[Tensor, "... K"], sink: Float[Tensor, "... 1"] | None) -> Float[Tensor, "... K"]:
    """Softmax with one more score per row, whose weight is dropped: the rest adds up to less than 1.

    Such a sink is learned for each head (gpt-oss; Xiao et al. 2023, section 3.3); −∞ or None is no sink.
    """
    return softmax(scores) if sink is None else softmax(torch.cat([scores, sink.to(scores.dtype)], dim=-1))[..., :-1]


def softmax_in_place(
    scores: Float[Tensor, "... K"], dtype: torch.dtype, sink: Float[Tensor, "... 1"] | None = None
) -> tuple[Float[Tensor, "... K"], Float[Tensor, "... 2"]]:
    """Weights in ``dtype``, and each row's log-sum-exp as two summands, from which any window can be recomputed.

    They are the row's largest score m and ``ln Σ exp(s − m)``, both including the sink, if any. Their rounded sum would
    be off by 6e-5 at scores near 1,000 (float32). A fully masked row has 0 and −∞. ``scores`` are overwritten.
    """
    maximum = row_maximum(scores if sink is None else torch.cat([scores.amax(dim=-1, keepdim=True), sink], dim=-1))
    weights = scores.sub_(maximum).to(dtype).exp_()
    total = weights.sum(dim=-1, keepdim=True)
    if sink is not None:
        total += (sink - maximum).exp().to(dtype)
    weights.div_(total.masked_fill(total == 0, 1.0))
    return weights, torch.cat([maximum, total.to(maximum.dtype).log_()], dim=-1)


MASKED = -1e30
"""A score so low that its weight is exactly 0, and finite: its product with that weight is 0."""


def softmax_with_exponents(
    scores: Float[Tensor, "... K"], sink: Float[Tensor, "... 1"] | None = None
) -> tuple[Float[Tensor, "... K"], Float[Tensor, "..."]]:
    """Weights, and the mean exponent of each row, from finite scores (``MASKED`` where masked), in few passes.

    The exponents are ``t = s − max s``, their mean is ``Σ w t``: with it, ``entropy_of_largest`` needs no pass of its
    own. A row in which everything is masked attends to all keys equally, unless a sink takes everything. ``scores`` are
    overwritten.
    """
    largest = scores.amax(dim=-1, keepdim=True)
    scores.sub_(largest)
    if sink is None:
        weights = torch.softmax(scores, dim=-1)
        return weights, scores.mul_(weights).sum(dim=-1)
    weights = torch.softmax(torch.cat([scores, sink - largest], dim=-1), dim=-1)[..., :-1].contiguous()
    # −Σ w ln w = −(Σ w) ln max w − Σ w t: what the sink takes is moved into the mean exponent.
    dropped = 1.0 - weights.sum(dim=-1)
    logarithm = weights.amax(dim=-1).clamp_min(torch.finfo(weights.dtype).tiny).log_()
    return weights, scores.mul_(weights).sum(dim=-1).sub_(dropped.mul_(logarithm))


def entropy_of_largest(largest: Float[Tensor, "..."], mean_exponent: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Entropy of rows in nats, from each row's largest weight and mean exponent.

    ``−Σ w ln w`` is ``ln Σ e^t − Σ w t``, and ``Σ e^t`` is one over the largest weight.
    """
    return largest.log().neg_().sub_(mean_exponent).clamp_(min=0.0)


def weights_in_place(
    scores: Float[Tensor, "... Q K"], log_sum_exp: Float[Tensor, "... Q 2"], dtype: torch.dtype
) -> Float[Tensor, "... Q K"]:
    """``exp(scores − log_sum_exp)`` in ``dtype``: any window of the weights from the same window of the scores.

    If the scores are bitwise those of ``softmax_in_place``, the weights agree up to one rounding: none is above 1,
    because no score is above m and no sum below 1. ``scores`` are overwritten.
    """
    from_largest, log_total = _from_largest(scores, log_sum_exp, dtype)
    return from_largest.exp_().mul_(log_total.neg().exp_().to(dtype))


def log_weights_in_place(
    scores: Float[Tensor, "... Q K"], log_sum_exp: Float[Tensor, "... Q 2"], dtype: torch.dtype
) -> Float[Tensor, "... Q K"]:
    """``scores − log_sum_exp`` in ``dtype``, never above 0: −∞ where masked, also in a fully masked row."""
    from_largest, log_total = _from_largest(scores, log_sum_exp, dtype)
    return from_largest.sub_(log_total.to(dtype))


def _from_largest(
    scores: Float[Tensor, "... Q K"], log_sum_exp: Float[Tensor, "... Q 2"], dtype: torch.dtype
) -> tuple[Float[Tensor, "... Q K"], Float[Tensor, "... Q 1"]]:
    maximum, log_total = log_sum_exp.split(1, dim=-1)
    from_largest = scores.sub_(maximum.to(scores.dtype)).to(dtype)
    if scores.dtype == dtype:  # without exact products, another window may round a score above its row's largest
        from_largest.clamp_(max=0.0)
    return from_largest, log_total.masked_fill(log_total == float("-inf"), 0.0)
