"""The effect of each QK norm on the scores, and how vector norms concentrate in high dimensions.

Dot products mix direction and length, ``q · k = ‖q‖ ‖k‖ cos θ``. After an L2 norm only ``cos θ`` is left. After an RMS
norm or LayerNorm lengths are √D, so products lie within ±D: proportional to the cosine, but not equal to it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.attend import softmax
from attention_core.linear import random_linear
from attention_core.qk_norm import l2_norm, layer_norm, rms_norm
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.rope import Pairing, rotate
from attention_core.scoring.scaled_dot import default_scale

Kind = Literal["none", "layer", "rms", "l2"]
Order = Literal["after_rope", "before_rope"]

VECTORS_AT_ONCE = 2**22

QueriesKeys = Float[np.ndarray, "queries keys"]


@dataclass(frozen=True, eq=False)
class Normed:
    """The same queries and keys under one norm. Rows are queries, columns are keys."""

    kind: Kind
    queries: Float[np.ndarray, "queries dim"]
    keys: Float[np.ndarray, "keys dim"]
    query_norms: Float[np.ndarray, "queries"]
    key_norms: Float[np.ndarray, "keys"]
    dot_products: QueriesKeys
    lowest: float
    highest: float
    bound: float | None
    """|q · k| cannot exceed it, whatever the input. Null: no bound."""
    score_scale: float
    """``1/√D``; for l2 ``√D`` (nGPT)."""
    scores: QueriesKeys
    """``dot_products · score_scale``"""
    weights: QueriesKeys


@dataclass(frozen=True, eq=False)
class NormComparison:
    """No norm, LayerNorm, RMS norm and L2 norm, in this order."""

    cosines: QueriesKeys
    """Of the rotated queries and keys, before any norm."""
    norms: list[Normed]
    order_difference: dict[str, float] | None
    """Largest change of a dot product when norm and RoPE are swapped, for rms and l2. Null without RoPE."""


def compare_norms(
    queries: np.ndarray,
    keys: np.ndarray,
    *,
    learned_scale: np.ndarray | None = None,
    rope: Pairing | None = None,
    base: float = 10_000.0,
    order: Order = "after_rope",
) -> NormComparison:
    """Normalise queries (Q, D) and keys (K, D) with every norm, in float64; row i has position i.

    ``learned_scale`` (D) multiplies the results of rms and l2. ``after_rope`` is nanochat's order, ``before_rope``
    Qwen3's. Without a learned scale the order makes no difference, because a rotation keeps lengths.
    """
    q, k = torch.from_numpy(queries).double(), torch.from_numpy(keys).double()
    scale = None if learned_scale is None else torch.from_numpy(learned_scale).double()
    _check(q, k, scale)
    both = {name: _normed_products(q, k, scale, rope, base, name) for name in ("after_rope", "before_rope")}
    rotated_q, rotated_k = _rotate(q, rope, base), _rotate(k, rope, base)
    norms = [_normed(kind, *both[order][kind], scale) for kind in ("none", "layer", "rms", "l2")]
    differences = {
        kind: float((_products(both["after_rope"][kind]) - _products(both["before_rope"][kind])).abs().max())
        for kind in ("rms", "l2")
    }
    return NormComparison(
        cosines=(l2_norm(rotated_q) @ l2_norm(rotated_k).T).numpy(),
        norms=norms,
        order_difference=None if rope is None else differences,
    )


@dataclass(frozen=True)
class Lengths:
    """Statistics of the norms of many random vectors."""

    mean: float
    standard_deviation: float
    relative_spread: float
    """Standard deviation / mean."""
    mean_by_root_d: float
    """Mean / √d."""


@dataclass(frozen=True)
class Concentration:
    """Norms and angles at one dimension d."""

    d: int
    raw: Lengths
    """Of x from N(0, 1)."""
    expected_mean: float
    """``√2 Γ((d+1)/2) / Γ(d/2)``, about √(d − ½)."""
    expected_relative_spread: float
    """About ``1/√(2d)``."""
    layer_norm: Lengths
    """Of LayerNorm(x): √d, apart from ε."""
    layer_norm_gain: Lengths
    """With a gain for each dimension from N(1, gain²), as after training."""
    projected: Lengths
    """Of W_q LayerNorm(x), a fresh layer without bias: what attention actually compares."""
    cosine_standard_deviation: float
    """Of the angle between two independent x."""
    expected_cosine_standard_deviation: float
    """``1/√d``"""


def norm_concentration(
    dims: Sequence[int], *, samples: int = 1_000, gain: float = 0.3, seed: int = 0
) -> list[Concentration]:
    """How norms and angles of random vectors concentrate as d grows."""
    check_at_least(2, samples=samples)
    if not gain >= 0:
        raise InvalidValueError("{name} must not be negative, not {given}", "gain", gain)
    generator = torch.Generator().manual_seed(seed)
    return [_concentration(d, samples, gain, generator) for d in dims]


def expected_length(d: int) -> tuple[float, float]:
    """Mean and relative spread of ‖x‖ for x from N(0, 1)^d (the χ distribution)."""
    check_at_least(1, dims=d)
    mean = math.sqrt(2.0) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    return mean, math.sqrt(max(0.0, d - mean**2)) / mean


def random_vectors(count: int, size: int, *, seed: int = 0) -> np.ndarray:
    """(count, size) from N(0, 1)."""
    check_at_least(1, count=count, size=size)
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, size, generator=generator, dtype=torch.float64).numpy()


def _check(queries: Tensor, keys: Tensor, scale: Tensor | None) -> None:
    size = queries.shape[-1]
    if keys.shape[-1] != size:
        raise InvalidValueError("keys must have the size of the queries, {size}, not {given}", size, keys.shape[-1])
    if scale is not None and len(scale) != size:
        raise InvalidValueError("{name} must have {count} numbers, not {given}", "learned_scale", size, len(scale))


def _rotate(vectors: Float[Tensor, "N D"], rope: Pairing | None, base: float) -> Float[Tensor, "N D"]:
    return vectors if rope is None else rotate(vectors, torch.arange(len(vectors)), pairing=rope, base=base)


def _normed_products(
    queries: Tensor, keys: Tensor, scale: Tensor | None, rope: Pairing | None, base: float, order: str
) -> dict[str, tuple[Tensor, Tensor]]:
    """Queries and keys, first normalised and then rotated by RoPE."""
    norms: dict[str, Callable[[Tensor], Tensor]] = {
        "none": lambda x: x,
        "layer": layer_norm,
        "rms": lambda x: rms_norm(x, scale),
        "l2": lambda x: l2_norm(x, scale),
    }
    if order == "after_rope":
        return {
            kind: (norm(_rotate(queries, rope, base)), norm(_rotate(keys, rope, base))) for kind, norm in norms.items()
        }
    return {kind: (_rotate(norm(queries), rope, base), _rotate(norm(keys), rope, base)) for kind, norm in norms.items()}


def _products(normed: tuple[Tensor, Tensor]) -> Tensor:
    return normed[0] @ normed[1].T


def _normed(kind: Kind, queries: Tensor, keys: Tensor, scale: Tensor | None) -> Normed:
    size = queries.shape[-1]
    products = queries @ keys.T
    largest = 1.0 if scale is None or kind == "layer" else float(scale.square().max())
    bounds = {"none": None, "layer": float(size), "rms": size * largest, "l2": largest}
    score_scale = math.sqrt(size) if kind == "l2" else default_scale(size)
    scores = products * score_scale
    return Normed(
        kind=kind,
        queries=queries.numpy(),
        keys=keys.numpy(),
        query_norms=queries.norm(dim=-1).numpy(),
        key_norms=keys.norm(dim=-1).numpy(),
        dot_products=products.numpy(),
        lowest=float(products.min()),
        highest=float(products.max()),
        bound=bounds[kind],
        score_scale=score_scale,
        scores=scores.numpy(),
        weights=softmax(scores).numpy(),
    )


def _concentration(d: int, samples: int, gain: float, generator: torch.Generator) -> Concentration:
    mean, spread = expected_length(d)
    gains = 1.0 + gain * torch.randn(d, generator=generator)
    layer = random_linear(d, d, bias=False, generator=generator)
    lengths: dict[str, list[Tensor]] = {"raw": [], "layer_norm": [], "layer_norm_gain": [], "projected": []}
    cosines = []
    at_once = max(1, VECTORS_AT_ONCE // d)
    for start in range(0, samples, at_once):
        count = min(at_once, samples - start)
        vectors, others = torch.randn(2, count, d, generator=generator)
        normed = layer_norm(vectors)
        with torch.no_grad():
            sets = {"raw": vectors, "layer_norm": normed, "layer_norm_gain": normed * gains, "projected": layer(normed)}
        for name, each in sets.items():
            lengths[name].append(each.double().norm(dim=-1))
        cosines.append((l2_norm(vectors) * l2_norm(others)).sum(dim=-1).double())
    return Concentration(
        d=d,
        **{name: _lengths(torch.cat(norms), d) for name, norms in lengths.items()},
        expected_mean=mean,
        expected_relative_spread=spread,
        cosine_standard_deviation=float(torch.cat(cosines).std()),
        expected_cosine_standard_deviation=1.0 / math.sqrt(d),
    )


def _lengths(norms: Float[Tensor, " n"], d: int) -> Lengths:
    mean, deviation = float(norms.mean()), float(norms.std())
    return Lengths(mean, deviation, deviation / mean if mean > 0 else 0.0, mean / math.sqrt(d))
