"""Sinusoidal position encodings: the table, similarities between positions, and the shift as a rotation.

Plain numbers in, arrays out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import sinusoidal
from attention_core.rope import Pairing, frequencies, wavelengths
from attention_core.rope_scaling import Number

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Step:
    """The same shift from every position. P positions, D = dim."""

    matrix: Array
    """(D, D) ``M_k``."""
    shifted: Array
    """(P, D) ``PE(pos + k)``, worked out afresh."""
    by_matrix: Array
    """(P, D) ``M_k PE(pos)``."""
    largest_difference: float


@dataclass(frozen=True, eq=False)
class SinusoidalNumbers:
    """The encodings of P positions."""

    frequencies: Array
    """(pairs) radians per position."""
    wavelengths: Array
    encoding: Array
    """(P, dim)"""
    similarity: Array | None
    """(P, P) dot products; None where they were not asked for."""
    cosine_similarity: Array | None
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


def cosine_similarity(vectors: NDArray[np.float64]) -> Array:
    """Cosine between every two rows, such as those of a learned table."""
    return sinusoidal.cosine_similarity(torch.from_numpy(vectors)).numpy()
