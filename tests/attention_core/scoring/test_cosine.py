"""Cosine attention against torch's cosine similarity, and what it is blind to."""

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.testing import assert_close

from attention_core.scoring.cosine import cosine_attention, cosine_scores


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_scores_are_torchs_cosine_similarity() -> None:
    queries, keys = draw(2, 3, 5) * 9, draw(2, 7, 5, seed=1) / 9
    expected = F.cosine_similarity(queries.unsqueeze(-2), keys.unsqueeze(-3), dim=-1)
    assert_close(cosine_scores(queries, keys), expected, rtol=1e-13, atol=1e-15)


def test_scores_are_the_cosines_of_known_angles() -> None:
    degrees = torch.tensor([0.0, 30.0, 60.0, 90.0, 180.0], dtype=torch.float64)
    arrows = torch.stack([degrees.deg2rad().cos(), degrees.deg2rad().sin()], dim=-1)
    expected = torch.tensor([[1.0, math.sqrt(3) / 2, 0.5, 0.0, -1.0]], dtype=torch.float64)
    assert_close(cosine_scores(arrows[:1] * 7, arrows * 0.1), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("factor", [1e-6, 0.5, 3.0, 1e6])
def test_lengths_change_nothing(factor: float) -> None:
    queries, keys, values = draw(3, 5), draw(7, 5, seed=1), draw(7, 2, seed=2)
    expected = cosine_attention(queries, keys, values)
    longer_queries, longer_keys = queries.clone(), keys.clone()
    longer_queries[1] *= factor
    longer_keys[4] *= factor
    trace = cosine_attention(longer_queries, longer_keys, values)
    assert_close(trace.weights, expected.weights, rtol=1e-13, atol=0)
    assert_close(trace.output, expected.output, rtol=1e-13, atol=1e-14)


def test_a_zero_vector_has_score_zero_with_everything() -> None:
    queries, keys = torch.tensor([[0.0, 0.0], [1.0, 0.0]]), torch.tensor([[2.0, 0.0], [0.0, 0.0], [-3.0, 0.0]])
    trace = cosine_attention(queries, keys, torch.eye(3))
    assert trace.raw_scores.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, -1.0]]
    assert trace.weights[0].tolist() == pytest.approx([1 / 3] * 3)


def test_scale_sharpens() -> None:
    queries, keys, values = draw(3, 5), draw(7, 5, seed=1), draw(7, 2, seed=2)
    cosines = F.cosine_similarity(queries[:, None], keys[None], dim=-1)
    trace = cosine_attention(queries, keys, values, scale=10.0)
    assert_close(trace.weights, torch.softmax(10 * cosines, dim=-1), rtol=1e-12, atol=1e-15)
    learned = torch.tensor(10.0, dtype=torch.float64, requires_grad=True)
    assert_close(cosine_attention(queries, keys, values, scale=learned).output, trace.output, rtol=0, atol=0)


def test_gradients() -> None:
    inputs = [draw(*shape, seed=sum(shape)).requires_grad_() for shape in ((2, 3), (5, 3), (5, 4))]
    assert torch.autograd.gradcheck(lambda q, k, v: cosine_attention(q, k, v, scale=3.0).output, inputs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_does_not_overflow(dtype: torch.dtype) -> None:
    queries, keys = torch.full((1, 64), 1e4, dtype=dtype), torch.full((2, 64), 1e4, dtype=dtype)
    keys[1] *= -1
    expected = torch.tensor([[1.0, -1.0]], dtype=torch.float64)
    assert_close(cosine_scores(queries, keys).double(), expected, rtol=0, atol=4 * torch.finfo(dtype).eps)


def test_sizes_must_agree() -> None:
    with pytest.raises(ValueError, match=r"^queries have size 3 but keys have size 4$"):
        cosine_attention(draw(2, 3), draw(2, 4), draw(2, 1))
