"""Sums that do not depend on their order: multiples of 2⁻²⁴ in integers.

A value is rounded once, and from then on everything is exact. Sums that may outgrow 64 bits are kept as two numbers,
``high · 2³² + low`` with ``0 ≤ low < 2³²``: enough for 10¹⁰ queries with values of 10⁹.
"""

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

FRACTION_BITS = 24
LIMB_BITS = 32
LIMB = 2**LIMB_BITS - 1


def fixed(values: Float[Tensor, "..."]) -> Int64[Tensor, "..."]:
    """Values as multiples of 2⁻²⁴. Scaling by a power of two is exact; what is finer is rounded to even."""
    return (values * float(2**FRACTION_BITS)).round_().to(torch.int64)


def two_limbs(sums: Int64[np.ndarray, "*shape"]) -> Int64[np.ndarray, "*shape 2"]:
    """High and low part."""
    return np.stack([sums >> LIMB_BITS, sums & LIMB], axis=-1)


def added(first: Int64[np.ndarray, "*shape 2"], second: Int64[np.ndarray, "*shape 2"]) -> Int64[np.ndarray, "*shape 2"]:
    """The sum of two sums."""
    low = first[..., 1] + second[..., 1]
    return np.stack([first[..., 0] + second[..., 0] + (low >> LIMB_BITS), low & LIMB], axis=-1)


def as_float(sums: Int64[np.ndarray, "*shape 2"]) -> Float[np.ndarray, "*shape"]:
    """What a sum stands for."""
    return sums[..., 0] * 2.0 ** (LIMB_BITS - FRACTION_BITS) + sums[..., 1] * 2.0**-FRACTION_BITS
