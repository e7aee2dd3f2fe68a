"""No positions, RoPE and ALiBi on the same queries and keys, against torch's own attention."""

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from attention_core.alibi import alibi_bias, slopes
from attention_core.demos.alibi import alibi_numbers, compare_positions
from attention_core.rope import rotate


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_numbers_and_windows():
    numbers = alibi_numbers(12, 5)
    np.testing.assert_array_equal(numbers.slopes, slopes(12))
    np.testing.assert_array_equal(numbers.bias, alibi_bias(12, 5, 5, dtype=torch.float64))
    window = alibi_numbers(12, 4096, rows=(4000, 4003), cols=(10, 15), symmetric=True)
    distance = np.abs(np.arange(4000, 4003)[:, None] - np.arange(10, 15))
    np.testing.assert_array_equal(window.bias, -slopes(12).numpy()[:, None, None] * distance)


@pytest.mark.parametrize("causal", [True, False])
def test_three_ways_to_know_positions(causal):
    queries, keys, values = random(5, 4, seed=1), random(5, 4, seed=2), random(5, 3, seed=3)
    compared = compare_positions(
        3, queries.tolist(), keys.tolist(), values.tolist(), causal=causal, symmetric=True, pairing="interleaved"
    )
    none = scaled_dot_product_attention(queries, keys, values, is_causal=causal)
    np.testing.assert_allclose(compared.none.output, none, atol=1e-14)
    turned = [rotate(vectors, torch.arange(5), pairing="interleaved") for vectors in (queries, keys)]
    assert compared.rope is not None
    rope = scaled_dot_product_attention(*turned, values, is_causal=causal)
    np.testing.assert_allclose(compared.rope.output, rope, atol=1e-14)
    np.testing.assert_allclose(compared.rope.scaled_scores, turned[0] @ turned[1].T / 2, atol=1e-14)
    forbidden = torch.ones(5, 5, dtype=torch.bool).triu(1) & causal
    for head, bias in zip(compared.alibi, alibi_bias(3, 5, 5, symmetric=True, dtype=torch.float64), strict=True):
        mask = bias.masked_fill(forbidden, float("-inf"))
        expected = scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        np.testing.assert_allclose(head.output, expected, atol=1e-14)
        np.testing.assert_allclose(head.scaled_scores, queries @ keys.T / 2, atol=1e-14)
        np.testing.assert_allclose(head.masked_scores, queries @ keys.T / 2 + mask, atol=1e-14)
        np.testing.assert_allclose(head.weights.sum(axis=-1), 1, atol=1e-14)


def test_odd_sizes_have_no_rope_and_values_default_to_keys():
    compared = compare_positions(2, [[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]])
    assert compared.rope is None
    assert compared.none.output.tolist() == [[4.0, 5.0, 6.0]]


def test_bad_input():
    for rows in ((3, 3), (0, 6), (-1, 2)):
        with pytest.raises(ValueError, match=r"^rows must be a start and an exclusive end up to 5"):
            alibi_numbers(2, 5, rows=rows)
    with pytest.raises(ValueError, match=r"^keys must have 1 rows, as many as queries, not 2"):
        compare_positions(2, [[1.0]], [[1.0], [2.0]])
    with pytest.raises(ValueError, match=r"^values must have 1 rows"):
        compare_positions(2, [[1.0]], [[1.0]], [[1.0], [2.0]])
    with pytest.raises(ValueError, match=r"^keys must have size 1, as queries have, not 2"):
        compare_positions(2, [[1.0]], [[1.0, 2.0]])
