"""Broadcast masks against the dense mask."""

import re

import pytest
import torch
from torch import Tensor

from attention_core.multi_head_mask import mask_for_heads

QUERIES = torch.zeros(2, 3, 4, 1)
"""2 sequences, 3 heads, 4 queries."""
CAUSAL = torch.tensor([[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]).bool()
"""The 4 queries are the last of 5 keys."""


def written_out(mask: Tensor) -> Tensor:
    return mask.expand(2, 3, 4, 5)


def drawn(*shape: int) -> Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(0)) < 0.5


@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 5), (2, 1, 4, 5), (1, 3, 4, 5), (2, 3, 4, 5), (2, 3, 1, 1)])
def test_multi_head_mask_broadcasts(shape: tuple[int, ...]) -> None:
    mask = drawn(*shape)
    assert torch.equal(written_out(mask_for_heads(mask, QUERIES, 5, is_causal=False)), written_out(mask))
    both = mask_for_heads(mask, QUERIES, 5, is_causal=True)
    assert torch.equal(written_out(both), written_out(mask) & CAUSAL)


@pytest.mark.parametrize("shape", [(2, 4, 5), (2, 1, 5), (1, 4, 1)])
def test_multi_head_mask_of_three_axes_has_one_for_each_sequence(shape: tuple[int, ...]) -> None:
    mask = drawn(*shape)
    found = written_out(mask_for_heads(mask, QUERIES, 5, is_causal=False))
    for head in range(3):
        assert torch.equal(found[:, head], mask.expand(2, 4, 5))


def test_multi_head_mask_causal_alone() -> None:
    assert torch.equal(mask_for_heads(None, QUERIES, 5, is_causal=True), CAUSAL)
    assert mask_for_heads(None, QUERIES, 5, is_causal=False) is None
    assert mask_for_heads(None, QUERIES[:, :, :1], 5, is_causal=True) is None  # the newest token reads everything


@pytest.mark.parametrize(("window", "far"), [(1, 0), (3, 2), (4, 3)])
def test_multi_head_mask_of_a_window(window: int, far: int) -> None:
    """Also for a single query, whose window may be shorter than the cache."""
    near = torch.tensor([[0 <= query + 1 - key <= far for key in range(5)] for query in range(4)])
    assert torch.equal(mask_for_heads(None, QUERIES, 5, is_causal=True, window=window), near)
    assert torch.equal(mask_for_heads(None, QUERIES[:, :, :1], 5, is_causal=True, window=window), near[3:])
    mask = drawn(4, 5)
    assert torch.equal(mask_for_heads(mask, QUERIES, 5, is_causal=True, window=window), mask & near)


def test_multi_head_mask_of_a_window_that_holds_all_is_none_at_all() -> None:
    assert mask_for_heads(None, QUERIES[:, :, :1], 5, is_causal=True, window=5) is None
    assert torch.equal(mask_for_heads(None, QUERIES, 5, is_causal=True, window=5), CAUSAL)


def test_multi_head_mask_additive_takes_the_queries_dtype() -> None:
    mask = torch.linspace(-1, 1, 20, dtype=torch.float64).view(4, 5)
    found = mask_for_heads(mask, QUERIES.half(), 5, is_causal=True)
    assert found.dtype == torch.float16
    assert torch.equal(found, mask.half().masked_fill(~CAUSAL, float("-inf")))


@pytest.mark.parametrize("shape", [(4,), (3, 5), (3, 4, 5), (3, 3, 4, 5), (2, 2, 4, 5), (1, 2, 3, 4, 5)])
def test_multi_head_mask_that_does_not_fit(shape: tuple[int, ...]) -> None:
    message = f"mask must broadcast to (2, 3, 4, 5), which {shape} does not"
    with pytest.raises(ValueError, match=re.escape(message)):
        mask_for_heads(drawn(*shape), QUERIES, 5, is_causal=False)
