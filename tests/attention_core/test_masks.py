"""Mask rules against loops and torch's masks."""

import pytest
import torch
from torch.nn.attention.bias import causal_lower_right
from torch.testing import assert_close

from attention_core.attend import mask_scores, softmax
from attention_core.masks import (
    DenseMask,
    HeadMask,
    PredicateMask,
    causal,
    causal_mask,
    forbidden,
    padding_mask,
    prefix_mask,
    sliding_window,
    sliding_window_mask,
    to_additive,
)

SIZES = [(1, 1), (1, 7), (3, 7), (7, 7), (13, 13), (1, 4096)]


@pytest.mark.parametrize(("num_queries", "num_keys"), SIZES)
def test_causal_is_the_definition_and_torchs(num_queries: int, num_keys: int) -> None:
    offset = num_keys - num_queries
    expected = [[key <= query + offset for key in range(num_keys)] for query in range(num_queries)]
    assert causal_mask(num_queries, num_keys).tolist() == expected
    assert causal_lower_right(num_queries, num_keys)._materialize("cpu").bool().tolist() == expected


@pytest.mark.parametrize("window", [1, 2, 5, 100])
@pytest.mark.parametrize("causal_only", [True, False])
@pytest.mark.parametrize(("num_queries", "num_keys"), SIZES[:5])
def test_sliding_window_is_the_definition(num_queries: int, num_keys: int, window: int, causal_only: bool) -> None:
    offset = num_keys - num_queries
    expected = [
        [
            (query + offset - key < window if key <= query + offset else False)
            if causal_only
            else abs(query + offset - key) < window
            for key in range(num_keys)
        ]
        for query in range(num_queries)
    ]
    assert sliding_window_mask(num_queries, num_keys, window, causal_only=causal_only).tolist() == expected


@pytest.mark.parametrize("prefix", [0, 1, 3, 100])
@pytest.mark.parametrize(("num_queries", "num_keys"), SIZES[:5])
def test_prefix_is_the_definition(num_queries: int, num_keys: int, prefix: int) -> None:
    offset = num_keys - num_queries
    expected = [[key < prefix or key <= query + offset for key in range(num_keys)] for query in range(num_queries)]
    assert prefix_mask(num_queries, num_keys, prefix).tolist() == expected


def test_prefix_of_nothing_is_causal_and_of_everything_is_no_mask() -> None:
    assert torch.equal(prefix_mask(5, 5, 0), causal_mask(5, 5))
    assert prefix_mask(5, 5, 5).all()


def test_padding_hides_pads_from_every_query() -> None:
    is_token = torch.tensor([[True, True, True], [True, False, False]])
    mask = padding_mask(is_token)
    assert mask.shape == (2, 1, 3)
    assert torch.equal(mask.expand(2, 4, 3), is_token[:, None, :].repeat(1, 4, 1))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_additive_form(dtype: torch.dtype) -> None:
    additive = to_additive(causal_mask(2, 2), dtype)
    assert additive.dtype == dtype
    assert additive.tolist() == [[0.0, float("-inf")], [0.0, 0.0]]
    assert forbidden(additive).tolist() == forbidden(causal_mask(2, 2)).tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (
            [[1.0, 2.0, 3.0], [0.5, 1.5, 2.5], [1.2, 0.8, 2.0]],
            [[1.0, 0.0, 0.0], [0.2689, 0.7311, 0.0], [0.2567, 0.1721, 0.5713]],
        ),
        (
            [[2.1, 4.5, 1.8, 3.2], [1.2, 3.4, 2.8, 1.9], [0.8, 2.1, 4.0, 2.5], [1.5, 2.9, 1.3, 3.7]],
            [
                [1.0, 0.0, 0.0, 0.0],
                [0.0998, 0.9002, 0.0, 0.0],
                [0.0342, 0.1256, 0.8401, 0.0],
                [0.0671, 0.2722, 0.055, 0.6057],
            ],
        ),
    ],
)
def test_causal_examples(scores: list[list[float]], expected: list[list[float]]) -> None:
    size = len(scores)
    weights = softmax(mask_scores(torch.tensor(scores, dtype=torch.float64), causal_mask(size, size)))
    assert_close(weights, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=6e-5)


def test_windows_of_a_rule_are_windows_of_the_matrix() -> None:
    rule = PredicateMask(sliding_window(3), 7, 11)
    whole = rule.window(slice(0, 7), slice(0, 11))
    dense = DenseMask(whole)
    for rows, cols in [(slice(2, 5), slice(4, 9)), (slice(0, 1), slice(10, 11)), (slice(3, 3), slice(0, 11))]:
        assert torch.equal(rule.window(rows, cols), whole[rows, cols])
        assert torch.equal(dense.window(rows, cols), whole[rows, cols])


def test_an_axis_of_size_one_stands_for_all() -> None:
    is_token = torch.tensor([[True, True, False, True]])
    rule = DenseMask(padding_mask(is_token))
    window = rule.window(slice(1, 3), slice(1, 4))
    assert torch.equal(window, torch.tensor([[[True, False, True]] * 2]))


def test_one_query_of_many_keys_reads_all_of_them() -> None:
    assert PredicateMask(causal, 1, 5).window(slice(0, 1), slice(0, 5)).all()


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^num_queries \(5\) must not exceed num_keys \(3\)"):
        causal_mask(5, 3)
    with pytest.raises(ValueError, match=r"^window must be at least 1, not 0"):
        sliding_window_mask(3, 3, 0)
    with pytest.raises(ValueError, match=r"^prefix must not be negative, not -1"):
        prefix_mask(3, 3, -1)


def test_one_head_of_a_mask_of_its_own_and_of_one_for_all() -> None:
    own = torch.rand(2, 4, 6, 6, generator=torch.Generator().manual_seed(0)) > 0.5
    rows, cols = slice(1, 4), slice(2, 6)
    assert torch.equal(HeadMask(DenseMask(own), 2).window(rows, cols), own[:, 2:3, 1:4, 2:6])
    shared = own[:, :1]
    assert torch.equal(HeadMask(DenseMask(shared), 2).window(rows, cols), shared[:, :, 1:4, 2:6])
    plain = HeadMask(DenseMask(own[0, 0]), 3)
    assert torch.equal(plain.window(rows, cols), own[0, 0, 1:4, 2:6])
