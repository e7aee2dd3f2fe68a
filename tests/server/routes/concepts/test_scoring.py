"""POST /api/scoring: the figures of the curriculum, and torch's own attention."""

import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from starlette.testclient import TestClient

IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def rows(*shape: int, seed: int = 0) -> list[list[float]]:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).tolist()


def score(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/scoring", json=request)
    assert response.status_code == 200, response.text
    return response.json()


QKV = {"queries": rows(3, 4), "keys": rows(5, 4, seed=1), "values": rows(5, 2, seed=2)}


def test_identity_queries_and_keys(client: TestClient) -> None:
    answer = score(client, queries=IDENTITY, keys=IDENTITY, values=[[10, 20], [30, 40]], mechanism="scaled_dot")
    assert answer["raw_scores"] == IDENTITY
    np.testing.assert_allclose(answer["scaled_scores"], np.eye(2) / math.sqrt(2), rtol=1e-14)
    np.testing.assert_allclose(answer["weights"], [[0.6698, 0.3302], [0.3302, 0.6698]], atol=5e-5)
    np.testing.assert_allclose(answer["output"], [[16.605, 26.605], [23.395, 33.395]], atol=5e-4)
    assert answer["scale"] == pytest.approx(1 / math.sqrt(2))
    assert answer["head_outputs"] == answer["output"]


def test_one_query_of_length_two(client: TestClient) -> None:
    answer = score(client, queries=[[2, 0]], keys=IDENTITY, values=[[5], [10]], mechanism="scaled_dot")
    np.testing.assert_allclose(answer["weights"], [[0.8044, 0.1956]], atol=5e-5)
    np.testing.assert_allclose(answer["output"], [[5.978]], atol=5e-4)


def test_three_words_after_their_projections(client: TestClient) -> None:
    values = [[1.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 0.5]]
    unit = np.eye(3, 4)
    answer = score(client, queries=unit.tolist(), keys=(2 * unit).tolist(), values=values)
    np.testing.assert_allclose(answer["scaled_scores"], np.eye(3), atol=1e-15)
    np.testing.assert_allclose(answer["weights"], np.full((3, 3), 0.2119) + np.eye(3) * 0.3642, atol=1e-4)
    np.testing.assert_allclose(
        answer["output"][:2], [[0.6821, 0.6060, 0.3179, 0.1060], [0.5, 0.7881, 0.5, 0.1060]], atol=5e-5
    )


def test_ten_unit_vectors(client: TestClient) -> None:
    keys = [[math.cos(2 * math.pi * i / 10), math.sin(2 * math.pi * i / 10)] for i in range(10)]
    answer = score(client, queries=[[math.sqrt(0.5)] * 2], keys=keys, values=keys, mechanism="dot")
    np.testing.assert_allclose(answer["output"], [[0.31564538, 0.31564537]], atol=1e-8)
    assert max(answer["weights"][0]) == pytest.approx(0.2121, abs=5e-5)
    assert sum(answer["weights"][0]) == pytest.approx(1)
    assert answer["scale"] == 1


@pytest.mark.parametrize(
    ("scores", "row", "expected"),
    [
        ([[1, 2, 3], [0.5, 1.5, 2.5], [1.2, 0.8, 2]], 1, [0.2689, 0.7311, 0]),
        ([[1, 2, 3], [0.5, 1.5, 2.5], [1.2, 0.8, 2]], 2, [0.2567, 0.1721, 0.5713]),
        (
            [[2.1, 4.5, 1.8, 3.2], [1.2, 3.4, 2.8, 1.9], [0.8, 2.1, 4, 2.5], [1.5, 2.9, 1.3, 3.7]],
            3,
            [0.0671, 0.2722, 0.055, 0.6057],
        ),
    ],
)
def test_causal_examples(client: TestClient, scores: list[list[float]], row: int, expected: list[float]) -> None:
    """Scores S are queries S with keys I."""
    unit = np.eye(len(scores)).tolist()
    answer = score(client, queries=scores, keys=unit, values=unit, mechanism="dot", mask={"kind": "causal"})
    np.testing.assert_allclose(answer["weights"][row], expected, atol=5e-5)
    assert answer["masked_scores"][0] == [scores[0][0]] + ["-Infinity"] * (len(scores) - 1)
    assert answer["mask"] == np.tri(len(scores), dtype=bool).tolist()
    assert answer["output"] == answer["weights"]


CAUSAL = np.tri(3, 5, 2, dtype=bool)
KEY = np.tile(np.arange(5), (3, 1))
ONE_BACK = ~np.tri(3, 5, 0, dtype=bool)
CUSTOM = [[True] * 5, [True, False, True, False, True], [False] * 4 + [True]]


@pytest.mark.parametrize(
    ("mask", "dense"),
    [
        (None, KEY >= 0),
        ({"kind": "none"}, KEY >= 0),
        ({"kind": "causal"}, CAUSAL),
        ({"kind": "padding", "lengths": 2}, KEY < 2),
        ({"kind": "padding", "lengths": [2]}, KEY < 2),
        ({"kind": "padding", "is_token": [False, True, True, True, True]}, KEY > 0),
        ({"kind": "padding", "is_token": [[True, True, True, True, False]], "causal": True}, CAUSAL & (KEY < 4)),
        ({"kind": "sliding_window", "window": 2}, CAUSAL & ONE_BACK),
        ({"kind": "sliding_window", "window": 2, "causal_only": False}, np.tri(3, 5, 3, dtype=bool) & ONE_BACK),
        ({"kind": "prefix", "prefix": 0}, CAUSAL),
        ({"kind": "prefix", "prefix": 4}, CAUSAL | (KEY < 4)),
        ({"kind": "custom", "allowed": CUSTOM}, np.array(CUSTOM)),
    ],
)
@pytest.mark.parametrize("with_bias", [False, True])
def test_every_mask_is_torchs_attention(
    client: TestClient, mask: dict[str, Any] | None, dense: np.ndarray, with_bias: bool
) -> None:
    bias = rows(3, 5, seed=3)
    answer = score(client, **QKV, mask=mask, bias=bias if with_bias else None, temperature=0.5)
    added = torch.tensor(bias if with_bias else np.zeros((3, 5)).tolist(), dtype=torch.float64)
    tensors = [torch.tensor(QKV[name], dtype=torch.float64)[None] for name in ("queries", "keys", "values")]
    expected = F.scaled_dot_product_attention(
        *tensors, attn_mask=added.masked_fill(torch.tensor(~dense), -math.inf), scale=1.0
    )
    np.testing.assert_allclose(answer["output"], expected[0], rtol=1e-12)
    assert (np.array(answer["weights"])[~dense] == 0).all()
    assert answer["bias"] == (bias if with_bias else None)
    assert answer["mask"] == (dense.tolist() if mask and mask["kind"] != "none" else None)
    assert (np.array(answer["masked_scores"], dtype=object)[~dense] == "-Infinity").all()
    assert answer["fully_masked"] == (~dense.any(axis=1)).tolist()


def test_additive_custom_mask(client: TestClient) -> None:
    additive_row = [0, -math.inf, 1.5, 0, 0]
    additive = [[0, "-Infinity", 1.5, 0, 0], [0, 0, 0, 0, 0], ["-Infinity"] * 5]
    answer = score(client, **QKV, mask={"kind": "custom", "additive": additive})
    assert answer["mask"] == additive
    expected = np.add(answer["scaled_scores"][0], additive_row)
    np.testing.assert_allclose(answer["weights"][0], np.exp(expected) / np.exp(expected).sum(), rtol=1e-13)
    assert answer["weights"][2] == [0] * 5
    assert answer["output"][2] == [0, 0]
    assert answer["entropy"][2] == 0


def test_cosine_is_blind_to_length(client: TestClient) -> None:
    plain = score(client, **QKV, mechanism="cosine", temperature=0.1)
    longer = {**QKV, "queries": [[7 * x for x in row] for row in QKV["queries"]]}
    longer["keys"] = [[0.01 * x for x in QKV["keys"][0]], *QKV["keys"][1:]]
    scaled = score(client, **longer, mechanism="cosine", temperature=0.1)
    np.testing.assert_allclose(scaled["weights"], plain["weights"], rtol=1e-12)
    np.testing.assert_allclose(scaled["query_norms"], 7 * np.array(plain["query_norms"]), rtol=1e-13)
    assert np.abs(plain["raw_scores"]).max() <= 1
    assert score(client, **longer)["weights"] != score(client, **QKV)["weights"]


def test_zero_vectors_under_cosine(client: TestClient) -> None:
    answer = score(client, queries=[[0, 0]], keys=[[1, 0], [0, 0]], values=[[1], [3]], mechanism="cosine")
    assert answer["raw_scores"] == [[0, 0]]
    assert answer["output"] == [[2]]


def test_additive_with_sizes_that_differ(client: TestClient) -> None:
    weights = {
        "query_weight": rows(6, 2),
        "key_weight": rows(6, 4, seed=1),
        "combine": rows(1, 6, seed=2)[0],
        "bias": rows(1, 6, seed=3)[0],
    }
    request = {**QKV, "queries": rows(3, 2), "mechanism": "additive"}
    answer = score(client, **request, additive={"weights": weights})
    for i, query in enumerate(request["queries"]):
        for j, key in enumerate(request["keys"]):
            hidden = [
                math.tanh(sum(w * x for w, x in zip(wq, query)) + sum(w * x for w, x in zip(wk, key)) + b)  # noqa: B905
                for wq, wk, b in zip(weights["query_weight"], weights["key_weight"], weights["bias"], strict=True)
            ]
            np.testing.assert_allclose(answer["additive"]["hidden_layer"][i][j], hidden, rtol=1e-12)
            expected = sum(v * h for v, h in zip(weights["combine"], hidden, strict=True))
            assert answer["raw_scores"][i][j] == pytest.approx(expected, rel=1e-12)
    drawn = score(client, **request, additive={"hidden": 5, "seed": 3})
    assert drawn == score(client, **request, additive={"hidden": 5, "seed": 3})
    assert drawn["weights"] != score(client, **request, additive={"hidden": 5, "seed": 4})["weights"]
    given = {name: drawn["additive"][name] for name in ("query_weight", "key_weight", "combine", "bias")}
    assert score(client, **request, additive={"weights": given})["weights"] == drawn["weights"]
    assert (
        score(client, **request)["additive"]["combine"] == score(client, **request, additive={})["additive"]["combine"]
    )


@pytest.mark.parametrize(("temperature", "expected"), [(1e-6, 0.0), (1e6, math.log(5))])
@pytest.mark.parametrize("mechanism", ["dot", "scaled_dot", "cosine", "additive"])
def test_temperature_limits(client: TestClient, mechanism: str, temperature: float, expected: float) -> None:
    answer = score(client, **QKV, mechanism=mechanism, temperature=temperature)
    np.testing.assert_allclose(answer["entropy"], [expected] * 3, atol=1e-9)
    one_hot = np.eye(5)[np.argmax(answer["raw_scores"], axis=-1)]
    np.testing.assert_allclose(answer["weights"], np.full((3, 5), 0.2) if expected else one_hot, atol=1e-5)


def test_rope_is_a_complex_multiplication(client: TestClient) -> None:
    position = {"kind": "rope", "base": 100.0, "query_positions": [7, 8, 9.5], "key_positions": [0, 1, 2, 3, -4]}
    answer = score(client, **QKV, mechanism="dot", position=position)
    frequencies = np.array([1.0, 0.1])

    def turned(vectors: list[list[float]], positions: list[float]) -> np.ndarray:
        pairs = np.array(vectors).reshape(-1, 2, 2)
        return (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * np.outer(positions, frequencies))

    queries, keys = turned(QKV["queries"], [7, 8, 9.5]), turned(QKV["keys"], [0, 1, 2, 3, -4])
    np.testing.assert_allclose(answer["raw_scores"], (queries @ keys.conj().T).real, rtol=1e-12)
    np.testing.assert_allclose(answer["queries"], np.stack([queries.real, queries.imag], -1).reshape(3, 4), rtol=1e-12)
    np.testing.assert_allclose(answer["keys"], np.stack([keys.real, keys.imag], -1).reshape(5, 4), rtol=1e-12)
    assert answer["values"] == QKV["values"]


def test_rope_slides(client: TestClient) -> None:
    default = score(client, **QKV, position={"kind": "rope", "pairing": "half_split"})
    moved = {"kind": "rope", "pairing": "half_split", "query_positions": [102, 103, 104]}
    moved["key_positions"] = [100, 101, 102, 103, 104]
    np.testing.assert_allclose(score(client, **QKV, position=moved)["weights"], default["weights"], rtol=1e-11)


def test_alibi(client: TestClient) -> None:
    distance = np.array([[2 + i - j for j in range(5)] for i in range(3)])
    for position, slope in [
        ({}, 0.5),
        ({"head": 7}, 2**-8),
        ({"num_heads": 12, "head": 9}, 0.35355339),
        ({"slope": 3}, 3),
    ]:
        answer = score(client, **QKV, position={"kind": "alibi", **position}, mask={"kind": "causal"})
        np.testing.assert_allclose(answer["bias"], -slope * distance, rtol=1e-7)
    symmetric = score(client, **QKV, position={"kind": "alibi", "symmetric": True})
    np.testing.assert_allclose(symmetric["bias"], -0.5 * np.abs(distance), rtol=1e-15)
