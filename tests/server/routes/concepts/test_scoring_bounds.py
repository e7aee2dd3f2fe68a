"""POST /api/scoring: odd shapes, extreme values, many requests at once, and bad input."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient

STAGES = ["raw_scores", "scaled_scores", "masked_scores", "weights"]
ONE = {"query_weight": [[1]], "key_weight": [[1]], "combine": [1]}
LARGE = {"hidden": 1024}
QUERY_WEIGHT = "additive.weights.query_weight"


def rows(*shape: int, seed: int = 0) -> list[list[float]]:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).tolist()


def score(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/scoring", json=request)
    assert response.status_code == 200, response.text
    return response.json()


QKV = {"queries": rows(3, 4), "keys": rows(5, 4, seed=1), "values": rows(5, 2, seed=2)}


@pytest.mark.full("3-4096-dot", "3-4096-additive")
@pytest.mark.parametrize("mechanism", ["dot", "scaled_dot", "cosine", "additive"])
@pytest.mark.parametrize(("num_queries", "num_keys"), [(1, 1), (1, 7), (11, 3), (13, 13), (3, 4096)])
def test_odd_shapes(client: TestClient, mechanism: str, num_queries: int, num_keys: int) -> None:
    request = {"queries": rows(num_queries, 3), "keys": rows(num_keys, 3), "values": rows(num_keys, 2)}
    answer = score(client, **request, mechanism=mechanism)
    for stage in STAGES:
        assert np.shape(answer[stage]) == (num_queries, num_keys)
    np.testing.assert_allclose(np.sum(answer["weights"], axis=-1), 1, rtol=1e-12)
    np.testing.assert_allclose(answer["output"], np.array(answer["weights"]) @ request["values"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("precision", ["float64", "float32", "float16", "bfloat16"])
def test_extreme_values(client: TestClient, precision: str) -> None:
    request = {"queries": [[1e4, -1e4], [-1e4, 0]], "keys": [[1, -1], [-1, 1]], "values": [[1e4], [-1e4]]}
    answer = score(client, **request, mechanism="dot", precision=precision, mask={"kind": "causal"})
    assert answer["weights"] == [[1, 0], [0, 1]]
    np.testing.assert_allclose(answer["output"], [[1e4], [-1e4]], rtol=1e-2)
    assert "NaN" not in json.dumps(answer)


def test_half_precision_overflow_is_an_error_and_not_nan(client: TestClient, assert_error: Any) -> None:
    request = {"queries": [[1e4] * 2], "keys": [[1e4] * 2], "values": [[1]], "precision": "float16"}
    response = client.post("/api/scoring", json=request)
    message = assert_error(response, 422, "invalid_value", "queries")
    assert message == "queries and keys are so large that their scores overflow float16"
    assert score(client, **{**request, "precision": "bfloat16"})["weights"] == [[1]]


def test_requests_at_once_have_the_same_answer(client: TestClient) -> None:
    request = {**QKV, "mechanism": "additive", "additive": {"seed": 1}}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: score(client, **request), range(8)))
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(
    ("changes", "code", "field", "limit"),
    [
        ({"mechanism": "additive", "additive": LARGE, "queries": rows(1000, 1)}, "too_large", "additive.hidden", 2**22),
        ({"mechanism": "additive", "additive": {"seed": 1, "weights": ONE}}, "invalid_value", "additive.seed", None),
        (
            {"mechanism": "additive", "additive": {"hidden": 2, "weights": ONE}},
            "invalid_value",
            "additive.hidden",
            None,
        ),
        ({"mechanism": "additive", "additive": {"weights": ONE}}, "invalid_value", QUERY_WEIGHT, None),
        ({"queries": [[1, 2], [3]]}, "invalid_request", "queries", None),
        ({"queries": [["1", 2]]}, "invalid_request", "queries.0.0", None),
        ({"queries": [[True, 2, 3, 4]]}, "invalid_request", "queries.0.0", None),
        ({"queries": [[None, 2, 3, 4]]}, "invalid_request", "queries.0.0", None),
        ({"queries": [[1e10, 2, 3, 4]]}, "invalid_request", "queries.0.0", 1e9),
        ({"queries": []}, "invalid_request", "queries", 1),
        ({"queries": [[]]}, "invalid_request", "queries.0", 1),
        ({"queries": 3}, "invalid_request", "queries", None),
        ({"queries": rows(3, 3)}, "invalid_value", "queries", None),
        ({"values": rows(4, 2)}, "invalid_value", "values", None),
        ({"queries": rows(4097, 1)}, "too_large", "queries", 4096),
        ({"keys": rows(4097, 1)}, "too_large", "keys", 4096),
        ({"queries": rows(1000, 1), "keys": rows(1000, 1)}, "too_large", "queries", 2**22),
        ({"mechanism": "rbf"}, "invalid_request", "mechanism", None),
        ({"temperature": 0}, "invalid_request", "temperature", 1e-6),
        ({"temperature": -1}, "invalid_request", "temperature", 1e-6),
        ({"temperature": "1"}, "invalid_request", "temperature", None),
        ({"temperature": True}, "invalid_request", "temperature", None),
        ({"scale": 1e10}, "invalid_request", "scale", 1e9),
        ({"bias": rows(2, 5)}, "invalid_value", "bias", None),
        ({"precision": "int8"}, "invalid_request", "precision", None),
        ({"mask": {"kind": "diagonal"}}, "invalid_request", "mask.kind", None),
        ({"mask": {"kind": "prefix"}}, "invalid_value", "mask.kind", None),
        ({"mask": {}}, "invalid_request", "mask.kind", None),
        ({"mask": "causal"}, "invalid_request", "mask", None),
        ({"mask": {"kind": "causal", "window": 2}}, "invalid_value", "mask.window", None),
        ({"mask": {"kind": "sliding_window", "window": 0}}, "invalid_request", "mask.window", 1),
        ({"mask": {"kind": "sliding_window", "window": 1.5}}, "invalid_request", "mask.window", None),
        ({"mask": {"kind": "prefix", "prefix": -1}}, "invalid_request", "mask.prefix", 0),
        ({"mask": {"kind": "padding", "lengths": 9}}, "invalid_value", "mask.lengths", None),
        ({"mask": {"kind": "padding", "lengths": [1, 2]}}, "invalid_value", "mask", None),
        ({"mask": {"kind": "padding", "is_token": [True]}}, "invalid_value", "mask.is_token", None),
        ({"mask": {"kind": "padding", "is_token": [1, 0]}}, "invalid_request", "mask.is_token", 16384),
        ({"mask": {"kind": "custom", "allowed": [[True], [True, False]]}}, "invalid_value", "mask.allowed", None),
        ({"mask": {"kind": "custom", "allowed": [[1, 0]]}}, "invalid_request", "mask.allowed.0.0", None),
        ({"mask": {"kind": "custom", "additive": [["Infinity"]]}}, "invalid_request", "mask.additive.0.0", 1e9),
        ({"queries": rows(6, 4), "mask": {"kind": "causal"}}, "invalid_value", "queries", None),
        ({"position": {"kind": "sinusoidal"}}, "invalid_request", "position.kind", None),
        ({"position": {"kind": "alibi", "base": 10}}, "invalid_value", "position.base", None),
        ({"position": {"kind": "alibi", "head": 8}}, "invalid_value", "position.head", None),
        ({"position": {"kind": "rope", "query_positions": [1]}}, "invalid_value", "position.query_positions", None),
        ({"queries": rows(1, 3), "keys": rows(5, 3), "position": {"kind": "rope"}}, "invalid_value", "queries", None),
        ({"additive": {"hidden": 4}}, "invalid_value", "additive", None),
        ({"mechanism": "additive", "additive": {"hidden": 0}}, "invalid_request", "additive.hidden", 1),
        ({"mechanism": "additive", "additive": {"seed": -1}}, "invalid_request", "additive.seed", 0),
        ({"dropout": 0.1}, "invalid_request", "dropout", None),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, changes: dict[str, Any], code: str, field: str | None, limit: float | None
) -> None:
    assert_error(client.post("/api/scoring", json=QKV | changes), 422, code, field, limit)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none(client: TestClient, assert_error: Any, number: str) -> None:
    body = json.dumps(QKV).replace("[[", f"[[{number}, ", 1)
    response = client.post("/api/scoring", content=body, headers={"content-type": "application/json"})
    assert response.json()["error"]["field"] in {"queries.0.0", "body"}
    assert response.status_code == 422
