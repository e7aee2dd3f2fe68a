"""Scaled dot-product attention against torch's own and the worked examples."""

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.testing import assert_close

from attention_core.scoring.scaled_dot import default_scale, scaled_dot_attention


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def tensor(rows: list[list[float]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 5, 7), (1, 11, 3, 64), (3, 2, 1, 4096)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_output_is_torchs(shape: tuple[int, int, int, int], dtype: torch.dtype) -> None:
    heads, num_queries, size, num_keys = shape
    queries = draw(2, heads, num_queries, size, dtype=dtype)
    keys, values = draw(2, heads, num_keys, size, seed=1, dtype=dtype), draw(2, heads, num_keys, 3, seed=2, dtype=dtype)
    bias = draw(num_queries, num_keys, seed=3, dtype=dtype)
    trace = scaled_dot_attention(queries, keys, values, bias=bias)
    expected = F.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
    tolerance = 1e-13 if dtype == torch.float64 else 2e-6
    assert_close(trace.output, expected, rtol=tolerance, atol=tolerance)


def test_identity_queries_and_keys() -> None:
    trace = scaled_dot_attention(torch.eye(2).double(), torch.eye(2).double(), tensor([[10, 20], [30, 40]]))
    assert_close(trace.raw_scores, torch.eye(2).double(), rtol=0, atol=0)
    assert_close(trace.scaled_scores, torch.eye(2).double() * math.sqrt(0.5), rtol=1e-15, atol=0)
    assert_close(trace.weights, tensor([[0.6698, 0.3302], [0.3302, 0.6698]]), rtol=0, atol=5e-5)
    assert_close(trace.output, tensor([[16.605, 26.605], [23.395, 33.395]]), rtol=0, atol=5e-4)


def test_one_query_of_length_two() -> None:
    trace = scaled_dot_attention(tensor([[2, 0]]), tensor([[1, 0], [0, 1]]), tensor([[5], [10]]))
    assert_close(trace.raw_scores, tensor([[2, 0]]), rtol=0, atol=0)
    assert_close(trace.scaled_scores, tensor([[math.sqrt(2), 0]]), rtol=1e-15, atol=0)
    assert_close(trace.weights, tensor([[0.8044, 0.1956]]), rtol=0, atol=5e-5)
    assert_close(trace.output, tensor([[5.978]]), rtol=0, atol=5e-4)


def test_a_scale_of_ones_own() -> None:
    queries, keys, values = draw(3, 4), draw(5, 4, seed=1), draw(5, 2, seed=2)
    trace = scaled_dot_attention(queries, keys, values, scale=0.2)
    assert_close(trace.scaled_scores, queries @ keys.T * 0.2, rtol=1e-15, atol=0)


def test_gradients() -> None:
    inputs = [draw(*shape, seed=sum(shape)).requires_grad_() for shape in ((2, 3), (5, 3), (5, 4))]
    assert torch.autograd.gradcheck(lambda q, k, v: scaled_dot_attention(q, k, v).output, inputs)


def test_invalid_input_is_named() -> None:
    assert default_scale(64) == 0.125
    with pytest.raises(ValueError, match=r"^head_dim must be at least 1, not 0$"):
        default_scale(0)
    with pytest.raises(ValueError, match=r"^queries have size 3 but keys have size 4$"):
        scaled_dot_attention(draw(2, 3), draw(2, 4), draw(2, 1))
