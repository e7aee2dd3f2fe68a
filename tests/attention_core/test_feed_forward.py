"""The feed-forward layer against its formulas, number by number."""

import math

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck
from torch.testing import assert_close

from attention_core.feed_forward import KINDS, FeedForward, FeedForwardKind, check_feed_forward


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def build(kind: FeedForwardKind, *, bias: bool = True) -> FeedForward:
    return FeedForward(5, 7, kind, bias=bias, generator=torch.Generator().manual_seed(1)).double()


def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x: float) -> float:
    return x / (1 + math.exp(-x))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_feed_forward_by_hand(kind: FeedForwardKind, bias: bool) -> None:
    module, x = build(kind, bias=bias), draw(2, 3, 5)
    found, hidden = module(x), module.hidden(x)
    for i, j in [(b, t) for b in range(2) for t in range(3)]:
        expected = []
        for row in range(7):
            up = float(module.up.weight[row] @ x[i, j]) + (float(module.up.bias[row]) if bias else 0.0)
            if kind == "swiglu":
                gate = float(module.gate.weight[row] @ x[i, j]) + (float(module.gate.bias[row]) if bias else 0.0)
                expected.append(silu(gate) * up)
            else:
                expected.append(gelu(up) if kind == "gelu" else max(up, 0.0) ** 2)
        inner = torch.tensor(expected, dtype=torch.float64)
        assert_close(hidden[i, j], inner, rtol=0, atol=1e-13)
        down = module.down.weight @ inner + (module.down.bias if bias else 0.0)
        assert_close(found[i, j], down, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_feed_forward_gradcheck(kind: FeedForwardKind) -> None:
    module = build(kind)
    parameters = dict(module.named_parameters())

    def run(x: Tensor, *values: Tensor) -> Tensor:
        return torch.func.functional_call(module, dict(zip(parameters, values, strict=True)), (x,))

    assert gradcheck(run, (draw(2, 5).requires_grad_(), *parameters.values()))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", KINDS)
def test_feed_forward_half_precision(kind: FeedForwardKind, dtype: torch.dtype) -> None:
    module, x = build(kind), draw(2, 5)
    expected = module(x)
    found = module.to(dtype)(x.to(dtype))
    assert found.dtype == dtype
    assert_close(found.double(), expected, rtol=0, atol=5e-3 if dtype == torch.float16 else 4e-2)


def test_feed_forward_refuses_other_kinds() -> None:
    with pytest.raises(ValueError, match="feed_forward must be one of gelu, swiglu, relu_squared, not 'tanh'"):
        check_feed_forward("tanh")


def test_feed_forward_leaves_the_global_random_state_alone() -> None:
    state = torch.random.get_rng_state()
    first, same = build("swiglu"), build("swiglu")
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), same.parameters(), strict=True))
