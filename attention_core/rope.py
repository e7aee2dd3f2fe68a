"""RoPE, rotary position embedding: each position is a rotation (Su et al. 2021, RoFormer, §3.2.2 and §3.4).

A vector of D numbers is D/2 pairs, each a point in a plane. At position m, pair i rotates by the angle ``m · θ_i`` with
``θ_i = base^(−2i/D)``, counter-clockwise:

``(a, b) → (a cos mθ − b sin mθ, a sin mθ + b cos mθ)``, the same as ``(a + b·j) · e^{j m θ}``

Rotating queries and keys makes their product depend on the distance alone: ``(R_m q)·(R_n k) = q·(R_{n−m} k)``.

**Pairing.** Which two components form a pair is a convention, and models differ:

- ``"interleaved"``: components 2i and 2i + 1. The paper; GPT-J, CodeGen, Meta's own Llama code.
- ``"half_split"``: components i and i + D/2. GPT-NeoX; Llama, Mistral, Qwen, Gemma in transformers.

The two are the same rotation with the components in a different order (``to_half_split``); weights trained with one
and run with the other are wrong without any error being raised. (nanochat splits in halves and rotates clockwise: its
scores are those of the mirrored positions.)

Angles are computed in float64 by default: in float32 a position of 1,000 costs three digits of the angle.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from attention_core.refusal import InvalidValueError, check_choice
from attention_core.rope_scaling import Number, Scaling, attention_factor, stretched_base, stretched_frequencies

Pairing = Literal["interleaved", "half_split"]
PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)


def frequencies(
    dim: int,
    base: Number = 10_000.0,
    scaling: Scaling | None = None,
    *,
    sequence_length: Number | None = None,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str | None = None,
) -> Float[Tensor, " pairs"]:
    """``θ_i = base^(−2i/dim)`` for i = 0 … dim/2 − 1, in radians per position, adjusted by ``scaling``.

    ``sequence_length`` matters to dynamic scaling only. Raises ValueError for an odd dim, a base that is not positive,
    or a precision below float32.
    """
    check_dim(dim)
    if not (math.isfinite(base) and base > 0):
        raise InvalidValueError("{name} must be positive and finite, not {given}", "base", base)
    if dtype not in (torch.float32, torch.float64):
        raise InvalidValueError(
            "dtype must be float32 or float64, not {dtype}: half precision is too coarse for angles", dtype
        )
    if scaling is not None:
        base = stretched_base(scaling, dim, base, sequence_length)
    exponents = torch.arange(0, dim, 2, dtype=torch.int64, device=device).to(dtype) / dim
    theta = 1.0 / base**exponents
    return theta if scaling is None else stretched_frequencies(scaling, theta, base)


def wavelengths(frequencies: Float[Tensor, " pairs"]) -> Float[Tensor, " pairs"]:
    """``2π/θ_i``: positions per full turn of pair i."""
    return 2 * math.pi / frequencies


def angles(positions: Real[Tensor, "*tokens"], frequencies: Float[Tensor, " pairs"]) -> Float[Tensor, "*tokens pairs"]:
    """``m · θ_i`` in radians, in the precision of the frequencies. Positions may be negative or fractional."""
    return positions.to(frequencies.dtype).unsqueeze(-1) * frequencies


def cos_sin(
    positions: Real[Tensor, "*tokens"], frequencies: Float[Tensor, " pairs"], factor: Number = 1.0
) -> tuple[Float[Tensor, "*tokens pairs"], Float[Tensor, "*tokens pairs"]]:
    """Cosine and sine of every angle, times ``factor`` (YaRN's attention factor; 1 for everything else)."""
    phases = angles(positions, frequencies)
    return phases.cos() * factor, phases.sin() * factor


def apply_rotation(
    vectors: Float[Tensor, "... D"],
    cos: Float[Tensor, "... pairs"],
    sin: Float[Tensor, "... pairs"],
    *,
    pairing: Pairing,
) -> Float[Tensor, "... D"]:
    """Rotate the first ``2 · pairs`` components of each vector; the rest stay unchanged (partial RoPE).

    ``cos`` and ``sin`` broadcast over the leading axes of ``vectors``. Half precision is rotated in float32 and
    rounded once, at the end.
    """
    check_pairing(pairing)
    rotary_dim = 2 * cos.shape[-1]
    if rotary_dim > vectors.shape[-1]:
        raise InvalidValueError(
            "rotary_dim ({rotary_dim}) must not exceed the vectors' size ({size})", rotary_dim, vectors.shape[-1]
        )
    precision = torch.promote_types(vectors.dtype, torch.float32)
    cos, sin = cos.to(precision), sin.to(precision)
    turning = vectors[..., :rotary_dim].to(precision)
    a, b = _halves(turning, pairing)
    rotated = _join(a * cos - b * sin, a * sin + b * cos, pairing).to(vectors.dtype)
    return rotated if rotary_dim == vectors.shape[-1] else torch.cat((rotated, vectors[..., rotary_dim:]), dim=-1)


def rotate(
    vectors: Float[Tensor, "... D"],
    positions: Real[Tensor, "..."],
    *,
    pairing: Pairing,
    base: Number = 10_000.0,
    scaling: Scaling | None = None,
    rotary_dim: int | None = None,
    sequence_length: Number | None = None,
    angle_dtype: torch.dtype = torch.float64,
) -> Float[Tensor, "... D"]:
    """``R_m x`` for every vector x and its position m.

    ``positions`` broadcasts against ``vectors`` without its last axis: (T) for vectors (B, H, T, D), or (B, 1, T)
    where each sequence has its own. ``rotary_dim`` rotates only the first components. ``angle_dtype=float32`` gives
    transformers' own angles, rounding included. The norm of a vector does not change (YaRN multiplies it by its
    attention factor).
    """
    dim = vectors.shape[-1] if rotary_dim is None else rotary_dim
    theta = frequencies(dim, base, scaling, sequence_length=sequence_length, dtype=angle_dtype, device=vectors.device)
    cos, sin = cos_sin(positions.to(vectors.device), theta, attention_factor(scaling))
    return apply_rotation(vectors, cos, sin, pairing=pairing)


@dataclass(frozen=True)
class Rope:
    """RoPE settings of one model, to be passed to an attention module. Holds no tensor and no cache."""

    pairing: Pairing
    base: Number = 10_000.0
    scaling: Scaling | None = None
    rotary_dim: int | None = None
    angle_dtype: torch.dtype = torch.float64

    def rotate(
        self, vectors: Float[Tensor, "... D"], positions: Real[Tensor, "..."], sequence_length: Number | None = None
    ) -> Float[Tensor, "... D"]:
        """``rotate`` with these settings."""
        return rotate(
            vectors,
            positions,
            pairing=self.pairing,
            base=self.base,
            scaling=self.scaling,
            rotary_dim=self.rotary_dim,
            sequence_length=sequence_length,
            angle_dtype=self.angle_dtype,
        )


def rotation_matrix(
    position: Number, frequencies: Float[Tensor, " pairs"], *, pairing: Pairing
) -> Float[Tensor, "D D"]:
    """``R_m`` as a dense matrix: a 2 × 2 rotation per pair (RoFormer, eq. 15). For display, not computation.

    ``R_mᵀ R_n = R_{n−m}``; ``R_m x`` is ``rotate(x, m)``.
    """
    identity = torch.eye(2 * frequencies.shape[0], dtype=frequencies.dtype, device=frequencies.device)
    place = torch.tensor(position, dtype=frequencies.dtype, device=frequencies.device)
    cos, sin = cos_sin(place, frequencies)
    return apply_rotation(identity, cos, sin, pairing=pairing).T


def to_half_split(dim: int, *, device: torch.device | str | None = None) -> Int[Tensor, " dim"]:
    """The permutation from interleaved to half-split order: ``half_split = interleaved[..., order]``.

    0, 2, 4, …, 1, 3, 5, …: applied to the rows of W_q and W_k when Meta's Llama is converted to transformers.
    """
    check_dim(dim)
    return torch.arange(dim, device=device).view(-1, 2).T.reshape(-1)


def to_interleaved(dim: int, *, device: torch.device | str | None = None) -> Int[Tensor, " dim"]:
    """The inverse permutation: ``interleaved = half_split[..., order]``."""
    check_dim(dim)
    return torch.arange(dim, device=device).view(2, -1).T.reshape(-1)


def decay(distances: Real[Tensor, "*any"], frequencies: Float[Tensor, " pairs"]) -> Float[Tensor, "*any"]:
    """Mean strength at a distance: ``(1/(D/2)) Σ_{j=1}^{D/2} |S_j|``; S_j adds up, for the pairs i < j, unit
    vectors at the angles ``distance · θ_i``.

    The quantity of RoFormer §3.4.3 (eq. 35–37, figure 2): by Abel's transformation it bounds the score of any query
    and key whose neighbouring pairs are similar. It tends to fall with distance, but not monotonically.
    """
    phases = angles(distances, frequencies)
    partial_sums = torch.complex(phases.cos(), phases.sin()).cumsum(dim=-1)
    return partial_sums.abs().mean(dim=-1)


def check_dim(dim: int) -> None:
    """Raise ValueError unless ``dim`` is even and positive."""
    if dim < 2 or dim % 2:
        raise InvalidValueError("dim must be even and at least 2, not {dim}: RoPE rotates pairs of components", dim)


def check_pairing(pairing: str) -> None:
    """Raise ValueError for an unknown pairing."""
    check_choice("pairing", pairing, PAIRINGS)


def _halves(vectors: Tensor, pairing: Pairing) -> tuple[Tensor, Tensor]:
    """First and second component of every pair."""
    if pairing == "interleaved":
        return vectors[..., 0::2], vectors[..., 1::2]
    first, second = vectors.chunk(2, dim=-1)
    return first, second


def _join(first: Tensor, second: Tensor, pairing: Pairing) -> Tensor:
    if pairing == "interleaved":
        return torch.stack((first, second), dim=-1).flatten(-2)
    return torch.cat((first, second), dim=-1)
