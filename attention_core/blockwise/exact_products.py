"""Bitwise reproducible dot products, independent of the window they are computed in.

A matrix product sums D products in an order that depends on its shape, on threads and on the machine, and every order
rounds differently. At scores near 1,000 float32 rounds to 6e-5; divided by a small temperature, or compared with a
log-sum-exp that another window rounded, this can give a weight of 54, although no weight exceeds 1.

Here no sum is rounded. Each vector is rounded to a grid of its own, multiples of a power of two so coarse that D
products of two such vectors are integers of at most 2^53, which float64 adds exactly in any order. Query and key share
53 − log2 D bits: for heads of up to 128 at least 23 each, where float32 itself has 24 for the largest component of a
vector. This rounding error is smaller than that of one float32 product of the same vectors.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

EXACT = torch.float64
"""Holds every whole number up to 2^53."""
EXACT_BITS = 53


def product_dtype(device: torch.device, dtype: torch.dtype) -> torch.dtype:
    """The dtype of products: float64, except on MPS, which lacks it; there, none of the above holds."""
    return torch.promote_types(dtype, torch.float32) if device.type == "mps" else EXACT


def on_grids(
    queries: Float[Tensor, "*batch Q D"], keys: Float[Tensor, "*others K D"]
) -> tuple[Float[Tensor, "*batch Q D"], Float[Tensor, "*others K D"]]:
    """Round both so that every ``q · k`` is exact in float64; they keep their format.

    Float64 vectors are not rounded: no wider format could hold their products.
    """
    bits = EXACT_BITS - math.ceil(math.log2(max(1, queries.shape[-1])))
    return _on_grid(queries, bits - bits // 2), _on_grid(keys, bits // 2)


def _on_grid(vectors: Float[Tensor, "*batch N D"], bits: int) -> Float[Tensor, "*batch N D"]:
    """Round each component of a vector to a multiple of 2^−bits times the power of two above its largest."""
    if vectors.dtype == EXACT or vectors.device.type == "mps" or vectors.numel() == 0:
        return vectors
    wide = vectors.to(EXACT)
    largest = wide.abs().amax(dim=-1, keepdim=True).clamp_(min=torch.finfo(EXACT).tiny)
    grid = largest / torch.frexp(largest).mantissa * 2.0**-bits  # exact; torch.ldexp underflows where float32 does
    return wide.div_(grid).round_().mul_(grid).to(vectors.dtype)
