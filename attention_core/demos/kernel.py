"""Fixed kernels and learned attention on the same points, compared."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.kernel import (
    check_sizes,
    polynomial_kernel,
    polynomial_weights,
    projected_attention,
    rbf_kernel,
    rbf_weights,
    squared_distances,
)
from attention_core.refusal import InvalidValueError, check_at_least

QueriesKeys = Float[np.ndarray, "queries keys"]


@dataclass(frozen=True, eq=False)
class Smoothing:
    """The weights and output of one fixed kernel."""

    kernel: QueriesKeys | None
    """Before normalisation; null where float64 overflows."""
    weights: QueriesKeys
    """Each row adds up to 1."""
    output: Float[np.ndarray, "queries value_size"]
    has_negative_weights: bool


@dataclass(frozen=True, eq=False)
class KernelExperiment:
    """The same points smoothed by two fixed kernels and by attention."""

    squared_distances: QueriesKeys
    rbf: Smoothing
    polynomial: Smoothing
    attention: dict[str, Float[np.ndarray, "..."]]
    """Every stage by its name."""


def kernel_experiment(
    points: np.ndarray,
    others: np.ndarray,
    values: np.ndarray,
    query_weight: np.ndarray | None = None,
    key_weight: np.ndarray | None = None,
    *,
    gamma: float = 0.5,
    degree: int = 2,
    constant: float = 1.0,
    scale: float | None = None,
) -> KernelExperiment:
    """``points`` (Q, D) attend to ``values`` (K, V) at ``others`` (K, D), in float64. Weights default to identity."""
    x, y, v = (torch.from_numpy(array).double() for array in (points, others, values))
    check_sizes(x, y)
    if len(v) != len(y):
        raise InvalidValueError("values must be {count}, one for each key, not {given}", len(y), len(v))
    eye = torch.eye(x.shape[-1], dtype=torch.float64)
    w_q, w_k = (eye if w is None else torch.from_numpy(w).double() for w in (query_weight, key_weight))
    trace = projected_attention(x, y, v, w_q, w_k, scale=scale)
    return KernelExperiment(
        squared_distances=squared_distances(x, y).numpy(),
        rbf=_smoothing(rbf_kernel(x, y, gamma), rbf_weights(x, y, gamma), v),
        polynomial=_smoothing(polynomial_kernel(x, y, degree, constant), polynomial_weights(x, y, degree, constant), v),
        attention={name: tensor.numpy() for name, tensor in trace.stages()},
    )


def random_points(num_points: int, size: int, *, seed: int = 0) -> np.ndarray:
    """Points (N, D) from N(0, 1)."""
    check_at_least(1, num_points=num_points, size=size)
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(num_points, size, generator=generator, dtype=torch.float64).numpy()


def _smoothing(kernel: Tensor, weights: Tensor, values: Tensor) -> Smoothing:
    return Smoothing(
        kernel=kernel.numpy() if bool(kernel.isfinite().all()) else None,
        weights=weights.numpy(),
        output=(weights @ values).numpy(),
        has_negative_weights=bool((weights < 0).any()),
    )
