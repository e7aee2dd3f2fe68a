"""Blockwise attention against the same attention with its N × N matrix written out."""

import math
from dataclasses import dataclass, replace

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_core.attend import attend
from attention_core.blockwise import attention as blockwise_module
from attention_core.blockwise.attention import ROUGH_ERROR, BlockwiseAttention
from attention_core.blockwise.bias import HeadBias
from attention_core.blockwise.head_edit import HeadEdit
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal, prefix_causal, sliding_window
from attention_core.trace import AttentionTrace


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


@dataclass(frozen=True, eq=False)
class DenseBias:
    """A bias that is there as a tensor, (1, heads or 1, Q, K)."""

    bias: Tensor

    def window(self, rows: slice, cols: slice) -> Tensor:
        return self.bias[..., rows, cols]


def blockwise(
    num_queries: int,
    num_keys: int,
    *,
    heads: int = 6,
    kv_heads: int = 2,
    batch: int = 2,
    bias_heads: int = 0,
    mask: MaskRule | None = None,
    dtype: torch.dtype = torch.float64,
) -> BlockwiseAttention:
    return BlockwiseAttention(
        queries=draw(batch, heads, num_queries, 5, dtype=dtype),
        keys=draw(batch, kv_heads, num_keys, 5, seed=1, dtype=dtype),
        values=draw(batch, kv_heads, num_keys, 3, seed=2, dtype=dtype),
        scale=0.7,
        bias=DenseBias(draw(1, bias_heads, num_queries, num_keys, seed=3)) if bias_heads else None,
        mask=mask,
    )


def whole(attention: BlockwiseAttention) -> AttentionTrace:
    """Keys and values repeated, mask and bias written out, everything in float64."""
    groups = attention.num_heads // attention.keys.shape[1]
    keys, values = (t.double().repeat_interleave(groups, dim=1) for t in (attention.keys, attention.values))
    rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
    queries = attention.queries.double()
    return attend(
        queries,
        keys,
        values,
        queries @ keys.mT,
        scale=attention.scale,
        bias=None if attention.bias is None else attention.bias.window(rows, cols),
        mask=None if attention.mask is None else attention.mask.window(rows, cols),
    )


def masks(num_queries: int, num_keys: int) -> dict[str, MaskRule | None]:
    is_token = torch.ones(2, 1, 1, num_keys, dtype=torch.bool)
    is_token[1, ..., num_keys // 2 + 1 :] = False
    random = draw(2, 1, num_queries, num_keys, seed=4) > 0.5
    random[0, :, num_queries // 2] = False
    return {
        "none": None,
        "causal": PredicateMask(causal, num_queries, num_keys),
        "window": PredicateMask(sliding_window(7), num_queries, num_keys),
        "both ways": PredicateMask(sliding_window(7, causal_only=False), num_queries, num_keys),
        "prefix": PredicateMask(prefix_causal(3), num_queries, num_keys),
        "padding": DenseMask(is_token),
        "random": DenseMask(random),
        "nothing": DenseMask(torch.zeros(1, 1, num_queries, num_keys, dtype=torch.bool)),
    }


SIZES = [(1, 1), (1, 7), (5, 13), (64, 64), (65, 65), (131, 131), (70, 197)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("num_queries", "num_keys"), SIZES)
@pytest.mark.parametrize("name", list(masks(1, 1)))
@pytest.mark.parametrize("bias_heads", [0, 6])
def test_outputs_and_log_sum_exp(name: str, num_queries: int, num_keys: int, bias_heads: int) -> None:
    attention = blockwise(num_queries, num_keys, mask=masks(num_queries, num_keys)[name], bias_heads=bias_heads)
    expected = whole(attention)
    head_outputs, log_sum_exp = attention.attend()
    assert_close(head_outputs, expected.output, rtol=1e-12, atol=1e-13)
    assert_close(log_sum_exp.sum(-1), expected.masked_scores.logsumexp(-1), rtol=1e-13, atol=1e-13)
    written = torch.zeros_like(expected.weights)
    for block, weights in attention.weight_blocks(log_sum_exp):
        written[:, :, block.rows, block.cols] = weights
    assert_close(written, expected.weights, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", list(masks(1, 1)))
def test_any_window_of_any_stage(name: str) -> None:
    attention = blockwise(70, 131, mask=masks(70, 131)[name], bias_heads=6)
    expected = whole(attention)
    _, log_sum_exp = attention.attend()
    for rows, cols in [(slice(0, 70), slice(0, 131)), (slice(3, 5), slice(60, 131)), (slice(69, 70), slice(0, 1))]:
        window = (..., rows, cols)
        assert_close(attention.raw_scores(rows, cols), expected.raw_scores[window], rtol=1e-13, atol=1e-14)
        assert_close(attention.scaled_scores(rows, cols), expected.scaled_scores[window], rtol=1e-13, atol=1e-14)
        assert_close(attention.masked_scores(rows, cols), expected.masked_scores[window], rtol=1e-13, atol=1e-14)
        weights = attention.weights(rows, cols, log_sum_exp)
        assert_close(weights, expected.weights[window], rtol=1e-12, atol=1e-15)
        logarithms = attention.log_weights(rows, cols, log_sum_exp)
        assert_close(logarithms, expected.weights[window].log(), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_one_head_alone(kv_heads: int) -> None:
    attention = blockwise(9, 9, kv_heads=kv_heads, bias_heads=6, mask=masks(9, 9)["causal"])
    expected = whole(attention)
    for index in range(6):
        head = attention.head(index)
        head_outputs, log_sum_exp = head.attend()
        assert_close(head_outputs[:, 0], expected.output[:, index], rtol=1e-12, atol=1e-13)
        weights = head.weights(slice(2, 5), slice(1, 9), log_sum_exp)
        assert_close(weights[:, 0], expected.weights[:, index, 2:5, 1:9], rtol=1e-12, atol=1e-15)
        assert head.keys.data_ptr() >= attention.keys.data_ptr()
        assert head.blocks is attention.blocks


def test_a_bias_shared_by_all_heads_stays_as_it_is() -> None:
    rule = DenseBias(draw(1, 1, 3, 4))
    assert_close(HeadBias(rule, 5).window(slice(0, 2), slice(1, 3)), rule.bias[..., :2, 1:3], rtol=0, atol=0)
    rule = DenseBias(draw(1, 6, 3, 4))
    assert_close(HeadBias(rule, 5).window(slice(0, 2), slice(1, 3)), rule.bias[:, 5:, :2, 1:3], rtol=0, atol=0)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float16, 1e-2), (torch.bfloat16, 6e-2)])
def test_other_precisions(dtype: torch.dtype, tolerance: float) -> None:
    attention = blockwise(65, 97, mask=masks(65, 97)["random"], bias_heads=6, dtype=dtype)
    expected = whole(attention)
    head_outputs, log_sum_exp = attention.attend()
    assert head_outputs.dtype == dtype
    assert log_sum_exp.dtype == torch.float64
    assert_close(head_outputs.double(), expected.output, rtol=tolerance, atol=tolerance)
    weights = attention.weights(slice(0, 65), slice(0, 97), log_sum_exp)
    assert_close(weights.double(), expected.weights, rtol=tolerance, atol=tolerance)


def test_extreme_scores_stay_finite() -> None:
    attention = BlockwiseAttention(
        queries=torch.full((1, 1, 3, 1), 1e4),
        keys=torch.tensor([1.0, -1.0, 1.0]).view(1, 1, 3, 1),
        values=torch.eye(3).view(1, 1, 3, 3),
        scale=1.0,
        mask=PredicateMask(causal, 3, 3),
    )
    head_outputs, log_sum_exp = attention.attend()
    assert head_outputs[0, 0].tolist() == [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.5]]
    assert log_sum_exp[0, 0, :, 0].tolist() == [1e4, 1e4, 1e4]
    assert log_sum_exp[0, 0, :, 1].tolist() == pytest.approx([0, 0, math.log(2)], abs=1e-7)


