"""Attention options by name against torch's attention and manual composition."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from attention_core.demos.masks import MaskChoice
from attention_core.demos.scoring import AdditiveChoice, AdditiveWeights, AlibiChoice, RopeChoice, attention_by_name
from attention_core.masks import causal_mask
from attention_core.refusal import InvalidValueError
from attention_core.rope import rotate

INFINITY = float("inf")


def rows(*shape: int, seed: int = 0) -> list[list[float]]:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).tolist()


def softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


QUERIES, KEYS, VALUES = rows(3, 4), rows(5, 4, seed=1), rows(5, 2, seed=2)
Q, K, V = np.array(QUERIES), np.array(KEYS), np.array(VALUES)


def test_scaled_dot_is_torchs() -> None:
    expected = F.scaled_dot_product_attention(
        *(torch.tensor(x, dtype=torch.float64)[None] for x in (QUERIES, KEYS, VALUES)), attn_mask=causal_mask(3, 5)
    )[0]
    result = attention_by_name(QUERIES, KEYS, VALUES, mask=MaskChoice("causal"))
    np.testing.assert_allclose(result.stages["output"], expected, rtol=1e-13)
    assert result.scale == 0.5
    np.testing.assert_allclose(result.query_norms, np.linalg.norm(Q, axis=-1), rtol=1e-14)
    np.testing.assert_allclose(result.key_norms, np.linalg.norm(K, axis=-1), rtol=1e-14)


@pytest.mark.parametrize(
    ("mechanism", "scores", "scale"),
    [
        ("dot", Q @ K.T, 1.0),
        ("scaled_dot", Q @ K.T, 0.5),
        ("cosine", Q @ K.T / np.linalg.norm(Q, axis=-1)[:, None] / np.linalg.norm(K, axis=-1), 1.0),
    ],
)
def test_scores_scale_temperature_and_bias(mechanism, scores: np.ndarray, scale: float) -> None:
    bias = rows(3, 5, seed=3)
    result = attention_by_name(QUERIES, KEYS, VALUES, mechanism, temperature=2.0, bias=bias)
    assert result.scale == scale / 2
    np.testing.assert_allclose(result.stages["raw_scores"], scores, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(result.stages["scaled_scores"], scores * scale / 2, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(result.stages["masked_scores"], scores * scale / 2 + bias, rtol=1e-12)
    weights = softmax(scores * scale / 2 + bias)
    np.testing.assert_allclose(result.stages["weights"], weights, rtol=1e-12)
    np.testing.assert_allclose(result.stages["output"], weights @ V, rtol=1e-12)
    np.testing.assert_allclose(result.entropy, -(weights * np.log(weights)).sum(-1), rtol=1e-12)
    assert attention_by_name(QUERIES, KEYS, VALUES, mechanism, scale=0.3).scale == 0.3


def test_additive_by_weights_and_by_seed() -> None:
    queries = rows(3, 2)
    weights = AdditiveWeights(rows(6, 2), rows(6, 4, seed=1), rows(1, 6, seed=2)[0], rows(1, 6, seed=3)[0])
    result = attention_by_name(queries, KEYS, VALUES, "additive", additive=AdditiveChoice(weights=weights))
    hidden = np.tanh(
        (np.array(queries) @ np.array(weights.query_weight).T)[:, None]
        + (K @ np.array(weights.key_weight).T)[None]
        + weights.bias
    )
    assert result.additive is not None
    np.testing.assert_allclose(result.additive.hidden_layer, hidden, rtol=1e-13)
    np.testing.assert_allclose(result.stages["raw_scores"], hidden @ weights.combine, rtol=1e-12)
    assert {name: getattr(result.additive, name).tolist() for name in vars(weights)} == vars(weights)

    drawn = attention_by_name(queries, KEYS, VALUES, "additive", additive=AdditiveChoice(hidden=7, seed=5))
    again = AdditiveWeights(**{name: getattr(drawn.additive, name).tolist() for name in vars(weights)})
    repeated = attention_by_name(queries, KEYS, VALUES, "additive", additive=AdditiveChoice(weights=again))
    np.testing.assert_array_equal(repeated.stages["weights"], drawn.stages["weights"])
    half = attention_by_name(queries, KEYS, VALUES, "additive", additive=AdditiveChoice(7, 5), precision="float16")
    np.testing.assert_allclose(half.stages["weights"], drawn.stages["weights"], atol=2e-3)


def test_additive_weights_without_a_bias() -> None:
    weights = AdditiveWeights([[1.0]], [[2.0]], [3.0])
    result = attention_by_name([[0.5]], [[0.25]], [[1.0]], "additive", additive=AdditiveChoice(weights=weights))
    np.testing.assert_allclose(result.stages["raw_scores"], [[3 * math.tanh(1.0)]], rtol=1e-15)
    assert result.additive is not None
    assert result.additive.bias is None


def test_a_hidden_layer_too_long_to_look_at_is_left_out() -> None:
    result = attention_by_name(rows(1, 2), rows(4096, 2), rows(4096, 1), "additive", additive=AdditiveChoice(17))
    assert result.additive is not None
    assert result.additive.hidden_layer is None
    assert result.stages["weights"].shape == (1, 4096)


@pytest.mark.parametrize("pairing", ["interleaved", "half_split"])
def test_rope_turns_queries_and_keys_and_leaves_values(pairing) -> None:
    result = attention_by_name(QUERIES, KEYS, VALUES, rope=RopeChoice(pairing, 100.0))
    queries = rotate(torch.tensor(QUERIES, dtype=torch.float64), torch.tensor([2, 3, 4]), pairing=pairing, base=100.0)
    keys = rotate(torch.tensor(KEYS, dtype=torch.float64), torch.arange(5), pairing=pairing, base=100.0)
    np.testing.assert_allclose(result.stages["queries"], queries, rtol=1e-14)
    np.testing.assert_allclose(result.stages["keys"], keys, rtol=1e-14)
    np.testing.assert_allclose(result.stages["raw_scores"], queries @ keys.T, rtol=1e-12)
    np.testing.assert_array_equal(result.stages["values"], V)
    moved = RopeChoice(pairing, 100.0, [102.0, 103.0, 104.0], [100.0, 101.0, 102.0, 103.0, 104.0])
    np.testing.assert_allclose(
        attention_by_name(QUERIES, KEYS, VALUES, rope=moved).stages["weights"], result.stages["weights"], rtol=1e-11
    )


def test_rope_of_more_queries_than_keys_needs_their_positions() -> None:
    queries, given = [[1.0, 0.0]] * 3, RopeChoice(query_positions=[0.0, 1.0, 2.0])
    stages = attention_by_name(queries, [[1.0, 0.0]], [[1.0]], rope=given).stages
    np.testing.assert_allclose(stages["raw_scores"][:, 0], np.cos([0, 1, 2]), atol=1e-12)
    with pytest.raises(InvalidValueError, match="with RoPE unless query_positions are given"):
        attention_by_name(queries, [[1.0, 0.0]], [[1.0]], rope=RopeChoice())


def test_alibi_penalises_distance() -> None:
    distance = np.array([[2 + query - key for key in range(5)] for query in range(3)])
    bias = rows(3, 5, seed=3)
    for choice, expected in [
        (AlibiChoice(), -0.5 * distance),
        (AlibiChoice(head=7), -(2.0**-8) * distance),
        (AlibiChoice(num_heads=12, head=8), -math.sqrt(0.5) * distance),
        (AlibiChoice(symmetric=True), -0.5 * np.abs(distance)),
        (AlibiChoice(slope=0.3), -0.3 * distance),
    ]:
        stages = attention_by_name(QUERIES, KEYS, VALUES, alibi=choice).stages
        np.testing.assert_allclose(stages["bias"], expected, rtol=1e-15)
        np.testing.assert_allclose(stages["masked_scores"], Q @ K.T / 2 + expected, rtol=1e-12)
        both = attention_by_name(QUERIES, KEYS, VALUES, alibi=choice, bias=bias).stages
        np.testing.assert_allclose(both["bias"], expected + bias, rtol=1e-14)


@pytest.mark.parametrize(("temperature", "expected"), [(1e-6, None), (1e6, [[0.2] * 5] * 3)])
@pytest.mark.parametrize("mechanism", ["dot", "scaled_dot", "cosine", "additive"])
def test_temperature_limits(mechanism, temperature: float, expected: list[list[float]] | None) -> None:
    result = attention_by_name(QUERIES, KEYS, VALUES, mechanism, temperature=temperature)
    one_hot = np.eye(5)[result.stages["raw_scores"].argmax(-1)]
    np.testing.assert_allclose(result.stages["weights"], one_hot if expected is None else expected, atol=1e-5)
    np.testing.assert_allclose(result.entropy, [0 if expected is None else math.log(5)] * 3, atol=1e-9)


@pytest.mark.parametrize("mechanism", ["dot", "scaled_dot", "cosine", "additive"])
@pytest.mark.parametrize(("num_queries", "num_keys"), [(1, 1), (1, 7), (11, 3), (2, 4096)])
def test_odd_shapes(mechanism, num_queries: int, num_keys: int) -> None:
    result = attention_by_name(rows(num_queries, 3), rows(num_keys, 3), rows(num_keys, 2), mechanism)
    assert result.stages["weights"].shape == (num_queries, num_keys)
    np.testing.assert_allclose(result.stages["weights"].sum(-1), 1, rtol=1e-12)


@pytest.mark.parametrize("precision", ["float64", "float32", "float16", "bfloat16"])
def test_extreme_values(precision) -> None:
    result = attention_by_name([[1e4, -1e4]], [[1.0, -1.0], [-1.0, 1.0]], [[1e4], [-1e4]], "dot", precision=precision)
    assert result.stages["weights"].tolist() == [[1.0, 0.0]]
    assert result.stages["output"][0, 0] == pytest.approx(1e4, rel=1e-2)


def test_masks_leave_documented_rows() -> None:
    mask = MaskChoice("custom", allowed=[[False] * 5, [True] * 5, [False] * 4 + [True]])
    result = attention_by_name(QUERIES, KEYS, VALUES, mask=mask)
    assert result.stages["weights"][0].tolist() == [0.0] * 5
    assert result.stages["output"][0].tolist() == [0.0, 0.0]
    assert result.stages["weights"][2].tolist() == [0.0] * 4 + [1.0]
    assert result.entropy[0] == 0
    assert result.fully_masked.tolist() == [True, False, False]
    single = attention_by_name(QUERIES, KEYS, VALUES, mask=MaskChoice("padding", lengths=[2]))
    assert single.stages["weights"].shape == (3, 5)
    assert (single.stages["weights"][:, 2:] == 0).all()


def test_threads_agree_and_the_global_random_state_is_left_alone() -> None:
    before = torch.get_rng_state()
    weights = AdditiveWeights([[1.0] * 4], [[2.0] * 4], [3.0])
    choices = [AdditiveChoice(seed=7), AdditiveChoice(weights=weights)]
    with ThreadPoolExecutor(8) as pool:
        for choice in choices:
            outputs = list(
                pool.map(
                    lambda _, chosen=choice: attention_by_name(
                        QUERIES, KEYS, VALUES, "additive", additive=chosen
                    ).stages["output"],
                    range(16),
                )
            )
            assert all(np.array_equal(output, outputs[0]) for output in outputs)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": rows(5, 3)}, r"^queries have size 4 but keys have size 3$"),
        ({"values": rows(4, 2)}, r"^values must be as many as keys, not 4 for 5 keys$"),
        ({"temperature": -1.0}, r"^temperature must be > 0, not -1.0$"),
        ({"scale": INFINITY}, r"^scale must be finite, not inf$"),
        ({"bias": rows(2, 5)}, r"^bias must have 3 rows of 5 numbers, not shape \(2, 5\)$"),
        ({"mask": MaskChoice("padding", lengths=[1, 2])}, r"^mask must cover one sequence, not 2$"),
        ({"queries": rows(6, 4), "mask": MaskChoice("causal")}, r"^queries \(6\) must not outnumber keys \(5\)"),
        ({"queries": rows(3, 3), "rope": RopeChoice()}, r"^queries must have an even size under RoPE, .* not 3$"),
        ({"rope": RopeChoice(query_positions=[1.0])}, r"^query_positions must be 3, one for each vector, not 1$"),
        ({"rope": RopeChoice(key_positions=[1.0])}, r"^key_positions must be 5, one for each vector, not 1$"),
        ({"queries": [[1e5] * 4], "precision": "float16"}, r"^queries must fit float16"),
        ({"queries": [[1e4] * 4], "keys": [[1e4] * 4] * 5, "precision": "float16"}, r"^queries and keys are so large"),
        ({"scale": 1e6, "precision": "float16"}, r"^scale or temperature makes the scores overflow float16$"),
        (
            {
                "queries": [[300.0]],
                "keys": [[200.0]] * 5,
                "mechanism": "dot",
                "bias": [[6e4] * 5],
                "precision": "float16",
            },
            r"^bias makes the scores overflow float16$",
        ),
        ({"queries": rows(6, 4), "alibi": AlibiChoice()}, r"^queries \(6\) must not outnumber keys \(5\) with ALiBi$"),
        ({"queries": rows(6, 4), "rope": RopeChoice()}, r"^queries \(6\) must not outnumber keys \(5\) with RoPE"),
        ({"alibi": AlibiChoice(head=8)}, r"^head must be 0 to 7, not 8$"),
        (
            {"mechanism": "additive", "additive": AdditiveChoice(weights=AdditiveWeights([[1.0]], [[1.0] * 4], [1.0]))},
            r"^query_weight must have shape \(1, 4\), not \(1, 1\)$",
        ),
    ],
)
def test_invalid_input_is_named(changes: dict, message: str) -> None:
    arguments = {"queries": QUERIES, "keys": KEYS, "values": VALUES} | changes
    with pytest.raises(ValueError, match=message):
        attention_by_name(**arguments)
