"""The norms of a block against torch's own and transformers' own."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.autograd import gradcheck
from torch.testing import assert_close
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from attention_core.block_norm import BlockNorm, RMSNorm, block_norm, check_norm


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_block_norm_rms_is_torchs_and_llamas() -> None:
    norm, theirs, x = RMSNorm(7, 1e-5).double(), LlamaRMSNorm(7, eps=1e-5), 3 * draw(2, 3, 7)
    with torch.no_grad():
        norm.weight.copy_(draw(7, seed=1))
        theirs.weight.copy_(draw(7, seed=1))
    assert_close(norm(x), F.rms_norm(x, (7,), norm.weight, eps=1e-5), rtol=0, atol=1e-13)
    assert_close(norm.float()(x.float()), theirs(x.float()), rtol=0, atol=1e-6)


@pytest.mark.parametrize("bias", [True, False])
def test_block_norm_layer_is_torchs(bias: bool) -> None:
    norm, x = block_norm("layer", 7, epsilon=1e-3, bias=bias).double(), 3 * draw(2, 3, 7)
    assert isinstance(norm, nn.LayerNorm)
    assert (norm.bias is not None) is bias
    by_hand = (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-3).sqrt()
    assert_close(norm(x), by_hand, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_block_norm_without_a_learned_scale(kind: BlockNorm) -> None:
    norm, x = block_norm(kind, 7, epsilon=1e-3, bias=True, learned_scale=False), 3 * draw(2, 3, 7)
    assert list(norm.parameters()) == []
    by_torch = F.rms_norm(x, (7,), eps=1e-3) if kind == "rms" else F.layer_norm(x, (7,), eps=1e-3)
    assert_close(norm(x), by_torch, rtol=0, atol=1e-13)


def test_block_norm_none_leaves_x_alone() -> None:
    x = draw(2, 7)
    assert torch.equal(block_norm("none", 7, epsilon=1e-5, bias=True)(x), x)
    assert list(block_norm("none", 7, epsilon=1e-5, bias=True).parameters()) == []


def test_block_norm_gradcheck_and_half_precision() -> None:
    norm = RMSNorm(5, 1e-6).double()
    assert gradcheck(norm, (draw(2, 5).requires_grad_(),))
    x = 300 * draw(2, 5)  # squares overflow in float16
    assert_close(norm.half()(x.half()).double(), norm.double()(x), rtol=0, atol=2e-3)


def test_block_norm_refuses_other_kinds() -> None:
    with pytest.raises(ValueError, match="norm must be one of layer, rms, none, not 'batch'"):
        check_norm("batch")
