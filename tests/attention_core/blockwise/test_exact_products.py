"""Weights are equal in every window: adversarial inputs, against exact sums and dense float64 attention."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.exact_products import on_grids
from attention_core.blockwise.head_edit import HeadEdit
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal
from attention_core.pretrained.recording.bias_rules import DenseBias

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
SIZES = (1, 3, 8, 32, 64, 80, 128, 256)


def draw(*shape: int, seed: int) -> Tensor:
    """Numbers of all sizes, as the outlier dimensions of models make them."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator) * torch.randn(*shape, generator=generator).exp()


def mask_of(kind: str, num_queries: int, num_keys: int, seed: int) -> MaskRule | None:
    if kind == "causal" and num_queries <= num_keys:
        return PredicateMask(causal, num_queries, num_keys)
    if kind == "holes":  # some rows read nothing
        allowed = torch.rand(1, 1, num_queries, num_keys, generator=torch.Generator().manual_seed(seed)) > 0.5
        allowed[..., : num_queries // 3, :] = False
        return DenseMask(allowed)
    return None


CASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**20),
        "num_queries": st.integers(1, 90),
        "num_keys": st.integers(1, 90),
        "kv_heads": st.integers(1, 2),
        "groups": st.integers(1, 3),
        "size": st.sampled_from(SIZES),
        "dtype": st.sampled_from(DTYPES),
        "repeats": st.booleans(),
        "largest": st.sampled_from((1e-3, 1.0, 30.0, 1e3, 1e4)),
        "has_bias": st.booleans(),
        "mask": st.sampled_from(("none", "causal", "holes")),
        "unscaled": st.booleans(),
        "temperature": st.sampled_from((1e-6, 1e-3, 0.3, 1.0, 1e3)),
    }
)


def attention_of(case: dict[str, Any]) -> BlockwiseAttention:
    """As drawn; no ``q · k`` is above ``largest``, and the last head has no temperature of its own."""
    seed, heads = case["seed"], case["kv_heads"] * case["groups"]
    num_queries, num_keys, size = case["num_queries"], case["num_keys"], case["size"]
    queries = draw(1, heads, num_queries, size, seed=seed)
    keys = draw(1, case["kv_heads"], num_keys, size, seed=seed + 1)
    if case["repeats"]:  # the same token again and again: ties
        keys = keys[:, :, :1].expand_as(keys).contiguous()
    inflated = (case["largest"] / float(queries.norm(dim=-1).max() * keys.norm(dim=-1).max())) ** 0.5
    return BlockwiseAttention(
        queries=(queries * inflated).to(case["dtype"]),
        keys=(keys * inflated).to(case["dtype"]),
        values=torch.eye(num_keys).expand(1, case["kv_heads"], -1, -1).to(case["dtype"]),
        scale=1.0 if case["unscaled"] else size**-0.5,
        bias=DenseBias(10 * draw(1, heads, num_queries, num_keys, seed=seed + 2)) if case["has_bias"] else None,
        mask=mask_of(case["mask"], num_queries, num_keys, seed),
        edits={head: HeadEdit(temperature=case["temperature"]) for head in range(heads - 1 or 1)},
    )


def pieces(count: int, cuts: list[int]) -> Iterator[slice]:
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < count}), count]
    return (slice(*edge) for edge in itertools.pairwise(edges))


