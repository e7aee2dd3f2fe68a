"""Blockwise head edits against loops over the dense matrix in float64."""

import math
from collections.abc import Mapping

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.head_edit import ANY, GivenRow, HeadEdit
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal, sliding_window

HEADS, KV_HEADS, BATCH = 6, 2, 2


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


class Bias:
    """By distance from the diagonal, another slope for each head."""

    def window(self, rows: slice, cols: slice) -> Tensor:
        query = torch.arange(rows.start, rows.stop, dtype=torch.float64)[:, None]
        key = torch.arange(cols.start, cols.stop, dtype=torch.float64)
        return -torch.arange(1, HEADS + 1)[:, None, None] * (query - key).abs()[None, None] / 10


def attention(tokens: int, edits: Mapping[int, HeadEdit], mask: MaskRule | None = None) -> BlockwiseAttention:
    return BlockwiseAttention(
        queries=draw(BATCH, HEADS, tokens, 5),
        keys=draw(BATCH, KV_HEADS, tokens, 5, seed=1),
        values=draw(BATCH, KV_HEADS, tokens, 3, seed=2),
        scale=0.7,
        bias=Bias(),
        mask=mask,
        edits=edits,
    )


def given(query: int, weights: Tensor) -> GivenRow:
    return GivenRow(query, (weights / weights.sum()).log())


def edges(*pairs: tuple[int, int]) -> Tensor:
    return torch.tensor(pairs)


