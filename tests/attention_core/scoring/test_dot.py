"""Dot-product attention against loops and the worked examples."""

import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_core.scoring.dot import dot_attention, dot_scores


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_scores_against_a_loop() -> None:
    queries, keys = draw(2, 3, 5), draw(2, 7, 5, seed=1)
    looped = [
        [[sum(a * b for a, b in zip(q, k, strict=True)) for k in batch_keys] for q in batch_queries]
        for batch_queries, batch_keys in zip(queries.tolist(), keys.tolist(), strict=True)
    ]
    assert_close(dot_scores(queries, keys), torch.tensor(looped, dtype=torch.float64), rtol=1e-14, atol=1e-14)


def test_ten_unit_vectors_and_a_query_at_45_degrees() -> None:
    keys = torch.tensor(
        [[math.cos(2 * math.pi * i / 10), math.sin(2 * math.pi * i / 10)] for i in range(10)], dtype=torch.float64
    )
    query = torch.tensor([[math.sqrt(0.5), math.sqrt(0.5)]], dtype=torch.float64)
    trace = dot_attention(query, keys, keys)
    assert_close(trace.output, torch.tensor([[0.31564538, 0.31564537]], dtype=torch.float64), rtol=0, atol=1e-8)
    assert trace.weights.shape == (1, 10)
    assert trace.weights.sum().item() == pytest.approx(1, abs=1e-15)
    assert trace.weights.argmax().item() == 1
    assert trace.weights.max().item() == pytest.approx(0.2121, abs=5e-5)


def test_nothing_is_scaled_unless_asked() -> None:
    queries, keys, values = draw(3, 16), draw(5, 16, seed=1), draw(5, 2, seed=2)
    assert_close(dot_attention(queries, keys, values).scaled_scores, queries @ keys.T, rtol=0, atol=0)
    halved = dot_attention(queries, keys, values, scale=0.5)
    assert_close(halved.weights, torch.softmax(queries @ keys.T / 2, dim=-1), rtol=1e-13, atol=1e-15)


def test_gradients() -> None:
    inputs = [draw(*shape, seed=sum(shape)).requires_grad_() for shape in ((2, 3), (5, 3), (5, 4))]
    assert torch.autograd.gradcheck(lambda q, k, v: dot_attention(q, k, v).output, inputs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype: torch.dtype) -> None:
    queries, keys, values = draw(3, 8, dtype=dtype), draw(5, 8, seed=1, dtype=dtype), draw(5, 4, seed=2, dtype=dtype)
    trace = dot_attention(queries, keys, values)
    exact = dot_attention(queries.double(), keys.double(), values.double())
    assert trace.output.dtype == dtype
    tolerance = 40 * torch.finfo(dtype).eps
    assert_close(trace.output.double(), exact.output, rtol=tolerance, atol=tolerance)


def test_sizes_must_agree() -> None:
    with pytest.raises(ValueError, match=r"^queries have size 3 but keys have size 4$"):
        dot_scores(draw(2, 3), draw(2, 4))
