"""Multi-head attention from plain options against numpy."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.demos.masks import MaskChoice
from attention_core.demos.multi_head import MultiHeadChoice, MultiHeadExample, embed, multi_head_example
from attention_core.qk_norm import NormKind


def by_hand(found: MultiHeadExample, mask: np.ndarray | None = None) -> np.ndarray:
    """The output from the weights, head after head."""
    sizes, parts = found.sizes, {}
    sources = {"queries": found.x, "keys": found.x if found.context is None else found.context}
    for name in ("queries", "keys", "values"):
        wide = sources["queries" if name == "queries" else "keys"] @ found.projections[name].T
        parts[name] = wide + found.biases[name] if name in found.biases else wide
    outputs = []
    for head in range(sizes["num_heads"]):
        kv_head = head // sizes["group"]
        at = slice(kv_head * sizes["head_dim"], (kv_head + 1) * sizes["head_dim"])
        q = parts["queries"][..., head * sizes["head_dim"] : (head + 1) * sizes["head_dim"]]
        scores = q @ parts["keys"][..., at].swapaxes(1, 2) * found.scale
        exponentials = np.exp(scores) if mask is None else np.exp(scores) * mask
        weights = exponentials / exponentials.sum(-1, keepdims=True)
        at = slice(kv_head * sizes["value_dim"], (kv_head + 1) * sizes["value_dim"])
        outputs.append(weights @ parts["values"][..., at])
    output = np.concatenate(outputs, axis=-1) @ found.projections["output"].T
    return output + found.biases["output"] if "output" in found.biases else output


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bias": False, "num_kv_heads": 2},
        {"num_kv_heads": 1, "head_dim": 5, "value_dim": 3},
        {"scale": 0.1},
    ],
)
def test_multi_head_example_by_hand(options: dict[str, Any]) -> None:
    choice = MultiHeadChoice(12, 4, precision="float64", **options)
    for x, context in [((2, 5), None), ((2, 3), 7), ((1, 1), 1), ([[0.5] * 12, [1.0] * 12], [[1.0, 2.0]])]:
        found = multi_head_example(choice, x, context)
        np.testing.assert_allclose(found.stages["output"], by_hand(found), rtol=0, atol=1e-13)
        assert max(found.loop_difference, found.own_kv_heads_difference, found.fused_difference) <= 1e-13


def test_multi_head_example_masks() -> None:
    choice = MultiHeadChoice(12, 4, precision="float64")
    found = multi_head_example(choice, (2, 5), mask=MaskChoice("padding", lengths=[5, 3]), is_causal=True)
    allowed = np.tril(np.ones((5, 5)))[None] * np.array([[1] * 5, [1] * 3 + [0] * 2])[:, None]
    np.testing.assert_allclose(found.stages["output"], by_hand(found, allowed), rtol=0, atol=1e-13)
    assert max(found.loop_difference, found.own_kv_heads_difference, found.fused_difference) <= 1e-13


def test_multi_head_example_twins_agree_with_every_option() -> None:
    choice = MultiHeadChoice(
        16, 4, 2, rope="interleaved", alibi=True, qk_norm="rms", qk_norm_before_rope=True, precision="float64"
    )
    found = multi_head_example(choice, (2, 5), is_causal=True)
    assert max(found.loop_difference, found.own_kv_heads_difference, found.fused_difference) <= 1e-13
    assert found.entropy.shape == (2, 4, 5)
    assert found.stages["bias"].shape == (4, 5, 5)


def test_multi_head_example_equal_tokens_have_equal_vectors() -> None:
    found = multi_head_example(MultiHeadChoice(8, 2), ["the", "cat", "the"])
    assert np.array_equal(found.x[0, 0], found.x[0, 2])
    assert not np.array_equal(found.x[0, 0], found.x[0, 1])
    np.testing.assert_array_equal(found.stages["output"][0, 0], found.stages["output"][0, 2])
    assert embed(["b", "a", "b"], 3, torch.Generator().manual_seed(0)).shape == (3, 3)


def test_multi_head_example_weights_given() -> None:
    identity = np.eye(4).tolist()
    weights = dict.fromkeys(("queries", "keys", "values", "output"), identity)
    choice = MultiHeadChoice(4, 2, bias=False, weights=weights, precision="float64")
    found = multi_head_example(choice, identity)
    for name in ("queries", "keys", "values"):
        np.testing.assert_array_equal(found.stages[name][0, 1], np.eye(4)[:, 2:])
    np.testing.assert_allclose(found.stages["output"], by_hand(found), rtol=0, atol=1e-15)


def test_multi_head_example_counts_parameters() -> None:
    found = multi_head_example(MultiHeadChoice(16, 4, 2), (1, 2))
    assert found.parameters == {
        "queries": 16 * 16 + 16,
        "keys": 8 * 16 + 8,
        "values": 8 * 16 + 8,
        "output": 16 * 16 + 16,
        "qk_norm": 0,
        "total": 2 * 272 + 2 * 136,
        "own_kv_heads": 4 * 272,
    }


@pytest.mark.parametrize(("qk_norm", "scales"), [("rms", 2 * 4), ("l2", 4)])
def test_multi_head_example_parts_of_the_parameters_add_up(qk_norm: NormKind, scales: int) -> None:
    counted = multi_head_example(MultiHeadChoice(16, 4, 2, qk_norm=qk_norm), (1, 2)).parameters
    assert counted["qk_norm"] == scales
    assert counted["total"] == sum(counted[part] for part in ("queries", "keys", "values", "output", "qk_norm"))
    assert counted["own_kv_heads"] == 4 * 272 + scales


def test_multi_head_example_alibi_is_signed_unless_symmetric() -> None:
    """Press et al. 2022: −slope · (query − key); the first of 4 slopes is 1/4."""
    distance = np.arange(3)[:, None] - np.arange(3)
    for is_causal in (False, True):
        for symmetric, expected in ((False, distance), (True, abs(distance))):
            choice = MultiHeadChoice(8, 4, alibi=True, alibi_symmetric=symmetric)
            found = multi_head_example(choice, (1, 3), is_causal=is_causal)
            np.testing.assert_array_equal(found.stages["bias"][0], -0.25 * expected)
            assert max(found.loop_difference, found.own_kv_heads_difference, found.fused_difference) < 1e-6


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_multi_head_example_in_half_precision(precision: str) -> None:
    wide = multi_head_example(MultiHeadChoice(16, 4, precision="float64"), (1, 5))
    half = multi_head_example(MultiHeadChoice(16, 4, precision=precision), (1, 5))
    np.testing.assert_allclose(half.stages["output"], wide.stages["output"], atol=0.05)


def test_multi_head_example_leaves_the_global_random_state_alone() -> None:
    state = torch.random.get_rng_state()
    first, same = (multi_head_example(MultiHeadChoice(8, 2, seed=3), (1, 3), 2) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert np.array_equal(first.stages["output"], same.stages["output"])


@pytest.mark.parametrize(
    ("options", "x", "context", "message"),
    [
        ({}, [[1.0, 2.0]], None, r"vectors must have vectors of d_model \(8\) numbers, not 2"),
        ({"num_heads": 3}, (1, 2), None, r"num_heads must divide d_model \(8\), which 3 does not"),
        (
            {"num_heads": 8, "rope": "half_split"},
            (1, 2),
            None,
            "rope needs an even head dimension, because it rotates pairs, not 1",
        ),
        ({"weights": {"keys": [[1.0]]}}, (1, 2), None, r"keys must have shape \(8, 8\), not \(1, 1\)"),
        ({"alibi": True}, (1, 3), 2, r"num_queries \(3\) must not exceed num_keys \(2\)"),
    ],
)
def test_multi_head_example_refuses(options: dict[str, Any], x: Any, context: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        multi_head_example(MultiHeadChoice(**({"d_model": 8, "num_heads": 2} | options)), x, context)
