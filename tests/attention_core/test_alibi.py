"""ALiBi against the paper's numbers, a naive loop, BLOOM and MPT, and blockwise attention."""

import math

import pytest
import torch
from torch.autograd import gradcheck
from torch.nn.functional import scaled_dot_product_attention
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from attention_core.alibi import AlibiBias, alibi_bias, slopes
from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.masks import PredicateMask, causal, causal_mask, to_additive
from attention_core.scoring.scaled_dot import scaled_dot_attention


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def naive_bias(num_heads: int, num_queries: int, num_keys: int, *, symmetric: bool) -> torch.Tensor:
    bias = torch.zeros(num_heads, num_queries, num_keys, dtype=torch.float64)
    for head, slope in enumerate(slopes(num_heads).tolist()):
        for row in range(num_queries):
            for key in range(num_keys):
                distance = row + num_keys - num_queries - key
                bias[head, row, key] = -slope * (abs(distance) if symmetric else distance)
    return bias


def test_eight_heads():
    assert slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]


def test_sixteen_heads():
    expected = torch.tensor([2 ** (-h / 2) for h in range(1, 17)], dtype=torch.float64)
    torch.testing.assert_close(slopes(16), expected, atol=0, rtol=1e-15)


def test_twelve_heads_take_every_other_slope_of_sixteen():
    assert slopes(12)[:8].tolist() == slopes(8).tolist()
    expected = torch.tensor([0.70711, 0.35355, 0.17678, 0.08839], dtype=torch.float64)
    torch.testing.assert_close(slopes(12)[8:], expected, atol=5e-6, rtol=0)
    torch.testing.assert_close(slopes(12)[8:], slopes(16)[0:8:2], atol=0, rtol=1e-15)


def test_one_head():
    assert slopes(1).tolist() == [2**-8]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("num_heads", [*range(1, 34), 40, 71, 112, 128])
def test_any_number_of_heads_as_bloom(num_heads):
    positions = build_alibi_tensor(torch.ones(1, 2), num_heads, torch.float32)
    torch.testing.assert_close(slopes(num_heads).float(), positions[:, 0, 1], atol=0, rtol=2e-6)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize(("num_queries", "num_keys"), [(1, 1), (5, 5), (1, 7), (3, 7), (0, 4)])
def test_bias_is_the_formula(num_queries, num_keys, symmetric):
    actual = alibi_bias(6, num_queries, num_keys, symmetric=symmetric, dtype=torch.float64)
    torch.testing.assert_close(actual, naive_bias(6, num_queries, num_keys, symmetric=symmetric), atol=0, rtol=0)


def test_windows_are_cut_from_the_whole():
    whole = alibi_bias(12, 9, 13)
    rule = AlibiBias(12, 9, 13)
    torch.testing.assert_close(rule.window(slice(2, 7), slice(3, 11)), whole[None, :, 2:7, 3:11], atol=0, rtol=0)


def test_weights_are_those_of_bloom_and_mpt():
    """Both add slope · key (MPT: counted from the end): a constant in each row, which softmax does not see."""
    queries, keys, values = random(12, 7, 4, seed=1), random(12, 7, 4, seed=2), random(12, 7, 4, seed=3)
    mask = causal_mask(7, 7)
    ours = scaled_dot_attention(
        queries, keys, values, bias=alibi_bias(12, 7, 7, dtype=torch.float64), mask=mask
    ).weights
    bloom = build_alibi_tensor(torch.ones(1, 7), 12, torch.float64)
    theirs = scaled_dot_attention(queries, keys, values, bias=bloom, mask=mask).weights
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=0)
    eight = scaled_dot_attention(
        queries[:8], keys[:8], values[:8], bias=build_mpt_alibi_tensor(8, 7).double(), mask=mask
    ).weights
    torch.testing.assert_close(ours[:8], eight, atol=1e-6, rtol=0)


def test_output_is_torchs_with_the_bias_as_mask():
    queries, keys, values = random(1, 6, 3, 4, seed=1), random(1, 6, 11, 4, seed=2), random(1, 6, 11, 5, seed=3)
    bias = alibi_bias(6, 3, 11, dtype=torch.float64)
    ours = scaled_dot_attention(queries, keys, values, bias=bias, mask=causal_mask(3, 11)).output
    additive = bias + to_additive(causal_mask(3, 11), torch.float64)
    theirs = scaled_dot_product_attention(queries, keys, values, attn_mask=additive)
    torch.testing.assert_close(ours, theirs, atol=1e-14, rtol=0)


def test_blockwise_attention_takes_the_rule():
    queries, keys, values = random(1, 6, 150, 4, seed=1), random(1, 2, 150, 4, seed=2), random(1, 2, 150, 4, seed=3)
    blockwise = BlockwiseAttention(
        queries=queries,
        keys=keys,
        values=values,
        scale=0.5,
        bias=AlibiBias(6, 150, 150, dtype=torch.float64),
        mask=PredicateMask(causal, 150, 150),
    )
    head_outputs, _ = blockwise.attend()
    additive = alibi_bias(6, 150, 150, dtype=torch.float64) + to_additive(causal_mask(150, 150), torch.float64)
    expected = scaled_dot_product_attention(queries, keys, values, attn_mask=additive, scale=0.5, enable_gqa=True)
    torch.testing.assert_close(head_outputs, expected, atol=1e-13, rtol=0)
    one_head, _ = blockwise.head(4).attend()
    torch.testing.assert_close(one_head, expected[:, 4:5], atol=1e-13, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_rounds_once(dtype):
    bias = alibi_bias(12, 1, 4096, dtype=dtype)
    assert bias.dtype == dtype
    exact = naive_bias(12, 1, 4096, symmetric=False)
    torch.testing.assert_close(bias.double(), exact, rtol=torch.finfo(dtype).eps, atol=0)


def test_weights_fall_with_distance_where_nothing_else_speaks():
    weights = scaled_dot_attention(
        torch.zeros(8, 1, 2), torch.zeros(8, 9, 2), torch.zeros(8, 9, 1), bias=alibi_bias(8, 1, 9)
    ).weights
    ratio = weights[:, 0, 1:] / weights[:, 0, :-1]
    expected = slopes(8).float().exp().unsqueeze(-1).expand(8, 8)
    torch.testing.assert_close(ratio, expected, atol=1e-5, rtol=0)


def test_gradients_pass_through():
    queries, keys, values = (random(2, 3, 2, seed=s).requires_grad_() for s in range(3))
    bias = alibi_bias(2, 3, 3, dtype=torch.float64)

    def output(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return scaled_dot_attention(q, k, v, bias=bias, mask=causal_mask(3, 3)).output

    assert gradcheck(output, (queries, keys, values))


def test_bad_input():
    for make in (slopes, lambda n: alibi_bias(n, 2, 2)):
        with pytest.raises(ValueError, match=r"^num_heads must be at least 1, not 0"):
            make(0)
    with pytest.raises(ValueError, match=r"^num_queries \(3\) must not exceed num_keys \(2\)"):
        alibi_bias(2, 3, 2)


def test_slopes_halve_the_reach():
    """Steep heads look near: the mean distance under pure ALiBi is about 1/slope for gentle slopes."""
    weights = alibi_bias(8, 1, 4096, dtype=torch.float64).softmax(dim=-1)
    distance = torch.arange(4095, -1, -1, dtype=torch.float64)
    reach = (weights * distance).sum(dim=-1).squeeze(-1)
    expected = torch.tensor([1 / math.expm1(s) for s in slopes(8).tolist()], dtype=torch.float64)
    torch.testing.assert_close(reach, expected, atol=1e-2, rtol=1e-4)
