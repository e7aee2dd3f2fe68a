"""Head sizes and shared KV heads, by hand and in the module."""

import pytest
import torch
from torch import Tensor

from attention_core.head_sizes import default_head_dim, kv_head_of_query_heads
from attention_core.multi_head import MultiHeadAttention


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_head_sizes_which_kv_head_serves_which_query_head() -> None:
    """C26 and exercise X3."""
    assert kv_head_of_query_heads(8, 2) == (0, 0, 0, 0, 1, 1, 1, 1)
    assert kv_head_of_query_heads(4, 2) == (0, 0, 1, 1)
    assert kv_head_of_query_heads(3, 3) == (0, 1, 2)
    assert kv_head_of_query_heads(5, 1) == (0, 0, 0, 0, 0)
    module = MultiHeadAttention(32, 8, 2)
    trace = module(draw(1, 3, 32), trace=True)
    assert trace.kv_heads == (0, 0, 0, 0, 1, 1, 1, 1)
    for head, kv_head in enumerate(trace.kv_heads):
        own = module.key_projection(draw(1, 3, 32)).view(1, 3, 2, 4)[:, :, kv_head]
        assert torch.equal(trace.attention.keys[:, head], own)


def test_head_sizes_by_hand() -> None:
    """C23 and exercise X3."""
    assert default_head_dim(128, 4) == 32
    assert default_head_dim(128, 8) == 16
    assert default_head_dim(512, 8) == 64
    assert MultiHeadAttention(128, 8).head_dim == 16


def test_head_sizes_refuse_what_does_not_divide() -> None:
    with pytest.raises(ValueError, match=r"num_heads must divide d_model \(10\), which 4 does not; or give head_dim"):
        default_head_dim(10, 4)
    with pytest.raises(ValueError, match="d_model must be at least 1, not 0"):
        default_head_dim(0, 1)
    with pytest.raises(ValueError, match=r"num_kv_heads must divide num_heads \(6\), which 4 does not"):
        kv_head_of_query_heads(6, 4)
    with pytest.raises(ValueError, match="num_heads must be at least 1, not 0"):
        kv_head_of_query_heads(0, 1)
