"""Sinusoidal position encodings: the table, similarities between positions, and the shift as a rotation.

Plain numbers in, arrays out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from attention_core import sinusoidal
from attention_core.rope import Pairing, frequencies, wavelengths
from attention_core.rope_scaling import Number

Table = Float[np.ndarray, "positions dim"]
Similarities = Float[np.ndarray, "positions positions"]


@dataclass(frozen=True, eq=False)
class Step:
    """The same shift from every position."""

    matrix: Float[np.ndarray, "dim dim"]
    """``M_k``."""
    shifted: Table
    """``PE(pos + k)``, computed directly."""
    by_matrix: Table
    """``M_k PE(pos)``."""
    largest_difference: float


@dataclass(frozen=True, eq=False)
class SinusoidalNumbers:
    """Position encodings and their similarities."""

    frequencies: Float[np.ndarray, "pairs"]
    """Radians per position."""
    wavelengths: Float[np.ndarray, "pairs"]
    """Positions per full turn."""
    encoding: Table
    similarity: Similarities | None
    """Dot products: Σ cos((p − q) ω_i). Null where positions² exceeds OBSERVATORY_MAX_CONCEPT_CELLS."""
    cosine_similarity: Similarities | None
    step: Step | None


def sinusoidal_numbers(
    dim: int,
    positions: Sequence[Number],
    *,
    base: Number = 10_000.0,
    layout: Pairing = "interleaved",
    compare: bool = True,
    step: Number | None = None,
) -> SinusoidalNumbers:
    """The table positions × dimensions; ``compare`` adds similarities, ``step`` the matrix of that shift."""
    places = torch.tensor(positions, dtype=torch.float64)
    theta = frequencies(dim, base)
    encoding = sinusoidal.encode(places, dim, base=base, layout=layout, dtype=torch.float64)
    taken = None
    if step is not None:
        matrix = sinusoidal.shift_matrix(step, dim, base=base, layout=layout)
        shifted = sinusoidal.encode(places + step, dim, base=base, layout=layout, dtype=torch.float64)
        by_matrix = encoding @ matrix.T
        difference = float((shifted - by_matrix).abs().max())
        taken = Step(matrix.numpy(), shifted.numpy(), by_matrix.numpy(), difference)
    return SinusoidalNumbers(
        frequencies=theta.numpy(),
        wavelengths=wavelengths(theta).numpy(),
        encoding=encoding.numpy(),
        similarity=sinusoidal.similarity(encoding).numpy() if compare else None,
        cosine_similarity=sinusoidal.cosine_similarity(encoding).numpy() if compare else None,
        step=taken,
    )


def cosine_similarity(vectors: Table) -> Similarities:
    """Cosine between every two rows, such as those of a learned table."""
    return sinusoidal.cosine_similarity(torch.from_numpy(vectors)).numpy()
