"""Sinusoidal encodings against the paper's formula, one number at a time."""

import math

import numpy as np
import pytest

from attention_core.demos.sinusoidal import cosine_similarity, sinusoidal_numbers
from attention_core.rope import PAIRINGS

POSITIONS = [0, 1, 2, 7, -3, 2.5, 4095]


def formula(position: float, dim: int, base: float = 10_000.0) -> list[float]:
    row = []
    for i in range(dim // 2):
        angle = position / base ** (2 * i / dim)
        row += [math.sin(angle), math.cos(angle)]
    return row


@pytest.mark.parametrize("layout", PAIRINGS)
def test_the_experiments_numbers(layout):
    numbers = sinusoidal_numbers(6, POSITIONS, base=100.0, layout=layout, step=2)
    order = [0, 1, 2, 3, 4, 5] if layout == "interleaved" else [0, 2, 4, 1, 3, 5]
    expected = np.array([formula(p, 6, 100.0) for p in POSITIONS])[:, order]
    np.testing.assert_allclose(numbers.encoding, expected, atol=1e-12)
    np.testing.assert_allclose(numbers.similarity, expected @ expected.T, atol=1e-11)
    np.testing.assert_allclose(numbers.cosine_similarity, expected @ expected.T / 3, atol=1e-11)
    np.testing.assert_allclose(numbers.frequencies, [1, 100 ** (-1 / 3), 100 ** (-2 / 3)], rtol=1e-15)
    np.testing.assert_allclose(numbers.wavelengths, 2 * math.pi / numbers.frequencies, rtol=1e-15)
    assert numbers.step is not None
    shifted = np.array([formula(p + 2, 6, 100.0) for p in POSITIONS])[:, order]
    np.testing.assert_allclose(numbers.step.shifted, shifted, atol=1e-12)
    np.testing.assert_allclose(numbers.step.by_matrix, expected @ numbers.step.matrix.T, atol=1e-12)
    assert numbers.step.largest_difference < 1e-12
    bare = sinusoidal_numbers(6, POSITIONS, compare=False)
    assert (bare.similarity, bare.cosine_similarity, bare.step) == (None, None, None)


def test_a_vector_of_length_zero_is_like_nothing():
    assert cosine_similarity(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist() == [[0, 0], [0, pytest.approx(1)]]
