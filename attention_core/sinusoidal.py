"""Sinusoidal position encodings: each position a fixed vector of sines and cosines (Vaswani et al. 2017, §3.5).

``PE(pos, 2i) = sin(pos · ω_i)``, ``PE(pos, 2i + 1) = cos(pos · ω_i)``, ``ω_i = base^(−2i/dim)``; added to the
embeddings before the first layer. The frequencies are RoPE's, but they are added once and not applied in every layer.

**Layout.** ``"interleaved"``: sine and cosine alternate, as the paper writes it. ``"half_split"``: all sines, then
all cosines, as tensor2tensor and Marian do. (tensor2tensor and fairseq also stretch the frequencies to end at exactly
``1/base``; here they are the paper's.)
"""

import torch
from jaxtyping import Float, Real
from torch import Tensor

from attention_core.rope import Pairing, angles, check_pairing, frequencies, rotation_matrix
from attention_core.rope_scaling import Number


def encode(
    positions: Real[Tensor, "*tokens"],
    dim: int,
    *,
    base: Number = 10_000.0,
    layout: Pairing = "interleaved",
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "*tokens dim"]:
    """The encoding of each position (any real number), computed in float64 and rounded once to ``dtype``.

    Raises ValueError for an odd dim or a base that is not positive.
    """
    check_pairing(layout)
    phases = angles(positions, frequencies(dim, base, device=positions.device))
    sines, cosines = phases.sin(), phases.cos()
    if layout == "interleaved":
        return torch.stack((sines, cosines), dim=-1).flatten(-2).to(dtype)
    return torch.cat((sines, cosines), dim=-1).to(dtype)


def shift_matrix(
    offset: Number, dim: int, *, base: Number = 10_000.0, layout: Pairing = "interleaved"
) -> Float[Tensor, "dim dim"]:
    """``M_k`` with ``PE(pos + k) = M_k PE(pos)`` for every pos: the paper's reason for this encoding.

    Each pair (sin, cos) is rotated clockwise by ``k · ω_i``: it is RoPE's rotation matrix of position −k.
    """
    return rotation_matrix(-offset, frequencies(dim, base), pairing=layout)


def similarity(vectors: Float[Tensor, "*batch T D"]) -> Float[Tensor, "*batch T T"]:
    """Dot product of every two vectors. For sinusoidal positions: ``Σ_i cos((p − q) ω_i)``, dim/2 where p = q."""
    return vectors @ vectors.transpose(-1, -2)


def cosine_similarity(vectors: Float[Tensor, "*batch T D"]) -> Float[Tensor, "*batch T T"]:
    """Cosine between every two vectors; 0 with the zero vector."""
    norms = vectors.norm(dim=-1, keepdim=True)
    return similarity(vectors / norms.masked_fill(norms == 0, 1.0))
