"""The kernel experiment against its parts; learned weights, and the limits of a kernel."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.testing import assert_close

from attention_core.demos.kernel import kernel_experiment, random_points
from attention_core.kernel import gamma_of, polynomial_kernel, rbf_kernel, rbf_weights, squared_distances


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_kernels_do_not_depend_on_weights_and_attention_does() -> None:
    points = random_points(5, 3, seed=1)
    first = kernel_experiment(points, points, points)
    second = kernel_experiment(points, points, points, draw(3, 3).numpy(), draw(3, 3, seed=2).numpy())
    assert (first.rbf.weights == second.rbf.weights).all()
    assert (first.polynomial.weights == second.polynomial.weights).all()
    assert np.abs(first.attention["weights"] - second.attention["weights"]).max() > 0.01


def test_experiment_is_its_parts() -> None:
    x, y, v, w = draw(3, 2), draw(5, 2, seed=1), draw(5, 4, seed=2), draw(7, 2, seed=3)
    found = kernel_experiment(
        x.numpy(), y.numpy(), v.numpy(), w.numpy(), 2 * w.numpy(), gamma=0.2, degree=4, constant=2.0
    )
    expected = F.scaled_dot_product_attention(x @ w.T, y @ (2 * w).T, v)
    assert_close(torch.from_numpy(found.attention["output"]), expected, rtol=1e-12, atol=1e-12)
    assert_close(torch.from_numpy(found.rbf.output), rbf_weights(x, y, 0.2) @ v, rtol=1e-13, atol=1e-13)
    assert_close(torch.from_numpy(found.polynomial.kernel), (x @ y.T + 2) ** 4, rtol=1e-12, atol=1e-12)
    assert_close(torch.from_numpy(found.squared_distances), torch.cdist(x, y) ** 2, rtol=1e-9, atol=1e-9)
    assert not found.polynomial.has_negative_weights
    np.testing.assert_allclose(found.polynomial.weights.sum(axis=-1), 1, atol=1e-14)


def test_a_kernel_that_overflows_is_left_out() -> None:
    found = kernel_experiment(np.array([[1e9]]), np.array([[1e9]]), np.array([[2.0]]), degree=20)
    assert found.polynomial.kernel is None
    assert found.polynomial.output.tolist() == [[2.0]]


def test_invalid_input_is_named() -> None:
    x = torch.ones(2, 3)
    with pytest.raises(ValueError, match=r"^gamma must be > 0, not -1\.0$"):
        rbf_kernel(x, x, -1.0)
    with pytest.raises(ValueError, match=r"^gamma must be > 0, not nan$"):
        rbf_weights(x, x, float("nan"))
    with pytest.raises(ValueError, match=r"^bandwidth must be > 0, not 0\.0$"):
        gamma_of(0.0)
    with pytest.raises(ValueError, match=r"^degree must be at least 1, not 0$"):
        polynomial_kernel(x, x, 0, 1.0)
    with pytest.raises(ValueError, match=r"^points must have the size of the keys, 4, not 3$"):
        squared_distances(x, torch.ones(2, 4))
    with pytest.raises(ValueError, match=r"^values must be 2, one for each key, not 1$"):
        kernel_experiment(np.ones((2, 3)), np.ones((2, 3)), np.ones((1, 3)))
    with pytest.raises(ValueError, match=r"^num_points must be at least 1, not 0$"):
        random_points(0, 2)
