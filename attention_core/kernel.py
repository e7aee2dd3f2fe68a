"""Fixed kernels and learned attention on the same points.

Kernel smoothing (Nadaraya 1964, Watson 1964) weights every point by its similarity under a fixed function:

``output_i = Σ_j w_ij v_j`` with ``w_ij = k(x_i, y_j) / Σ_j k(x_i, y_j)``

- RBF: ``k(x, y) = exp(−γ ‖x − y‖²)``, ``γ = 1/(2h²)`` for a bandwidth h. As ``‖x − y‖² = ‖x‖² + ‖y‖² − 2 x·y``, its
  weights are those of dot-product attention with scale 2γ and a bias ``−γ‖y‖²`` on every key: for points of
  equal length they are exactly attention.
- polynomial: ``k(x, y) = (x·y + c)^p``, the dot product of all monomials up to degree p. With an odd p (or c too small)
  some are negative, and so are some "weights".

Attention learns its similarity: ``softmax((x W_qᵀ)(y W_kᵀ)ᵀ/√d)``. No W appears in a kernel (Tsai et al. 2019).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.attend import softmax
from attention_core.linear import linear
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.scoring.scaled_dot import scaled_dot_attention
from attention_core.trace import AttentionTrace


def squared_distances(queries: Float[Tensor, "... Q D"], keys: Float[Tensor, "... K Dk"]) -> Float[Tensor, "... Q K"]:
    """``‖x_i − y_j‖²``, by subtraction: exactly 0 for equal points. Half precision is squared in float32.

    Raises ValueError if sizes differ.
    """
    check_sizes(queries, keys)
    return (_wide(queries).unsqueeze(-2) - _wide(keys).unsqueeze(-3)).square().sum(dim=-1)


def rbf_kernel(
    queries: Float[Tensor, "... Q D"], keys: Float[Tensor, "... K Dk"], gamma: float
) -> Float[Tensor, "... Q K"]:
    """``exp(−γ ‖x − y‖²)``: 1 for equal points, towards 0 with distance. Raises ValueError unless γ > 0."""
    return (-_positive("gamma", gamma) * squared_distances(queries, keys)).exp().to(queries.dtype)


def rbf_weights(
    queries: Float[Tensor, "... Q D"], keys: Float[Tensor, "... K Dk"], gamma: float
) -> Float[Tensor, "... Q K"]:
    """``k_ij / Σ_j k_ij`` as ``softmax(−γ ‖x − y‖²)``: also correct where every kernel value underflows to 0."""
    return softmax(-_positive("gamma", gamma) * squared_distances(queries, keys)).to(queries.dtype)


def polynomial_kernel(
    queries: Float[Tensor, "... Q D"], keys: Float[Tensor, "... K Dk"], degree: int, constant: float
) -> Float[Tensor, "... Q K"]:
    """``(x·y + c)^p``. Raises ValueError for a degree below 1."""
    return _polynomial_base(queries, keys, degree, constant).pow(degree).to(queries.dtype)


def polynomial_weights(
    queries: Float[Tensor, "... Q D"], keys: Float[Tensor, "... K Dk"], degree: int, constant: float
) -> Float[Tensor, "... Q K"]:
    """``k_ij / Σ_j k_ij``; a row whose kernel values add up to 0 has weights 0, like a fully masked row.

    Each row is divided by its largest base before the power is taken, which changes no weight and cannot overflow.
    """
    base = _polynomial_base(queries, keys, degree, constant)
    largest = base.abs().amax(dim=-1, keepdim=True).detach()
    powers = (base / largest.masked_fill(largest == 0, 1.0)).pow(degree)
    total = powers.sum(dim=-1, keepdim=True)
    return torch.where(total == 0, 0.0, powers / total.masked_fill(total == 0, 1.0)).to(queries.dtype)


def gamma_of(bandwidth: float) -> float:
    """``γ = 1/(2h²)``."""
    return 1.0 / (2.0 * _positive("bandwidth", bandwidth) ** 2)


def projected_attention(
    points: Float[Tensor, "... Q D"],
    others: Float[Tensor, "... K D"],
    values: Float[Tensor, "... K V"],
    query_weight: Float[Tensor, "O D"],
    key_weight: Float[Tensor, "O D"],
    *,
    scale: float | None = None,
) -> AttentionTrace:
    """``softmax((x W_qᵀ)(y W_kᵀ)ᵀ · scale) V`` on the same points; ``scale`` is ``1/√O`` unless given."""
    return scaled_dot_attention(linear(points, query_weight), linear(others, key_weight), values, scale=scale)


def _polynomial_base(queries: Tensor, keys: Tensor, degree: int, constant: float) -> Tensor:
    check_sizes(queries, keys)
    check_at_least(1, degree=degree)
    return _wide(queries) @ _wide(keys).transpose(-1, -2) + constant


def _wide(points: Tensor) -> Tensor:
    return points.to(torch.promote_types(points.dtype, torch.float32))


def check_sizes(queries: Tensor, keys: Tensor) -> None:
    """Raise ValueError unless both have vectors of one size."""
    if queries.shape[-1] != keys.shape[-1]:
        raise InvalidValueError(
            "points must have the size of the keys, {size}, not {given}", keys.shape[-1], queries.shape[-1]
        )


def _positive(name: str, number: float) -> float:
    if not number > 0:
        raise InvalidValueError("{name} must be > {least}, not {given}", name, 0, number)
    return number
