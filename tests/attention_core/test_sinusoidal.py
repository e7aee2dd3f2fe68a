"""Sinusoidal positions against the paper's formula, one number at a time, and the identities it promises."""

import math

import pytest
import torch
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

from attention_core import sinusoidal
from attention_core.rope import PAIRINGS, rotate

POSITIONS = [0, 1, 2, 7, -3, 2.5, 4095]


def formula(position: float, dim: int, base: float = 10_000.0) -> list[float]:
    row = []
    for i in range(dim // 2):
        angle = position / base ** (2 * i / dim)
        row += [math.sin(angle), math.cos(angle)]
    return row


@pytest.mark.parametrize("dim", [2, 6, 512])
def test_the_papers_formula(dim):
    actual = sinusoidal.encode(torch.tensor(POSITIONS, dtype=torch.float64), dim, dtype=torch.float64)
    expected = torch.tensor([formula(p, dim) for p in POSITIONS], dtype=torch.float64)
    torch.testing.assert_close(actual, expected, atol=1e-12, rtol=0)


def test_position_zero_and_one():
    encoding = sinusoidal.encode(torch.arange(2), 4)
    expected = torch.tensor([[0.0, 1.0, 0.0, 1.0], [0.8414710, 0.5403023, 0.0099998, 0.9999500]])
    torch.testing.assert_close(encoding, expected, atol=1e-7, rtol=0)


def test_half_split_is_marians():
    module = MarianSinusoidalPositionalEmbedding(20, 8)
    module.weight = torch.nn.Parameter(module.create_weight(), requires_grad=False)
    torch.testing.assert_close(
        sinusoidal.encode(torch.arange(20), 8, layout="half_split"), module.weight, atol=1e-6, rtol=0
    )


@pytest.mark.parametrize("layout", PAIRINGS)
@pytest.mark.parametrize("offset", [1, -4, 0.5, 100])
def test_a_step_is_one_matrix_whatever_the_position(layout, offset):
    positions = torch.tensor(POSITIONS, dtype=torch.float64)
    here = sinusoidal.encode(positions, 16, layout=layout, dtype=torch.float64)
    there = sinusoidal.encode(positions + offset, 16, layout=layout, dtype=torch.float64)
    matrix = sinusoidal.shift_matrix(offset, 16, layout=layout)
    torch.testing.assert_close(here @ matrix.T, there, atol=1e-12, rtol=0)
    torch.testing.assert_close(matrix.T @ matrix, torch.eye(16, dtype=torch.float64), atol=1e-15, rtol=0)


def test_similarity_depends_on_the_distance_alone():
    table = sinusoidal.encode(torch.arange(12), 10, dtype=torch.float64)
    similarity = sinusoidal.similarity(table)
    for p in range(12):
        for q in range(12):
            expected = sum(math.cos((p - q) * 10_000 ** (-2 * i / 10)) for i in range(5))
            assert similarity[p, q].item() == pytest.approx(expected, abs=1e-13)
    torch.testing.assert_close(sinusoidal.cosine_similarity(table), similarity / 5, atol=1e-14, rtol=0)


def test_it_is_rope_on_one_fixed_vector():
    """(1, 0) in every pair turned to position p is (cos, sin): the same numbers, sine and cosine swapped."""
    turned = rotate(
        torch.tensor([1.0, 0.0] * 4, dtype=torch.float64).expand(9, 8), torch.arange(9), pairing="interleaved"
    )
    swapped = turned.view(9, 4, 2).flip(-1).reshape(9, 8)
    encoding = sinusoidal.encode(torch.arange(9), 8, dtype=torch.float64)
    torch.testing.assert_close(encoding, swapped, atol=1e-15, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_rounds_once(dtype):
    exact = sinusoidal.encode(torch.arange(4096), 6, dtype=torch.float64)
    rounded = sinusoidal.encode(torch.arange(4096), 6, dtype=dtype)
    torch.testing.assert_close(rounded, exact.to(dtype), atol=0, rtol=0)


def test_gradients_reach_fractional_positions():
    positions = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda p: sinusoidal.encode(p, 6, dtype=torch.float64), (positions,))


def test_bad_input():
    with pytest.raises(ValueError, match=r"^dim must be even and at least 2, not 7"):
        sinusoidal.encode(torch.arange(2), 7)
    with pytest.raises(ValueError, match=r"^base must be positive and finite, not 0"):
        sinusoidal.encode(torch.arange(2), 6, base=0)
