"""Which token reaches which position in a small model with masks of one's own, measured beside what the masks allow.

One layer of attention reads what its mask lets through; the next reads what the first has written. With M_l the boolean
mask of layer l, what may have arrived at query i from key j after L layers is

    allowed_L = (M_{L−1} + I) · … · (M_0 + I)    as a boolean matrix product

(I: the residual stream carries each position on). What has arrived is measured: the token at j is replaced, the model
runs again, and i is reached where its state is not bit for bit the same (``attention_core.reach``). The two agree as
long as attention is the only way between positions. ``Mixing`` is another way, after the attention of every layer: no
mask shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.multi_head import MultiHeadAttention
from attention_core.multi_head_trace import MultiHeadTrace
from attention_core.reach.allowed import product, reachable
from attention_core.reach.measure import is_layer, reach
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.trace import to_array

Mixing = Literal["none", "causal_convolution", "convolution", "norm_over_time"]
MIXINGS: tuple[Mixing, ...] = ("none", "causal_convolution", "convolution", "norm_over_time")
DIM = 16
"""Width of the states."""
SHARE = 0.25
"""Of a neighbour's state, in a convolution."""
SHARPNESS = 1.5
"""Of queries and keys beside torch's Linear: weights differ, and none is so small that rounding hides what arrives."""

Matrices = Bool[np.ndarray, "layers queries keys"]


@dataclass(frozen=True, eq=False)
class ReachNumbers:
    """Layer by layer: rows are queries, columns are keys."""

    masks: Matrices
    """True where the layer's attention may read."""
    weights: Float[np.ndarray, "layers queries keys"]
    """Of the layer's attention, for the unchanged tokens; a row in which everything is masked is 0."""
    allowed: Matrices
    """What the masks of the layers so far let through: the boolean product of (mask + I)."""
    intended: Matrices
    """The same of the mask that was intended."""
    mixed: Bool[np.ndarray, "queries keys"]
    """What one layer lets through beside attention; the identity where there is only attention."""
    change: Float[np.ndarray, "layers queries keys"]
    """The largest change of a number of the query's state after the layer, once the key's token is another."""
    reached: Matrices
    """Where the state is not bit for bit the same."""
    leaks: Matrices
    """Reached, and not intended."""


class MixingLayer(nn.Module):
    """``mix(x + attention(x))``: our attention with its residual, then what passes between positions without it."""

    def __init__(self, mask: Bool[Tensor, "N N"], mixing: Mixing, generator: torch.Generator) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(DIM, 1, bias=False, generator=generator)
        with torch.no_grad():
            for projection in (self.attention.query_projection, self.attention.key_projection):
                projection.weight.mul_(SHARPNESS)
        self.mask, self.mixing = mask, mixing

    def forward(self, x: Float[Tensor, "B N d"]) -> Float[Tensor, "B N d"]:
        """The state after this layer."""
        return mix(x + cast(Tensor, self.attention(x, mask=self.mask)), self.mixing)


class SmallModel(nn.Module):
    """Random token vectors, and a ``MixingLayer`` for each mask."""

    def __init__(self, masks: Bool[Tensor, "L N N"], mixing: Mixing, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.layers = nn.ModuleList(MixingLayer(mask, mixing, generator) for mask in masks)
        # Two more than there are positions: the replacements.
        table = torch.randn(masks.shape[1] + 2, DIM, generator=generator)
        self.embedding = nn.Embedding.from_pretrained(table)

    def forward(self, ids: Int[Tensor, "B N"]) -> Float[Tensor, "B N d"]:
        """The state after the last layer."""
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x)
        return x


def mix(x: Float[Tensor, "... N d"], mixing: Mixing) -> Float[Tensor, "... N d"]:
    """What passes between positions without attention.

    ``causal_convolution``: ``x_i + x_{i−1}/4``; ``convolution``: ``x_i + (x_{i−1} + x_{i+1})/4``, with 0 beyond the
    ends; ``norm_over_time``: each feature minus its mean over the positions, divided by its standard deviation there.
    """
    if mixing == "norm_over_time":
        centred = x - x.mean(-2, keepdim=True)
        return centred / (centred.square().mean(-2, keepdim=True) + 1e-5).sqrt()
    mixed = x
    if mixing in {"causal_convolution", "convolution"}:
        mixed = mixed + SHARE * nn.functional.pad(x, (0, 0, 1, 0))[..., :-1, :]
    if mixing == "convolution":
        mixed = mixed + SHARE * nn.functional.pad(x, (0, 0, 0, 1))[..., 1:, :]
    return mixed