def masks(tokens: int) -> dict[str, MaskRule | None]:
    padding = torch.ones(BATCH, 1, 1, tokens, dtype=torch.bool)
    padding[1, ..., tokens // 2 + 1 :] = False
    return {
        "none": None,
        "causal": PredicateMask(causal, tokens, tokens),
        "window": PredicateMask(sliding_window(9), tokens, tokens),
        "padding": DenseMask(padding),
    }


def single_edits(tokens: int) -> dict[str, HeadEdit]:
    """Each alone. A row for a query late enough, with zeros in it, that no mask here forbids."""
    weights = torch.zeros(tokens, dtype=torch.float64)
    query = tokens - 1
    near = slice(max(0, query - 8), query + 1)
    weights[near] = torch.arange(near.stop - near.start, dtype=torch.float64)
    if tokens == 1:
        weights[0] = 2.0
    middle = tokens // 2
    some = edges((middle, 0), (middle, middle), (query, query - 1 if query else 0), (0, 0))
    return {
        "temperature": HeadEdit(temperature=0.4),
        "uniform": HeadEdit(pattern="uniform"),
        "previous": HeadEdit(pattern="previous_token"),
        "row": HeadEdit(rows=(given(query, weights), given(0, torch.eye(tokens, dtype=torch.float64)[0]))),
        "causal": HeadEdit(causal=True),
        "cuts": HeadEdit(cuts=(some,)),
        "key cut": HeadEdit(cuts=(edges((ANY, middle)), edges((ANY, 0)))),
        "query cut": HeadEdit(cuts=(edges((middle, ANY)),)),
        "drops": HeadEdit(drops=(some[:2], some[2:])),
        "key dropped": HeadEdit(drops=(edges((ANY, 0)),)),
        "query dropped": HeadEdit(drops=(edges((middle, ANY)),)),
        "zero": HeadEdit(output="zero"),
        "mean": HeadEdit(output="mean"),
    }


def combined(tokens: int) -> dict[int, HeadEdit]:
    """Everything at once, in different heads; head 4 stays as it is."""
    alone = single_edits(tokens)
    rows, cuts, drops = alone["row"].rows, alone["cuts"].cuts, alone["key dropped"].drops
    return {
        0: HeadEdit(temperature=3.0, causal=True, cuts=cuts, drops=drops, output="mean"),
        1: HeadEdit(pattern="uniform", rows=rows, causal=True),
        2: HeadEdit(pattern="previous_token", rows=rows, drops=cuts),
        3: HeadEdit(temperature=0.1, rows=rows, cuts=alone["query cut"].cuts, drops=drops),
        5: HeadEdit(pattern="uniform", causal=True, cuts=alone["key cut"].cuts, output="zero"),
    }


def matches(groups: tuple[Tensor, ...], i: int, j: int) -> bool:
    return any(q in (i, ANY) and k in (j, ANY) for group in groups for q, k in group.tolist())


def naive_row(
    edit: HeadEdit, i: int, raw: Tensor, bias: Tensor, readable: list[bool]
) -> tuple[list[float], list[float]]:
    """Masked scores and weights of one query, number by number."""
    rows = {row.query: row.log_weights.tolist() for row in edit.rows}
    scores = []
    for j in range(len(readable)):
        score = float(raw[j]) * 0.7 / edit.temperature + float(bias[j])
        if edit.pattern == "uniform":
            score = 0.0
        if edit.pattern == "previous_token":
            score = 0.0 if j == max(i - 1, 0) else -math.inf
        if i in rows:
            score = rows[i][j]
        if not readable[j] or (edit.causal and j > i) or matches(edit.cuts, i, j):
            score = -math.inf
        scores.append(score)
    top = max(scores)
    exponentials = [0.0 if top == -math.inf else math.exp(score - top) for score in scores]
    total = sum(exponentials) or 1.0
    return scores, [0.0 if matches(edit.drops, i, j) else e / total for j, e in enumerate(exponentials)]


def naive(whole: BlockwiseAttention) -> tuple[Tensor, Tensor, Tensor]:
    """Masked scores, weights, head outputs."""
    tokens = whole.num_queries
    everything = slice(0, tokens)
    bias = Bias().window(everything, everything)[0]
    readable = torch.ones(BATCH, 1, tokens, tokens, dtype=torch.bool)
    if whole.mask is not None:
        readable &= whole.mask.window(everything, everything)
    scores = torch.empty(BATCH, HEADS, tokens, tokens, dtype=torch.float64)
    weights, outputs = torch.empty_like(scores), torch.empty(BATCH, HEADS, tokens, 3, dtype=torch.float64)
    for batch in range(BATCH):
        for head in range(HEADS):
            edit = whole.edits.get(head, HeadEdit())
            shared = head // (HEADS // KV_HEADS)
            raw = whole.queries[batch, head] @ whole.keys[batch, shared].T
            for i in range(tokens):
                row = naive_row(edit, i, raw[i], bias[head, i], readable[batch, 0, i].tolist())
                scores[batch, head, i], weights[batch, head, i] = (
                    torch.tensor(numbers, dtype=torch.float64) for numbers in row
                )
            mixed = weights[batch, head] @ whole.values[batch, shared]
            if edit.output == "zero":
                mixed = torch.zeros_like(mixed)
            if edit.output == "mean":
                mixed = sum(mixed) / tokens
            outputs[batch, head] = mixed
    return scores, weights, outputs


def assert_all_stages(whole: BlockwiseAttention) -> None:
    scores, weights, outputs = naive(whole)
    head_outputs, log_sum_exp = whole.attend()
    assert_close(head_outputs, outputs, rtol=1e-12, atol=1e-13)
    written = torch.zeros_like(weights)
    for block, window in whole.weight_blocks(log_sum_exp):
        written[:, :, block.rows, block.cols] = window
    assert_close(written, weights, rtol=1e-12, atol=1e-14)
    count = whole.num_queries
    for rows, cols in [(slice(0, count), slice(0, count)), (slice(count // 3, count), slice(count // 2, count))]:
        assert_close(whole.masked_scores(rows, cols), scores[..., rows, cols], rtol=1e-12, atol=1e-13)
        assert_close(whole.weights(rows, cols, log_sum_exp), weights[..., rows, cols], rtol=1e-12, atol=1e-14)
        assert torch.equal(whole.allowed(rows, cols), scores[..., rows, cols] > -math.inf)
        for index in range(HEADS):
            head = whole.head(index)
            alone = head.weights(rows, cols, log_sum_exp[:, index : index + 1])
            assert_close(alone[:, 0], weights[:, index, rows, cols], rtol=1e-12, atol=1e-14)
            assert_close(head.attend()[0][:, 0], outputs[:, index], rtol=1e-12, atol=1e-13)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("tokens", [1, 13])
@pytest.mark.parametrize("mask", ["none", "causal", "window", "padding"])
@pytest.mark.parametrize("name", list(single_edits(2)))
def test_one_change(name: str, mask: str, tokens: int) -> None:
    edit = single_edits(tokens)[name]
    assert_all_stages(attention(tokens, {1: edit, 4: edit}, masks(tokens)[mask]))


@pytest.mark.full("none-149", "window-149")
@pytest.mark.parametrize("tokens", [2, 67, 149])
@pytest.mark.parametrize("mask", ["none", "window"])
def test_many_changes_at_once_over_several_blocks(mask: str, tokens: int) -> None:
    assert_all_stages(attention(tokens, combined(tokens), masks(tokens)[mask]))


def test_temperature_is_a_scale_of_the_queries() -> None:
    cooled = attention(70, {2: HeadEdit(temperature=0.25)})
    queries = cooled.queries.clone()
    queries[:, 2] *= 4
    plain = attention(70, {})
    scaled = BlockwiseAttention(queries, plain.keys, plain.values, plain.scale, plain.bias)
    for ours, theirs in zip(cooled.attend(), scaled.attend(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("name", ["temperature", "uniform", "row", "drops", "mean"])
def test_other_heads_stay_bit_for_bit(name: str) -> None:
    others = [0, 1, 2, 4, 5]
    changed, plain = attention(70, {3: single_edits(70)[name]}), attention(70, {})
    for ours, theirs in zip(changed.attend(), plain.attend(), strict=True):
        assert torch.equal(ours[:, others], theirs[:, others])
    assert not torch.equal(changed.attend()[0][:, 3], plain.attend()[0][:, 3])


def test_the_mean_of_half_precision_is_taken_in_float32() -> None:
    """A running sum of 4,096 ones in float16 would stop at 2,048."""
    outputs = torch.ones(1, 4096, 2, dtype=torch.float16)
    HeadEdit(output="mean").replace_output(outputs)
    assert torch.equal(outputs, torch.ones_like(outputs))