@pytest.mark.full
@given(CASES, st.lists(st.integers(1, 89), max_size=4), st.lists(st.integers(1, 89), max_size=4))
@settings(max_examples=60, deadline=None)
def test_windows_of_any_shape_are_of_one_matrix(case: dict[str, Any], row_cuts: list[int], col_cuts: list[int]) -> None:
    attention = attention_of(case)
    head_outputs, log_sum_exp = attention.attend()
    rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
    whole = attention.weights(rows, cols, log_sum_exp)
    cut = torch.full_like(whole, -1.0)
    for some in pieces(attention.num_queries, row_cuts):
        for others in pieces(attention.num_keys, col_cuts):
            cut[:, :, some, others] = attention.weights(some, others, log_sum_exp)
            logarithms = attention.log_weights(some, others, log_sum_exp)
            assert float(logarithms.max()) <= 0.0
            torch.testing.assert_close(logarithms.exp(), cut[:, :, some, others], atol=1e-6, rtol=0)
    alone = torch.cat(
        [
            attention.head(head).weights(rows, cols, log_sum_exp[:, head : head + 1])
            for head in range(attention.num_heads)
        ],
        dim=1,
    )
    for found in (whole, cut, alone):
        assert float(found.max()) <= 1.0
        assert float(found.min()) >= 0.0
        sums = found.double().sum(dim=-1)
        reads = attention.allowed(rows, cols).any(dim=-1)
        assert float((sums - reads.double()).abs().max()) <= 1e-6
        torch.testing.assert_close(found, whole, atol=1e-7, rtol=0)
    # Values are the identity, so what the model computed with are the weights that are shown.
    tolerance = 1e-6 if attention.queries.dtype == attention.precision else 1e-2
    torch.testing.assert_close(head_outputs.to(whole.dtype), whole, atol=tolerance, rtol=0)


@given(CASES)
@settings(max_examples=60, deadline=None)
def test_weights_are_those_of_attention_in_float64(case: dict[str, Any]) -> None:
    attention = attention_of(case)
    if attention.queries.dtype not in (torch.float32, torch.float64):  # their products are rounded, as models round
        return
    rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
    _, log_sum_exp = attention.attend()
    groups = attention.num_heads // attention.keys.shape[1]
    scores = attention.queries.double() @ attention.keys.double().repeat_interleave(groups, dim=1).mT * attention.scale
    for head, edit in attention.edits.items():
        scores[:, head] /= edit.temperature
    if attention.bias is not None:
        scores += attention.bias.window(rows, cols)
    scores.masked_fill_(~attention.allowed(rows, cols), -math.inf)
    # Float64 itself rounds scores of 1e10 to 1e-6, and this matrix product in another order than ours.
    tolerance = 1e-6 + 4e-15 * float(scores[scores.isfinite()].abs().max()) if scores.isfinite().any() else 1e-6
    expected = scores.softmax(dim=-1).nan_to_num(0.0)
    found = attention.weights(rows, cols, log_sum_exp).double()
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES[:3])
def test_products_are_exact(size: int, dtype: torch.dtype) -> None:
    """Products of two float32 numbers are exact in float64, and ``fsum`` rounds their sum once."""
    queries, keys = on_grids(draw(7, size, seed=1).to(dtype), draw(9, size, seed=2).to(dtype))
    found = queries.double() @ keys.double().T
    expected = [
        [math.fsum(a * b for a, b in zip(query, key, strict=True)) for key in keys.tolist()]
        for query in queries.tolist()
    ]
    assert found.tolist() == expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_grid_takes_away_no_more_than_float32_would(dtype: torch.dtype) -> None:
    vectors = draw(40, 64, seed=3).to(dtype)
    for found in on_grids(vectors, vectors):
        assert found.dtype == dtype
        largest = vectors.double().abs().amax(dim=-1, keepdim=True)
        assert bool(((found.double() - vectors.double()).abs() <= largest * 2.0**-23).all())
    if dtype == torch.float64:
        assert on_grids(vectors, vectors)[0] is vectors


def test_grids_of_zeros_and_of_the_smallest_numbers() -> None:
    vectors = torch.tensor([[0.0, 0.0], [1e-45, -3e-45], [1e-38, 1e-45], [3e38, 1e-45]])
    found, _ = on_grids(vectors, vectors)
    assert found[:3].tolist() == vectors[:3].tolist()
    assert found[3].tolist() == [vectors[3, 0].item(), 0.0]
    assert on_grids(torch.empty(2, 0), torch.empty(3, 0))[0].shape == (2, 0)
