"""Kernels against loops, feature maps and attention itself."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_core.kernel import (
    gamma_of,
    polynomial_kernel,
    polynomial_weights,
    projected_attention,
    rbf_kernel,
    rbf_weights,
    squared_distances,
)


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_rbf_is_a_double_loop() -> None:
    x, y, gamma = draw(3, 2), draw(5, 2, seed=1), 0.7
    expected = [
        [math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(p, q, strict=True))) for q in y.tolist()]
        for p in x.tolist()
    ]
    kernel = rbf_kernel(x, y, gamma)
    assert_close(kernel, torch.tensor(expected).double(), rtol=1e-6, atol=1e-7)
    assert_close(rbf_weights(x, y, gamma), kernel / kernel.sum(dim=-1, keepdim=True), rtol=1e-13, atol=1e-15)


def test_rbf_on_points_of_one_length_is_attention() -> None:
    angles = torch.arange(10, dtype=torch.float64) * 36
    points = torch.stack((angles.deg2rad().cos(), angles.deg2rad().sin()), dim=-1)
    query = torch.tensor([[math.sqrt(0.5), math.sqrt(0.5)]], dtype=torch.float64)
    eye = torch.eye(2, dtype=torch.float64)
    trace = projected_attention(query, points, points, eye, eye, scale=1.0)
    assert_close(rbf_weights(query, points, gamma=0.5), trace.weights, rtol=1e-12, atol=1e-14)
    assert_close(trace.output, torch.tensor([[0.31564538, 0.31564537]]).double(), rtol=0, atol=2e-8)


def test_rbf_is_attention_with_a_bias_on_every_key() -> None:
    x, y, gamma = draw(3, 4), draw(5, 4, seed=1), 0.3
    scores = 2 * gamma * x @ y.T - gamma * y.square().sum(dim=-1)
    assert_close(rbf_weights(x, y, gamma), torch.softmax(scores, -1), rtol=1e-12, atol=1e-14)


def test_far_points_are_still_told_apart() -> None:
    x, y = torch.tensor([[0.0]]).double(), torch.tensor([[1000.0], [1001.0]]).double()
    assert rbf_kernel(x, y, 1.0).tolist() == [[0.0, 0.0]]  # both underflow
    assert rbf_weights(x, y, 1.0).tolist() == [[1.0, 0.0]]


def test_polynomial_is_the_product_of_its_features() -> None:
    """Degree 2 in two dimensions: (x·y + c)² = φ(x)·φ(y), φ = (a², b², √2 ab, √(2c) a, √(2c) b, c)."""
    x, y, c = draw(3, 2), draw(5, 2, seed=1), 1.5

    def features(points: torch.Tensor) -> torch.Tensor:
        a, b = points.unbind(-1)
        root = math.sqrt(2 * c)
        return torch.stack((a * a, b * b, math.sqrt(2) * a * b, root * a, root * b, torch.full_like(a, c)), dim=-1)

    kernel = polynomial_kernel(x, y, 2, c)
    assert_close(kernel, features(x) @ features(y).T, rtol=1e-12, atol=1e-12)
    assert_close(polynomial_weights(x, y, 2, c), kernel / kernel.sum(dim=-1, keepdim=True), rtol=1e-12, atol=1e-14)


def test_large_powers_do_not_overflow_the_weights() -> None:
    x, y = torch.tensor([[1e9]]).double(), torch.tensor([[1e9], [5e8]]).double()
    weights = polynomial_weights(x, y, 20, 0.0)
    assert_close(weights, torch.tensor([[1.0, 0.5**20]]).double() / (1 + 0.5**20), rtol=1e-12, atol=0)


def test_odd_powers_may_be_negative_and_rows_of_zero_read_nothing() -> None:
    x, y = torch.tensor([[1.0], [0.0]]).double(), torch.tensor([[3.0], [-1.0]]).double()
    expected = torch.tensor([[1.5, -0.5], [0.0, 0.0]]).double()
    assert_close(polynomial_weights(x, y, 1, 0.0), expected, rtol=1e-14, atol=0)
    opposed = torch.tensor([[1.0], [-1.0]]).double()
    assert polynomial_weights(x[:1], opposed, 3, 0.0).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_types_are_kept(dtype: torch.dtype) -> None:
    x = draw(3, 2, dtype=dtype)
    assert rbf_weights(x, x, 0.5).dtype == polynomial_weights(x, x, 2, 1.0).dtype == dtype
    assert squared_distances(x, x).diagonal().eq(0).all()
    far = torch.tensor([[1e4], [1.5e4]]).to(dtype)  # whose squares float16 cannot hold
    assert rbf_weights(far[:1], far, 1e-3).tolist() == [[1.0, 0.0]]
    expected = polynomial_weights(far.double(), far.double(), 3, 1.0)
    assert_close(polynomial_weights(far, far, 3, 1.0).double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-6)


def test_gradients() -> None:
    x, y = draw(3, 2).requires_grad_(), draw(4, 2, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(lambda a, b: rbf_kernel(a, b, 0.5), (x, y))
    assert torch.autograd.gradcheck(lambda a, b: rbf_weights(a, b, 0.5), (x, y))
    assert torch.autograd.gradcheck(lambda a, b: polynomial_weights(a, b, 2, 1.0), (x, y))
    zeros = torch.zeros(1, 2, requires_grad=True)
    polynomial_weights(zeros, torch.zeros(3, 2), 2, 0.0).sum().backward()
    assert zeros.grad is not None
    assert zeros.grad.isfinite().all()


def test_bandwidth_is_a_standard_deviation() -> None:
    assert gamma_of(2.0) == 0.125
    density = torch.distributions.Normal(0.0, 2.0)
    ratio = (density.log_prob(torch.tensor(3.0)) - density.log_prob(torch.tensor(0.0))).exp()
    kernel = rbf_kernel(torch.tensor([[0.0]]), torch.tensor([[3.0]]), gamma_of(2.0))
    assert_close(kernel.squeeze(), ratio)