def test_work_can_be_stopped_between_blocks() -> None:
    attention = blockwise(130, 130)
    calls = []

    def stop_at_the_second() -> None:
        calls.append(len(calls))
        if len(calls) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        attention.attend(stop_at_the_second)
    assert calls == [0, 1]
    attention.attend(lambda: calls.append(-1))
    assert calls == [0, 1, -1, -1, -1]


@pytest.mark.parametrize("grown", [1.0, 3.0, 10.0])
def test_rough_weights_are_as_near_as_they_promise(grown: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blockwise_module, "ROUGH_CELLS", 0)
    drawn = blockwise(150, 150, dtype=torch.float32, mask=PredicateMask(causal, 150, 150))
    attention = replace(drawn, queries=drawn.queries * grown, are_on_grids=False)
    log_sum_exp = attention.attend()[1]
    assert attention.may_be_rough(log_sum_exp)
    rows, cols = slice(3, 140), slice(0, 150)
    exact = attention.log_weights(rows, cols, log_sum_exp)
    rough = attention.log_weights(rows, cols, log_sum_exp, rough=True)
    read = exact > float("-inf")
    assert torch.equal(rough > float("-inf"), read)
    assert float(rough.max()) <= 0.0
    assert float((rough[read].double() - exact[read].double()).abs().max()) <= ROUGH_ERROR


def test_only_mild_scores_of_long_texts_may_be_rough(monkeypatch: pytest.MonkeyPatch) -> None:
    def may_be(dtype: torch.dtype = torch.float32, grown: float = 1.0, edit: HeadEdit | None = None) -> bool:
        drawn = blockwise(40, 40, dtype=dtype)
        edits = {} if edit is None else {2: edit}
        attention = replace(drawn, queries=drawn.queries * grown, edits=edits, are_on_grids=False)
        return attention.may_be_rough(attention.attend()[1])

    assert not may_be()
    monkeypatch.setattr(blockwise_module, "ROUGH_CELLS", 1600)
    assert may_be()
    assert may_be(edit=HeadEdit(temperature=100.0))
    assert not may_be(grown=1000.0)
    assert not may_be(edit=HeadEdit(temperature=1e-6))
    assert not may_be(torch.bfloat16)
    assert not may_be(torch.float64)


def test_bytes_and_uneven_heads() -> None:
    assert blockwise(2, 4).nbytes == 8 * 2 * (6 * 2 * 5 + 2 * 4 * 5 + 2 * 4 * 3)
    with pytest.raises(ValueError, match=r"^6 query heads cannot share 4 key heads evenly$"):
        blockwise(2, 4, kv_heads=4)
