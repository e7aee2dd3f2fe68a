"""Why scores are divided by √d_k: their variance, and the effect of large scores on softmax and its gradient.

For independent q and k with d_k components each of mean 0 and variance v: ``Var(q · k) = d_k v²``, so ``q · k / √d_k``
has variance v², whatever d_k (Vaswani et al. 2017, footnote 4, with v = 1).

Through a freshly initialised ``nn.Linear`` of d inputs from N(0, 1), ``v = d · 1/(3d) + 1/(3d) = ⅓ + 1/(3d)`` with bias
and ``⅓`` without: scaled scores have variance about 1/9, not 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.attend import entropy, softmax
from attention_core.demos.summary import Summary, summarise
from attention_core.linear import random_linear
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.scoring.scaled_dot import default_scale

NUMBERS_AT_ONCE = 2**22
"""Generated and multiplied at a time, so that memory does not grow with the number of samples."""


@dataclass(frozen=True)
class Theory:
    """The predicted variance of the scores, without sampling."""

    component_variance: float
    """v: of each component of q and k."""
    variance: float
    """``d_k v²``"""
    standard_deviation: float
    scaled_variance: float
    """``v²``"""
    scaled_standard_deviation: float


def score_theory(d_k: int, component_variance: float = 1.0) -> Theory:
    """``Var(q · k) = d_k v²``, and the variance after dividing by √d_k."""
    check_at_least(1, d_k=d_k)
    variance = d_k * component_variance**2
    return Theory(
        component_variance=component_variance,
        variance=variance,
        standard_deviation=math.sqrt(variance),
        scaled_variance=variance / d_k,
        scaled_standard_deviation=math.sqrt(variance / d_k),
    )


def linear_component_variance(d_model: int, *, bias: bool = True) -> float:
    """Output variance of a fresh layer on N(0, 1): ``⅓ + 1/(3 d_model)`` with bias, ``⅓`` without."""
    check_at_least(1, d_model=d_model)
    return (1.0 + (1.0 / d_model if bias else 0.0)) / 3.0


@dataclass(frozen=True, eq=False)
class ScoreDistribution:
    """Raw and scaled scores of many random queries and keys of one size."""

    d_k: int
    raw: Summary
    scaled: Summary
    theory: Theory

    @property
    def ratio(self) -> float | None:
        """Variance of raw / variance of scaled scores: d_k. Null if that is 0 / 0."""
        return self.raw.variance / self.scaled.variance if self.scaled.variance > 0 else None


def normal_scores(d_k: int, *, samples: int = 10_000, seed: int = 0, bins: int = 40) -> ScoreDistribution:
    """``q · k`` of ``samples`` independent pairs with components from N(0, 1)."""
    check_at_least(1, samples=samples)
    theory = score_theory(d_k)
    generator = torch.Generator().manual_seed(seed)
    scores = []
    for count in _portions(samples, d_k):
        queries = torch.randn(count, d_k, generator=generator)
        keys = torch.randn(count, d_k, generator=generator)
        scores.append((queries * keys).sum(dim=-1))
    return _distribution(d_k, torch.cat(scores), theory, bins)


def linear_scores(
    d_k: int,
    *,
    d_model: int | None = None,
    bias: bool = True,
    samples: int = 10_000,
    seq_len: int = 1,
    layers: int = 1,
    seed: int = 0,
    bins: int = 40,
) -> ScoreDistribution:
    """Scores through W_q and W_k as torch initialises them; ``d_model`` is ``d_k`` unless given.

    ``seq_len`` 1: each sample is one query and one key from two independent inputs. Otherwise each sample is a sequence
    whose positions all score each other, themselves included (samples · seq_len² scores). The samples are divided among
    ``layers`` fresh pairs of layers; the theory is the mean over such pairs, and a single pair scatters around it.
    """
    check_at_least(1, samples=samples, seq_len=seq_len)
    if not 1 <= layers <= samples:
        raise InvalidValueError("layers must be between 1 and the number of samples, not {layers}", layers)
    d_model = d_k if d_model is None else d_model
    theory = score_theory(d_k, linear_component_variance(d_model, bias=bias))
    generator = torch.Generator().manual_seed(seed)
    scores = []
    for share in np.diff(np.linspace(0, samples, layers + 1).astype(int)).tolist():
        query_layer = random_linear(d_model, d_k, bias=bias, generator=generator)
        key_layer = random_linear(d_model, d_k, bias=bias, generator=generator)
        with torch.no_grad():
            for count in _portions(share, seq_len * max(d_model, d_k)):
                inputs = torch.randn(count, seq_len, d_model, generator=generator)
                others = inputs if seq_len > 1 else torch.randn(count, seq_len, d_model, generator=generator)
                scores.append((query_layer(inputs) @ key_layer(others).mT).flatten())
    return _distribution(d_k, torch.cat(scores), theory, bins)


@dataclass(frozen=True, eq=False)
class Saturation:
    """Softmax of one row of scores, and its gradient."""

    scores: Float[np.ndarray, "keys"]
    exponentials: list[float | None]
    """``exp(score)``; null where float64 overflows."""
    ratio: float | None
    """Largest / smallest exponential, ``exp(max − min)``; null where float64 overflows."""
    weights: Float[np.ndarray, "keys"]
    entropy: float
    """``−Σ w ln w`` in nats: ln n for uniform weights, 0 if one has all the weight."""
    jacobian: Float[np.ndarray, "keys keys"]
    """``∂w_i/∂s_j = w_i (δ_ij − w_j)``"""
    gradient_norm: float
    """Frobenius norm of the Jacobian: near 0 nothing is learned through these weights."""


def softmax_jacobian(weights: Float[Tensor, "... K"]) -> Float[Tensor, "... K K"]:
    """``∂softmax/∂scores = diag(w) − w wᵀ``."""
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)


def saturation(scores: Sequence[float], divisor: float = 1.0) -> Saturation:
    """Softmax of ``scores / divisor``, and its gradient."""
    if not divisor > 0:
        raise InvalidValueError("{name} must be > {least}, not {given}", "divisor", 0, divisor)
    if len(scores) == 0:
        raise InvalidValueError("{name} must not be empty", "scores")
    scaled = torch.tensor(scores, dtype=torch.float64) / divisor
    weights = softmax(scaled)
    jacobian = softmax_jacobian(weights)
    return Saturation(
        scores=scaled.numpy(),
        exponentials=[_exponential(score) for score in scaled.tolist()],
        ratio=_exponential(float(scaled.max() - scaled.min())),
        weights=weights.numpy(),
        entropy=float(entropy(weights)),
        jacobian=jacobian.numpy(),
        gradient_norm=float(jacobian.norm()),
    )


@dataclass(frozen=True, eq=False)
class ScatterPanel:
    """Dot products of one query with many keys, plotted against their softmax weights."""

    dim: int
    is_scaled: bool
    dot_products: Float[np.ndarray, "keys"]
    weights: Float[np.ndarray, "keys"]
    entropy: float
    gradient_norm: float


def scatter_panels(dims: Sequence[int] = (1, 100), *, num_keys: int = 20, seed: int = 0) -> list[ScatterPanel]:
    """For each size an N(0, 1) query and its keys: weights without scaling, then with ``÷√dim``."""
    check_at_least(1, num_keys=num_keys)
    generator = torch.Generator().manual_seed(seed)
    panels = []
    for dim in dims:
        check_at_least(1, dims=dim)
        query = torch.randn(dim, generator=generator, dtype=torch.float64)
        keys = torch.randn(num_keys, dim, generator=generator, dtype=torch.float64)
        dot_products = keys @ query
        for is_scaled in (False, True):
            weights = softmax(dot_products * (default_scale(dim) if is_scaled else 1.0))
            panels.append(
                ScatterPanel(
                    dim=dim,
                    is_scaled=is_scaled,
                    dot_products=dot_products.numpy(),
                    weights=weights.numpy(),
                    entropy=float(entropy(weights)),
                    gradient_norm=float(softmax_jacobian(weights).norm()),
                )
            )
    return panels


@dataclass(frozen=True)
class Growth:
    """Means over many random rows of scores, at one d_k."""

    d_k: int
    entropy: float
    scaled_entropy: float
    gradient_norm: float
    scaled_gradient_norm: float
    largest_weight: float
    scaled_largest_weight: float


def saturation_growth(d_ks: Sequence[int], *, num_keys: int = 20, trials: int = 200, seed: int = 0) -> list[Growth]:
    """Entropy, gradient norm and largest weight of softmax(q · K) with and without ``÷√d_k``, as d_k grows."""
    check_at_least(1, num_keys=num_keys, trials=trials)
    generator = torch.Generator().manual_seed(seed)
    return [_growth(d_k, num_keys, trials, generator) for d_k in d_ks]


def _growth(d_k: int, num_keys: int, trials: int, generator: torch.Generator) -> Growth:
    check_at_least(1, d_ks=d_k)
    means = {}
    scores = []
    for count in _portions(trials, num_keys * d_k):
        queries = torch.randn(count, 1, d_k, generator=generator)
        keys = torch.randn(count, num_keys, d_k, generator=generator)
        scores.append((queries @ keys.mT).squeeze(-2).double())
    rows = torch.cat(scores)
    for prefix, scale in (("", 1.0), ("scaled_", default_scale(d_k))):
        weights = softmax(rows * scale)
        norms = torch.cat([softmax_jacobian(part).norm(dim=(-2, -1)) for part in torch.split(weights, 64)])
        means[f"{prefix}entropy"] = float(entropy(weights).mean())
        means[f"{prefix}gradient_norm"] = float(norms.mean())
        means[f"{prefix}largest_weight"] = float(weights.amax(dim=-1).mean())
    return Growth(d_k=d_k, **means)


def _distribution(d_k: int, scores: Float[Tensor, " n"], theory: Theory, bins: int) -> ScoreDistribution:
    scaled = scores.double() * default_scale(d_k)
    return ScoreDistribution(d_k, summarise(scores, bins=bins), summarise(scaled, bins=bins), theory)


def _portions(samples: int, numbers_each: int) -> list[int]:
    """Split ``samples`` into portions of about NUMBERS_AT_ONCE numbers."""
    at_once = max(1, NUMBERS_AT_ONCE // numbers_each)
    return [min(at_once, samples - start) for start in range(0, samples, at_once)]


def _exponential(score: float) -> float | None:
    try:
        return math.exp(score)
    except OverflowError:
        return None
