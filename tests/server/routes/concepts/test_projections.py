"""/api/projections: every figure, and what is refused."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

EYE = np.eye(4).tolist()
BANDED = [[1, 0.5, 0, 0], [0.5, 1, 0.5, 0], [0, 0.5, 1, 0.5], [0, 0, 0.5, 1]]


def post(client: TestClient, path: str = "", **request: Any) -> Any:
    response = client.post(f"/api/projections{path}", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def test_figures(client: TestClient) -> None:
    request = {"inputs": EYE[:3], "query_weight": EYE, "key_weight": (2 * np.eye(4)).tolist(), "value_weight": BANDED}
    answer = post(client, **request)
    assert answer["keys"] == [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]]
    assert answer["values"] == BANDED[:3]
    assert answer["scaled_scores"] == np.eye(3).tolist()
    weights = np.full((3, 3), 0.2119416) + np.eye(3) * (0.5761169 - 0.2119416)
    np.testing.assert_allclose(answer["weights"], weights, atol=1e-6)
    expected = [[0.6821, 0.6060, 0.3179, 0.1060], [0.5, 0.7881, 0.5, 0.1060], [0.3179, 0.6060, 0.6821, 0.2881]]
    np.testing.assert_allclose(answer["output"], expected, atol=6e-5)
    assert answer["query"] == {"weight": EYE, "bias": None}
    assert answer["shapes"]["weights"] == [3, 3]


def test_drawn_projections(client: TestClient) -> None:
    answer = post(client, num_tokens=4, d_model=8, seed=3)
    assert {answer["shapes"][name] == [4, 8] for name in ("inputs", "queries", "keys", "values")} == {True}
    x = np.array(answer["inputs"])
    np.testing.assert_allclose(answer["queries"], x @ np.array(answer["query"]["weight"]).T, atol=1e-12)
    np.testing.assert_allclose(np.sum(answer["weights"], axis=1), 1, atol=1e-12)


def test_sizes_follow_what_is_given(client: TestClient) -> None:
    answer = post(client, inputs=[[1, 2, 3]], key_weight=[[1, 0, 0], [0, 1, 0]], key_bias=[5, 7], d_v=5, bias=True)
    assert answer["shapes"]["queries"] == answer["shapes"]["keys"] == [1, 2]
    assert answer["keys"] == [[6, 9]]
    assert answer["shapes"]["output"] == [1, 5]
    assert answer["weights"] == [[1]]
    assert len(answer["value"]["bias"]) == 5


def test_the_scale_can_be_chosen(client: TestClient) -> None:
    answer = post(client, scale=0)
    np.testing.assert_allclose(answer["weights"], np.full((4, 4), 0.25))


@pytest.mark.parametrize("swap", ["none", "keys_values", "queries_keys", "queries_values"])
def test_roles(client: TestClient, swap: str) -> None:
    answer = post(client, "/roles", swap=swap, seed=2)
    stages = {name: np.array(matrix) for name, matrix in answer["stages"].items()}
    q, k, v = stages["queries"], stages["keys"], stages["values"]
    assert q.shape == k.shape == v.shape == (3, 4)
    if swap == "keys_values":
        k, v = v, k
    elif swap == "queries_keys":
        q, k = k, q
    elif swap == "queries_values":
        q, v = v, q
    scores = np.exp(q @ k.T / 2)
    weights = scores / scores.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(answer["swapped"]["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(answer["swapped"]["output"], weights @ v, atol=1e-12)
    steps = {step["stage"]: step for step in answer["steps"]}
    assert list(steps) == ["raw_scores", "scaled_scores", "weights", "output"]
    assert steps["raw_scores"]["roles"] == {"queries": "asks", "keys": "is_asked_for"}
    assert steps["output"]["roles"] == {"values": "is_read"}
    np.testing.assert_allclose(steps["weights"]["row_sums"], 1, atol=1e-12)
    assert steps["output"]["result"] == answer["stages"]["output"]
    assert (answer["largest_change"]["output"] == 0) == (swap == "none")


def test_given_roles(client: TestClient) -> None:
    answer = post(client, "/roles", queries=[[1, 0]], keys=[[2, 0]], values=[[0, 3]])
    assert answer["stages"]["output"] == [[0, 3]]
    assert answer["swapped"]["output"] == [[2, 0]]


def test_odd_sizes(client: TestClient) -> None:
    answer = post(client, num_tokens=7, d_model=13, d_k=3, d_v=11)
    assert [answer["shapes"][name] for name in ("queries", "weights", "output")] == [[7, 3], [7, 7], [7, 11]]
    assert post(client, "/roles", num_tokens=1, size=1)["stages"]["weights"] == [[1]]
    extreme = post(client, inputs=[[1e4], [-1e4]], query_weight=[[1]], key_weight=[[1]], value_weight=[[1]])
    assert extreme["weights"] == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("path", "request_body", "field", "limit"),
    [
        ("", {"inputs": [[1, 2], [3]]}, "inputs", None),
        ("", {"inputs": [[1, "2"]]}, "inputs.0.1", None),
        ("", {"inputs": []}, "inputs", 1),
        ("", {"inputs": [[1e10]]}, "inputs.0.0", 1e9),
        ("", {"query_weight": [[]]}, "query_weight.0", 1),
        ("", {"num_tokens": 0}, "num_tokens", 1),
        ("", {"d_model": 0}, "d_model", 1),
        ("", {"d_k": -1}, "d_k", 1),
        ("", {"bias": "yes"}, "bias", None),
        ("", {"scale": "1"}, "scale", None),
        ("", {"seed": -1}, "seed", 0),
        ("", {"extra": 1}, "extra", None),
        ("/roles", {"swap": "all"}, "swap", None),
        ("/roles", {"size": 0}, "size", 1),
        ("/roles", {"keys": [[True]]}, "keys.0.0", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, path: str, request_body: Any, field: str, limit: float | None
) -> None:
    assert_error(client.post(f"/api/projections{path}", json=request_body), 422, "invalid_request", field, limit)


@pytest.mark.parametrize(
    ("path", "request_body", "field"),
    [
        ("", {"inputs": [[1, 2]], "query_weight": [[1, 2, 3]]}, "query_weight"),
        ("", {"inputs": [[1]], "query_weight": [[1]], "key_weight": [[1], [2]]}, "key_weight"),
        ("", {"inputs": [[1]], "value_bias": [1, 2]}, "value_bias"),
        ("", {"inputs": [[1]], "query_weight": [[1]], "d_k": 2}, "d_k"),
        ("/roles", {"queries": [[1, 2]], "keys": [[1]]}, "queries"),
    ],
)
def test_what_does_not_fit_together(client: TestClient, assert_error, path: str, request_body: Any, field: str) -> None:
    assert_error(client.post(f"/api/projections{path}", json=request_body), 422, "invalid_value", field)


@pytest.mark.parametrize(
    ("path", "request_body", "field", "limit"),
    [
        ("", {"num_tokens": 4096}, "num_tokens", 2**22),
        ("", {"inputs": [[0]] * 4097}, "inputs", 4096),
        ("", {"d_model": 2048, "d_k": 4096}, "d_k", 2**22),
        ("", {"d_model": 2048, "d_v": 4096, "d_k": 1}, "d_v", 2**22),
        ("/roles", {"num_tokens": 4096}, "num_tokens", 2**22),
    ],
)
def test_too_large(client: TestClient, assert_error, path: str, request_body: Any, field: str, limit: int) -> None:
    assert_error(client.post(f"/api/projections{path}", json=request_body), 422, "too_large", field, limit)


MINILM = "sentence-transformers/all-MiniLM-L6-v2"
LAYER = {"model": MINILM, "text": "The cat sat on the mat because it was tired.", "layer": 5}


def test_a_head_of_a_model_gives_the_model_s_weights(client: TestClient) -> None:
    body = {"head_of": LAYER | {"head": 11}}
    found = client.post("/api/projections", json=body).json()
    analysis = client.post("/api/analyses", json={"model": MINILM, "text": LAYER["text"]}).json()
    where = f"/api/analyses/{analysis['id']}/weights?layer=5&head=11&encoding=json"
    for stage in ("raw_scores", "scaled_scores", "weights"):
        theirs = client.get(f"{where}&stage={stage}").json()["matrix"]
        np.testing.assert_allclose(found[stage], theirs, atol=5e-5)
    assert found["tokens"] == [token["text"] for token in analysis["tokens"]]
    assert np.shape(found["query"]["weight"]) == (32, 384)
    np.testing.assert_allclose(
        found["queries"], np.array(found["inputs"]) @ np.array(found["query"]["weight"]).T + found["query"]["bias"]
    )
    small = client.post("/api/projections", json=body | {"with_weights": False}).json()
    assert small["query"] == {"weight": None, "bias": None}
    assert small["output"] == found["output"]


def test_what_a_head_of_a_model_refuses(client: TestClient, assert_error) -> None:
    head = LAYER | {"head": 11}
    post = lambda body: client.post("/api/projections", json=body)  # noqa: E731
    assert_error(post({"head_of": head, "d_k": 4}), 422, "invalid_value", "d_k")
    assert_error(post({"head_of": head | {"head": 12}}), 422, "out_of_range", "head", 11)
    assert_error(post({"head_of": head | {"layer": 6}}), 422, "out_of_range", "layer", 5)
    decoder = head | {"model": "observatory-gpt2-mini", "head": 0}
    assert "choose an encoder" in post({"head_of": decoder}).json()["error"]["message"]
