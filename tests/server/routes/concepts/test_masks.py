"""POST /api/masks: the figures, every kind, leaks of finite numbers, and bad input."""

import json
import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

THREE = [[1, 2, 3], [0.5, 1.5, 2.5], [1.2, 0.8, 2]]
FOUR = [[2.1, 4.5, 1.8, 3.2], [1.2, 3.4, 2.8, 1.9], [0.8, 2.1, 4, 2.5], [1.5, 2.9, 1.3, 3.7]]


def ask(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/masks", json=request)
    assert response.status_code == 200, response.text
    assert "NaN" not in response.text
    return response.json()


def weights_by_hand(scores: Any, allowed: np.ndarray) -> np.ndarray:
    exponentials = np.where(allowed, np.exp(scores), 0.0)
    total = exponentials.sum(-1, keepdims=True)
    return np.divide(exponentials, total, out=np.zeros_like(exponentials), where=total > 0)


def test_causal_three_by_three(client: TestClient) -> None:
    answer = ask(client, kind="causal", scores=THREE)
    expected = [[1, 0, 0], [0.2689, 0.7311, 0], [0.2567, 0.1721, 0.5713]]
    np.testing.assert_allclose(answer["weights"], expected, atol=5e-5)
    assert answer["allowed"] == [[True, False, False], [True, True, False], [True, True, True]]
    assert answer["additive"] == [[0, "-Infinity", "-Infinity"], [0, 0, "-Infinity"], [0, 0, 0]]
    assert answer["masked_scores"][1] == [0.5, 1.5, "-Infinity"]
    assert answer["scores"] == THREE


def test_causal_four_by_four(client: TestClient) -> None:
    answer = ask(client, kind="causal", scores=FOUR)
    np.testing.assert_allclose(answer["weights"][3], [0.0671, 0.2722, 0.0550, 0.6057], atol=5e-5)
    np.testing.assert_allclose(answer["weights"], weights_by_hand(FOUR, np.tri(4, dtype=bool)), rtol=1e-13)


def test_pads_of_a_batch_of_two_sentences_get_exactly_nothing(client: TestClient) -> None:
    answer = ask(client, kind="padding", lengths=[5, 3])
    assert (answer["num_queries"], answer["num_keys"]) == (5, 5)
    assert np.shape(answer["weights"]) == (2, 5, 5)
    assert all(row[3:] == [0, 0] for row in answer["weights"][1])
    for index, length in enumerate((5, 3)):
        allowed = np.tile(np.arange(5) < length, (5, 1))
        assert answer["allowed"][index] == allowed.tolist()
        np.testing.assert_allclose(
            answer["weights"][index], weights_by_hand(answer["scores"][index], allowed), rtol=1e-13
        )
    tokens = [[True] * 5, [True] * 3 + [False] * 2]
    assert ask(client, kind="padding", is_token=tokens, scores=answer["scores"])["weights"] == answer["weights"]


@pytest.mark.parametrize(
    ("request_", "allowed"),
    [
        ({"kind": "none"}, np.ones((3, 5), bool)),
        ({"kind": "causal"}, np.tri(3, 5, 2, dtype=bool)),
        ({"kind": "sliding_window", "window": 1}, np.eye(3, 5, 2, dtype=bool)),
        ({"kind": "sliding_window", "window": 2, "causal_only": False}, np.tri(3, 5, 3) - np.tri(3, 5, 0) > 0),
        ({"kind": "prefix", "prefix": 0}, np.tri(3, 5, 2, dtype=bool)),
        ({"kind": "prefix", "prefix": 5}, np.ones((3, 5), bool)),
        ({"kind": "padding", "lengths": 4, "causal": True}, np.tri(3, 5, 2) * (np.arange(5) < 4) > 0),
    ],
)
def test_every_kind_with_fewer_queries_than_keys(client: TestClient, request_: Any, allowed: np.ndarray) -> None:
    answer = ask(client, **request_, num_queries=3, num_keys=5, seed=4)
    assert answer["allowed"] == allowed.tolist()
    assert answer["additive"] == [[0 if cell else "-Infinity" for cell in row] for row in allowed]
    np.testing.assert_allclose(answer["weights"], weights_by_hand(answer["scores"], allowed), rtol=1e-12)
    assert answer["fully_masked"] == [False] * 3
    assert answer == ask(client, **request_, num_queries=3, num_keys=5, seed=4)


def test_a_fully_masked_row_has_one_result(client: TestClient) -> None:
    rows = [[False, False], [True, False]]
    for request in (
        {"allowed": rows},
        {"additive": [["-Infinity", "-Infinity"], [0, "-Infinity"]]},
        {"allowed": rows, "precision": "float16"},
    ):
        answer = ask(client, kind="custom", **request)
        assert answer["weights"] == [[0, 0], [1, 0]]
        assert answer["fully_masked"] == [True, False]
        assert answer["entropy"] == [0, 0]
    left = ask(client, kind="padding", is_token=[False, True], causal=True)
    assert left["fully_masked"] == [True, False]


def test_finite_numbers_leak_where_nothing_may_be_read(client: TestClient) -> None:
    fills = [-1e4, -1e5, -1e9, "-Infinity"]
    answer = ask(client, kind="padding", lengths=[0, 2], scores=[[1, 2], [0, 3]], fills=fills)
    found = {(leak["precision"], leak["fill"]): leak for leak in answer["leaks"]}
    assert len(found) == 12
    for (precision, fill), leak in found.items():
        tight = fill == "-Infinity" or (precision == "float16" and fill < -65504)
        assert leak["stored"] == ("-Infinity" if tight else pytest.approx(fill, rel=5e-3))
        assert leak["leaked"][0] == pytest.approx([0, 0] if tight else [1, 1], abs=1e-2)
        assert leak["leaked"][1] == [0, 0]
        assert leak["largest"] == pytest.approx(0 if tight else 1, abs=1e-2)
    np.testing.assert_allclose(
        found["float32", -1e4]["weights"][0][0], weights_by_hand([1, 2], np.array([True] * 2)), atol=1e-3
    )
    assert found["bfloat16", -1e9]["weights"][0][0] == [0.5, 0.5]


def test_finite_numbers_leak_where_scores_are_as_large(client: TestClient) -> None:
    scores = [[-2e4, 3e4], [0, 0]]
    answer = ask(
        client, kind="causal", scores=scores, fills=[-1e4, -1e9, "-Infinity"], precisions=["float16", "float32"]
    )
    leaked = {(leak["precision"], leak["fill"]): leak["leaked"][0] for leak in answer["leaks"]}
    assert leaked == {
        ("float16", -1e4): 1,
        ("float16", -1e9): 0,
        ("float16", "-Infinity"): 0,
        ("float32", -1e4): 1,
        ("float32", -1e9): 0,
        ("float32", "-Infinity"): 0,
    }


@pytest.mark.parametrize("precision", ["float64", "float32", "float16", "bfloat16"])
def test_extreme_scores(client: TestClient, precision: str) -> None:
    answer = ask(client, kind="causal", scores=[[1e4, 1e4], [-1e4, 1e4]], precision=precision)
    assert answer["weights"] == [[1, 0], [0, 1]]


def test_odd_sizes(client: TestClient) -> None:
    assert ask(client, kind="causal", num_keys=1)["weights"] == [[1]]
    assert np.shape(ask(client, kind="causal")["weights"]) == (4, 4)
    assert np.shape(ask(client, kind="causal", num_queries=7)["weights"]) == (7, 7)
    assert np.shape(ask(client, kind="none", num_queries=7, num_keys=3)["weights"]) == (7, 3)
    assert np.shape(ask(client, kind="padding", lengths=3, num_queries=7)["weights"]) == (7, 3)
    many = ask(client, kind="sliding_window", window=100, num_queries=2, num_keys=4096)
    assert np.sum(many["allowed"], axis=-1).tolist() == [100, 100]
    np.testing.assert_allclose(np.sum(many["weights"], -1), 1, rtol=1e-13)


@pytest.mark.parametrize(
    ("request_", "code", "field", "limit"),
    [
        ({}, "invalid_request", "kind", None),
        ({"kind": "diagonal"}, "invalid_request", "kind", None),
        ({"kind": "causal", "num_keys": 0}, "invalid_request", "num_keys", 1),
        ({"kind": "causal", "num_keys": -1}, "invalid_request", "num_keys", 1),
        ({"kind": "causal", "num_keys": 4097}, "too_large", "num_keys", 4096),
        ({"kind": "causal", "num_keys": 10**12}, "invalid_request", "num_keys", 16384),
        ({"kind": "causal", "num_keys": 4096}, "too_large", "num_queries", 2**22),
        ({"kind": "none", "num_queries": 4097, "num_keys": 1}, "too_large", "num_queries", 4096),
        ({"kind": "causal", "num_keys": "4"}, "invalid_request", "num_keys", None),
        ({"kind": "causal", "num_keys": True}, "invalid_request", "num_keys", None),
        ({"kind": "causal", "num_queries": 5, "num_keys": 3}, "invalid_value", "num_queries", None),
        ({"kind": "causal", "scores": [[1, 2], [3]]}, "invalid_request", "scores", None),
        ({"kind": "causal", "scores": [1, 2]}, "invalid_value", "scores", None),
        ({"kind": "causal", "scores": [["a"]]}, "invalid_request", "scores", 1e9),
        ({"kind": "causal", "scores": [[True]]}, "invalid_request", "scores", 1e9),
        ({"kind": "causal", "scores": [[1, 2], [3, 4]], "num_keys": 3}, "invalid_value", "scores", None),
        ({"kind": "causal", "scores": [[1e5]], "precision": "float16"}, "invalid_value", "scores", None),
        ({"kind": "causal", "prefix": 2}, "invalid_value", "prefix", None),
        ({"kind": "sliding_window", "window": -2}, "invalid_request", "window", 1),
        ({"kind": "sliding_window"}, "invalid_value", "kind", None),
        ({"kind": "prefix", "prefix": "2"}, "invalid_request", "prefix", None),
        ({"kind": "padding", "lengths": []}, "invalid_request", "lengths", 64),
        ({"kind": "padding", "lengths": [1.5]}, "invalid_request", "lengths", 16384),
        ({"kind": "padding", "lengths": [-1]}, "invalid_request", "lengths", 16384),
        ({"kind": "padding", "lengths": [True]}, "invalid_request", "lengths", 16384),
        ({"kind": "padding", "lengths": [3], "num_keys": 2}, "invalid_value", "lengths", None),
        ({"kind": "padding", "lengths": [0, 0]}, "invalid_value", "lengths", None),
        ({"kind": "padding", "is_token": [[True], [True, False]]}, "invalid_value", "is_token", None),
        ({"kind": "padding", "is_token": [[]]}, "invalid_request", "is_token", 16384),
        ({"kind": "padding", "is_token": "yes"}, "invalid_request", "is_token", None),
        ({"kind": "padding", "lengths": [1, 2], "scores": [[[1, 2]]] * 3}, "invalid_value", "scores", None),
        ({"kind": "custom", "allowed": [[True], []]}, "invalid_request", "allowed.1", 1),
        ({"kind": "custom", "allowed": [[True, 0]]}, "invalid_request", "allowed.0.1", None),
        ({"kind": "custom", "additive": [[0, "minus"]]}, "invalid_request", "additive.0.1", 1e9),
        ({"kind": "causal", "fills": [0] * 9}, "too_large", "fills", 8),
        ({"kind": "causal", "fills": ["NaN"]}, "invalid_request", "fills.0", 1e9),
        ({"kind": "causal", "precisions": []}, "invalid_request", "precisions", 1),
        ({"kind": "causal", "seed": -1}, "invalid_request", "seed", 0),
        ({"kind": "causal", "size": 4}, "invalid_request", "size", None),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, request_: dict[str, Any], code: str, field: str | None, limit: float | None
) -> None:
    assert_error(client.post("/api/masks", json=request_), 422, code, field, limit)


def test_infinity_is_json(client: TestClient) -> None:
    text = client.post("/api/masks", json={"kind": "causal"}).text
    assert json.loads(text, parse_constant=pytest.fail)
    assert math.isinf(float(ask(client, kind="causal")["additive"][0][1]))
