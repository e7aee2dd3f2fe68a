"""Projections against hand values and torch's modules; roles against what the exchange must and must not change."""

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.testing import assert_close

from attention_core.projections import Projection, draw_projections, project_and_attend

BANDED = [[1.0, 0.5, 0, 0], [0.5, 1, 0.5, 0], [0, 0.5, 1, 0.5], [0, 0, 0.5, 1]]


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_figures() -> None:
    eye = torch.eye(4, dtype=torch.float64)
    trace = project_and_attend(eye[:3], Projection(eye), Projection(2 * eye), Projection(torch.tensor(BANDED).double()))
    assert_close(trace.keys, 2 * eye[:3])
    assert_close(trace.values, torch.tensor(BANDED).double()[:3])
    assert_close(trace.scaled_scores, torch.eye(3, dtype=torch.float64))
    peak, rest = math.e / (math.e + 2), 1 / (math.e + 2)
    assert (round(peak, 4), round(rest, 4)) == (0.5761, 0.2119)
    assert_close(trace.weights, torch.full((3, 3), rest).double() + eye[:3, :3] * (peak - rest), rtol=1e-6, atol=1e-6)
    expected = [[0.6821, 0.6060, 0.3179, 0.1060], [0.5, 0.7881, 0.5, 0.1060], [0.3179, 0.6060, 0.6821, 0.2881]]
    assert_close(trace.output, torch.tensor(expected).double(), rtol=0, atol=6e-5)


def test_is_three_linear_layers_and_torchs_attention() -> None:
    modules = [torch.nn.Linear(7, size, dtype=torch.float64) for size in (5, 5, 3)]
    inputs = draw(2, 11, 7)
    trace = project_and_attend(inputs, *(Projection(module.weight, module.bias) for module in modules))
    expected = F.scaled_dot_product_attention(*(module(inputs) for module in modules))
    assert trace.queries.shape == (2, 11, 5)
    assert_close(trace.output, expected, rtol=1e-12, atol=1e-12)


def test_gradients() -> None:
    tensors = [draw(3, 5).requires_grad_(), *(draw(n, 5, seed=n).requires_grad_() for n in (2, 2, 4))]
    tensors.append(draw(4, seed=9).requires_grad_())

    def output(inputs, query, key, value, bias):
        return project_and_attend(inputs, Projection(query), Projection(key), Projection(value, bias)).output

    assert torch.autograd.gradcheck(output, tensors)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_types_are_kept(dtype: torch.dtype) -> None:
    weight = Projection(draw(4, 4, dtype=dtype))
    assert project_and_attend(draw(3, 4, seed=1, dtype=dtype), weight, weight, weight).output.dtype == dtype


def test_drawn_projections_are_torchs() -> None:
    drawn = draw_projections(6, 4, 3, bias=True, generator=torch.Generator().manual_seed(2))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        theirs = [torch.nn.Linear(6, size) for size in (4, 4, 3)]
    for own, module in zip(drawn, theirs, strict=True):
        assert_close(own.weight, module.weight.detach(), rtol=1e-6, atol=0)
        assert_close(own.bias, module.bias.detach(), rtol=1e-6, atol=0)
