"""The linear layer against torch's module and loops; its initialisation against theory; its bias, term by term."""

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attention_core.linear import count_parameters, initial_bound, linear, random_linear


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("shape", [(), (5,), (5, 7), (2, 3, 7), (0,)])
def test_is_torchs_for_any_leading_axes(shape: tuple[int, ...]) -> None:
    module = random_linear(11, 13, generator=generator()).double()
    inputs = torch.randn(*shape, 11, generator=generator(1)).double()
    outputs = linear(inputs, module.weight, module.bias)
    assert outputs.shape == (*shape, 13)
    assert_close(outputs, module(inputs), rtol=1e-13, atol=1e-13)


def test_is_a_double_loop() -> None:
    x, w, b = [1.0, 2.0, 3.0], [[1.0, 0.5, -1.0], [0.0, 2.0, 4.0]], [10.0, -10.0]
    expected = [sum(x[i] * row[i] for i in range(3)) + bias for row, bias in zip(w, b, strict=True)]
    assert expected == [9.0, 6.0]
    assert linear(torch.tensor(x), torch.tensor(w), torch.tensor(b)).tolist() == expected


def test_gradients() -> None:
    tensors = [
        torch.randn(*s, dtype=torch.float64, generator=generator(), requires_grad=True) for s in [(2, 3), (5, 3), (5,)]
    ]
    assert torch.autograd.gradcheck(linear, tensors)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_types_are_kept(dtype: torch.dtype) -> None:
    outputs = linear(torch.ones(2, 3, dtype=dtype), torch.ones(4, 3, dtype=dtype), torch.ones(4, dtype=dtype))
    assert outputs.dtype == dtype
    assert_close(outputs, torch.full((2, 4), 4.0, dtype=dtype))


@pytest.mark.parametrize("bias", [True, False])
def test_a_seed_draws_what_torch_draws(bias: bool) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(17)
        theirs = nn.Linear(7, 5, bias=bias)
    ours = random_linear(7, 5, bias=bias, generator=generator(17))
    assert_close(ours.state_dict(), theirs.state_dict(), rtol=1e-6, atol=0)


def test_bound_is_kaimings_with_a_root_five() -> None:
    for size in (1, 8, 64, 512):
        assert initial_bound(size) == pytest.approx(math.sqrt(6 / ((1 + math.sqrt(5) ** 2) * size)), rel=1e-14)


def test_parameter_figures() -> None:
    assert 2 * count_parameters(8, 8) == 144
    assert 2 * count_parameters(8, 8, bias=False) == 128
    assert 96 * 3 * (count_parameters(4096, 4096) - count_parameters(4096, 4096, bias=False)) == 1_179_648
    assert count_parameters(5, 7) == sum(p.numel() for p in nn.Linear(5, 7, device="meta").parameters())
