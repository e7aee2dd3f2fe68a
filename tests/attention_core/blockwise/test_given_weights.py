"""Given weights pass unchanged through the window interface."""

import pytest
import torch
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.given_weights import given_weights

Q, K = 71, 13
EVERYTHING = (slice(0, Q), slice(0, K))
NO_SCALE = torch.zeros(1, 4, Q, 2)


def some_weights(dtype: torch.dtype = torch.float32) -> Tensor:
    weights = torch.rand(1, 4, Q, K, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    weights[0, 1, :, 5] = 0.0
    return weights.to(dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_windows_are_what_was_given_bit_for_bit(dtype: torch.dtype) -> None:
    weights = some_weights(dtype)
    attention = given_weights(weights)
    rows, cols = slice(7, 70), slice(3, 12)
    window = attention.weights(rows, cols, NO_SCALE)
    assert torch.equal(window, weights[:, :, rows, cols].to(window.dtype))
    assert window.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)


def test_windows_are_copies() -> None:
    weights = some_weights()
    attention = given_weights(weights)
    attention.weights(*EVERYTHING, NO_SCALE).zero_()
    attention.log_weights(*EVERYTHING, NO_SCALE).zero_()
    assert torch.equal(weights, some_weights())


def test_logarithms_and_where_there_are_none() -> None:
    weights = some_weights()
    log_weights = given_weights(weights).log_weights(*EVERYTHING, NO_SCALE)
    assert torch.equal(log_weights.isneginf(), weights == 0)
    torch.testing.assert_close(log_weights.exp(), weights, rtol=1e-6, atol=0)


@pytest.mark.parametrize("head", range(4))
def test_one_head_alone_and_the_values_it_shares(head: int) -> None:
    values = torch.randn(1, 2, K, 3, generator=torch.Generator().manual_seed(1))
    attention = given_weights(some_weights(), values)
    alone = attention.head(head)
    assert torch.equal(alone.weights(*EVERYTHING, NO_SCALE[:, :1])[0, 0], some_weights()[0, head])
    assert torch.equal(alone.values[0, 0], values[0, head // 2])
    assert (alone.num_heads, alone.num_queries, alone.num_keys) == (1, Q, K)


def test_blocks_put_together_are_the_whole() -> None:
    weights = some_weights()
    rows = [block for _, block in given_weights(weights).weight_blocks(NO_SCALE)]
    assert len(rows) == 2
    assert torch.equal(torch.cat(rows, dim=-2), weights)


def test_bytes_are_those_of_weights_and_values() -> None:
    values = torch.zeros(1, 2, K, 3)
    assert given_weights(some_weights(), values).nbytes == 4 * (4 * Q * K + 2 * K * 3)
    assert given_weights(some_weights(torch.float16)).nbytes == 2 * 4 * Q * K


def test_scores_are_not_made_up() -> None:
    attention: BlockwiseAttention = given_weights(some_weights())
    for scores in (attention.raw_scores, attention.scaled_scores, attention.masked_scores):
        with pytest.raises(ValueError, match="raw_scores are unknown: weights were given"):
            scores(*EVERYTHING)


def test_heads_must_share_values_evenly() -> None:
    with pytest.raises(ValueError, match="4 query heads cannot share 3 key heads evenly"):
        given_weights(some_weights(), torch.zeros(1, 3, K, 2))
