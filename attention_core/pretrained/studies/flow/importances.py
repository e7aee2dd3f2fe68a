"""How important each part of a sum is: how much closer it alone brings to the sum (Ferrando & Voita 2024, section 2).

For a part z of the sum y, in the L1 norm and in relation to all parts z' of y:

    proximity(z, y) = max(0, ‖y‖₁ − ‖y − z‖₁)
    importance(z, y) = proximity(z, y) / Σ proximity(z', y)

The measure is that of ALTI (Ferrando et al. 2022, https://arxiv.org/abs/2203.04212), here of every head and source
token on its own, of the feed-forward layer, of the stream before, and of all biases together.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.pretrained.studies.flow.stream_sums import StreamSum

CELLS = 2**22
"""Numbers held at once while the proximities of a head are computed."""


@dataclass(frozen=True, eq=False)
class Importances:
    """The importances of all parts of one sum at n tokens, in float64."""

    residual: Float[Tensor, " n"]
    feed_forward: Float[Tensor, " n"] | None
    heads: Float[Tensor, "n H K"] | None
    bias: Float[Tensor, " n"]
    error: Float[Tensor, " n"]
    """``‖y − Σ parts‖₁ / ‖y‖₁``."""


def importances(
    summed: StreamSum, at: Int[Tensor, " n"], keys: int, check: Callable[[], None] = lambda: None
) -> Importances:
    """The importances of the parts at these tokens, which attend to the first ``keys`` tokens only."""
    total = summed.total[at]
    missing = total.clone()

    def proximity(part: Float[Tensor, "n D"]) -> Float[Tensor, " n"]:
        missing.sub_(part)
        return (total.abs() - (total - part).abs()).sum(dim=-1, dtype=torch.float64).clamp_(min=0.0)

    residual, bias = proximity(summed.residual_part(at)), proximity(summed.bias_part(at))
    fed = summed.feed_forward_part(at)
    feed_forward = None if fed is None else proximity(fed)
    of_heads = []
    for _, weights, vectors in summed.head_parts(at, keys):
        check()
        of_heads.append(_proximities(total, weights, vectors))
        missing.sub_(weights @ vectors)
    heads = torch.stack(of_heads, dim=1) if of_heads else None
    everything = residual + bias
    for each in (feed_forward, None if heads is None else heads.sum(dim=(1, 2))):
        everything = everything if each is None else everything + each
    everything.clamp_(min=torch.finfo(torch.float64).tiny)
    lengths = total.abs().sum(dim=-1, dtype=torch.float64).clamp_(min=torch.finfo(torch.float64).tiny)
    return Importances(
        residual=residual / everything,
        feed_forward=None if feed_forward is None else feed_forward / everything,
        heads=None if heads is None else heads / everything[:, None, None],
        bias=bias / everything,
        error=missing.abs().sum(dim=-1, dtype=torch.float64) / lengths,
    )


def _proximities(
    total: Float[Tensor, "n D"], weights: Float[Tensor, "n K"], vectors: Float[Tensor, "K D"]
) -> Float[Tensor, "n K"]:
    """``max(0, ‖y‖₁ − ‖y − c u‖₁)`` for each row's y and c, and every u."""
    lengths = total.abs().sum(dim=-1, dtype=torch.float64)
    shares = torch.zeros_like(weights, dtype=torch.float64)
    # No part is closer than it is long: without that bound, rounding would lend thousands of tiny parts a share.
    bounds = weights.double() * vectors.abs().sum(dim=-1, dtype=torch.float64)
    rows_at_once = max(1, CELLS // vectors.numel())
    for start in range(0, len(total), rows_at_once):
        rows = slice(start, start + rows_at_once)
        used = weights[rows].any(dim=0).nonzero().flatten()
        rest = weights[rows, used].unsqueeze(-1) * vectors[used]
        rest = torch.sub(total[rows].unsqueeze(1), rest, out=rest).abs_()
        shares[rows, used] = lengths[rows, None] - rest.sum(dim=-1).double()
    return torch.minimum(shares, bounds).clamp_(min=0.0)