def mixed_positions(count: int, mixing: Mixing) -> Bool[Tensor, "N N"]:
    """True where one layer lets a key through to a query beside attention, and on the diagonal."""
    behind = torch.arange(count)[:, None] - torch.arange(count)
    if mixing == "norm_over_time":
        return torch.ones(count, count, dtype=torch.bool)
    first = -1 if mixing == "convolution" else 0
    last = 0 if mixing == "none" else 1
    return (behind >= first) & (behind <= last)


def measure_reach(
    masks: Sequence[Sequence[Sequence[bool]]],
    *,
    layers: int | None = None,
    intended: Sequence[Sequence[bool]] | None = None,
    mixing: Mixing = "none",
    seed: int = 0,
) -> ReachNumbers:
    """Measure a model of random weights with one mask for all its ``layers``, or one for each.

    ``intended`` is what one layer was meant to let through: each its own mask unless given. Raises ValueError for masks
    that are not square and of one size, and for as many masks as there are no layers.
    """
    depth = len(masks) if layers is None else layers
    check_at_least(1, layers=depth)
    if len(masks) not in {1, depth}:
        raise InvalidValueError(
            "masks must be one for all {depth} layers or one for each, not {given}", depth, len(masks)
        )
    each = _square("masks", masks).expand(depth, -1, -1)
    meant = each if intended is None else _square("intended", [intended]).expand(depth, -1, -1)
    if meant.shape != each.shape:
        raise InvalidValueError(
            "intended must have {count} rows as the masks have, not {given}", each.shape[-1], meant.shape[-1]
        )
    count = each.shape[-1]
    model = SmallModel(each, mixing, seed)
    names = [f"layers.{layer}" for layer in range(depth)]
    measured = reach(model, torch.arange(count), vocabulary=[count, count + 1], layers=names)
    rows = [index for index, name in enumerate(measured.names) if is_layer(name)]
    reached, should = measured.reached[rows], reachable(list(meant))
    return ReachNumbers(
        masks=to_array(each),
        weights=to_array(_weights(model, count)),
        allowed=to_array(reachable(list(each))),
        intended=to_array(should),
        mixed=to_array(mixed_positions(count, mixing)),
        change=to_array(measured.change[rows]),
        reached=to_array(reached),
        leaks=to_array(reached & ~should),
    )


def allowed_with(masks: Bool[Tensor, "L N N"], mixed: Bool[Tensor, "N N"]) -> Bool[Tensor, "L N N"]:
    """What can have arrived after each layer where attention is not the only way: the product of mixed · (M + I)."""
    same = torch.eye(masks.shape[-1], dtype=torch.bool)
    return reachable([product(mixed, mask | same) for mask in masks])


def _square(name: str, matrices: Sequence[Sequence[Sequence[bool]]]) -> Bool[Tensor, "L N N"]:
    size = len(matrices[0])
    for matrix in matrices:
        for index, row in enumerate(matrix):
            if len(matrix) != size or len(row) != size:
                raise InvalidValueError(
                    "{name} must be square and of one size: row {index} has {count} entries, and there are {size} rows",
                    name,
                    index,
                    len(row),
                    size,
                )
    return torch.tensor(matrices, dtype=torch.bool)


@torch.no_grad()
def _weights(model: SmallModel, count: int) -> Float[Tensor, "L N N"]:
    x, weights = model.embedding(torch.arange(count)[None]), []
    for module in model.layers:
        layer = cast(MixingLayer, module)
        trace = cast(MultiHeadTrace, layer.attention(x, mask=layer.mask, trace=True))
        weights.append(trace.attention.weights[0, 0])
        x = layer(x)
    return torch.stack(weights)
